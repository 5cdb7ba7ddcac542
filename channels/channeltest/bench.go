package channeltest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/formatting"
)

// soon is how long the suite waits for what has to come.
const soon = 10 * time.Second

// A bench is one case at work: its network, what was logged, what was returned.
type bench struct {
	*testing.T
	net     Network
	lacks   map[Ability]string
	slow    bool
	kind    string
	account string

	mu      sync.Mutex // guards the fields below
	written strings.Builder
}

func newBench(t *testing.T, h Harness) *bench {
	b := &bench{T: t, net: h.New(t), lacks: h.Lacks, slow: h.Slow}
	b.kind, b.account = b.net.Name()
	t.Cleanup(b.checkSecrets)
	return b
}

// has reports whether the network has an ability that changes what a clause
// asks for, rather than whether it is asked.
func (b *bench) has(a Ability) bool {
	_, lacks := b.lacks[a]
	return !lacks
}

// acknowledged waits until the network would send nothing again, where it
// counts that.
func (b *bench) acknowledged() {
	b.Helper()
	if !b.has(Acks) {
		return
	}
	if err := b.net.AwaitAcknowledged(b.soon()); err != nil {
		b.Error(err)
	}
}

// eventually waits for what the network shows and tells nobody.
func (b *bench) eventually(what string, ok func() bool) {
	b.Helper()
	ctx := b.soon()
	for !ok() {
		select {
		case <-ctx.Done():
			b.Fatalf("%s did not happen", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Write collects what is logged.
func (b *bench) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.Write(p)
}

// note collects whatever else leaves the adapter.
func (b *bench) note(v any) {
	fmt.Fprintf(b, "%v\n%+v\n%#v\n", v, v, v)
	if err, ok := v.(error); ok {
		for ; err != nil; err = errors.Unwrap(err) {
			fmt.Fprintf(b, "%T %v %+v %#v\n", err, err, err, err)
		}
	}
}

// checkSecrets looks for secrets in all that left the adapter.
func (b *bench) checkSecrets() {
	b.mu.Lock()
	all := b.written.String()
	b.mu.Unlock()
	for _, secret := range b.net.Secrets() {
		if i := strings.Index(all, secret); i >= 0 {
			b.Errorf("a secret left the adapter: …%s[secret]", all[max(0, i-120):i])
		}
	}
	for _, leak := range b.net.Leaks() {
		b.Errorf("a secret reached a foreign place: %s", leak)
	}
}

// soon returns a context for what has to come soon.
func (b *bench) soon() context.Context {
	ctx, cancel := context.WithTimeout(b.Context(), soon)
	b.Cleanup(cancel)
	return ctx
}

// open makes a channel that is closed with the case.
func (b *bench) open() channels.Channel {
	b.Helper()
	c, err := b.net.Open(slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		b.note(err)
		b.Fatalf("open the channel: %v", err)
	}
	b.note(c)
	b.Cleanup(func() { b.close(c) })
	return c
}

// close ends c, whose Run has returned.
func (b *bench) close(c channels.Channel) {
	if closer, ok := c.(channels.Closer); ok {
		if err := closer.Close(); err != nil {
			b.note(err)
			b.Errorf("Close: %v", err)
		}
	}
	b.note(c)
}

// A running is a channel whose Run runs.
type running struct {
	b      *bench
	c      channels.Channel
	cancel context.CancelFunc
	result chan error
	events chan channels.Event
	once   sync.Once
}

// run starts c with a Deliver that takes everything.
func (b *bench) run(c channels.Channel) *running {
	return b.runWith(c, func(context.Context, channels.Event) error { return nil })
}

// runWith starts c with a Deliver of its own; what that accepts is recorded.
func (b *bench) runWith(c channels.Channel, in channels.Deliver) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{b: b, c: c, cancel: cancel, result: make(chan error, 1), events: make(chan channels.Event, 20000)}
	go func() {
		r.result <- c.Run(ctx, func(ctx context.Context, e channels.Event) error {
			if err := in(ctx, e); err != nil {
				return err
			}
			r.events <- e
			return nil
		})
	}()
	b.Cleanup(r.stop)
	return r
}

// start opens a channel and runs it.
func (b *bench) start() *running {
	b.Helper()
	return b.run(b.open())
}

// stop ends Run and checks that it ends in time, with the context's error.
func (r *running) stop() {
	r.once.Do(func() {
		r.cancel()
		select {
		case err := <-r.result:
			r.b.note(err)
			if !errors.Is(err, context.Canceled) {
				r.b.Errorf("Run returned %v, want the context's error", err)
			}
		case <-time.After(5 * time.Second):
			r.b.Errorf("Run did not end within 5 s")
		}
	})
}

// ended waits for Run to return by itself.
func (r *running) ended() error {
	r.b.Helper()
	select {
	case err := <-r.result:
		r.once.Do(r.cancel)
		r.b.note(err)
		return err
	case <-time.After(soon):
		r.b.Fatalf("Run did not return")
		return nil
	}
}

// next returns the next event that was accepted.
func (r *running) next() channels.Event {
	r.b.Helper()
	select {
	case e := <-r.events:
		r.b.check(e)
		return e
	case err := <-r.result:
		r.b.Fatalf("Run returned early: %v", err)
	case <-time.After(soon):
		r.b.Fatal("no event came")
	}
	return channels.Event{}
}

// hear makes somebody write and returns the event of it.
func (r *running) hear(l Line) channels.Event {
	r.b.Helper()
	r.b.net.Say(l)
	return r.next()
}

// check holds for every event.
func (b *bench) check(e channels.Event) {
	b.Helper()
	if e.Kind == "" || e.Key == "" || e.At.IsZero() || e.Actor.Kind == "" || e.Audience == "" {
		b.Errorf("incomplete event: %+v", e)
	}
	if a := e.Address; a.Channel() != b.kind || a.Account() != b.account || a.Chat() == "" {
		b.Errorf("address of another account: %+v, want channel %q, account %q", a, b.kind, b.account)
	}
	if e.Actor.Kind == channels.System && e.Actor.ID != "" {
		b.Errorf("unnamed sender with id %q", e.Actor.ID)
	}
	if e.At.Location() != time.UTC {
		b.Errorf("time in zone %s, want UTC", e.At.Location())
	}
	raw, err := json.Marshal(e)
	if err != nil {
		b.Fatalf("event as JSON: %v", err)
	}
	var back channels.Event
	if err := json.Unmarshal(raw, &back); err != nil {
		b.Fatalf("event from JSON: %v", err)
	}
	if back.Address != e.Address || back.Moved != e.Moved || back.Key != e.Key || !back.At.Equal(e.At) {
		b.Errorf("event does not survive JSON:\n got %+v\nwant %+v", back, e)
	}
}

// post is a part on its way to a place. Its key is made of both, so that the
// same words are the same post.
func post(to channels.Address, body formatting.Part) channels.Post {
	sum := sha256.Sum256(fmt.Append(nil, to.Chat(), "\x00", to.Thread(), "\x00", body.Text, "\x00", body.Plain))
	return channels.Post{To: to, Key: hex.EncodeToString(sum[:8]), Body: body}
}

// text is a post of plain text.
func text(to channels.Address, s string) channels.Post {
	return post(to, formatting.Part{Text: s, Plain: s})
}

// send posts p and checks that every error is a typed one.
func (b *bench) send(c channels.Channel, p channels.Post) (channels.Receipt, *channels.SendError) {
	b.Helper()
	return b.sendCtx(b.soon(), c, p)
}

func (b *bench) sendCtx(ctx context.Context, c channels.Channel, p channels.Post) (channels.Receipt, *channels.SendError) {
	b.Helper()
	receipt, err := c.Send(ctx, p)
	if err == nil {
		if receipt.Remote == "" {
			b.Error("a receipt without the network's id")
		}
		return receipt, nil
	}
	return receipt, b.typed(err, p.Body.Plain)
}

// typed checks that err, which is not nil, is one that may leave an adapter;
// body is a text that it must not hold.
func (b *bench) typed(err error, body string) *channels.SendError {
	b.Helper()
	b.note(err)
	se, ok := err.(*channels.SendError)
	if !ok {
		b.Fatalf("the adapter returned a %T, want a *SendError: %v", err, err)
	}
	if se.Err == nil {
		b.Errorf("SendError without a cause: %+v", *se)
	}
	if !strings.Contains(se.Error(), se.Err.Error()) {
		b.Errorf("SendError hides its cause: %v", se)
	}
	if len(body) > 8 && strings.Contains(se.Error(), body) {
		b.Errorf("the error holds the text of the message: %v", se)
	}
	if (se.Class == channels.RetryAfter) != (se.After > 0 && se.Scope != "") {
		b.Errorf("After and Scope belong to RetryAfter: %+v", *se)
	}
	if se.Class == channels.Misconfigured && se.Remedy == "" {
		b.Errorf("Misconfigured without a remedy: %v", se)
	}
	return se
}

// must sends p and fails the case unless it arrives.
func (b *bench) must(c channels.Channel, p channels.Post) channels.Receipt {
	b.Helper()
	receipt, se := b.send(c, p)
	if se != nil {
		b.Fatalf("Send: %v", se)
	}
	return receipt
}

// refused sends p and checks the class of its error.
func (b *bench) refused(c channels.Channel, p channels.Post, want channels.Class) *channels.SendError {
	b.Helper()
	_, se := b.send(c, p)
	if se == nil {
		b.Fatalf("Send succeeded, want %s", want)
	}
	if se.Class != want {
		b.Fatalf("Send returned class %s, want %s: %v", se.Class, want, se)
	}
	return se
}

// texts returns what people read of ours at a place.
func (b *bench) texts(at Place) []string {
	var all []string
	for _, a := range b.net.Arrived(at) {
		all = append(all, a.Text)
	}
	return all
}

// equal compares what was got with what was wanted.
func equal[T comparable](b *bench, what string, got, want T) {
	b.Helper()
	if got != want {
		b.Errorf("%s: got %v, want %v", what, got, want)
	}
}
