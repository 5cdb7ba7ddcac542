package gateway

import (
	"context"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
	"outheis/relay"
)

// answer returns the answer of a response; the zero Answer where there is none.
func (e *Envelope) answer() agents.Answer {
	if e.Payload.Answer == nil {
		return agents.Answer{}
	}
	return *e.Payload.Answer
}

// describe puts what is said about an answer into a request.
func (s *subject) describe(req *Envelope) {
	req.Payload.Text, req.Payload.Raw = "", ""
	req.Payload.By = s.by
	if !s.found {
		req.Intent, req.Payload.Notice = intentNotice, noticeNoAnswer
		return
	}
	req.Intent, req.Payload.Ref = s.intent, s.req.ID
	req.Payload.Mark, req.Payload.Why, req.Payload.Number = s.mark, s.why, s.number
	if s.by == ByReaction { // the network does not say in which thread it was
		req.Payload.Address = s.req.Payload.Address
	}
}

// whoOf is a short name for the author of a request among those who speak about
// one answer. It is no id: what people think of an answer can be read without
// reading who they are.
func whoOf(req *Envelope) string {
	u := req.From.User
	return conversationID(req.Payload.Ref, u.Channel, u.Account, u.Identity)[len("conv_"):]
}

// feedback writes down what somebody thinks of an answer and has it
// acknowledged: what they said last holds. Pressing the same again changes nothing
// and gets no reply, words always get one; taking back a reaction takes back only
// what a reaction said.
func (g *Gateway) feedback(ctx context.Context, req Envelope) error {
	req.Payload.Event = req.Cause
	who := whoOf(&req)
	for {
		n, last, repeated, err := g.lastFeedback(&req, who)
		switch {
		case err != nil:
			return err
		case repeated:
			return g.again(last)
		case req.Payload.By != ByWords && !changes(&last.Payload, &req.Payload):
			return nil
		}
		req.Cause = feedbackCause(req.Payload.Ref, who, n+1)
		es, err := g.queue.AppendAll(ctx, []Envelope{req})
		if err != nil {
			return err
		}
		if es[0].Payload.Event == req.Payload.Event { // and not said by somebody else at the same moment
			g.noteMark(&es[0])
			g.lanes.push(&item{lane: laneOf(&es[0]), req: es[0], fresh: true})
			return nil
		}
	}
}

// feedbackBack is how far back it is looked whether an event came before: a
// network repeats the last few.
const feedbackBack = 20

// lastFeedback returns how often who has said something about the answer, and
// what that was the last time. Repeated says that it was, among the last times,
// by the event of req.
func (g *Gateway) lastFeedback(req *Envelope, who string) (n int, last Envelope, repeated bool, err error) {
	last.Payload.Mark = MarkNone
	at := func(n int) (Envelope, bool, error) { return g.queue.Lookup(feedbackCause(req.Payload.Ref, who, n)) }
	end := 1 // the first that is not there
	for {
		if _, ok, err := at(end); err != nil || !ok {
			if err != nil {
				return 0, last, false, err
			}
			break
		}
		n, end = end, 2*end
	}
	for n+1 < end {
		middle := (n + end) / 2
		_, ok, err := at(middle)
		switch {
		case err != nil:
			return 0, last, false, err
		case ok:
			n = middle
		default:
			end = middle
		}
	}
	for i := n; i > 0 && i > n-feedbackBack; i-- {
		there, _, err := at(i)
		if err != nil {
			return 0, last, false, err
		}
		if there.Payload.Event == req.Payload.Event {
			return n, there, true, nil
		}
		if i == n {
			last = there
		}
	}
	return n, last, false, nil
}

// changes reports that now says something else than before did.
func changes(before, now *Payload) bool {
	switch {
	case now.Mark == MarkNone:
		return before.Mark != MarkNone && before.By == now.By
	case now.Mark != before.Mark:
		return true
	}
	return now.Why != "" && now.Why != before.Why
}

// noteMark remembers that a person may give a reason next.
func (g *Gateway) noteMark(req *Envelope) {
	var at time.Time
	if req.Payload.Mark == MarkDown && req.Payload.Why == "" {
		at = g.passed(req.At.Time)
	}
	g.recent.marked(req.Conversation, req.Payload.Ref, at)
}

// buttons are what stands under an answer; with a mark, as they are once
// somebody has given it.
func buttons(id string, a agents.Answer, lang string, mark Mark, why string) []relay.Button {
	if s := a.Status(); s != agents.StatusOK && s != agents.StatusNotFound {
		return nil
	}
	t := texts.For(lang)
	chosen := func(label string, is bool) string {
		if is {
			return label + " ✓"
		}
		return label
	}
	up := relay.Button{ID: buttonID(buttonUp, id), Label: chosen("👍", mark == MarkUp), Words: t.Say("gateway.word_up")}
	down := relay.Button{ID: buttonID(buttonDown, id), Label: chosen("👎", mark == MarkDown), Words: t.Say("gateway.word_down")}
	var all []relay.Button
	if mark == MarkDown && why == "" {
		all = append(append(all, down), reasons(id, lang)...)
	} else {
		all = append(all, up, down)
	}
	if len(a.Belege()) > 0 {
		all = append(all, relay.Button{ID: buttonID(buttonEvidence, id), Label: t.Say("gateway.button_evidence"), Words: t.Say("gateway.word_evidence")})
	}
	return all
}

// reasons are the buttons that ask what is wrong with an answer.
func reasons(id, lang string) []relay.Button {
	t := texts.For(lang)
	var all []relay.Button
	for _, r := range []struct{ why, words string }{
		{whyWrong, t.Say("gateway.why_wrong")},
		{whyIncomplete, t.Say("gateway.why_incomplete")},
		{whyOutdated, t.Say("gateway.why_outdated")},
		{whyOffTopic, t.Say("gateway.why_off_topic")},
	} {
		all = append(all, relay.Button{ID: buttonID(buttonWhy, id, r.why), Label: r.words, Words: r.words})
	}
	return all
}

// acknowledge words the reply to feedback. Where the answer has buttons that can
// be changed they show what was said, and that is all; otherwise a short sentence
// does. Words always get one: whoever writes expects an answer below. A reaction
// shows by itself that it is there, so that only a thumb down is asked back about.
func (g *Gateway) acknowledge(env *Envelope, req *Envelope, out *outlet, target relay.Target) error {
	said := &req.Payload
	sentence := g.sayFeedback(req, target)
	if said.By == ByWords {
		env.Payload.Reply = sentence
		return nil
	}
	about, ok, err := g.given(said.Ref, said.Address)
	if err != nil {
		return err
	}
	if _, can := out.current().(channels.Editor); ok && can && len(about.rep.Payload.Parts) > 0 {
		ids, last, err := g.remotes(&about)
		if err != nil {
			return err
		}
		part := about.rep.Payload.Parts[max(0, len(about.rep.Payload.Parts)-1)]
		if len(ids) > 0 && len(part.Buttons) > 0 && last.to == about.req.Payload.Address {
			row := buttons(about.req.ID, about.res.answer(), about.req.Payload.Lang, said.Mark, said.Why)
			part.Buttons = row[:min(len(row), target.Profile.Buttons)]
			if last.plain {
				part.Text, part.Mode = part.Plain, ""
			}
			env.Payload.Parts, env.Payload.Edits = []relay.Part{part}, ids[len(ids)-1:]
			if said.By == ByButton {
				env.Payload.Instead = sentence
			}
			return nil
		}
	}
	if said.By == ByButton || said.Mark == MarkDown {
		env.Payload.Reply = sentence
	}
	return nil
}

// sayFeedback thanks in a sentence, and asks for a reason where there is none.
func (g *Gateway) sayFeedback(req *Envelope, target relay.Target) relay.Reply {
	t := texts.For(req.Payload.Lang)
	switch {
	case req.Payload.Mark == MarkNone:
		return relay.Say(t.Say("gateway.feedback_none"), target)
	case req.Payload.Mark == MarkUp:
		return relay.Say(t.Say("gateway.feedback_up"), target)
	case req.Payload.Why != "":
		return relay.Say(t.Say("gateway.feedback_why"), target)
	}
	target.Buttons = reasons(req.Payload.Ref, req.Payload.Lang)
	return relay.Say(t.Say("gateway.feedback_down"), target)
}
