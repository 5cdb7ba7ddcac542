package agenttest_test

import (
	"context"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/agents/agenttest"
)

// honest is the smallest agent that passes: it knows two sentences.
type honest struct{ claims map[string]string }

func (h honest) Answer(ctx context.Context, r agents.Request) (agents.Answer, error) {
	if err := ctx.Err(); err != nil {
		return agents.Answer{}, err
	}
	for word, text := range h.claims {
		if !strings.Contains(r.Text, word) {
			continue
		}
		b := agents.Beleg{Kind: "claim", ID: word, Source: "S-0001", Fundstelle: "1", Stand: "2026-05-02", Confidence: "hoch"}
		a, err := agents.Cite([]agents.Statement{{Text: text, Citations: []string{word}}}, []agents.Beleg{b})
		return a.WithStand(b.Stand, b.Confidence), err
	}
	return agents.NichtImBestand(len(h.claims)), nil
}

func TestSuiteAcceptsAnHonestAgent(t *testing.T) {
	h := honest{map[string]string{"Tor": "Das Tor öffnet um sechs Uhr.", "Brunnen": "Der Brunnen ist zwölf Meter tief."}}
	agenttest.Run(t, func(*testing.T) agents.Agent { return h }, agenttest.Cases{
		Inside:  []string{"Wann öffnet das Tor?", "Wie tief ist der Brunnen?"},
		Outside: []string{"Wie hoch ist der Turm?", "Wer ist da?"},
		Evidence: func(b agents.Beleg) (string, bool) {
			text, ok := h.claims[b.ID]
			return text, ok
		},
	})
}
