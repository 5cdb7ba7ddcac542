// Package terminal is the channel between the gateway and a person at a
// terminal: the conversation of `outheis chat`, and, by Send alone, the output
// of `outheis ask`.
//
// On a terminal it edits lines, keeps a history, shows answers above the line
// that is being typed and a small wheel while one is prepared. Anywhere else,
// as in a pipe, it reads a message a line and prints nothing but answers.
//
// The package does not decide who may ask and does not know what the answers
// are about; it never starts a gateway. It does not catch signals: on a
// terminal Ctrl-C is a key, anywhere else the signal ends the context.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/formatting"
)

// Kind names the channel in addresses and in the configuration.
const Kind = "terminal"

// Color says whether answers are coloured.
type Color int

// The choices. Auto colours on a terminal, unless NO_COLOR is set or TERM is
// "dumb".
const (
	Auto Color = iota
	Always
	Never
)

// Options say where and how a [Terminal] talks. The zero value of each field
// but In, Out and Identity is a working choice.
type Options struct {
	// In and Out are the person's side. Line editing needs both to be a
	// terminal. Run has to wait for a Read on an In that is neither an *os.File
	// nor ends by itself.
	In  io.Reader
	Out io.Writer
	// Err gets remarks of ours, such as that an answer did not come, where no
	// lines are edited; nil stands for Out.
	Err io.Writer
	// Identity is the name of the person's account on this machine; it becomes
	// the actor's id, and the chat.
	Identity string
	// Account is the name of this channel in addresses; "" stands for "local".
	Account string
	// Client tells the keys of this process's events from those of others; ""
	// stands for a random one.
	Client string
	Color  Color
	// Width is the number of columns at which prose is wrapped; 0 stands for the
	// terminal's own, and without one prose is not wrapped.
	Width int
	// History is the path of the file that keeps the lines for the arrow keys;
	// "" keeps them for as long as Run runs. It is created with mode 0600 in a
	// folder that must be there.
	History string
	// Texts is the language of our own sentences; nil stands for the default.
	Texts *texts.Texts
	// Patience is how long Run waits for answers after the end of a piped In;
	// 0 stands for two minutes after the last sign of life.
	Patience time.Duration
	// Retry is how long to wait before a message that was not kept is delivered
	// again; the zero Backoff stands for 1 s growing to 60 s.
	Retry  channels.Backoff
	Now    func() time.Time    // nil stands for time.Now
	Getenv func(string) string // nil stands for os.Getenv
	Log    *slog.Logger        // nil for none; gets causes, never texts
}

// A Terminal is a [channels.Channel] for one person. Its methods may be called
// from any goroutine.
type Terminal struct {
	o       Options
	color   bool
	profile formatting.Profile
	// files of a terminal on which lines can be edited; nil without one
	inTTY, outTTY *os.File

	changed chan struct{} // capacity 1; open or typing changed

	mu     sync.Mutex
	events int      // numbers the events
	sent   int      // numbers the posts
	open   []string // keys of messages that no post has answered yet, oldest first
	typing int      // indications that run
	broken error    // why nothing can be printed any more

	out    sync.Mutex // held while something is printed
	editor io.Writer  // the line editor while one runs, else nil; guarded by out
}

var (
	_ channels.Channel = (*Terminal)(nil)
	_ channels.Typer   = (*Terminal)(nil)
	_ channels.Finder  = (*Terminal)(nil)
)

// New returns a channel that talks as o says.
func New(o Options) *Terminal {
	if o.Account == "" {
		o.Account = "local"
	}
	if o.Identity == "" {
		o.Identity = "unknown"
	}
	if o.Client == "" {
		o.Client = strconv.FormatUint(rand.Uint64(), 36)
	}
	if o.Texts == nil {
		o.Texts = texts.For("")
	}
	if o.Patience <= 0 {
		o.Patience = 2 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	t := &Terminal{o: o, changed: make(chan struct{}, 1)}
	in, out := asTTY(o.In), asTTY(o.Out)
	dumb := o.Getenv("TERM") == "dumb"
	if in != nil && out != nil && !dumb {
		t.inTTY, t.outTTY = in, out
	}
	t.color = o.Color == Always || o.Color == Auto && out != nil && !dumb && o.Getenv("NO_COLOR") == ""
	width := o.Width
	if width <= 0 {
		width = columns(out)
	}
	t.profile = formatting.Terminal(formatting.TerminalOptions{Color: t.color, Width: width})
	return t
}

// asTTY returns v as a file that is a terminal, or nil.
func asTTY(v any) *os.File {
	if f, ok := v.(*os.File); ok && f != nil && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// columns returns the width of the terminal out, or 0.
func columns(out *os.File) int {
	if out != nil {
		if w, _, err := term.GetSize(int(out.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 0
}

// Kind implements [channels.Channel].
func (t *Terminal) Kind() string { return Kind }

// Profile implements [channels.Channel].
func (t *Terminal) Profile() formatting.Profile { return t.profile }

// Direct implements [channels.Finder]; the only person is the one of
// Options.Identity.
func (t *Terminal) Direct(person string) (channels.Address, error) {
	if person != t.o.Identity {
		return channels.Address{}, errors.New("terminal: another person's")
	}
	return t.address("")
}

func (t *Terminal) address(private string) (channels.Address, error) {
	return channels.NewAddress(Kind, t.o.Account, t.o.Identity, "", private)
}

// Send prints p and an empty line after it. A post without an address is for
// the person here and answers the oldest message that has no answer. Send
// refuses what is for somebody else, and fails as Gone when Out takes no more.
func (t *Terminal) Send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.NotSent, Err: err}
	}
	if here, err := t.address(p.To.Private()); err != nil || p.To != here && !p.To.IsZero() {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: errors.New("not an address of this terminal")}
	}
	if t.o.Out == nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Gone, Err: errors.New("no output")}
	}
	text := p.Body.Text
	if p.Plain {
		text = p.Body.Plain
	}
	text = strings.TrimRight(clean(text, t.color), "\n")
	if p.Again {
		text = t.o.Texts.Say("terminal.again") + " " + text
	}
	if err := t.print(text + "\n\n"); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Gone, Err: err}
	}
	t.mu.Lock()
	t.sent++
	remote := t.o.Client + ":" + strconv.Itoa(t.sent)
	t.answered(p.To.Private())
	t.mu.Unlock()
	t.poke()
	return channels.Receipt{Remote: remote}, nil
}

// Typing implements [channels.Typer]. Only a terminal shows it.
func (t *Terminal) Typing(ctx context.Context, _ channels.Address) (stop func()) {
	t.mu.Lock()
	t.typing++
	t.mu.Unlock()
	t.poke()
	var once sync.Once
	end := func() {
		once.Do(func() {
			t.mu.Lock()
			t.typing--
			t.mu.Unlock()
			t.poke()
		})
	}
	unwatch := context.AfterFunc(ctx, end)
	return func() {
		unwatch()
		end()
	}
}

// poke wakes Run's loop to look at what changed.
func (t *Terminal) poke() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// print writes s where the person reads. A failure ends Run.
func (t *Terminal) print(s string) error {
	t.out.Lock()
	defer t.out.Unlock()
	w := t.o.Out
	if t.editor != nil {
		w = t.editor
	}
	if _, err := io.WriteString(w, s); err != nil {
		err = fmt.Errorf("write to terminal: %w", err)
		t.mu.Lock()
		t.broken = err
		t.mu.Unlock()
		t.poke()
		return err
	}
	return nil
}

// isBroken returns why nothing can be printed any more, or nil.
func (t *Terminal) isBroken() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broken
}

// say prints a remark of ours on a line of its own.
func (t *Terminal) say(key string, args ...any) {
	t.out.Lock()
	defer t.out.Unlock()
	w := t.o.Out
	switch {
	case t.editor != nil:
		w = t.editor
	case t.o.Err != nil:
		w = t.o.Err
	case w == nil:
		return
	}
	if _, err := io.WriteString(w, t.o.Texts.Say(key, args...)+"\n"); err != nil {
		t.o.Log.Debug("terminal took no text", "channel", Kind, "err", err)
	}
}

// await notes that the message with the given key is to be answered.
func (t *Terminal) await(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, key)
}

// answered notes that the message with the given key, or the oldest one for
// "", has an answer. It is called with mu held.
func (t *Terminal) answered(key string) {
	i := slices.Index(t.open, key)
	if key == "" {
		i = 0
	}
	if i >= 0 && i < len(t.open) {
		t.open = slices.Delete(t.open, i, i+1)
	}
}

// forget drops what await noted.
func (t *Terminal) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = nil
}

// busy returns how many messages wait for an answer, and whether one of them
// is being worked on.
func (t *Terminal) busy() (open int, typing bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open), t.typing > 0
}
