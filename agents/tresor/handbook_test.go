package tresor_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
	engine "outheis/tresor"
	"outheis/tresor/handbuch"
)

func openHandbook(tb testing.TB) *engine.Snapshot {
	tb.Helper()
	s, err := engine.OpenFS(handbuch.FS(), handbuch.Name, engine.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestHandbookAnswersPeople asks the handbook what people ask, with typing
// errors, without umlauts, in colloquial German and in English, and what it
// does not know. A question's claims are those that answer it; what is asked
// is fixed, so that a change of the handbook or of the ranking shows here. Much of
// what it does not know shares words with it on purpose. The bounds leave room
// for a few: R@1 is the share with the right claim first.
func TestHandbookAnswersPeople(t *testing.T) {
	a := newAgent(t, tresor.Tresor{ID: handbuch.Name, Snapshot: openHandbook(t), OnRequest: true})
	f, err := os.Open("testdata/fragen-handbuch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var inside, first, among, outside, falsely float64
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var q struct {
			Frage  string
			Claims []string
		}
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		answer := ask(t, a, q.Frage)
		got := strings.Fields(cited(answer))
		if len(q.Claims) == 0 {
			outside++
			if answer.Status() != agents.StatusNotFound {
				falsely++
				t.Logf("%q is answered with %v", q.Frage, got)
			}
			continue
		}
		inside++
		if len(got) > 3 {
			t.Errorf("%q: %d statements, want at most three", q.Frage, len(got))
		}
		if len(got) > 0 && slices.Contains(q.Claims, got[0]) {
			first++
		} else {
			t.Logf("%q: got %v, want %v first", q.Frage, got, q.Claims)
		}
		if slices.ContainsFunc(got, func(id string) bool { return slices.Contains(q.Claims, id) }) {
			among++
		}
	}
	t.Logf("%.0f questions inside: right claim first %.0f, among the statements %.0f; %.0f outside: answered falsely %.0f", inside, first, among, outside, falsely)
	if inside < 330 || outside < 200 {
		t.Fatal("too few questions")
	}
	if r := first / inside; r < .89 {
		t.Errorf("right claim first: %.2f, want at least 0.89", r)
	}
	if r := among / inside; r < .92 {
		t.Errorf("right claim among the statements: %.2f, want at least 0.92", r)
	}
	if r := falsely / outside; r > .12 {
		t.Errorf("answered falsely: %.2f, want at most 0.12", r)
	}
}

// The first command of the README.
func TestHandbookConnectsTelegram(t *testing.T) {
	a := newAgent(t, tresor.Tresor{ID: handbuch.Name, Snapshot: openHandbook(t), OnRequest: true})
	answer := ask(t, a, "Wie verbinde ich Telegram?")
	if got := cited(answer); !strings.HasPrefix(got, "C-0301") || len(answer.Statements()) > 3 {
		t.Errorf("cites %s, want C-0301 first and at most three", got)
	}
	if answer := ask(t, a, "Wie hoch ist der Eiffelturm?"); answer.Status() != agents.StatusNotFound || len(answer.Nearest()) > 0 {
		t.Errorf("Eiffelturm: got %s, nearest %v", answer.Status(), answer.Nearest())
	}
}

func BenchmarkAnswer(b *testing.B) {
	a := newAgent(b, tresor.Tresor{ID: handbuch.Name, Snapshot: openHandbook(b), OnRequest: true})
	r := agents.Request{Text: "Wie verbinde ich Telegram?", Lang: "de"}
	for b.Loop() {
		if _, err := a.Answer(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstAnswer is what `ask` waits for: the handbook's index and one
// answer.
func BenchmarkFirstAnswer(b *testing.B) {
	r := agents.Request{Text: "Wie verbinde ich Telegram?", Lang: "de"}
	for b.Loop() {
		b.StopTimer()
		a := newAgent(b, tresor.Tresor{ID: handbuch.Name, Snapshot: openHandbook(b), OnRequest: true})
		b.StartTimer()
		if _, err := a.Answer(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}
