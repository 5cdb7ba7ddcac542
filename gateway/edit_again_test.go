package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
)

// slowBut answers at once what is asked first, and takes its time for the rest.
func slowBut(first string, d time.Duration) answering {
	return func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		if r.Text != first {
			return taking(d)(ctx, r)
		}
		return echo(ctx, r)
	}
}

// However often a question is edited while its new wording is answered, the last
// answer goes into the place of the first, and nothing comes below.
func TestEditWhileAnEditIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), slowBut("Wann?", 5*time.Second))
		n := newEditing(w)
		w.start()
		asked := w.ask("7", "Wann?")
		synctest.Wait()
		for _, text := range []string{"Wo?", "Wer?", "Wie?"} {
			w.ask("7", text, edits(asked))
			synctest.Wait()
			time.Sleep(2 * time.Second)
		}
		time.Sleep(20 * time.Second)
		equal(t, "seen", n.seen("7"), []string{echoed("Wann?")})
		if got := n.at("1").Body.Plain; !strings.HasPrefix(got, echoed("Wie?")) || !strings.Contains(got, "Zur geänderten Frage.") {
			t.Errorf("the answer reads %q", got)
		}
		w.end()
	})
}

// A failure takes the place of no answer: it is told below. The next wording that
// is answered takes the place of the answer that stands (channels.md M5).
func TestFailureReplacesNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), func(ctx context.Context, r agents.Request) (agents.Answer, error) {
			switch r.Text {
			case "Wo?":
				return agents.Answer{}, errors.New("scripted")
			case "Wer?":
				return agents.Answer{}, &agents.Error{Status: agents.StatusUnavailable, Text: "Gerade nicht.", Err: errors.New("scripted")}
			case "Wie?":
				return taking(time.Hour)(ctx, r)
			}
			return echo(ctx, r)
		})
		w.o.Settings.Timeout = 5 * time.Second
		n := newEditing(w)
		w.start()
		asked := w.ask("7", "Wann?")
		synctest.Wait()
		for i, text := range []string{"Wo?", "Wer?", "Wie?"} {
			w.ask("7", text, edits(asked))
			synctest.Wait()
			time.Sleep(6 * time.Second)
			if got := n.line("1"); got != echoed("Wann?") {
				t.Errorf("behind %q the answer reads %q", text, got)
			}
			if got := len(n.seen("7")); got != i+2 {
				t.Errorf("behind %q there are %d messages, want the failure below the answer", text, got)
			}
		}
		w.ask("7", "Warum?", edits(asked))
		synctest.Wait()
		if got := n.line("1"); got != echoed("Warum?") {
			t.Errorf("the answer reads %q", got)
		}
		w.end()
	})
}
