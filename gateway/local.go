package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"outheis/agents"
	"outheis/channels"
	"outheis/relay"
)

// LocalChannel is the kind of channel of programs on this machine that talk to
// a running gateway: the one "network" that the gateway knows itself.
const LocalChannel = "local"

const (
	localAccount = "control"
	localPerson  = "owner" // whoever may open the control socket
	oncePrefix   = "once-" // of chats that end with their session

	keptParts   = 32  // for a chat that nobody has joined
	unreadParts = 256 // in a session that does not read
)

// ErrJoined means that another program has joined that chat.
var ErrJoined = errors.New("chat is joined by another program")

// A LocalChat names a conversation with a program on this machine.
type LocalChat struct {
	// Name is the conversation: the same name goes on with it. "" is a
	// conversation of its own that ends with the session.
	Name string `json:"name,omitempty"`
	// Look is how replies look, a key of Options.Local.
	Look string `json:"look,omitempty"`
	// Lang is the language of the person; "" is that of the settings.
	Lang string `json:"lang,omitempty"`
}

// A LocalEvent is something that a session gets to see: one part of a reply, or
// the end of a request.
type LocalEvent struct {
	Request string `json:"request"`
	// Reply holds one part, or none at the end of a request.
	Reply relay.Reply `json:"reply,omitzero"`
	// End is set at the end of a request. Status and Answer say how it was
	// answered, where an agent was asked, and Notice why none was, where the
	// question was not taken.
	End    End            `json:"end,omitempty"`
	Status agents.Status  `json:"status,omitempty"`
	Answer *agents.Answer `json:"answer,omitempty"`
	Notice Reason         `json:"notice,omitempty"`
}

// A Session is a program on this machine in a conversation. Its methods may be
// called from any goroutine.
type Session struct {
	g    *Gateway
	chat LocalChat
	once bool // the chat ends with the session

	mu     sync.Mutex    // guards the fields below
	events []LocalEvent  // not read yet
	wake   chan struct{} // holds a token when events is not empty
}

// Join opens a session. It fails with [ErrJoined] when the named chat has one,
// with ErrNotRunning and ErrStopping. What was said in the chat while nobody
// had joined comes first, as far as it was kept.
func (g *Gateway) Join(c LocalChat) (*Session, error) {
	if err := g.isOpen(); err != nil {
		return nil, err
	}
	if g.local == nil {
		return nil, errors.New("gateway: join: not set up")
	}
	if _, ok := g.local.looks[c.Look]; !ok {
		return nil, fmt.Errorf("gateway: join: no look %q", c.Look)
	}
	s := &Session{g: g, chat: c, wake: make(chan struct{}, 1)}
	if c.Name == "" {
		s.chat.Name, s.once = oncePrefix+rand.Text(), true
	}
	if err := g.local.join(s); err != nil {
		return nil, err
	}
	return s, nil
}

// Say asks a question, as a message from the person at this machine, and
// returns the id of the request. It returns when the request is durable.
func (s *Session) Say(ctx context.Context, text string) (string, error) {
	e := channels.Event{Kind: channels.KindMessage, Text: text}
	if name, rest, ok := s.g.typed(text); ok {
		e.Kind, e.Command, e.Text = channels.KindCommand, name, rest
	}
	return s.deliver(ctx, e)
}

// typed reads a command that was typed with its slash, as "/tresor Wann?". What
// only looks like one is a question.
func (g *Gateway) typed(text string) (name, rest string, ok bool) {
	name, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	name, ok = strings.CutPrefix(strings.ToLower(name), "/")
	name = CommandOf(channels.Event{Command: name})
	return name, rest, ok && (slices.Contains(commands, name) || slices.Contains(g.commands, name))
}

// Stop stops the question that is being answered.
func (s *Session) Stop(ctx context.Context) (string, error) {
	return s.deliver(ctx, channels.Event{Kind: channels.KindCommand, Command: commandStop})
}

func (s *Session) deliver(ctx context.Context, e channels.Event) (string, error) {
	to, err := channels.NewAddress(LocalChannel, localAccount, s.chat.Name, "", s.chat.Look)
	if err != nil {
		return "", err
	}
	e.Key, e.Address, e.Audience, e.Addressed, e.At = "l:"+rand.Text(), to, channels.Direct, true, s.g.now()
	e.Actor = channels.Actor{ID: localPerson, Kind: channels.Person, Locale: s.chat.Lang}
	if err := s.g.Deliver(ctx, e); err != nil {
		return "", err
	}
	switch req, ok, err := s.g.queue.Lookup(eventCause(e)); {
	case err != nil:
		return "", fmt.Errorf("gateway: look up message: %w", err)
	case !ok:
		return "", errors.New("gateway: message was not taken")
	default:
		return req.ID, nil
	}
}

// Next returns the next event of the session, and waits for it.
func (s *Session) Next(ctx context.Context) (LocalEvent, error) {
	for {
		s.mu.Lock()
		if len(s.events) > 0 {
			e := s.events[0]
			s.events = s.events[1:]
			s.mu.Unlock()
			return e, nil
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-ctx.Done():
			return LocalEvent{}, ctx.Err()
		}
	}
}

// Close ends the session. Questions that are open are answered all the same;
// of a named chat the replies are kept for the next session.
func (s *Session) Close() { s.g.local.leave(s) }

// put appends events; false means that nobody reads. The end of a request has
// always room: it comes once, and somebody may be waiting for it.
func (s *Session) put(events ...LocalEvent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ends := len(events) == 1 && events[0].End != ""
	if len(s.events)+len(events) > unreadParts && !ends {
		return false
	}
	s.events = append(s.events, events...)
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return true
}

// putBack makes e the next event again, because it could not be shown.
func (s *Session) putBack(e LocalEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = slices.Insert(s.events, 0, e)
}

// A LocalAnswer is what came of one question.
type LocalAnswer struct {
	Request string         `json:"request"`
	Status  agents.Status  `json:"status,omitempty"` // "" when no agent was asked
	Answer  *agents.Answer `json:"answer,omitempty"`
	Notice  Reason         `json:"notice,omitempty"` // why the question was not taken
	Reply   relay.Reply    `json:"reply"`
	End     End            `json:"end"`
}

// Ask says text in a conversation of its own or in a named chat and waits for
// the end of the request.
func (g *Gateway) Ask(ctx context.Context, c LocalChat, text string) (LocalAnswer, error) {
	s, err := g.Join(c)
	if err != nil {
		return LocalAnswer{}, err
	}
	defer s.Close()
	id, err := s.Say(ctx, text)
	if err != nil {
		return LocalAnswer{}, err
	}
	a := LocalAnswer{Request: id}
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return a, err
		}
		if e.Request != id {
			continue
		}
		a.Reply.Parts = append(a.Reply.Parts, e.Reply.Parts...)
		if e.End != "" {
			a.Status, a.Answer, a.Notice, a.End = e.Status, e.Answer, e.Notice, e.End
			return a, nil
		}
	}
}

// local is the outlet to sessions. It may be used by many goroutines.
type local struct {
	looks map[string]relay.Target

	mu    sync.Mutex // guards the fields below
	chats map[string]*Session
	kept  map[string][]LocalEvent // of chats that nobody has joined
}

func newLocal(looks map[string]relay.Target) *local {
	return &local{looks: looks, chats: make(map[string]*Session), kept: make(map[string][]LocalEvent)}
}

func (l *local) target(a channels.Address) relay.Target {
	if t, ok := l.looks[a.Private()]; ok {
		return t
	}
	return l.looks[""]
}

func (l *local) join(s *Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chats[s.chat.Name] != nil {
		return ErrJoined
	}
	l.chats[s.chat.Name] = s
	s.put(l.kept[s.chat.Name]...)
	delete(l.kept, s.chat.Name)
	return nil
}

func (l *local) leave(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chats[s.chat.Name] != s {
		return
	}
	delete(l.chats, s.chat.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		l.keep(s.chat.Name, e)
	}
	s.events = nil
}

// send shows a part in the session of its chat, or keeps it for the next one.
func (l *local) send(p channels.Post) (channels.Receipt, error) {
	id, _, _ := strings.Cut(p.Key, "-")
	e := LocalEvent{Request: id}
	e.Reply.Parts = append(e.Reply.Parts, p.Body)
	if !l.show(p.To.Chat(), e) {
		return channels.Receipt{}, &channels.SendError{Class: channels.NotSent, Err: errors.New("session does not read")}
	}
	return channels.Receipt{Remote: p.Key}, nil
}

func (l *local) show(chat string, e LocalEvent) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.chats[chat]; s != nil {
		return s.put(e)
	}
	l.keep(chat, e)
	return true
}

// keep remembers an event of a named chat; the caller holds mu.
func (l *local) keep(chat string, e LocalEvent) {
	if strings.HasPrefix(chat, oncePrefix) || e.End != "" {
		return // nobody can join it again; an end concerns nobody who was not there
	}
	all := append(l.kept[chat], e)
	if len(all) > keptParts {
		all = append([]LocalEvent(nil), all[len(all)-keptParts:]...)
	}
	l.kept[chat] = all
}

// finished tells the session of a request that it has ended.
func (l *local) finished(req *Envelope, res *Payload, end End) {
	if l == nil || req.Payload.Address.Channel() != LocalChannel {
		return
	}
	e := LocalEvent{Request: req.ID, End: end, Notice: req.Payload.Notice}
	switch {
	case res == nil:
	case res.Answer != nil:
		e.Status, e.Answer = res.Answer.Status(), res.Answer
	case res.Failure != nil:
		e.Status = res.Failure.Status
	}
	l.show(req.Payload.Address.Chat(), e)
}

// gaveUp tells the session of a request that went wrong and got no further.
func (l *local) gaveUp(req *Envelope) {
	l.finished(req, &Payload{Failure: &Failure{Status: agents.StatusFailed}}, EndParked)
}
