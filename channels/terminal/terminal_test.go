package terminal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outheis/channels"
	"outheis/channels/terminal"
	"outheis/config/texts"
	"outheis/formatting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noEnv is an environment without any variable.
func noEnv(string) string { return "" }

// A gate stands for the gateway: it keeps events and answers messages.
type gate struct {
	mu     sync.Mutex
	events []channels.Event
	fails  int // deliveries to refuse before the first one is kept
	answer func(channels.Event)
	kept   chan channels.Event
}

func newGate() *gate { return &gate{kept: make(chan channels.Event, 100)} }

func (g *gate) deliver(_ context.Context, e channels.Event) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fails > 0 {
		g.fails--
		return errors.New("no space left on device")
	}
	g.events = append(g.events, e)
	g.kept <- e
	if g.answer != nil {
		g.answer(e)
	}
	return nil
}

// texts returns what was delivered, commands with their slash.
func (g *gate) texts() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []string
	for _, e := range g.events {
		if e.Kind == channels.KindCommand {
			all = append(all, strings.TrimSpace("/"+e.Command+" "+e.Text))
		} else {
			all = append(all, e.Text)
		}
	}
	return all
}

// erika returns the address of the terminal that the tests use.
func erika(t *testing.T) channels.Address {
	t.Helper()
	a, err := terminal.New(terminal.Options{Identity: "erika", Getenv: noEnv}).Direct("erika")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func post(to channels.Address, text string) channels.Post {
	return channels.Post{To: to, Key: "k", Body: formatting.Part{Text: text, Plain: text}}
}

// talk runs a conversation over a pipe in which every message is answered.
func talk(t *testing.T, input string, o terminal.Options) (g *gate, out, remarks string) {
	t.Helper()
	var outBuf, errBuf bytes.Buffer
	o.In, o.Out, o.Err, o.Identity, o.Getenv = strings.NewReader(input), &outBuf, &errBuf, "erika", noEnv
	term := terminal.New(o)
	g = newGate()
	g.answer = func(e channels.Event) {
		if _, err := term.Send(t.Context(), post(e.Address, "Antwort auf "+e.Text+e.Command)); err != nil {
			t.Errorf("Send: %v", err)
		}
	}
	if err := term.Run(t.Context(), g.deliver); err != nil {
		t.Errorf("Run: %v", err)
	}
	return g, outBuf.String(), errBuf.String()
}

func TestAPipeIsReadLineByLineAndAnswered(t *testing.T) {
	g, out, _ := talk(t, "Wie verbinde ich Telegram?\r\n\n  \n/tresor handbuch\nletzte ohne Zeilenende", terminal.Options{})
	if got, want := g.texts(), []string{"Wie verbinde ich Telegram?", "/tresor handbuch", "letzte ohne Zeilenende"}; !slices.Equal(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	if want := "Antwort auf Wie verbinde ich Telegram?\n\nAntwort auf handbuchtresor\n\nAntwort auf letzte ohne Zeilenende\n\n"; out != want {
		t.Errorf("printed %q, want %q", out, want)
	}
}

func TestAPostWithoutAnAddressAnswersTheOldestMessage(t *testing.T) {
	var out bytes.Buffer
	term := terminal.New(terminal.Options{In: strings.NewReader("eins\nzwei\n"), Out: &out, Identity: "erika", Getenv: noEnv})
	g := newGate()
	g.answer = func(e channels.Event) {
		if _, err := term.Send(t.Context(), post(channels.Address{}, "ja, "+e.Text)); err != nil {
			t.Errorf("Send: %v", err)
		}
	}
	if err := term.Run(t.Context(), g.deliver); err != nil {
		t.Fatal(err)
	}
	if want := "ja, eins\n\nja, zwei\n\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestEventsAreComplete(t *testing.T) {
	at := time.Date(2026, 5, 2, 8, 0, 0, 0, time.UTC)
	g, _, _ := talk(t, "eins\nzwei\n", terminal.Options{Client: "abc", Now: func() time.Time { return at }, Texts: texts.For("en")})
	if len(g.events) != 2 {
		t.Fatalf("%d events, want 2", len(g.events))
	}
	e := g.events[1]
	want := channels.Event{
		Kind: channels.KindMessage, Key: "abc:2", Message: "abc:2", Text: "zwei", Addressed: true,
		Audience: channels.Direct, At: at, Address: e.Address,
		Actor: channels.Actor{ID: "erika", Kind: channels.Person, Name: "erika", Locale: "en"},
	}
	got, _ := json.Marshal(e)
	wantJSON, _ := json.Marshal(want)
	if string(got) != string(wantJSON) {
		t.Errorf("event\n got %s\nwant %s", got, wantJSON)
	}
	if a := e.Address; a.Channel() != "terminal" || a.Account() != "local" || a.Chat() != "erika" || a.Thread() != "" {
		t.Errorf("address %+v", a)
	}
	if g.events[0].Key == g.events[1].Key {
		t.Errorf("two events with key %q", e.Key)
	}
}

func TestClientsDoNotShareKeys(t *testing.T) {
	a, _, _ := talk(t, "eins\n", terminal.Options{})
	b, _, _ := talk(t, "eins\n", terminal.Options{})
	if a.events[0].Key == b.events[0].Key {
		t.Errorf("two clients with the key %q", a.events[0].Key)
	}
}

// Help on keys is given here, on what can be asked by the gateway.
func TestHelpAndQuit(t *testing.T) {
	for _, c := range []struct {
		input string
		want  []string
	}{
		{"/help\nFrage\n", []string{"/help", "Frage"}},
		{"/quit\nFrage\n", nil},
		{"/EXIT\nFrage\n", nil},
		{"quit\nFrage\n", nil},
	} {
		g, out, _ := talk(t, c.input, terminal.Options{})
		if got := g.texts(); !slices.Equal(got, c.want) {
			t.Errorf("%q: delivered %q, want %q", c.input, got, c.want)
		}
		if got, want := strings.Contains(out, "Pfeiltasten"), strings.HasPrefix(c.input, "/help"); got != want {
			t.Errorf("%q: help shown = %v, want %v", c.input, got, want)
		}
	}
}

func TestParseLine(t *testing.T) {
	for _, c := range []struct{ line, command, text string }{
		{"Frage", "", "Frage"},
		{"/tresor", "tresor", ""},
		{"/Tresor  Was gilt?", "tresor", "Was gilt?"},
		{"/vergiss_mich", "vergiss_mich", ""},
		{"/a1 x", "a1", "x"},
		{"/", "", "/"},
		{"/ x", "", "/ x"},
		{"/1", "", "/1"},
		{"/etc/passwd ist leer?", "", "/etc/passwd ist leer?"},
		{"/größe", "", "/größe"},
		{"exit", "quit", ""},
		{"exit code?", "", "exit code?"},
	} {
		command, text := terminal.ParseLine(c.line)
		if command != c.command || text != c.text {
			t.Errorf("ParseLine(%q) = %q, %q, want %q, %q", c.line, command, text, c.command, c.text)
		}
	}
}

func TestAMessageThatIsNotKeptIsDeliveredAgain(t *testing.T) {
	var out, remarks bytes.Buffer
	term := terminal.New(terminal.Options{
		In: strings.NewReader("eins\nzwei\n"), Out: &out, Err: &remarks, Identity: "erika", Getenv: noEnv,
		Retry: channels.Backoff{Min: time.Millisecond},
	})
	g := newGate()
	g.fails = 1
	g.answer = func(e channels.Event) { term.Send(t.Context(), post(e.Address, "ok")) }
	if err := term.Run(t.Context(), g.deliver); err != nil {
		t.Fatal(err)
	}
	if got, want := g.texts(), []string{"eins", "zwei"}; !slices.Equal(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	if want := texts.For("de").Say("terminal.not_kept"); strings.Count(remarks.String(), want) != 1 {
		t.Errorf("remarks %q, want one %q", remarks.String(), want)
	}
}

func TestRunDoesNotWaitForeverForAnAnswer(t *testing.T) {
	var out, remarks bytes.Buffer
	term := terminal.New(terminal.Options{In: strings.NewReader("eins\n"), Out: &out, Err: &remarks, Identity: "erika", Getenv: noEnv, Patience: 10 * time.Millisecond})
	if err := term.Run(t.Context(), newGate().deliver); err != nil {
		t.Fatal(err)
	}
	if got, want := remarks.String(), texts.For("de").Say("terminal.no_answer")+"\n"; got != want {
		t.Errorf("remarks %q, want %q", got, want)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	term := terminal.New(terminal.Options{In: r, Out: io.Discard, Identity: "erika", Getenv: noEnv})
	ctx, cancel := context.WithCancel(t.Context())
	g := newGate()
	ended := make(chan error, 1)
	go func() { ended <- term.Run(ctx, g.deliver) }()
	io.WriteString(w, "Frage\n")
	<-g.kept
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v, want %v", err, context.Canceled)
	}
}

func TestRunCountsWhatMayBeLost(t *testing.T) {
	var remarks bytes.Buffer
	term := terminal.New(terminal.Options{In: strings.NewReader("eins\n"), Out: io.Discard, Err: &remarks, Identity: "erika", Getenv: noEnv})
	ctx, cancel := context.WithCancel(t.Context())
	err := term.Run(ctx, func(ctx context.Context, _ channels.Event) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	if got, want := remarks.String(), texts.For("de").Say("terminal.lost", 1)+"\n"; got != want {
		t.Errorf("remarks %q, want %q", got, want)
	}
}

func TestSend(t *testing.T) {
	to := erika(t)
	body := formatting.Part{Text: "\x1b[1mFett\x1b[0m und \x1b]0;böse\x07", Plain: "Fett\x1b[2J"}
	for _, c := range []struct {
		name string
		o    terminal.Options
		p    channels.Post
		want string
	}{
		{"plain", terminal.Options{Color: terminal.Never}, channels.Post{To: to, Body: formatting.Part{Text: "Ja.\n\n"}}, "Ja."},
		{"colour", terminal.Options{Color: terminal.Always}, channels.Post{To: to, Body: body}, "\x1b[1mFett\x1b[0m und ␛]0;böse␇"},
		{"colour is off", terminal.Options{Color: terminal.Auto}, channels.Post{To: to, Body: formatting.Part{Text: "\x1b[1mFett"}}, "␛[1mFett"},
		{"plain form", terminal.Options{Color: terminal.Always}, channels.Post{To: to, Body: body, Plain: true}, "Fett␛[2J"},
		{"again", terminal.Options{}, channels.Post{To: to, Body: formatting.Part{Text: "Ja."}, Again: true}, "[erneut] Ja."},
		{"again in English", terminal.Options{Texts: texts.For("en")}, channels.Post{To: to, Body: formatting.Part{Text: "Yes."}, Again: true}, "[again] Yes."},
		{"bidi", terminal.Options{}, channels.Post{To: to, Body: formatting.Part{Text: "a\u202eb\u2066c\u009bd"}}, "abc\ufffdd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			c.o.Out, c.o.Getenv, c.o.Identity = &out, noEnv, "erika"
			r, err := terminal.New(c.o).Send(t.Context(), c.p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Remote == "" {
				t.Error("no id of the message")
			}
			if want := c.want + "\n\n"; out.String() != want {
				t.Errorf("printed %q, want %q", out.String(), want)
			}
		})
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestSendSaysWhyItFailed(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		out  io.Writer
		want channels.Class
	}{
		{"context ended", ended, io.Discard, channels.NotSent},
		{"reader gone", t.Context(), broken{}, channels.Gone},
		{"no output", t.Context(), nil, channels.Gone},
	} {
		_, err := terminal.New(terminal.Options{Out: c.out, Identity: "erika", Getenv: noEnv}).Send(c.ctx, channels.Post{To: erika(t), Body: formatting.Part{Text: "x"}})
		var se *channels.SendError
		if !errors.As(err, &se) || se.Class != c.want {
			t.Errorf("%s: error %v, want class %s", c.name, err, c.want)
		}
	}
}

// Nobody reads any more: the conversation is over, whatever is still to come.
func TestRunEndsWhenNothingCanBePrinted(t *testing.T) {
	term := terminal.New(terminal.Options{In: strings.NewReader("eins\nzwei\n"), Out: broken{}, Err: io.Discard, Identity: "erika", Getenv: noEnv})
	g := newGate()
	g.answer = func(e channels.Event) { term.Send(t.Context(), post(e.Address, "ja")) }
	err := term.Run(t.Context(), g.deliver)
	var se *channels.SendError
	if !errors.As(err, &se) || se.Class != channels.Misconfigured || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Run: %v", err)
	}
}

func TestLinesOfAPipe(t *testing.T) {
	long := strings.Repeat("ä", terminal.MaxLine/2)
	for _, c := range []struct {
		name, input string
		want        []string
	}{
		{"none", "", nil},
		{"unended", "a", []string{"a"}},
		{"two", "a\nb\n", []string{"a\n", "b\n"}},
		{"just not too long", long[1:] + "\nb\n", []string{long[1:] + "\n", "b\n"}},
		{"too long", long + "x\nb\n", []string{"…", "b\n"}},
		{"too long at the end", long + "xx", []string{"…"}},
	} {
		if got := terminal.PipeLines(strings.NewReader(c.input)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d lines, want %d", c.name, len(got), len(c.want))
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "Ja.", "\x1b[1mx\x1b[0m", "\x1b[31m", "\x1b]8;;http://x\x07", "\x1b[2J", "\u009b31m", "a\rb", "\u202eabc", "\x1b\x1b[0m[1m", "\xff\x1b[", "\x1b[1;2;38;5;9mx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, color := range []bool{false, true} {
			rest := terminal.Clean(s, color)
			if color {
				rest = sgrPattern.ReplaceAllString(rest, "")
			}
			for _, r := range rest {
				if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Fatalf("clean(%q, %v) lets %U through", s, color, r)
				}
			}
		}
	})
}
