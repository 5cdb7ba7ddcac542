package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Secret is a token or a password. However it is printed, logged or encoded,
// "***" comes out, or the reference that it was made from; only [Secret.Reveal]
// gives the value. The zero Secret is none.
type Secret struct {
	// A function, because fmt looks into everything else that a struct hides in
	// an unexported field, where it does not call our Format.
	reveal func() string
	source string // the reference, or "" for a literal
}

// NewSecret returns a secret of that value, which a program made or a person
// typed.
func NewSecret(value string) Secret { return newSecret(value, "") }

func newSecret(value, source string) Secret {
	return Secret{func() string { return value }, source}
}

// Reveal returns the value. It belongs into the request that needs it and
// nowhere else.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsZero reports whether there is no secret, nor a reference to one.
func (s Secret) IsZero() bool { return s.source == "" && s.Reveal() == "" }

// Equal reports whether s and t have the same value.
func (s Secret) Equal(t Secret) bool { return s.Reveal() == t.Reveal() }

// String returns what may be shown.
func (s Secret) String() string {
	switch {
	case s.IsZero():
		return ""
	case s.source != "":
		return s.source
	}
	return "***"
}

// GoString implements [fmt.GoStringer].
func (s Secret) GoString() string { return s.String() }

// Format implements [fmt.Formatter] for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText implements [encoding.TextMarshaler], for JSON and others.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML implements [yaml.Marshaler].
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

var referencePattern = regexp.MustCompile(`^(?:\$\{(env|file):([^{}]+)\}|(env|file):(.+))$`)

// secret reads a literal or a reference. A reference is followed only where
// resolve is set: what nobody uses may be missing.
func (f *form) secret(key string, resolve bool) kind[Secret] {
	return kind[Secret]{"secret", func(n *yaml.Node) (Secret, *finding) {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			return Secret{}, found(wantText, "***")
		}
		m := referencePattern.FindStringSubmatch(n.Value)
		switch {
		case m == nil && strings.Contains(n.Value, "${"):
			return Secret{}, found(badReference)
		case m == nil && isPlaceholder(n.Value):
			return Secret{}, found(secretPlaceholder)
		case m == nil:
			f.w.literals = append(f.w.literals, literal{n, f.at(key)})
			return NewSecret(n.Value), nil
		}
		return f.w.follow(m[1]+m[3], m[2]+m[4], resolve && !f.w.unresolved)
	}, writeSecret}
}

func writeSecret(s Secret) *yaml.Node {
	if s.IsZero() {
		return nil
	}
	return scalar("!!str", s.String())
}

// follow returns the secret that a reference names.
func (w *walk) follow(scheme, target string, resolve bool) (Secret, *finding) {
	read := func() (string, *finding) { return w.env(target), nil }
	switch {
	case scheme == "env" && !variablePattern.MatchString(target):
		return Secret{}, found(wantVariable, "***")
	case scheme == "env" && resolve && w.env(target) == "":
		return Secret{}, found(secretVariable, target)
	case scheme == "file":
		path, ok := absolute(target, w.env)
		if !ok {
			return Secret{}, found(wantPath, clip(target))
		}
		read = func() (string, *finding) { return readSecret(path) }
	}
	source := "${" + scheme + ":" + target + "}"
	if !resolve {
		return newSecret("", source), nil
	}
	value, bad := read()
	if bad == nil && isPlaceholder(value) {
		bad = found(secretPlaceholder)
	}
	if bad != nil {
		return Secret{}, bad
	}
	return newSecret(value, source), nil
}

// maxSecret is the size of the largest file that a secret is read from.
const maxSecret = 64 << 10

// readSecret reads a file that nobody can read but us and root
// (spec/reliability.md T26). One end of line at its end is not part of the
// secret.
func readSecret(path string) (string, *finding) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", found(secretFileGone, path)
	case err != nil:
		return "", found(secretFileOdd, path)
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil, !fi.Mode().IsRegular(), fi.Size() > maxSecret:
		return "", found(secretFileOdd, path)
	case isForeign(fi):
		return "", found(secretFileForeign, path)
	case isOpen(fi):
		return "", found(secretFileOpen, path, fmt.Sprintf("%04o", fi.Mode().Perm()))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil {
		return "", found(secretFileOdd, path)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), nil
}

// isPlaceholder reports whether s is what stands in examples, or nothing at
// all (spec/reliability.md T26).
func isPlaceholder(s string) bool {
	s = squeeze(strings.Trim(s, " \t\r\n\"'<>[]{}.*"))
	switch s {
	case "", "undefined", "null", "nil", "none", "changeme", "todo", "tbd", "token", "secret", "password", "passwort", "apikey",
		"bottoken", "yourtoken", "yourbottoken", "yourtokenhere", "yourapikey", "deintoken", "ihrtoken", "hiertoken", "example", "beispiel",
		"test", "false", "true", "0",
		// The token in the documentation of the Bot API.
		"123456:abcdef1234ghiklzyx57w2v1u123ew11":
		return true
	}
	return strings.Trim(s, "x") == "" || strings.Trim(s, "0") == ""
}
