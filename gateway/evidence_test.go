package gateway_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
)

// unproven is an agent that proves nothing.
type unproven struct{ agents.Agent }

// Evidence is shown where it is known that whoever wants it may read it, and
// nowhere else: what stood in the chat once is no reason. Nor is it told how much
// there is.
func TestEvidenceFailsClosed(t *testing.T) {
	fails := func(err error) agents.Agent {
		return proving{two, func(agents.Beleg, string) (agents.Proof, error) { return agents.Proof{}, err }}
	}
	for name, c := range map[string]struct {
		agent agents.Agent
		want  string
	}{
		"denied":         {fails(&agents.Error{Status: agents.StatusDenied, Text: "Das dürfen Sie nicht lesen."}), "Das dürfen Sie nicht lesen."},
		"gone":           {fails(&agents.Error{Status: agents.StatusDenied, Text: "Einen Tresor „werk“ gibt es hier nicht."}), "Einen Tresor „werk“ gibt es hier nicht."},
		"error":          {fails(errors.New("scripted")), "Diese Belege zeige ich gerade nicht"},
		"failed":         {fails(&agents.Error{Status: agents.StatusFailed}), "Diese Belege zeige ich gerade nicht"},
		"panic":          {proving{two, func(agents.Beleg, string) (agents.Proof, error) { panic("scripted") }}, "Diese Belege zeige ich gerade nicht"},
		"slow":           {proving{two, func(agents.Beleg, string) (agents.Proof, error) { time.Sleep(time.Minute); return agents.Proof{}, nil }}, "Diese Belege zeige ich gerade nicht"},
		"no prover":      {unproven{answering(two)}, "Diese Belege zeige ich nicht mehr"},
		"agent is gone":  {nil, "Diese Belege zeige ich nicht mehr"},
		"out of service": {fails(&agents.Error{Status: agents.StatusUnavailable, Text: "Der Tresor wird gerade freigegeben."}), ""},
		"not comparable": {fails(&agents.Error{Status: agents.StatusUnavailable}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newMemory()
				w := newWorld(t, q, two)
				w.start()
				w.ask("7", "Wann?")
				synctest.Wait()
				w.end()
				w2 := newWorld(t, q, two)
				w2.seq = w.seq
				if w2.o.Agents["tresor"] = c.agent; c.agent == nil {
					delete(w2.o.Agents, "tresor")
					w2.o.Settings.Routing.Default = ""
				}
				w2.start()
				for i, text := range []string{"Belege", "Beleg 2", "Beleg 99", "Beleg 0"} {
					w2.ask("7", text)
					time.Sleep(2 * time.Minute)
					got := w2.net.replies()[i].text
					shown := strings.Contains(got, "Der Laser ist gesperrt.")
					counted := strings.Contains(got, "2 Belege")
					if c.want != "" && (!strings.HasPrefix(got, c.want) || shown || counted) {
						t.Errorf("%q gets %q", text, got)
					}
					if c.want == "" && (i < 2 && !shown || i >= 2 && !counted) {
						t.Errorf("%q gets %q", text, got)
					}
				}
				w2.end()
			})
		})
	}
}
