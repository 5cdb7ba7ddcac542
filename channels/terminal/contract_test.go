package terminal_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/terminal"
	"outheis/formatting"
)

func TestContract(t *testing.T) {
	const one, plain, here = "a terminal belongs to one person", "a terminal shows text and nothing else", "there is no network in between"
	channeltest.Run(t, channeltest.Harness{
		New: newDesk,
		Lacks: map[channeltest.Ability]string{
			channeltest.Groups: one, channeltest.Mentions: one, channeltest.Topics: one, channeltest.General: one,
			channeltest.Bots: one, channeltest.Anonymous: one, channeltest.Forwards: one, channeltest.Membership: one,
			channeltest.Moves: one, channeltest.Exclusive: one, channeltest.Closing: one,
			channeltest.Replies: plain, channeltest.Media: plain, channeltest.Reactions: plain, channeltest.Buttons: plain,
			channeltest.Edits: plain, channeltest.Markup: plain, channeltest.Limit: plain, channeltest.Malformed: plain,
			channeltest.Breaks:  "a line is a message",
			channeltest.Pending: "what was typed is not typed again",
			channeltest.Typing:  "only a terminal shows the wheel, see TestTheWheelTurnsWhileAnAnswerIsPrepared",
			channeltest.Menu:    "the keys are in the help",
			channeltest.Faults:  here, channeltest.Outage: here, channeltest.Redirects: here, channeltest.RateLimit: here,
			channeltest.Turns:    here,
			channeltest.Revoking: here, channeltest.Health: here, channeltest.Acks: here, channeltest.Cursors: here,
			channeltest.Idempotent: here, channeltest.Attempts: here, channeltest.Checks: here,
			channeltest.Deletions: plain, channeltest.FilesIn: plain, channeltest.FilesOut: plain, channeltest.Editing: plain,
			channeltest.Arguments: "the keys are in the help",
		},
	})
}

// A desk is two people, each at a pipe of their own, as a network.
type desk struct {
	channeltest.Lacking
	t *testing.T

	mu      sync.Mutex
	opened  int
	seats   map[string]*seat
	arrived map[channeltest.Place][]channeltest.Arrived
}

// A seat is one person's side of a channel.
type seat struct {
	term   *terminal.Terminal
	client string
	keys   *os.File // what the person types goes here
	in     *os.File
	said   int
}

func newDesk(t *testing.T) channeltest.Network {
	return &desk{t: t, arrived: make(map[channeltest.Place][]channeltest.Arrived)}
}

// Write gets what a person reads, one post at a time.
func (d *desk) write(at channeltest.Place) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.arrived[at] = append(d.arrived[at], channeltest.Arrived{Text: strings.TrimSuffix(string(p), "\n\n")})
		return len(p), nil
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Open seats both people anew.
func (d *desk) Open(log *slog.Logger) (channels.Channel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened++
	d.seats = make(map[string]*seat)
	for name, at := range map[string]channeltest.Place{"ada": channeltest.AdaDirect, "ben": channeltest.BenDirect} {
		in, keys, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		d.t.Cleanup(func() {
			in.Close()
			keys.Close()
		})
		s := &seat{client: fmt.Sprint(name, d.opened), keys: keys, in: in}
		s.term = terminal.New(terminal.Options{
			In: in, Out: d.write(at), Err: io.Discard, Identity: name, Client: s.client, Getenv: noEnv, Log: log,
			Retry: channels.Backoff{Min: time.Millisecond, Max: 10 * time.Millisecond},
		})
		d.seats[name] = s
	}
	return pair{d, d.seats}, nil
}

func (d *desk) Name() (kind, account string) { return "terminal", "local" }

func (d *desk) Secrets() []string { return nil }

func (d *desk) Leaks() []string { return nil }

func (d *desk) AwaitListening(context.Context) error { return nil }

func (d *desk) Say(l channeltest.Line) string {
	d.mu.Lock()
	s := d.seats[map[channeltest.Place]string{channeltest.AdaDirect: "ada", channeltest.BenDirect: "ben"}[l.At]]
	s.said++
	id := fmt.Sprint(s.client, ":", s.said)
	d.mu.Unlock()
	line := l.Text
	if l.Command != "" {
		line = "/" + l.Command + " " + l.Text
	}
	if _, err := io.WriteString(s.keys, line+"\n"); err != nil {
		panic(err)
	}
	return id
}

func (d *desk) Arrived(at channeltest.Place) []channeltest.Arrived {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]channeltest.Arrived(nil), d.arrived[at]...)
}

// A pair is both terminals as one channel.
type pair struct {
	d     *desk
	seats map[string]*seat
}

func (p pair) Kind() string { return p.seats["ada"].term.Kind() }

func (p pair) Profile() formatting.Profile { return p.seats["ada"].term.Profile() }

func (p pair) Run(ctx context.Context, in channels.Deliver) error {
	var wg sync.WaitGroup
	var err error
	for name, s := range p.seats {
		wg.Go(func() {
			if e := s.term.Run(ctx, in); name == "ada" {
				err = e
			}
		})
	}
	wg.Wait()
	return err
}

func (p pair) Send(ctx context.Context, post channels.Post) (channels.Receipt, error) {
	name, at := "ada", channeltest.AdaDirect
	if post.To.Chat() == "ben" {
		name, at = "ben", channeltest.BenDirect
	}
	r, err := p.seats[name].term.Send(ctx, post)
	if err == nil {
		p.d.mu.Lock()
		defer p.d.mu.Unlock()
		all := p.d.arrived[at]
		all[len(all)-1].Remote = r.Remote
	}
	return r, err
}
