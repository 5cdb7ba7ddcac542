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
	switch {
	case n == 0:
		return relay.Say(t.Say("gateway.no_evidence"), target), nil
	case req.Payload.Number > n, req.Payload.Number < 0:
		return relay.NoExhibit(max(0, req.Payload.Number), n, target), nil
	}
	first, last := 1, n
	if req.Payload.Number > 0 {
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
	return relay.Evidence(answer, all, target), nil
}

// exhibit is one Beleg with what has become of it. Denied says that whoever reads
// it may not any more, and Why says so.
func (g *Gateway) exhibit(ctx context.Context, req *Envelope, about *given, number int) (_ relay.Exhibit, denied bool) {
	x := relay.Exhibit{Number: number}
	prover, ok := g.agents[about.res.From.Agent].(agents.Prover)
	if !ok {
		return x, false
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
	x.Why = texts.For(req.Payload.Lang).Say("gateway.not_compared")
	var known *agents.Error
	if errors.As(err, &known) && known.Text != "" {
		x.Why = known.Text
	}
	return x, known != nil && known.Status == agents.StatusDenied
}

// prove asks an agent, and does not wait for one whose time is over.
func (g *Gateway) prove(ctx context.Context, p agents.Prover, r agents.Request, b agents.Beleg, wording string) (agents.Proof, error) {
	proof, _, err := await(ctx, g, func() (agents.Proof, error) { return p.Prove(ctx, r, b, wording) })
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("agent took too long: %w", err)
	}
	return proof, err
}
