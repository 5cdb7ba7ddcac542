package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/formatting"
	"outheis/gateway"
	"outheis/relay"
	"outheis/store"
)

// memory is a queue that forgets with the process, for tests with false time.
// It can die after a number of lines, as a process does, and fail.
type memory struct {
	mu      sync.Mutex
	lines   [][]byte
	cause   map[string]int
	open    map[string]int // id to crashes
	seq     uint64
	dead    bool  // the process is: nothing more is written
	dieAt   int   // lines after which nothing is written and nobody gets an answer
	fail    error // what AppendAll returns instead of writing
	longest int   // bytes of a line; 0 for any number
	commits int
	now     func() time.Time // nil: time.Now
	died    chan struct{}    // closed when the queue has died
}

func newMemory() *memory {
	return &memory{cause: make(map[string]int), open: make(map[string]int), died: make(chan struct{})}
}

func (m *memory) AppendAll(ctx context.Context, es []gateway.Envelope) ([]gateway.Envelope, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, m.fail
	}
	for _, e := range es {
		if b, err := json.Marshal(e); err != nil || m.longest > 0 && len(b) > m.longest {
			return nil, errors.Join(err, store.ErrTooLong)
		}
	}
	m.commits++
	out := make([]gateway.Envelope, len(es))
	for i, e := range es {
		if n, ok := m.cause[e.Cause]; ok {
			out[i] = m.read(n)
			continue
		}
		if m.dead || m.dieAt > 0 && len(m.lines) >= m.dieAt {
			m.die()
			m.mu.Unlock()
			<-ctx.Done()
			m.mu.Lock()
			return nil, ctx.Err()
		}
		m.seq++
		at := time.Now()
		if m.now != nil {
			at = m.now()
		}
		e.Head = store.Head{V: 2, Seq: m.seq, ID: fmt.Sprintf("%019d", m.seq), At: store.NewTime(at)}
		b, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		m.cause[e.Cause] = len(m.lines)
		m.lines = append(m.lines, b)
		out[i] = m.read(len(m.lines) - 1)
		opens, closes := gateway.Track(store.Facts{ID: e.ID, Type: string(e.Type), Intent: e.Intent, Ref: e.Payload.Ref})
		if opens != "" {
			m.open[opens] = 0
		}
		delete(m.open, closes)
	}
	return out, nil
}

// kill ends the process.
func (m *memory) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
}

func (m *memory) die() {
	select {
	case <-m.died:
	default:
		close(m.died)
	}
}

func (m *memory) read(n int) gateway.Envelope {
	var e gateway.Envelope
	if err := json.Unmarshal(m.lines[n], &e); err != nil {
		panic(err)
	}
	return e
}

func (m *memory) Lookup(cause string) (gateway.Envelope, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.cause[cause]; ok {
		return m.read(n), true, nil
	}
	return gateway.Envelope{}, false, nil
}

func (m *memory) From(_ context.Context, seq uint64) iter.Seq2[gateway.Envelope, error] {
	return func(yield func(gateway.Envelope, error) bool) {
		for _, e := range m.envelopes() {
			if e.Seq >= seq && !yield(e, nil) {
				return
			}
		}
	}
}

func (m *memory) Stats() store.LogStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return store.LogStats{Seq: m.seq}
}

func (m *memory) Open() []store.Entry[gateway.Envelope] {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []store.Entry[gateway.Envelope]
	for n := range m.lines {
		e := m.read(n)
		if crashes, ok := m.open[e.ID]; ok {
			all = append(all, store.Entry[gateway.Envelope]{Rec: e, Crashes: crashes})
		}
	}
	return all
}

// crash makes the queue that a new process finds.
func (m *memory) crash() *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := newMemory()
	n.lines, n.seq = slices.Clone(m.lines), m.seq
	for c, i := range m.cause {
		n.cause[c] = i
	}
	for id, crashes := range m.open {
		n.open[id] = crashes + 1
	}
	return n
}

func (m *memory) setFail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

func (m *memory) envelopes() []gateway.Envelope {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []gateway.Envelope
	for n := range m.lines {
		all = append(all, m.read(n))
	}
	return all
}

// steps describes the log in short, one word a line, without what stands beside
// the steps of a request.
func (m *memory) steps() []string {
	var all []string
	for _, e := range m.envelopes() {
		if s := stepOf(e); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// stepOf describes a line; "" for one beside the steps of a request.
func stepOf(e gateway.Envelope) string {
	if e.Intent == "notice.try" || e.Intent == "delivery.at" {
		return ""
	}
	s := string(e.Type)
	if e.Intent != "" {
		s += ":" + e.Intent
	}
	if e.Type == gateway.TypeResponse {
		s += ":" + e.To
	}
	if e.Payload.Class != "" {
		s += ":" + string(e.Payload.Class)
	}
	if e.Payload.End != "" {
		s += ":" + string(e.Payload.End)
	}
	return s
}

func (m *memory) openCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

// network is a chat network with a script for what happens to posts.
type network struct {
	profile formatting.Profile
	in      chan channels.Event
	// onSend decides about the n-th post to a chat, from 1; nil accepts.
	onSend func(n int, p channels.Post) error
	onRun  func(ctx context.Context, in channels.Deliver) error
	quiet  bool // remembers nothing: for benchmarks

	mu    sync.Mutex
	tries []sent
	byN   map[string]int
	typed []string
}

// sent is one call of Send.
type sent struct {
	at    time.Time
	chat  string
	text  string
	key   string
	plain bool
	again bool
	err   error
}

func newNetwork() *network {
	return &network{profile: formatting.TelegramHTML(), in: make(chan channels.Event), byN: make(map[string]int)}
}

func (n *network) Kind() string                { return "net" }
func (n *network) Profile() formatting.Profile { return n.profile }

func (n *network) Run(ctx context.Context, in channels.Deliver) error {
	if n.onRun != nil {
		return n.onRun(ctx, in)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-n.in:
			for in(ctx, e) != nil { // as an adapter does: the cursor stays until it is taken
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Second):
				}
			}
		}
	}
}

func (n *network) Send(_ context.Context, p channels.Post) (channels.Receipt, error) {
	n.mu.Lock()
	n.byN[p.To.Chat()]++
	count := n.byN[p.To.Chat()]
	n.mu.Unlock()
	var err error
	if n.onSend != nil {
		err = n.onSend(count, p)
	}
	text := p.Body.Text
	if p.Plain {
		text = p.Body.Plain
	}
	if n.quiet {
		return channels.Receipt{Remote: p.Key}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tries = append(n.tries, sent{time.Now(), p.To.Chat(), text, p.Key, p.Plain, p.Again, err})
	return channels.Receipt{Remote: fmt.Sprint(len(n.tries))}, err
}

func (n *network) Typing(_ context.Context, to channels.Address) func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.typed = append(n.typed, to.Chat())
	return func() {}
}

// all returns every try so far.
func (n *network) all() []sent {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.tries)
}

// seen returns what people got to see in a chat ("" for all) but for notices to
// those who wait, shortened to the first line of each message.
func (n *network) seen(chat string) []string {
	var all []string
	for _, s := range n.all() {
		if s.err == nil && (chat == "" || s.chat == chat) && !isCourtesy(s) {
			line, _, _ := strings.Cut(s.text, "\n")
			all = append(all, line)
		}
	}
	return all
}

// isCourtesy reports that a message is a notice to somebody who waits.
func isCourtesy(s sent) bool {
	return strings.HasSuffix(s.key, "-place") || strings.HasSuffix(s.key, "-interim")
}

// replies returns every try to send something else.
func (n *network) replies() []sent { return slices.DeleteFunc(n.all(), isCourtesy) }

// courtesies returns those notices in a chat.
func (n *network) courtesies(chat string) []string {
	var all []string
	for _, s := range n.all() {
		if s.err == nil && s.chat == chat && isCourtesy(s) {
			all = append(all, s.text)
		}
	}
	return all
}

// answering is an agent that is a function.
type answering func(ctx context.Context, r agents.Request) (agents.Answer, error)

func (f answering) Answer(ctx context.Context, r agents.Request) (agents.Answer, error) {
	return f(ctx, r)
}

// Prove finds all evidence as it was.
func (f answering) Prove(_ context.Context, _ agents.Request, b agents.Beleg, wording string) (agents.Proof, error) {
	return agents.Proof{State: agents.ProofSame, Wording: wording, Now: b}, nil
}

// echo answers every question with itself and a claim.
func echo(_ context.Context, r agents.Request) (agents.Answer, error) {
	return agents.Cite(
		[]agents.Statement{{Text: "Zu: " + r.Text, Citations: []string{"C-0001"}}},
		[]agents.Beleg{{Kind: "claim", ID: "C-0001", Source: "S-0001", Fundstelle: "Satz 1", Art: "Wortlaut", Stand: "2026-05-02"}},
	)
}

func echoed(question string) string { return "Zu: " + question + " [C-0001]" }

// world is a gateway with one network, one agent and a queue.
type world struct {
	t     testing.TB
	queue *memory
	net   *network
	o     gateway.Options
	g     *gateway.Gateway
	stop  context.CancelFunc
	done  chan error
	seq   int
}

// newWorld builds a world in which everybody may ask directly, and in group -1.
func newWorld(t testing.TB, q *memory, agent answering) *world {
	w := &world{t: t, queue: q, net: newNetwork()}
	access := gateway.Access{
		People:   map[string]agents.Role{gateway.Everybody: agents.RoleUser},
		Groups:   map[string]gateway.Group{"-1": {People: map[string]agents.Role{gateway.Everybody: agents.RoleUser}}},
		Programs: []string{"99"},
	}
	w.o = gateway.Options{
		Queue: q, Accounts: []gateway.Account{{Name: "main", Channel: w.net}},
		Agents: map[string]agents.Agent{"tresor": agent},
		Settings: gateway.Settings{
			Policy:  gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "main"}: access}},
			Routing: gateway.Routing{Default: "tresor", Mentions: map[string]gateway.Route{"handbuch": {Agent: "tresor", Scope: "handbuch"}, "cato": {}}},
			Admins:  []gateway.Admin{{Address: address(t, "admin", ""), Lang: "de"}},
		},
		Local: map[string]relay.Target{"": {Profile: formatting.Plain(formatting.PlainOptions{})}},
		Log:   slog.New(slog.DiscardHandler),
	}
	return w
}

func (w *world) start() *world {
	w.t.Helper()
	g, err := gateway.New(w.o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.g = g
	ctx, cancel := context.WithCancel(context.Background())
	w.stop, w.done = cancel, make(chan error, 1)
	go func() { w.done <- g.Run(ctx) }()
	<-g.Ready()
	return w
}

// end stops the gateway in order and returns what Run returned.
func (w *world) end() error {
	w.stop()
	return <-w.done
}

// event is a question of one person in a direct chat of the same name.
func (w *world) event(person, text string, edits ...func(*channels.Event)) channels.Event {
	w.seq++
	e := message(w.t, from(person), inChat(w.t, person), written(time.Now()), func(e *channels.Event) {
		e.Key, e.Message, e.Text = fmt.Sprintf("u:%d", w.seq), fmt.Sprint(w.seq), text
	})
	for _, edit := range edits {
		edit(&e)
	}
	return e
}

func inChat(t testing.TB, chat string) func(*channels.Event) {
	a := address(t, chat, "")
	return func(e *channels.Event) { e.Address = a }
}

// ask sends a question through the network and waits until it is taken.
func (w *world) ask(person, text string, edits ...func(*channels.Event)) channels.Event {
	e := w.event(person, text, edits...)
	w.net.in <- e
	return e
}

// inWorld runs f in false time with a running world, and stops it in order.
func inWorld(t *testing.T, agent answering, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), agent)
		w.start()
		f(t, w)
		synctest.Wait()
		if err := w.end(); err != context.Canceled {
			t.Errorf("Run = %v, want %v", err, context.Canceled)
		}
	})
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func factsOf(t gateway.Type, intent string) store.Facts {
	return store.Facts{ID: "id", Type: string(t), Intent: intent, Ref: "ref"}
}

type (
	agentRequest = agents.Request
	agentAnswer  = agents.Answer
)
