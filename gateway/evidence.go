package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
	"outheis/relay"
)

// proofTime bounds how long an agent may take to say what became of its
// evidence.
const proofTime = 20 * time.Second

// exhibits words the reply to somebody who wants to see the evidence of an
// answer. What the answer said stands in the log; whether it still holds is asked
// of the agent that gave it.
func (g *Gateway) exhibits(ctx context.Context, req *Envelope, target relay.Target) (relay.Reply, error) {
	t := texts.For(req.Payload.Lang)
	about, ok, err := g.given(req.Payload.Ref, req.Payload.Address)
	if err != nil {
		return relay.Reply{}, err
	}
	if !ok {
		return relay.Say(t.Say("gateway.no_answer"), target), nil
	}
	answer := about.res.answer()
	n := len(answer.Belege())
	if n == 0 {
		return relay.Say(t.Say("gateway.no_evidence"), target), nil
	}
	first, last := 1, n
	missing := req.Payload.Number < 0 || req.Payload.Number > n // how many there are is told to whoever may see them
	if req.Payload.Number > 0 && !missing {
		first, last = req.Payload.Number, req.Payload.Number
	}
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	var all []relay.Exhibit
	for i := first; i <= last; i++ {
		x, denied := g.exhibit(ctx, req, &about, i)
		if denied {
			return relay.Say(x.Why, target), nil
		}
		all = append(all, x)
	}
	if missing {
		return relay.NoExhibit(max(0, req.Payload.Number), n, target), nil
	}
	return relay.Evidence(answer, all, target), nil
}

// exhibit is one Beleg with what has become of it. Denied says that it is not
// shown, and Why says the reason: whoever reads it may not any more, or nobody can
// tell whether they may. What stood in the chat once is no reason to show it again.
func (g *Gateway) exhibit(ctx context.Context, req *Envelope, about *given, number int) (x relay.Exhibit, denied bool) {
	t := texts.For(req.Payload.Lang)
	x.Number = number
	prover, ok := g.agents[about.res.From.Agent].(agents.Prover)
	if !ok {
		x.Why = t.Say("gateway.evidence_nobody")
		return x, true
	}
	b, wording := about.res.answer().Belege()[number-1], ""
	for _, s := range about.res.answer().Statements() {
		for _, id := range s.Citations {
			if id == b.ID && wording == "" {
				wording = s.Text
			}
		}
	}
	role, _ := g.standingOf(req)
	proof, err := g.prove(ctx, prover, agents.Request{
		ID: req.ID, Conversation: req.Conversation, At: askedAt(req), Lang: req.Payload.Lang,
		Role: role, Public: req.Payload.Audience != channels.Direct, Audience: placesOf(&req.Payload),
	}, b, wording)
	if err == nil {
		x.Proof = &proof
		return x, false
	}
	g.log.Warn("evidence was not compared", "agent", about.res.From.Agent, "id", req.ID, "err", err)
	var known *agents.Error
	denied = !errors.As(err, &known) || known.Status != agents.StatusUnavailable
	switch {
	case known != nil && known.Text != "":
		x.Why = known.Text
	case denied:
		x.Why = t.Say("gateway.evidence_closed")
	default:
		x.Why = t.Say("gateway.not_compared")
	}
	return x, denied
}

// prove asks an agent, and does not wait for one whose time is over.
func (g *Gateway) prove(ctx context.Context, p agents.Prover, r agents.Request, b agents.Beleg, wording string) (agents.Proof, error) {
	proof, _, err := await(ctx, g, func() (agents.Proof, error) { return p.Prove(ctx, r, b, wording) })
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("agent took too long: %w", err)
	}
	return proof, err
}
