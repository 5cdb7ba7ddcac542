package main

import (
	"io"
	"log/slog"
	"regexp"
	"strings"

	"outheis/config"
)

// logger returns the log of a running gateway: one line an entry on standard
// error. Tokens do not get this far; should one do so all the same, it is
// blackened here (spec/reliability.md T1).
func (p *program) logger(c config.Config, level *slog.LevelVar) *slog.Logger {
	w := &redactor{to: p.err}
	for _, secret := range c.Secrets() {
		if s := secret.Reveal(); len(s) >= 8 {
			w.secrets = append(w.secrets, s)
		}
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

func level(c config.Config) slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(c.Log.Level)); err != nil {
		return slog.LevelInfo
	}
	return l
}

// A redactor blackens secrets in each line that is written through it. It is
// immutable; the handler serialises its lines.
type redactor struct {
	to      io.Writer
	secrets []string
}

// tokens are texts in the form of a Telegram token, whoever they belong to.
var tokens = regexp.MustCompile(`\b\d{6,12}(:|%3A)[A-Za-z0-9_-]{30,}`)

func (r *redactor) Write(line []byte) (int, error) {
	s := string(line)
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, "***")
	}
	s = tokens.ReplaceAllString(s, "***")
	if _, err := io.WriteString(r.to, s); err != nil {
		return 0, err
	}
	return len(line), nil
}
