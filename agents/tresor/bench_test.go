package tresor_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
	engine "outheis/tresor"
)

// BenchmarkSeveral is what a question costs the agent: with one Tresor of 148
// claims, and with three of them in three scopes, which all speak of the same.
// "kept" adds the look at their folders.
func BenchmarkSeveral(b *testing.B) {
	dir, err := filepath.Abs(genossenschaft)
	if err != nil {
		b.Fatal(err)
	}
	s, err := engine.Open(dir, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	scopes := []tresor.Scope{tresor.Organisation, tresor.Fachbereich, tresor.Projekt}
	for _, n := range []int{1, 3} {
		var all []tresor.Tresor
		for i := range n {
			all = append(all, tresor.Tresor{ID: fmt.Sprint("t", i), Scope: scopes[i], Snapshot: s})
		}
		a := newAgent(b, all...)
		k := tresor.NewKeeper(a, tresor.KeeperOptions{})
		for _, t := range all {
			if err := k.Keep(b.Context(), t.ID, dir); err != nil {
				b.Fatal(err)
			}
		}
		for name, of := range map[string]agents.Agent{"held": a, "kept": k} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					ask(b, of, "Wann beginnt die Nachtruhe?")
				}
			})
		}
	}
}
