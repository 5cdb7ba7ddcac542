package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"outheis/agents"
	"outheis/gateway"
)

// served is a world with a control socket, in real time.
func served(t *testing.T, dir string, agent answering) *world {
	t.Helper()
	w := newWorld(t, newMemory(), agent)
	w.start()
	control, err := gateway.ListenControl(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := w.g.Handlers()
	h.Version = "test"
	h.Reload = func(context.Context) error { return errors.New("config.json: line 3") }
	h.Stop = cancel
	done := make(chan error, 1)
	go func() { done <- control.Serve(ctx, h, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v", err)
		}
		w.end()
		if _, err := os.Lstat(filepath.Join(dir, gateway.ControlSocket)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is left behind: %v", err)
		}
	})
	return w
}

func dial(t *testing.T, dir string) *gateway.Client {
	t.Helper()
	c, err := gateway.DialControl(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestControl(t *testing.T) {
	dir := t.TempDir()
	served(t, dir, echo)
	info, err := os.Lstat(filepath.Join(dir, gateway.ControlSocket))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v; want mode 0600", info.Mode(), err)
	}
	if pong, err := dial(t, dir).Ping(t.Context()); err != nil || pong.PID != os.Getpid() || pong.Version != "test" {
		t.Errorf("Ping = %+v, %v", pong, err)
	}
	raw, err := dial(t, dir).Status(t.Context())
	var s gateway.Status
	if err != nil || json.Unmarshal(raw, &s) != nil || s.State != gateway.Running || len(s.Accounts) != 1 {
		t.Errorf("Status = %s, %v", raw, err)
	}
	a, err := dial(t, dir).Send(t.Context(), gateway.LocalChat{Lang: "en"}, "Wann?")
	if err != nil || a.Status != agents.StatusOK || a.End != gateway.EndSent || len(a.Reply.Parts) != 1 || !strings.HasPrefix(a.Reply.Parts[0].Plain, echoed("Wann?")) || a.Answer == nil || a.Request == "" {
		t.Errorf("Send = %+v, %v", a, err)
	}
	if !strings.Contains(a.Reply.Parts[0].Plain, "Evidence:") {
		t.Errorf("reply is not in English: %q", a.Reply.Parts[0].Plain)
	}
	var ce *gateway.ControlError
	if err := dial(t, dir).Reload(t.Context()); !errors.As(err, &ce) || ce.Code != gateway.CodeFailed || !strings.Contains(ce.Text, "line 3") {
		t.Errorf("Reload = %v", err)
	}
	if _, err := dial(t, dir).Send(t.Context(), gateway.LocalChat{}, strings.Repeat("a", 1<<20)); !errors.As(err, &ce) || ce.Code != gateway.CodeTooLarge {
		t.Errorf("Send of a megabyte = %v", err)
	}
	if err := dial(t, dir).Stop(t.Context()); err != nil {
		t.Errorf("Stop = %v", err)
	}
}

func TestControlChat(t *testing.T) {
	dir := t.TempDir()
	release, begun := make(chan struct{}), make(chan struct{}, 8)
	served(t, dir, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		if strings.HasPrefix(r.Text, "langsam") {
			begun <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
				return agents.Answer{}, ctx.Err()
			}
		}
		return echo(ctx, r)
	})
	chat := gateway.LocalChat{Name: "wohnzimmer"}
	c, err := dial(t, dir).Chat(t.Context(), chat)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dial(t, dir).Chat(t.Context(), chat); err == nil || !strings.Contains(err.Error(), "joined") {
		t.Errorf("second Chat = %v", err)
	}
	next := func() gateway.LocalEvent {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		e, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := func(e gateway.LocalEvent) string {
		if len(e.Reply.Parts) == 0 {
			return string(e.End)
		}
		line, _, _ := strings.Cut(e.Reply.Parts[0].Plain, "\n")
		return line
	}
	id, err := c.Say(t.Context(), "Wann?")
	if err != nil || id == "" {
		t.Fatalf("Say = %q, %v", id, err)
	}
	one, two := next(), next()
	if first(one) != echoed("Wann?") || two.End != gateway.EndSent || two.Status != agents.StatusOK || one.Request != id || two.Request != id {
		t.Errorf("events %+v, %+v", one, two)
	}
	if _, err := c.Say(t.Context(), "langsam eins"); err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := []string{first(next()), first(next()), first(next())}
	slices.Sort(got)
	equal(t, "after stop", got, []string{"Abgebrochen.", "sent", "stopped"})

	if _, err := c.Say(t.Context(), "langsam zwei"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	c, err = dial(t, dir).Chat(ctx, chat)
	for err != nil && ctx.Err() == nil { // the gateway notices a moment later that the first has left
		c, err = dial(t, dir).Chat(ctx, chat)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if e := next(); first(e) != echoed("langsam zwei") {
		t.Errorf("after joining again: %+v", e)
	}
}

// Lines that are none, too long or unknown get an answer and cost nothing else.
func TestControlBadLines(t *testing.T) {
	dir := t.TempDir()
	served(t, dir, echo)
	for line, want := range map[string]string{
		"\n":                               "bad_request",
		"hello\n":                          "bad_request",
		"[]\n":                             "bad_request",
		`{"do":"format"}` + "\n":           "bad_request",
		`{"do":"say","text":"x"}` + "\n":   "bad_request",
		`{"do":7}` + "\n":                  "bad_request",
		`{"do":"ping","x":1}` + "\n":       `"ok":true`,
		strings.Repeat("x", 70<<10) + "\n": "too_large",
		`{"do":"chat","chat":{"look":"neon"}}` + "\n": "failed",
	} {
		conn, err := net.Dial("unix", filepath.Join(dir, gateway.ControlSocket))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, line); err != nil {
			t.Fatal(err)
		}
		got, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%.30q is answered with %q, %v; want %s", line, got, err, want)
		}
		conn.Close()
	}
}

func TestListenControl(t *testing.T) {
	t.Run("leftover socket", func(t *testing.T) {
		dir := t.TempDir()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, gateway.ControlSocket), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		if _, err := gateway.DialControl(dir); !errors.Is(err, gateway.ErrNoGateway) {
			t.Errorf("DialControl = %v, want %v", err, gateway.ErrNoGateway)
		}
		c, err := gateway.ListenControl(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gateway.ListenControl(dir); err == nil || !strings.Contains(err.Error(), "another program listens") {
			t.Errorf("second ListenControl = %v", err)
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	t.Run("another file of that name", func(t *testing.T) {
		dir := t.TempDir()
		name := filepath.Join(dir, gateway.ControlSocket)
		if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := gateway.ListenControl(dir); err == nil || !strings.Contains(err.Error(), "no socket") {
			t.Errorf("ListenControl = %v", err)
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != "mine" {
			t.Errorf("the file was touched: %q, %v", b, err)
		}
	})
	t.Run("no directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "missing")
		if _, err := gateway.ListenControl(dir); err == nil {
			t.Error("ListenControl in a directory that is not there returns no error")
		}
		if _, err := gateway.DialControl(dir); !errors.Is(err, gateway.ErrNoGateway) {
			t.Errorf("DialControl = %v, want %v", err, gateway.ErrNoGateway)
		}
	})
	t.Run("long path", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 4 {
			dir = filepath.Join(dir, fmt.Sprintf("%d-%s", i, strings.Repeat("x", 60)))
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c, err := gateway.ListenControl(dir)
		if err != nil {
			if !strings.Contains(err.Error(), "use a shorter human directory") {
				t.Errorf("ListenControl = %v, which says not what to do", err)
			}
			return
		}
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Serve(ctx, gateway.Handlers{}, nil) }()
		if _, err := dial(t, dir).Ping(t.Context()); err != nil {
			t.Errorf("Ping over a long path: %v", err)
		}
		cancel()
		<-done
	})
}

// A client that goes away takes its question along no further than to the log:
// it is answered, and nobody waits for it.
func TestControlClientGoesAway(t *testing.T) {
	dir := t.TempDir()
	started, release := make(chan struct{}), make(chan struct{})
	w := served(t, dir, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		close(started)
		<-release
		return echo(ctx, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	c := dial(t, dir)
	go func() { _, err := c.Send(ctx, gateway.LocalChat{}, "Wann?"); done <- err }()
	<-started
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Send = %v, want %v", err, context.Canceled)
	}
	c.Close()
	close(release)
	for w.g.Status().Ends[gateway.EndSent] == 0 {
		if _, err := dial(t, dir).Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzControlRequest(f *testing.F) {
	for _, s := range []string{`{"do":"ping"}`, `{"do":"send","text":"Wann?","chat":{"name":"a","lang":"de"}}`, `{"do":"chat","chat":null}`, `{"do":"\u0073ay"}`, "{", "null", `{"DO":"stop"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		req, err := gateway.ParseControlRequest(line)
		if err != nil {
			if req != (gateway.ControlRequest{}) {
				t.Errorf("ParseControlRequest(%q) = %+v beside %v", line, req, err)
			}
			return
		}
		b, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		again, err := gateway.ParseControlRequest(b)
		if err != nil || again != req {
			t.Errorf("%q becomes %+v, written and read again %+v, %v", line, req, again, err)
		}
	})
}
