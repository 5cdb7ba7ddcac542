package terminal_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/terminal"
)

// limit is how long a test waits for what must happen.
const limit = 20 * time.Second

// A screen collects what a program draws on a pseudo terminal.
type screen struct {
	mu      sync.Mutex
	drawn   strings.Builder
	changed chan struct{}
}

// watch reads from the person's end until the test ends, which closes both.
func watch(t *testing.T, keys, tty *os.File) *screen {
	s := &screen{changed: make(chan struct{}, 1)}
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			s.mu.Lock()
			s.drawn.Write(buf[:n])
			s.mu.Unlock()
			select {
			case s.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		tty.Close()
		wg.Wait()
	})
	return s
}

// String returns what was drawn; a line ends with CR LF, however often the
// terminal and the program both saw to it.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.drawn.String(), "\r\r\n", "\r\n")
}

// await waits until want was drawn n times.
func (s *screen) await(t *testing.T, want string, n int) {
	t.Helper()
	late := time.NewTimer(limit)
	defer late.Stop()
	for strings.Count(s.String(), want) < n {
		select {
		case <-s.changed:
		case <-late.C:
			t.Fatalf("%q was not drawn %d times:\n%q", want, n, s.String())
		}
	}
}

// A person sits at a terminal on which a conversation runs.
type person struct {
	t     *testing.T
	keys  *os.File
	term  *terminal.Terminal
	gate  *gate
	ended chan error
	*screen
}

func sit(t *testing.T, o terminal.Options) *person {
	t.Helper()
	keys, tty := openPTY(t, 40)
	o.In, o.Out, o.Identity = tty, tty, "erika"
	if o.Getenv == nil {
		o.Getenv = noEnv
	}
	p := &person{t: t, keys: keys, term: terminal.New(o), gate: newGate(), ended: make(chan error, 1), screen: watch(t, keys, tty)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.ended <- p.term.Run(ctx, p.gate.deliver) }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-p.ended:
		case <-time.After(limit):
			t.Error("Run does not end")
		}
	})
	p.await(t, "> ", 1)
	return p
}

func (p *person) press(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.keys, keys); err != nil {
		p.t.Fatal(err)
	}
}

// leave waits for the end of the conversation.
func (p *person) leave() error {
	p.t.Helper()
	select {
	case err := <-p.ended:
		p.ended <- err
		return err
	case <-time.After(limit):
		p.t.Fatalf("the conversation goes on:\n%q", p.screen.String())
		return nil
	}
}

func TestConversationAtATerminal(t *testing.T) {
	p := sit(t, terminal.Options{})
	p.press("Wie gehz\x7ft es?\r")
	e := <-p.gate.kept
	if e.Text != "Wie geht es?" {
		t.Errorf("delivered %q", e.Text)
	}
	p.press("angefangen")
	p.await(t, "> angefangen", 1)
	if _, err := p.term.Send(t.Context(), post(e.Address, "Gut.")); err != nil {
		t.Fatal(err)
	}
	// The answer stands above the line that is being typed, which comes back.
	p.await(t, "Gut.\r\n\r\n> angefangen", 1)
	p.press("e Frage\r")
	if e = <-p.gate.kept; e.Text != "angefangene Frage" {
		t.Errorf("delivered %q", e.Text)
	}
	p.press("/quit\r")
	if err := p.leave(); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestArrowKeysBringLinesBackAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	p := sit(t, terminal.Options{History: path})
	p.press("erste Frage\r")
	<-p.gate.kept
	p.press("/quit\r")
	p.leave()

	p = sit(t, terminal.Options{History: path})
	p.press("\x1b[A\x1b[A")
	p.await(t, "erste Frage", 1)
	p.press("\r")
	if e := <-p.gate.kept; e.Text != "erste Frage" {
		t.Errorf("delivered %q", e.Text)
	}
}

func TestCtrlCStopsTheAnswerAndTwiceEnds(t *testing.T) {
	p := sit(t, terminal.Options{})
	p.press("Frage\r")
	<-p.gate.kept
	p.press("\x03")
	e := <-p.gate.kept
	if e.Kind != channels.KindCommand || e.Command != "stop" {
		t.Errorf("delivered %s %q, want the command stop", e.Kind, e.Command)
	}
	p.await(t, "wird abgebrochen", 1)
	p.press("\x03")
	if err := p.leave(); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestCtrlCWithoutAQuestionSaysHowToLeave(t *testing.T) {
	p := sit(t, terminal.Options{})
	p.press("verworfen\x03")
	p.await(t, "Zum Beenden", 1)
	p.press("Frage\r")
	if e := <-p.gate.kept; e.Text != "Frage" {
		t.Errorf("delivered %q, want the line after Ctrl-C alone", e.Text)
	}
	if got := p.gate.texts(); len(got) != 1 {
		t.Errorf("delivered %q", got)
	}
}

// Keys are taken in also while no line is read: letters first, and Ctrl-C as
// a person presses it, one after the other.
func TestCtrlCWorksWhileDeliveryHangs(t *testing.T) {
	keys, tty := openPTY(t, 40)
	s := watch(t, keys, tty)
	term := terminal.New(terminal.Options{In: tty, Out: tty, Identity: "erika", Getenv: noEnv})
	hangs := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- term.Run(t.Context(), func(ctx context.Context, _ channels.Event) error {
			close(hangs)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	s.await(t, "> ", 1)
	io.WriteString(keys, "Frage\r")
	<-hangs
	io.WriteString(keys, "noch eine\r")
	io.WriteString(keys, "\x03")
	s.await(t, "wird abgebrochen", 1)
	io.WriteString(keys, "\x03")
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Run: %v", err)
		}
	case <-time.After(limit):
		t.Fatal("the second Ctrl-C does not end the conversation")
	}
	s.await(t, "Eine Nachricht wurde vielleicht nicht gespeichert", 1)
}

// The line editor drops what is beyond its limit, so nothing of such a line is
// sent.
func TestALineThatIsTooLongIsNotSent(t *testing.T) {
	p := sit(t, terminal.Options{})
	p.press("\x1b[200~" + strings.Repeat("ä", 5000) + "\x1b[201~\r")
	p.await(t, "länger als 4095 Zeichen", 1)
	p.press(strings.Repeat("ö", 4095) + "\r")
	if e := <-p.gate.kept; e.Text != strings.Repeat("ö", 4095) {
		t.Errorf("delivered %d characters", len([]rune(e.Text)))
	}
}

func TestCtrlDEnds(t *testing.T) {
	p := sit(t, terminal.Options{})
	p.press("\x04")
	if err := p.leave(); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestEndOfContextGivesTheTerminalBack(t *testing.T) {
	keys, tty := openPTY(t, 40)
	s := watch(t, keys, tty)
	before := mode(t, tty)
	term := terminal.New(terminal.Options{In: tty, Out: tty, Identity: "erika", Getenv: noEnv})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- term.Run(ctx, newGate().deliver) }()
	s.await(t, "> ", 1)
	if during := mode(t, tty); during == before {
		t.Error("the terminal's mode did not change while lines are edited")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	if after := mode(t, tty); after != before {
		t.Errorf("mode after Run %v, want %v", after, before)
	}
}

func TestPastingSendsOneMessage(t *testing.T) {
	p := sit(t, terminal.Options{})
	p.press("\x1b[200~erste Zeile\nzweite Zeile\n\x1b[201~\r")
	if e := <-p.gate.kept; e.Text != "erste Zeile zweite Zeile" {
		t.Errorf("delivered %q", e.Text)
	}
}

func TestTheWheelTurnsWhileAnAnswerIsPrepared(t *testing.T) {
	p := sit(t, terminal.Options{Getenv: func(name string) string {
		return map[string]string{"LANG": "de_DE.UTF-8"}[name]
	}})
	stop := p.term.Typing(t.Context(), channels.Address{})
	p.await(t, "⠙ > ", 1)
	p.await(t, "⠹ > ", 1)
	before := strings.Count(p.String(), "\x1b[K> ")
	stop()
	stop()
	p.await(t, "\x1b[K> ", before+1)
	p.press("Frage\r")
	<-p.gate.kept
}

func TestColourOnATerminal(t *testing.T) {
	for _, c := range []struct {
		env   map[string]string
		color terminal.Color
		want  bool
	}{
		{nil, terminal.Auto, true},
		{map[string]string{"NO_COLOR": "1"}, terminal.Auto, false},
		{map[string]string{"TERM": "dumb"}, terminal.Auto, false},
		{map[string]string{"NO_COLOR": "1"}, terminal.Always, true},
		{nil, terminal.Never, false},
	} {
		keys, tty := openPTY(t, 60)
		s := watch(t, keys, tty)
		term := terminal.New(terminal.Options{Out: tty, Identity: "erika", Color: c.color, Getenv: func(n string) string { return c.env[n] }})
		if got := term.Profile().Width; got != 60 {
			t.Errorf("width %d, want 60", got)
		}
		if _, err := term.Send(t.Context(), post(erika(t), "\x1b[1mx\x1b[0m")); err != nil {
			t.Fatal(err)
		}
		s.await(t, "\n", 1)
		if got := strings.Contains(s.String(), "\x1b[1m"); got != c.want {
			t.Errorf("%v %v: coloured = %v, want %v", c.env, c.color, got, c.want)
		}
	}
}

func TestADumbTerminalIsReadLikeAPipe(t *testing.T) {
	keys, tty := openPTY(t, 40)
	s := watch(t, keys, tty)
	term := terminal.New(terminal.Options{In: tty, Out: tty, Identity: "erika", Getenv: func(n string) string {
		return map[string]string{"TERM": "dumb"}[n]
	}})
	g := newGate()
	g.answer = func(e channels.Event) { term.Send(t.Context(), post(e.Address, "Antwort")) }
	ended := make(chan error, 1)
	go func() { ended <- term.Run(t.Context(), g.deliver) }()
	io.WriteString(keys, "Frage\n")
	<-g.kept
	s.await(t, "Antwort", 1)
	io.WriteString(keys, "\x04")
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	if got := g.texts(); !slices.Equal(got, []string{"Frage"}) || strings.Contains(s.String(), "> ") {
		t.Errorf("delivered %q, drawn %q", got, s.String())
	}
}
