package gateway

import (
	"fmt"
	"strings"
	"time"

	"outheis/channels"
)

// A given is an answer that was given, as the log tells it.
type given struct {
	req Envelope // the request
	res Envelope // its response, with an answer
	rep Envelope // its reply
}

// noticeNoAnswer tells that there is no answer, or none any more, that something
// could be about.
const noticeNoAnswer Reason = "no_answer"

// A subject is what an aside is about. Its id is empty where that cannot be
// found out.
type subject struct {
	aside
	given
	found bool
}

// interpret reads what e says about an answer, and finds the answer. It reports
// false where e says nothing of the kind. Words that are only an aside about an
// answer are a question where there is none.
func (g *Gateway) interpret(e channels.Event) (subject, bool, error) {
	a, ok := asideOf(e)
	if !ok {
		return subject{}, false, nil
	}
	s := subject{aside: a}
	id, direct, err := g.subjectOf(e, a)
	if err != nil {
		return s, false, err
	}
	if id != "" {
		if s.given, s.found, err = g.given(id, e.Address); err != nil {
			return s, false, err
		}
	}
	if e.Kind == channels.KindReaction && !s.found {
		return s, false, nil // to somebody else's message
	}
	if !s.found && !a.sure {
		return s, false, nil
	}
	if a.later && !direct && !g.wantsReason(e, id) {
		return s, false, nil
	}
	if a.beleg != "" {
		for i, b := range s.res.answer().Belege() {
			if b.ID == a.beleg {
				s.number = i + 1
			}
		}
		if s.number == 0 {
			return s, false, nil // a question for a claim by its id
		}
	}
	return s, true, nil
}

// subjectOf finds the request that the answer which a is about belongs to.
// Direct says that the person pointed at it.
func (g *Gateway) subjectOf(e channels.Event, a aside) (id string, direct bool, err error) {
	at := e.Replied
	switch a.by {
	case ByButton:
		return a.answer, true, nil
	case ByReaction:
		at = e.Message
	}
	if at != "" {
		posted, ok, err := g.queue.Lookup(postedCause(e.Address, at))
		if err != nil {
			return "", false, fmt.Errorf("gateway: look up message: %w", err)
		}
		if ok {
			return posted.Payload.Ref, true, nil
		}
	}
	if a.by == ByReaction {
		return "", false, nil
	}
	if q, ok := g.recent.find(conversationOf(e), at); ok { // to their own question
		return q.id, true, nil
	}
	if at != "" && e.Audience != channels.Direct { // to somebody else
		return "", false, nil
	}
	q, ok := g.recent.last(conversationOf(e))
	if ok && !a.sure && g.now().Sub(q.at) > lately {
		return "", false, nil
	}
	return q.id, false, nil
}

// lately is how long ago an answer may be that somebody goes on about without
// pointing at it.
const lately = 24 * time.Hour

// continues reports that e goes on in a thread in which its author has an answer
// of ours of lately: mention starts, the own thread continues, others stay quiet
// (spec/channels.md D3). A reply to somebody else, and what begins with the name of
// somebody else, is theirs.
func (g *Gateway) continues(conversation string, e channels.Event) bool {
	if e.Audience == channels.Direct || e.Address.Thread() == "" || e.Actor.Kind != channels.Person || e.Actor.ID == "" {
		return false
	}
	if e.Kind != channels.KindMessage && e.Kind != channels.KindEdit {
		return false
	}
	q, ok := g.recent.last(conversation)
	if !ok || g.now().Sub(q.at) > lately {
		return false
	}
	if strings.HasPrefix(e.Text, "@") {
		has := func(name string) bool { return g.agents[name] != nil }
		if _, ours := g.settings.Load().Routing.mentioned(e.Text, true, has); !ours {
			return false
		}
	}
	if e.Replied == "" {
		return true
	}
	if _, own := g.recent.find(conversation, e.Replied); own {
		return true
	}
	_, ours, err := g.queue.Lookup(postedCause(e.Address, e.Replied))
	return ours && err == nil
}

// wantsReason reports that the person has just been asked what is wrong with the
// answer to request id.
func (g *Gateway) wantsReason(e channels.Event, id string) bool {
	q, ok := g.recent.last(conversationOf(e))
	return ok && q.id == id && !q.down.IsZero() && g.now().Sub(q.down) < turnAge
}

// given finds the answer to request id, or the one that stands in its place by
// now, if it was given in the chat of at: what was answered in one chat is shown
// in no other, whoever asks for it. It reports false where the log does not reach
// back so far.
func (g *Gateway) given(id string, at channels.Address) (given, bool, error) {
	fail := func(err error) (given, bool, error) {
		return given{}, false, fmt.Errorf("gateway: look up answer: %w", err)
	}
	for range mostRevisions {
		later, ok, err := g.queue.Lookup(revisedCause(id))
		if err != nil {
			return fail(err)
		}
		if !ok {
			break
		}
		id = later.Payload.Ref
	}
	var a given
	var ok bool
	var err error
	if a.rep, ok, err = g.queue.Lookup(replyCause(id)); err != nil || !ok || a.rep.Payload.Origin == "" {
		if err != nil {
			return fail(err)
		}
		return given{}, false, nil
	}
	if a.req, ok, err = g.queue.Lookup(a.rep.Payload.Origin); err != nil {
		return fail(err)
	}
	asked := a.req.Payload.Address
	if !ok || a.req.ID != id || accountOf(asked) != accountOf(at) || asked.Chat() != at.Chat() {
		return given{}, false, nil
	}
	if a.res, ok, err = g.queue.Lookup(responseCause(id)); err != nil {
		return fail(err)
	}
	return a, ok && a.res.Payload.Answer != nil, nil
}

// mostRevisions bounds how often a question is followed from one wording to the
// next.
const mostRevisions = 100

// remotes returns the messages in which the parts of the answer stand, where
// they went, and how far the delivery of the last part had come. It reports false
// when not every part arrived.
func (g *Gateway) remotes(a *given) (ids []string, last part, err error) {
	last.to = a.req.Payload.Address
	for i := range a.rep.Payload.Parts {
		ok, there, err := g.queue.Lookup(okCause(a.req.ID, i+1))
		if err != nil {
			return nil, last, fmt.Errorf("gateway: look up message: %w", err)
		}
		if !there || ok.Payload.Remote == "" {
			return nil, last, nil
		}
		ids = append(ids, ok.Payload.Remote)
	}
	to := last.to
	if n := len(ids); n > 0 {
		if last, err = g.progress(&item{req: a.req}, n); err != nil {
			return nil, last, fmt.Errorf("gateway: look up message: %w", err)
		}
		if last.to.IsZero() {
			last.to = to
		}
	}
	return ids, last, nil
}
