package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/store"
)

// Bounds of what is stored beside a text. The text itself is bounded by
// Limits.MaxText and never cut: a longer one is refused with a sentence.
const (
	maxName    = 64      // code points
	maxKey     = 512     // bytes of an event's key
	maxButton  = 48      // bytes of a button's id
	maxTextRaw = 1 << 20 // bytes of a text that is looked at
)

// Deliver makes an event of a channel durable; it is the [channels.Deliver] of
// every account. It returns nil when the event is on disk or needs no record,
// and an error when it has to be delivered again: while the disk is full, or
// when the gateway is stopping.
//
// The order of work is that of spec/reliability.md §2.4. Nothing is stored of
// an event that [Decide] refuses; its reason is counted, and where the sender
// may know, a sentence tells it. An event that makes Deliver panic three times
// is refused as well: it would come again for ever, and hold up all others.
func (g *Gateway) Deliver(ctx context.Context, e channels.Event) (err error) {
	if err := g.isOpen(); err != nil {
		return err
	}
	if e.Address.IsZero() || e.Key == "" || len(e.Key) > maxKey {
		g.counts.refused(ReasonKind)
		g.log.Error("event without address or key", "channel", e.Address.Channel())
		return nil
	}
	cause := eventCause(e)
	if !g.arriving.begin(cause) {
		return errArriving
	}
	defer g.arriving.end(cause)
	defer func() {
		if v := recover(); v != nil {
			err = g.panicked(ctx, e, cause, v)
		}
	}()
	known, ok, err := g.queue.Lookup(cause)
	if err != nil {
		return g.refuse(fmt.Errorf("gateway: look up event: %w", err))
	}
	if ok {
		return g.again(known)
	}
	if e.Kind == channels.KindMembership {
		g.membership(ctx, e)
	}

	raw := e.Text
	settings := g.settings.Load()
	e = clean(e, settings.Policy.Limits)
	if g.files == nil || e.Unsupported == unreadVoice && g.transcribe == nil {
		e.Files = nil
	}
	about, aside, err := g.interpret(e)
	if err != nil {
		return g.refuse(err)
	}
	if aside {
		e = about.present(e)
	}
	state := g.recall(e)
	state.About = aside
	v := Decide(e, settings.Policy, state)
	g.compareClocks(ctx, e, v, state.Now)
	if v.Reason == ReasonLoop {
		g.muteProgram(ctx, e, settings.Policy.Limits.withDefaults(), state.Now)
	}
	if v.Reason == ReasonPairing {
		return g.offer(ctx, e, cause, v, state.Now)
	}
	if v.Reason != ReasonOK { // the id is what an administrator needs to let somebody in
		g.log.Debug("event not taken", "channel", accountOf(e.Address), "chat", e.Address.Chat(), "sender", e.Actor.ID, "reason", v.Reason)
		g.strangers.note(e, v.Reason, state.Now)
	}
	if v.Reason != ReasonOK && !v.Say {
		g.counts.refused(v.Reason)
		return nil
	}
	req := request(e, cause, raw, v, settings)
	if lang := g.languages.of(g.person(accountOf(e.Address), e.Actor.ID)); lang != "" && e.Actor.ID != "" {
		req.Payload.Lang = lang
	}
	switch {
	case v.Reason == ReasonOK && e.Kind == channels.KindDeletion:
		return g.refuse(g.withdraw(ctx, e))
	case v.Reason == ReasonOK && aside:
		return g.takeAside(ctx, e, about, req, state.Now)
	case v.Reason == ReasonOK:
		return g.take(ctx, e, req, state.Now)
	}
	g.counts.refused(v.Reason)
	if err := g.refuse(g.queueRequest(ctx, req)); err != nil {
		return err
	}
	who := senderOf(e)
	g.ledger.told(who, v.Reason, state.Now)
	switch {
	case aside:
		g.ledger.pressed(who, state.Now)
	case v.Reason != ReasonQuota && v.Reason != ReasonDaily && v.Reason != ReasonBusy:
		g.ledger.asked(who, state.Now)
	}
	return nil
}

func (g *Gateway) isOpen() error {
	if isClosed(g.stopping) {
		return ErrStopping
	}
	if !isClosed(g.ready) {
		return ErrNotRunning
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// again settles an event that is in the log already: usually its request is on
// its way or done. Only where its first delivery broke off right behind the
// commit does nobody carry it.
func (g *Gateway) again(req Envelope) error {
	g.counts.repeated()
	if req.Type != TypeRequest || g.lanes.holds(req.ID) {
		return nil
	}
	_, done, err := g.queue.Lookup(doneCause(req.ID))
	if err != nil {
		return g.refuse(fmt.Errorf("gateway: look up event: %w", err))
	}
	if !done {
		g.lanes.push(&item{lane: laneOf(&req), req: req})
	}
	return nil
}

// panicked settles an event whose delivery panicked with v.
func (g *Gateway) panicked(ctx context.Context, e channels.Event, cause string, v any) error {
	tries := g.arriving.strike(cause)
	g.log.Error("delivery of an event panicked", "channel", accountOf(e.Address).String(), "cause", cause, "try", tries, "err", v, "stack", string(debug.Stack()))
	if tries < poisonAt {
		return fmt.Errorf("gateway: delivery panicked: %v", v)
	}
	g.counts.refused(ReasonBroken)
	g.tellAdmins(ctx, "broken/"+cause, func(t *texts.Texts) string {
		return t.Say("gateway.admin_broken", accountOf(e.Address).String(), cause)
	})
	return nil
}

// clean bounds and cleans what people wrote.
func clean(e channels.Event, l Limits) channels.Event {
	if len(e.Text) <= maxTextRaw || len(e.Text) <= 4*l.withDefaults().MaxText {
		e.Text = strings.TrimSpace(Clean(e.Text))
	}
	e.Actor.Name = cut(strings.Join(strings.Fields(Clean(cut(e.Actor.Name, 4*maxName))), " "), maxName)
	e.Command = strings.ToLower(cut(e.Command, maxName))
	e.Unsupported = cut(e.Unsupported, maxName)
	e.Message, e.Replied = cut(e.Message, maxKey), cut(e.Replied, maxKey)
	if len(e.Button) > maxButton {
		e.Button = "" // none of ours
	}
	if len(e.Space) > maxKey {
		e.Space = "" // no id is so long, and half an id is another
	}
	switch e.Kind {
	case channels.KindMessage, channels.KindEdit, channels.KindCommand:
		e.Command = CommandOf(e)
	}
	e.At, e.Posted = storable(e.At), storable(e.Posted)
	return e
}

// storable returns t, or no time where it is in a year that no line can hold.
func storable(t time.Time) time.Time {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return time.Time{}
	}
	return t
}

// recall collects what Decide has to know.
func (g *Gateway) recall(e channels.Event) State {
	s := State{Now: g.now()}
	g.ledger.recall(senderOf(e), &s)
	known := g.roster.view()
	s.Paired, s.PairingFrom, s.PairingUntil = known.paired[identityOf(e)], known.From, known.Until
	key := conversationOf(e)
	s.Waiting, s.Open = g.lanes.load(key)
	s.Agents = g.commandNames()
	s.Continues = g.continues(key, e)
	switch e.Kind {
	case channels.KindEdit:
		s.Original = g.original(key, e)
	case channels.KindDeletion:
		if _, ok := g.lanes.keyOf(isMessageIn(e)); ok {
			s.Original = &Original{}
		}
	}
	return s
}

func isMessage(id string) func(*item) bool {
	return func(it *item) bool {
		return id != "" && (it.req.Intent == "" || it.req.Intent == intentFiles) && it.req.Payload.Message == id
	}
}

// request makes the envelope of an event.
func request(e channels.Event, cause, raw string, v Verdict, s *Settings) Envelope {
	lang := e.Actor.Locale
	if lang == "" {
		lang = s.Lang
	}
	req := Envelope{
		Conversation: conversationOf(e), Cause: cause, Type: TypeRequest, Priority: PriorityNormal, To: partRelay,
		From: From{User: &User{
			Channel: e.Address.Channel(), Account: e.Address.Account(),
			Identity: e.Actor.ID, Name: e.Actor.Name, Mixed: mixesScripts(e.Actor.Name),
			Program: isProgram(e.Actor),
		}},
		Payload: Payload{
			Message: e.Message, Address: e.Address, Audience: e.Audience, Space: e.Space, Role: v.Role,
			Lang: texts.For(lang).Lang(), Asked: e.At.UTC(), Unread: e.Unsupported, Files: listed(e.Files),
		},
	}
	if v.Reason != ReasonOK {
		req.Intent, req.Payload.Notice, req.Payload.Until = intentNotice, v.Reason, v.RetryAt.UTC()
		if v.Reason == ReasonCommand {
			req.Payload.Name = e.Command
		}
		return req
	}
	switch e.Command {
	case commandStart, commandHelp, commandStop, commandLanguage:
		req.Intent = "command." + e.Command
		return req
	case commandLink, commandUnlink:
		req.Intent = intentNotice // until it is carried out, which says what of
		return req
	}
	req.Payload.Text = e.Text
	if e.Text == "" && e.Command == "" && len(e.Files) > 0 && !isVoice(&req) {
		req.Intent = intentFiles
		return req
	}
	if strings.TrimSpace(raw) != e.Text {
		sum := sha256.Sum256([]byte(raw))
		req.Payload.Raw = "sha256:" + hex.EncodeToString(sum[:])
	}
	return req
}

// take routes a request that was admitted and puts it on its way.
func (g *Gateway) take(ctx context.Context, e channels.Event, req Envelope, now time.Time) error {
	switch {
	case isVoice(&req):
		req.To = g.settings.Load().Routing.Default // until it has been heard
	case req.Intent == "":
		g.address(&req, e)
	}
	var err error
	switch {
	case e.Kind == channels.KindEdit:
		err = g.replace(ctx, req)
	case req.Intent == intentStop:
		err = g.stopRunning(ctx, req)
	case req.Intent == intentLanguage:
		err = g.queueRequest(ctx, g.chooseLanguage(e, req))
	case e.Command == commandLink, e.Command == commandUnlink:
		err = g.queueRequest(ctx, g.link(ctx, e, req, now))
	default:
		err = g.queueRequest(ctx, req)
	}
	if err != nil {
		return g.refuse(err)
	}
	g.counts.taken(now)
	g.ledger.asked(senderOf(e), now)
	return nil
}

// route finds the agent for what e asks.
func (g *Gateway) route(e channels.Event) routed {
	has := func(name string) bool { return g.agents[name] != nil }
	return g.settings.Load().Routing.route(e.Text, e.Audience != channels.Direct, has)
}

// address chooses the agent.
func (g *Gateway) address(req *Envelope, e channels.Event) {
	to := g.route(e)
	if g.agents[e.Command] != nil && (to.missing != "" || to.Agent != e.Command) {
		to = routed{Route: Route{Agent: e.Command}, text: strings.TrimSpace(e.Text)}
	}
	switch {
	case to.missing == scopeVault:
		req.Intent, req.Payload.Notice, req.Payload.Text = intentNotice, noticeNoVault, ""
	case to.missing != "":
		req.Intent, req.Payload.Notice, req.Payload.Name, req.Payload.Text = intentNotice, noticeNoAgent, to.missing, ""
	case to.Agent == "":
		req.Intent, req.Payload.Notice, req.Payload.Text = intentNotice, noticeNobody, ""
	case to.text == "":
		req.Intent, req.Payload.Notice, req.Payload.Text = intentNotice, ReasonEmpty, ""
	default:
		req.To, req.Payload.Scope, req.Payload.Text = to.Agent, to.Scope, to.text
	}
}

// queueRequest makes a request durable and puts it into its lane.
func (g *Gateway) queueRequest(ctx context.Context, req Envelope) error {
	es, err := g.queue.AppendAll(ctx, []Envelope{req})
	if err != nil {
		return err
	}
	g.lanes.push(&item{lane: laneOf(&es[0]), req: es[0], fresh: true})
	return nil
}

// refuse notes an error of the queue that makes the channel deliver again.
func (g *Gateway) refuse(err error) error {
	switch {
	case err == nil:
		g.troubled.end()
	case errors.Is(err, store.ErrFailed):
		g.fail(err)
	case errors.Is(err, store.ErrTooLong), errors.As(err, new(*json.MarshalerError)):
		// Bounded texts do not come here; an adapter's address might. It would fail each time.
		g.log.Error("event does not fit a line", "err", err)
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	default:
		if g.troubled.begin(err, g.now()) {
			g.log.Error("queue cannot write", "err", err)
		}
	}
	return err
}

// muteProgram lets a program that used up its budget speak to nobody for a
// while, and tells the administrators.
func (g *Gateway) muteProgram(ctx context.Context, e channels.Event, l Limits, now time.Time) {
	who := senderOf(e)
	until := now.Add(l.Mute)
	g.ledger.mute(who, until, now)
	mute := Envelope{
		Conversation: conversationOf(e), Cause: "mute/" + eventCause(e), Type: TypeEvent, Intent: eventMute, To: partDispatcher,
		From:    From{User: &User{Channel: e.Address.Channel(), Account: e.Address.Account(), Identity: e.Actor.ID}},
		Payload: Payload{Address: e.Address, Until: until.UTC()},
	}
	if _, err := g.queue.AppendAll(ctx, []Envelope{mute}); err != nil { // without it the mute ends with the process
		g.log.Warn("mute was not written down", "channel", who.account.String(), "err", err)
	}
	g.tellAdmins(ctx, "loop/"+who.account.String()+"/"+who.id+"/"+now.UTC().Format(time.DateOnly), func(t *texts.Texts) string {
		return t.Say("gateway.admin_loop", who.account.String(), e.Actor.ID, l.PerPair)
	})
}

// membership tells the administrators when a group that we answer has another
// id from now on: the configuration names the old one.
func (g *Gateway) membership(ctx context.Context, e channels.Event) {
	_, listed := g.settings.Load().Policy.Access[accountOf(e.Address)].group(e)
	if o := g.outlets.get(accountOf(e.Address)); o != nil && listed {
		o.lose(e, g.now())
	}
	old, moved := e.Address.Chat(), e.Moved.Chat()
	if e.Change != channels.ChangeMoved || moved == "" {
		return
	}
	if _, listed := g.settings.Load().Policy.Access[accountOf(e.Address)].Groups[old]; !listed {
		return
	}
	g.tellAdmins(ctx, "moved/"+accountOf(e.Address).String()+"/"+old, func(t *texts.Texts) string {
		return t.Say("gateway.admin_moved", accountOf(e.Address).String(), old, moved)
	})
}
