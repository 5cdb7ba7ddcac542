package mattermost

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"outheis/channels"
)

const (
	// answerWithin is a little less than the 3 s that the server waits.
	answerWithin = 2500 * time.Millisecond
	// maxCommand bounds a slash command: at most 16,383 runes, escaped.
	maxCommand = 256 << 10
	// maxPress bounds a press, which holds a few ids.
	maxPress = 32 << 10
	// mostRequests is how many requests are dealt with at once.
	mostRequests = 64
	// refusalsEvery is how often refused requests are written to the log.
	refusalsEvery = time.Minute
)

// listen opens the listener, if one is wanted, and returns what closes it and
// waits for what is under way.
func (c *Channel) listen(ctx context.Context, in channels.Deliver) (stop func(), err error) {
	if c.opts.Listen == "" {
		return func() {}, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.opts.Listen)
	if err != nil {
		return nil, &channels.SendError{Class: channels.Misconfigured, Err: err, Remedy: c.texts.Say("mattermost.listen_remedy", c.opts.Listen)}
	}
	srv := &http.Server{
		Handler:           &listener{c: c, in: in, slots: make(chan struct{}, mostRequests)},
		ErrorLog:          slog.NewLogLogger(c.log.Handler(), slog.LevelDebug), // what foreign clients do
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error("listener ended", "err", err)
			c.health.deaf(channels.Scrub(err.Error()))
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
		<-done
	}, nil
}

// A listener answers what the server sends: pressed buttons and slash
// commands. The path before /action and /command is whatever a proxy makes of
// it.
type listener struct {
	c     *Channel
	in    channels.Deliver
	slots chan struct{} // holds one for each request

	mu      sync.Mutex // guards the fields below
	refused int        // requests since told
	told    time.Time
}

// refuse writes to the log that a request was refused; of many, which anybody
// may send, it writes the number now and then.
func (l *listener) refuse(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused++
	if now := l.c.opts.Now(); now.Sub(l.told) >= refusalsEvery {
		l.c.log.Warn("requests to the listener refused", "why", why, "count", l.refused)
		l.refused, l.told = 0, now
	}
}

// ServeHTTP implements [http.Handler].
func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	default:
		l.refuse("too many at once")
		http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	var take func(context.Context, http.ResponseWriter, []byte)
	most := int64(maxPress)
	switch {
	case strings.HasSuffix(r.URL.Path, "/action"):
		take = l.action
	case strings.HasSuffix(r.URL.Path, "/command"):
		// Servers name the token in a header too; a wrong one there spares reading.
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Token "); ok && !l.c.commandToken(token) {
			l.unknown(w)
			return
		}
		take, most = l.command, maxCommand
	default:
		http.Error(w, "nothing here", http.StatusNotFound)
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		http.Error(w, "cannot be read", http.StatusBadRequest)
		return
	}
	take(ctx, w, raw)
}

// unknown refuses a slash command.
func (l *listener) unknown(w http.ResponseWriter) {
	l.refuse("token of a slash command not known")
	http.Error(w, "token not known", http.StatusUnauthorized)
}

// say answers with JSON.
func say(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte("{}")
	}
	w.Write(raw) // the server has gone away if this fails
}

// action takes a pressed button. The press counts as taken when the event is
// durable; the person is told when it is not, and can press again.
func (l *listener) action(ctx context.Context, w http.ResponseWriter, raw []byte) {
	tell := func(key string) {
		say(w, map[string]string{"ephemeral_text": l.c.texts.Say(key)})
	}
	var p press
	if json.Unmarshal(raw, &p) != nil {
		http.Error(w, "not a pressed button", http.StatusBadRequest)
		return
	}
	e, ok, err := l.c.pressed(ctx, p)
	switch {
	case err != nil:
		l.c.log.Warn("press not taken", "err", err)
		tell("mattermost.press_again")
	case !ok && p.Context.value.Button == testButton:
		say(w, struct{}{})
	case !ok:
		l.refuse("press forged or stale")
		tell("mattermost.press_stale")
	default:
		if err := l.in(ctx, e); err != nil {
			l.c.log.Error("press not stored", "err", err)
			tell("mattermost.press_again")
			return
		}
		say(w, struct{}{})
	}
}

// commandName is the name of a slash command.
var commandName = regexp.MustCompile(`^/([a-z0-9][a-z0-9._-]*)$`)

// command takes a slash command. Nothing is read of it before its token is
// known to be right.
func (l *listener) command(ctx context.Context, w http.ResponseWriter, raw []byte) {
	form, err := url.ParseQuery(string(raw))
	if err != nil || !l.c.commandToken(form.Get("token")) {
		l.unknown(w)
		return
	}
	e, err := l.c.commanded(ctx, form)
	if err == nil {
		err = l.in(ctx, e)
	}
	if err != nil {
		l.c.log.Warn("slash command not taken", "err", err)
		say(w, ephemeral(l.c.texts.Say("mattermost.command_again")))
		return
	}
	said := escape(strings.Join(strings.Fields(form.Get("command")+" "+form.Get("text")), " "))
	if n := []rune(said); len(n) > 300 {
		said = string(n[:300]) + "…"
	}
	say(w, ephemeral(harmless(l.c.texts.Say("mattermost.command_taken", said))))
}

// commandToken reports whether a token is among those that count now. How long
// that takes tells nothing about them.
func (c *Channel) commandToken(token string) bool {
	if c.opts.CommandToken == nil || token == "" {
		return false
	}
	got := sha256.Sum256([]byte(token))
	known := 0
	for _, one := range strings.FieldsFunc(c.opts.CommandToken(), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }) {
		want := sha256.Sum256([]byte(one))
		known |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return known == 1
}

// commanded makes the event of a slash command.
func (c *Channel) commanded(ctx context.Context, form url.Values) (channels.Event, error) {
	var e channels.Event
	name := commandName.FindStringSubmatch(form.Get("command"))
	chat, person, root := form.Get("channel_id"), form.Get("user_id"), form.Get("root_id")
	if name == nil || len(name[1]) > 128 || !isID(chat) || !isID(person) || root != "" && !isID(root) || form.Get("trigger_id") == "" {
		return e, errors.New("mattermost: slash command: not of the expected form")
	}
	who, err := c.dir.user(ctx, person)
	if err != nil {
		return e, err
	}
	e = channels.Event{
		Kind: channels.KindCommand, Key: "c:" + short(form.Get("trigger_id")), Command: name[1], Text: strings.TrimSpace(form.Get("text")), Addressed: true,
		Space: form.Get("team_id"), Actor: channels.Actor{ID: person, Kind: channels.Person, Name: who.name(), Locale: who.Locale}, At: millis(0, c.opts.Now),
	}
	if who.IsBot {
		e.Actor.Kind = channels.Bot
	}
	private := ""
	ch, err := c.dir.channel(ctx, chat)
	var f *failure
	switch {
	case err == nil:
		e.Space = ch.TeamID
		if e.Audience, err = audience(ch.Type); err != nil {
			return e, err
		}
	case errors.As(err, &f) && f.gone():
		// We are not in that chat. The answer takes the way that the server offers,
		// and is seen by who asked alone.
		path, err := hookPath(form.Get("response_url"))
		if err != nil {
			return e, err
		}
		e.Audience, private = channels.Direct, hookMark+short(form.Get("trigger_id"))+":"+person
		c.hooks.keep(short(form.Get("trigger_id")), path)
	default:
		return e, err
	}
	e.Address, err = channels.NewAddress(Kind, c.opts.Account, chat, root, private)
	return e, err
}

// hookShape is the end of a response_url.
var hookShape = regexp.MustCompile(`/hooks/commands/[a-z0-9]{26}$`)

// hookPath returns the path of a response_url. Its host is not used: it may be
// another name of the server, or not the server at all.
func hookPath(s string) (string, error) {
	path := hookShape.FindString(s)
	if path == "" {
		return "", errors.New("mattermost: slash command: no response_url of the expected form")
	}
	return path, nil
}
