// Package gateway moves every message through one durable queue: intake,
// answer, reply, delivery.
//
// A channel hands an event to [Gateway.Deliver], which judges it ([Decide]),
// cleans its text ([Clean]), chooses who answers and makes the request durable.
// From then on the request belongs to the lane of its conversation: one after
// the other there, in parallel beside the others. The lane has an agent answer,
// the relay word the answer and the channel deliver it, part by part. Each step
// is a line of the queue before the next begins, under a cause derived from the
// request:
//
//	request   telegram/main/u:918273645   a person asked
//	response  ‹id›/response               an agent answered, or could not
//	reply     ‹id›/reply                  the parts to send
//	event     ‹id›/1/try/1                part 1 goes out
//	event     at/telegram/main/‹chat›/‹n› message n of the chat is part 1
//	event     ‹id›/1/ok, ‹id›/1/fail/1    it arrived, or did not
//	event     ‹id›/done                   the end
//
// So a restart is no special case: every request without an end goes its way
// again, and each step first looks whether it was taken. There is never a
// second response, and no part is sent again that has its receipt. A part whose
// try has neither receipt nor failure may have arrived; it is sent once more,
// marked as a possible duplicate.
//
// What a person says about an answer (a thumb, "Beleg 2") is a request too. It
// finds its answer in these lines: by the id in a button, by the message that it
// stands below, or as the last answer of the conversation. [store.Log] finds
// lines of the current segment and of 35 days before; what is older is told to be
// gone.
//
// The outbox is the only place that tries again. Channels, agents and the store
// report what happened, once.
//
// To read the code along the way of a message: receive.go, intake.go (with
// decide.go, clean.go, route.go and amend.go), lanes.go, carry.go, ask.go,
// outbox.go (with part.go). Beside that way stand what is said about answers
// (aside.go, answered.go, feedback.go, evidence.go), edits of what is answered
// (revise.go), words to those who wait (patience.go), what comes with a message
// (files.go) and what a new process knows of the past (tail.go). envelope.go says
// what a line of the queue holds; local.go, control.go and client.go are for
// programs on this machine.
//
// The package knows no network, no agent and no file by name: cmd/outheis puts
// them in. It words nothing itself: sentences come from config/texts, answers
// from package relay. Of the configuration it sees [Settings].
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/relay"
	"outheis/store"
)

// Options are the parts of a gateway.
type Options struct {
	// Queue is the log; its requests without an end are carried on.
	Queue Queue
	// Accounts are our accounts on chat networks.
	Accounts []Account
	// Agents answer, by name.
	Agents map[string]agents.Agent
	// Settings can be changed later, by Reload.
	Settings Settings
	// Roster keeps who was let in by a code and which accounts are one person's:
	// [RosterFile] of the human directory. Nil keeps it in memory.
	Roster *store.Doc
	// Languages keeps which language people chose: [LanguagesFile] of the human
	// directory. Nil keeps it in memory.
	Languages *store.Doc
	// Files keeps what comes with messages, by its hash: the human directory
	// ([store.Human]). Nil keeps nothing, and files are told to be unreadable.
	Files Files
	// Transcribe turns a voice message, by its kept bytes, into text; an error
	// that is an [*agents.Error] says in words why not. Nil tells people that
	// voice messages are not understood. It needs Files.
	Transcribe func(ctx context.Context, r io.Reader, f KeptFile, lang string) (string, error)
	// Local says how replies look to programs on this machine (see
	// [Gateway.Join]), by the name that they ask for; "" is for those that ask
	// for none. Without it nobody can join.
	Local map[string]relay.Target
	// MaxParallel is how many agents answer at once; 0 stands for 8.
	MaxParallel int
	// Grace is how long Run waits for work under way when it ends; 0 stands for
	// 5 s.
	Grace time.Duration
	// Unsure is how long to wait before a part that may have arrived is sent once
	// more; 0 stands for 30 s.
	Unsure time.Duration
	// Now is the wall clock; nil stands for time.Now.
	Now func() time.Time
	// Log gets what the administrator should know; nil discards it. No message
	// text is written to it.
	Log *slog.Logger
}

// An Account is one of our accounts on a network. Name is unique for its kind
// of channel and is the account in every address.
type Account struct {
	Name    string
	Channel channels.Channel
}

// Settings are what can change while the gateway runs.
type Settings struct {
	Policy  Policy
	Routing Routing
	// Lang is the language of people whose network names none.
	Lang string
	// Admins get notices. Without any, notices stand in the log alone.
	Admins []Admin
	// Topics are what help offers to ask.
	Topics []Topic
	// Timeout bounds how long an agent may take; 0 stands for 120 s.
	Timeout time.Duration
	// Zone is the zone of times that people read; nil stands for UTC.
	Zone *time.Location
}

// An Admin is where notices for an administrator go.
type Admin struct {
	Address channels.Address
	Lang    string
}

// A Topic is something that can be asked by name, such as a Tresor.
type Topic struct {
	Mention string // without @; empty when it has none
	Title   string
}

// Errors of Deliver, Ask and Join.
var (
	// ErrStopping means that the gateway takes nothing more.
	ErrStopping = errors.New("gateway is stopping")
	// ErrNotRunning means that Run was not called yet.
	ErrNotRunning = errors.New("gateway is not running")
)

// Causes of the end of answering.
var (
	errStopped  = errors.New("stopped by the person")
	errReplaced = errors.New("edited by the person")
	errDeleted  = errors.New("deleted by the person")
)

// A Gateway carries requests from channels to agents and back. Its methods may
// be called from any goroutine; Run once.
type Gateway struct {
	queue      Queue
	agents     map[string]agents.Agent
	files      Files    // nil when nothing is kept
	commands   []string // names of agents that are commands
	transcribe func(context.Context, io.Reader, KeptFile, string) (string, error)
	grace      time.Duration
	unsure     time.Duration
	now        func() time.Time
	log        *slog.Logger
	outlets    outlets
	changes    chan change
	local      *local // nil when nobody can join
	slots      chan struct{}
	alone      chan struct{} // holds one while a suspect is answered
	lanes      lanes
	arriving   arrivals
	ledger     ledger
	roster     roster
	guesses    guesses
	turns      turns
	recent     recent
	taps       taps
	rows       rows
	languages  languages
	strangers  strangers
	crowded    atomic.Pointer[crowd]
	counts     counts
	troubled   trouble
	sorry      apologies
	answers    sync.WaitGroup // goroutines in which agents answer
	settings   atomic.Pointer[Settings]
	reloaded   pulse

	running  atomic.Bool
	ready    chan struct{} // closed when Run has begun
	stopping chan struct{} // closed when Run begins to end
	failed   chan error    // the first error that ends Run
	since    time.Time
}

// New returns a gateway over its parts. It fails when a part is missing or two
// accounts have one name.
func New(o Options) (*Gateway, error) {
	if o.Queue == nil {
		return nil, errors.New("gateway: no queue")
	}
	g := &Gateway{
		queue: o.Queue, agents: maps.Clone(o.Agents), grace: o.Grace, unsure: o.Unsure, now: o.Now, log: o.Log,
		files: o.Files, transcribe: o.Transcribe,
		changes: make(chan change), ready: make(chan struct{}), stopping: make(chan struct{}), failed: make(chan error, 1),
	}
	if g.now == nil {
		g.now = time.Now
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if g.grace <= 0 {
		g.grace = 5 * time.Second
	}
	if g.unsure <= 0 {
		g.unsure = unsureWait
	}
	if o.MaxParallel <= 0 {
		o.MaxParallel = 8
	}
	g.slots, g.alone = make(chan struct{}, o.MaxParallel), make(chan struct{}, 1)
	g.since = g.now()
	g.commands = commandNames(o.Agents)
	g.lanes.attend = g.attend
	g.roster.doc, g.roster.now, g.languages.doc = o.Roster, g.now, o.Languages
	if len(o.Local) > 0 {
		g.local = newLocal(o.Local)
		g.outlets.add(&outlet{id: AccountID{LocalChannel, localAccount}, local: g.local})
	}
	for _, a := range o.Accounts {
		id := AccountID{a.Channel.Kind(), a.Name}
		if g.outlets.get(id) != nil || id.Channel == LocalChannel || id.Account == "" {
			return nil, fmt.Errorf("gateway: account %s: name is missing or taken", id)
		}
		g.outlets.add(newOutlet(id, a.Channel))
	}
	if err := g.Reload(o.Settings); err != nil {
		return nil, err
	}
	return g, nil
}

// Reload puts new settings in force. They count for what comes from now on;
// of waiting requests only the rights of their authors are looked up again, before
// an agent is asked. On an error the old settings stay. A document of people that
// cannot be used is no error, or whom the configuration takes away would stay: see
// [DocumentError].
func (g *Gateway) Reload(s Settings) error {
	if s.Routing.Default != "" && g.agents[s.Routing.Default] == nil {
		return fmt.Errorf("gateway: default agent %q does not exist", s.Routing.Default)
	}
	if s.Timeout <= 0 {
		s.Timeout = 2 * time.Minute
	}
	if s.Zone == nil {
		s.Zone = time.UTC
	}
	mentions := make(map[string]Route, len(s.Routing.Mentions))
	for name, route := range s.Routing.Mentions {
		mentions[strings.ToLower(name)] = route
	}
	s.Routing.Mentions = mentions
	g.roster.load()
	g.languages.load()
	if g.local != nil { // whoever may open the control socket is the owner
		s.Policy.Access = maps.Clone(s.Policy.Access)
		if s.Policy.Access == nil {
			s.Policy.Access = make(map[AccountID]Access)
		}
		s.Policy.Access[AccountID{LocalChannel, localAccount}] = Access{
			People: map[string]agents.Role{localPerson: agents.RoleAdmin}, Unlimited: true,
		}
	}
	g.settings.Store(&s)
	g.reloaded.beat()
	select {
	case <-g.ready:
		g.tellDamaged(context.Background())
	default: // Run tells it
	}
	return nil
}

// Run carries on the open requests of the queue, receives from all channels and
// works until ctx ends. It then takes nothing more, gives work under way the
// grace of Options and returns ctx's error; what is not finished stays open in
// the queue. It returns an error that is [store.ErrFailed] as soon as the queue
// has failed for good. All channels are closed when it returns.
func (g *Gateway) Run(ctx context.Context) error {
	if g.running.Swap(true) {
		return errors.New("gateway: run: called twice")
	}
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	g.remember(work)
	g.resume()
	g.lanes.start(func(it *item) { g.carry(work, it) })
	close(g.ready)
	g.tellDamaged(work)

	receive, hangUp := context.WithCancel(ctx)
	defer hangUp()
	var receivers sync.WaitGroup
	for _, o := range g.outlets.all() {
		if o.current() != nil {
			g.listen(receive, &receivers, o)
		}
	}
	receivers.Go(func() { g.watchHealth(receive) })
	var err error
	for err == nil {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case err = <-g.failed:
			err = fmt.Errorf("gateway: %w", err)
			end()
		case c := <-g.changes:
			receivers.Go(func() { g.swap(receive, &receivers, c) })
		}
	}
	hangUp()
	close(g.stopping)
	g.lanes.close()
	timer := time.AfterFunc(g.grace, end)
	defer timer.Stop()
	receivers.Wait()
	g.lanes.wait()
	end()
	g.waitForAgents()
	for _, o := range g.outlets.all() {
		g.closeChannel(o.id, o.current())
	}
	return err
}

// Ready is closed when Run has begun and the gateway takes events.
func (g *Gateway) Ready() <-chan struct{} { return g.ready }

// waitForAgents waits for agents whose question has been given up. One that
// does not listen to its context is left behind, and said so.
func (g *Gateway) waitForAgents() {
	done := make(chan struct{})
	go func() { g.answers.Wait(); close(done) }()
	timer := time.NewTimer(g.grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		g.log.Error("agent does not end", "err", "context was cancelled")
	}
}

// resume puts the open requests of the queue into their lanes.
func (g *Gateway) resume() {
	for _, e := range g.queue.Open() {
		req := e.Rec
		if err := req.check(); err != nil {
			g.log.Error("open request is unusable", "id", req.ID, "err", err)
			continue
		}
		g.lanes.push(&item{lane: laneOf(&req), req: req, crashes: e.Crashes})
	}
}

// laneOf returns the lane of a request. Sentences about a conversation do not
// wait for its questions, nor for files that are fetched.
func laneOf(req *Envelope) string {
	switch req.Intent {
	case "", intentFiles:
		return req.Conversation
	case intentFeedback: // what several people say about one answer shows below it
		return req.Payload.Ref + "!"
	}
	return req.Conversation + "!"
}

// fail ends Run with err.
func (g *Gateway) fail(err error) {
	select {
	case g.failed <- err:
	default:
	}
}

// write makes envelopes durable. While the queue cannot write it waits and
// tries again; the error is ErrStopping when the gateway ends meanwhile, ctx's
// error, or one of the queue that trying again does not cure.
func (g *Gateway) write(ctx context.Context, es ...Envelope) error {
	wait := time.Second
	for {
		_, err := g.queue.AppendAll(ctx, es)
		switch {
		case err == nil:
			g.troubled.end()
			return nil
		case errors.Is(err, store.ErrFailed):
			g.fail(err)
			return err
		case errors.Is(err, store.ErrTooLong), ctx.Err() != nil:
			return err
		}
		if g.troubled.begin(err, g.now()) {
			g.log.Error("queue cannot write", "err", err)
		}
		if err := g.pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, 30*time.Second)
	}
}

// pause waits for d, or until the gateway ends (ErrStopping) or ctx.
func (g *Gateway) pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-g.stopping:
		return ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
}
