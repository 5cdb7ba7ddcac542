package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

// What somebody may is looked up again before the agent is asked: whoever is
// blocked meanwhile gets no answer any more, and whoever has less rights is answered
// by those; nobody gets more than they had when they asked (reliability.md T5, T6).
func TestRightsWhileAQuestionWaits(t *testing.T) {
	user, admin, blocked := agents.RoleUser, agents.RoleAdmin, agents.Role("blocked")
	for _, c := range []struct {
		name          string
		before, after agents.Role
		restart       bool
		want          []agents.Role // of the questions that were asked
		ends          int
	}{
		{"blocked", admin, blocked, false, []agents.Role{admin}, 2},
		{"blocked over a restart", admin, blocked, true, []agents.Role{admin}, 3},
		{"demoted", admin, user, false, []agents.Role{admin, user, user}, 0},
		{"promoted", user, admin, false, []agents.Role{user, user, user}, 0},
		{"as before", admin, admin, false, []agents.Role{admin, admin, admin}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var roles []agents.Role
				free := make(chan struct{})
				agent := func(ctx context.Context, r agents.Request) (agents.Answer, error) {
					roles = append(roles, r.Role)
					if r.Text == "eins" && len(roles) == 1 {
						select {
						case <-free:
						case <-ctx.Done():
							return agents.Answer{}, ctx.Err()
						}
					}
					return echo(ctx, r)
				}
				grant := func(w *world, role agents.Role) gateway.Settings {
					s := w.o.Settings
					s.Policy.Access = map[gateway.AccountID]gateway.Access{mainAccount: {People: map[string]agents.Role{"7": role, "8": user}}}
					return s
				}
				w := newWorld(t, newMemory(), agent)
				w.o.Settings, w.o.Grace = grant(w, c.before), time.Second
				w.start()
				w.ask("7", "eins")
				w.ask("7", "zwei")
				w.ask("7", "", with(pdf("r1", "a.pdf")), func(e *channels.Event) { e.Text = "drei" })
				synctest.Wait()
				if c.restart {
					w.end()
					w2 := newWorld(t, w.queue, agent)
					w2.o.Settings = grant(w2, c.after)
					w = w2.start()
				} else {
					if err := w.g.Reload(grant(w, c.after)); err != nil {
						t.Fatal(err)
					}
					close(free)
				}
				synctest.Wait()
				if len(roles) != len(c.want) {
					t.Fatalf("the agent was asked by %q, want %q", roles, c.want)
				}
				for i := range roles {
					if roles[i] != c.want[i] {
						t.Errorf("question %d was asked by %q, want %q", i+1, roles[i], c.want[i])
					}
				}
				if got := w.g.Status().Ends[gateway.EndBarred]; got != uint64(c.ends) || w.queue.openCount() != 0 {
					t.Errorf("%d ended as barred, want %d; %d are open", got, c.ends, w.queue.openCount())
				}
				w.end()
			})
		})
	}
}

// A group that is taken out of the list gets no answer any more, and neither does
// a press that waits.
func TestGroupThatIsTakenOutWhileAQuestionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), taking(time.Minute))
		w.start()
		group := inGroup(t, "-1")
		w.ask("7", "Wann?", group)
		w.ask("7", "Wo?", group)
		synctest.Wait()
		s := w.o.Settings
		s.Policy.Access = map[gateway.AccountID]gateway.Access{mainAccount: {People: map[string]agents.Role{"7": agents.RoleUser}, Programs: []string{"99"}}}
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		equal(t, "seen", w.net.seen("-1"), []string{echoed("Wann?")}) // was asked while they might
		if got := w.g.Status().Ends[gateway.EndBarred]; got != 1 {
			t.Errorf("%d ended as barred, want 1", got)
		}
		w.end()
	})
}
