package tresor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outheis/agents"
	"outheis/config/texts"
)

var _ agents.Prover = (*Agent)(nil)
var _ agents.Prover = (*Keeper)(nil)

// Prove compares a Beleg of an earlier answer with the present release of its
// Tresor. A Tresor that r may not be answered from, or that is there no more, is
// refused; one that is out of service cannot be compared with. Both are an
// [*agents.Error].
func (a *Agent) Prove(ctx context.Context, r agents.Request, b agents.Beleg, wording string) (agents.Proof, error) {
	if err := ctx.Err(); err != nil {
		return agents.Proof{}, err
	}
	t := texts.For(r.Lang)
	all := *a.current.Load()
	is := func(u Tresor) bool { return u.ID == b.Tresor }
	readable := readableBy(all, r)
	i := slices.IndexFunc(readable, is)
	switch {
	case i < 0 && slices.ContainsFunc(all, is):
		return agents.Proof{}, &agents.Error{Status: agents.StatusDenied, Text: t.Say("answer.denied"), Err: errNoAudience}
	case i < 0:
		return agents.Proof{}, &agents.Error{
			Status: agents.StatusDenied, Text: t.Say("answer.unknown_scope", b.Tresor, quoted(t, idsOf(readable))),
			Err: fmt.Errorf("no Tresor %q is served", b.Tresor),
		}
	case readable[i].Snapshot == nil:
		err := readable[i].Err
		if err == nil {
			err = ErrNotLoaded
		}
		return agents.Proof{}, &agents.Error{
			Status: agents.StatusUnavailable, Text: t.Say("answer.unavailable", b.Tresor),
			Err: fmt.Errorf("Tresor %s: %w", b.Tresor, err),
		}
	case b.Kind != "claim":
		return agents.Proof{}, &agents.Error{Status: agents.StatusUnavailable, Err: errors.New("tresor agent: prove: Beleg is no claim")}
	}
	return compare(t, readable[i], b, wording), nil
}

// compare says what a release holds of a Beleg.
func compare(t *texts.Texts, in Tresor, b agents.Beleg, wording string) agents.Proof {
	s := in.Snapshot
	now := agents.Beleg{Version: s.Version(), Manifest: s.Manifest()}
	claim, page, ok := s.Claim(b.ID[strings.LastIndexByte(b.ID, '/')+1:])
	if !ok {
		return agents.Proof{State: agents.ProofGone, Now: now}
	}
	now.Kind, now.ID, now.Tresor, now.Page = "claim", b.ID, in.ID, page.Path
	now.Source, now.Fundstelle, now.Art, now.Stand, now.Confidence = claim.Source, claim.Fundstelle, claim.Art, page.Stand, page.Confidence
	if source, ok := s.Source(claim.Source); ok {
		now.SourceTitle = source.Title
	}
	if now.Fundstelle == "" {
		now.Fundstelle = b.Fundstelle // whose words for "no place" are in the language of that time
	}
	p := agents.Proof{
		State: agents.ProofChanged, Now: now, Wording: claim.Text,
		Outdated: page.Status == "veraltet" || len(inForce(s, page.Path)) > 0,
	}
	if claim.Text == wording && now.Source == b.Source && now.Fundstelle == b.Fundstelle && now.Art == b.Art {
		p.State = agents.ProofSame
	}
	return p
}

// Prove looks at the folder of the Tresor, and then proves as [Agent.Prove]
// does.
func (k *Keeper) Prove(ctx context.Context, r agents.Request, b agents.Beleg, wording string) (agents.Proof, error) {
	if err := k.Look(ctx, b.Tresor); err != nil {
		return agents.Proof{}, err
	}
	return k.agent.Prove(ctx, r, b, wording)
}
