package tresor_test

import (
	"errors"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
)

// Evidence of an old answer is compared with the release that is served now.
func TestProveComparesWithThePresentRelease(t *testing.T) {
	old := build(t, page{path: "laser/halle.md", title: "Halle", claims: []string{"C-0001 S-0001 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}})
	a := newAgent(t, tresor.Tresor{ID: "werk", Snapshot: old})
	answer := ask(t, a, "Ist der Laser ohne Einweisung gesperrt?")
	if len(answer.Belege()) != 1 {
		t.Fatalf("%d Belege, want 1", len(answer.Belege()))
	}
	beleg, wording := answer.Belege()[0], answer.Statements()[0].Text
	prove := func(r agents.Request) (agents.Proof, error) {
		r.Lang = "de"
		return a.Prove(t.Context(), r, beleg, wording)
	}
	for _, c := range []struct {
		name     string
		page     page
		want     agents.ProofState
		outdated bool
	}{
		{"the same", page{path: "laser/halle.md", title: "Halle", claims: []string{"C-0001 S-0001 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}}, agents.ProofSame, false},
		{"on another page, in a newer state", page{path: "laser/neu.md", title: "Neu", stand: "2026-06-01", claims: []string{"C-0001 S-0001 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}}, agents.ProofSame, false},
		{"outdated", page{path: "laser/halle.md", title: "Halle", status: "veraltet", claims: []string{"C-0001 S-0001 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}}, agents.ProofSame, true},
		{"other words", page{path: "laser/halle.md", title: "Halle", claims: []string{"C-0001 S-0001 Wortlaut: Der Laser ist frei."}}, agents.ProofChanged, false},
		{"another source", page{path: "laser/halle.md", title: "Halle", claims: []string{"C-0001 S-0002 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}}, agents.ProofChanged, false},
		{"gone", page{path: "laser/halle.md", title: "Halle", claims: []string{"C-0002 S-0001 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}}, agents.ProofGone, false},
	} {
		a.Set("werk", build(t, c.page))
		got, err := prove(agents.Request{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got.State != c.want || got.Outdated != c.outdated || got.Now.Version == "" || got.Now.Manifest == "" {
			t.Errorf("%s: state %q, outdated %v, release %q; want %q, %v", c.name, got.State, got.Outdated, got.Now.Version, c.want, c.outdated)
		}
		if (got.Wording == "") != (c.want == agents.ProofGone) {
			t.Errorf("%s: wording %q", c.name, got.Wording)
		}
	}

	status := func(r agents.Request) agents.Status {
		_, err := prove(r)
		var known *agents.Error
		if !errors.As(err, &known) || known.Text == "" {
			return ""
		}
		return known.Status
	}
	a.Declare(tresor.Tresor{ID: "werk", Audience: []string{"admin"}})
	if got := status(agents.Request{Role: agents.RoleUser}); got != agents.StatusDenied {
		t.Errorf("for somebody who may not read it any more: %q, want %q", got, agents.StatusDenied)
	}
	if got := status(agents.Request{Role: agents.RoleAdmin, Public: true}); got != agents.StatusDenied {
		t.Errorf("where others read along: %q, want %q", got, agents.StatusDenied)
	}
	a.SetUnavailable("werk", nil)
	if got := status(agents.Request{Role: agents.RoleAdmin}); got != agents.StatusUnavailable {
		t.Errorf("out of service: %q, want %q", got, agents.StatusUnavailable)
	}
	a.Remove("werk")
	if got := status(agents.Request{Role: agents.RoleAdmin}); got != agents.StatusDenied { // whose it was nobody knows any more
		t.Errorf("removed: %q, want %q", got, agents.StatusDenied)
	}
}
