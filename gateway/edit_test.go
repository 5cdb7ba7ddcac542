package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

// edits makes an event the edit of a message.
func edits(of channels.Event) func(*channels.Event) {
	return func(e *channels.Event) { e.Kind, e.Message, e.Posted = channels.KindEdit, of.Message, of.At }
}

// A question that is edited after its answer is answered in the place of that
// answer, with a note; what does not change the question changes nothing
// (channels.md T12, §4 row 12).
func TestEditAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n := newEditing(w)
		w.start()
		asked := w.ask("7", "Wann?")
		synctest.Wait()
		time.Sleep(30 * time.Second)
		w.ask("7", "Wann?", edits(asked)) // a link preview, say
		w.ask("7", "/stop", edits(asked))
		w.ask("7", "falsch", edits(asked))
		synctest.Wait()
		equal(t, "seen", n.seen("7"), []string{echoed("Wann?")})
		first := w.queue.firstID()

		w.ask("7", "Wo?", edits(asked))
		synctest.Wait()
		equal(t, "seen", n.seen("7"), []string{echoed("Wann?")})
		if got := n.at("1").Body.Plain; !strings.HasPrefix(got, echoed("Wo?")) || !strings.Contains(got, "Zur geänderten Frage.") {
			t.Errorf("the answer reads %q", got)
		}

		// Old buttons and words below that message are about what stands there now.
		w.press("7", "ev:"+first, "1")
		synctest.Wait()
		w.ask("7", "Beleg 1", replyTo("1"))
		synctest.Wait()
		for i, s := range n.all()[1:] {
			if !strings.Contains(s.text, "Zu: Wo?") {
				t.Errorf("evidence %d: %q", i, s.text)
			}
		}

		time.Sleep(40 * time.Second) // more than a minute after the message, less after its last edit
		w.ask("7", "Wer?", edits(asked))
		synctest.Wait()
		if got := n.line("1"); got != echoed("Wer?") {
			t.Errorf("the answer reads %q", got)
		}
		time.Sleep(2 * time.Minute)
		w.ask("7", "Warum?", edits(asked))
		synctest.Wait()
		if got := n.line("1"); got != echoed("Wer?") {
			t.Errorf("the answer reads %q long after", got)
		}
		if s := w.g.Status(); s.Refused[gateway.ReasonEditLate] != 1 || s.Refused[gateway.ReasonEditSame] != 1 || s.Refused[gateway.ReasonCommandEdit] != 2 {
			t.Errorf("refused %v", s.Refused)
		}
		w.end()
	})
}

// Where messages cannot be changed, or not any more, the new answer is a new
// message.
func TestEditAfterTheAnswerWithoutEditing(t *testing.T) {
	for name, can := range map[string]bool{"cannot": false, "refuses": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, newMemory(), echo)
				if can {
					newEditing(w).onEdit = func(int, channels.Post) error { return fails(channels.Refused) }
				}
				w.start()
				asked := w.ask("7", "Wann?")
				synctest.Wait()
				w.ask("7", "Wo?", edits(asked))
				synctest.Wait()
				equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?"), echoed("Wo?")})
				if got := w.net.all()[1].text; !strings.Contains(got, "Zur geänderten Frage.") {
					t.Errorf("the second answer reads %q", got)
				}
				w.end()
			})
		})
	}
}

// A new answer with fewer parts leaves nothing of the old one standing, and one
// with more goes on below.
func TestEditBetweenLongAndShortAnswers(t *testing.T) {
	long := func(_ context.Context, r agents.Request) (agents.Answer, error) {
		text := r.Text
		if strings.HasPrefix(text, "lang") {
			text += " " + strings.Repeat("Die Ziffer regelt die Ausnahme für Halle drei. ", 150) + "Ende."
		}
		return echo(context.Background(), agents.Request{Text: text})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), long)
		n := newEditing(w)
		w.start()
		asked := w.ask("7", "lang")
		synctest.Wait()
		if got := len(n.all()); got != 2 {
			t.Fatalf("the long answer has %d parts; the test needs two", got)
		}
		w.ask("7", "kurz", edits(asked))
		synctest.Wait()
		if n.line("1") != echoed("kurz") || n.line("2") != "Dieser Teil gehörte zur Antwort auf die frühere Fassung Ihrer Frage." {
			t.Errorf("now %q and %q", n.line("1"), n.line("2"))
		}
		w.ask("7", "lang", edits(asked))
		synctest.Wait()
		if !strings.HasPrefix(n.line("1"), "Zu: lang") || !strings.Contains(n.at("2").Body.Plain, "Ende.") || len(n.all()) != 2 {
			t.Errorf("now %q, and %q", n.line("1"), n.at("2").Body.Plain)
		}
		w.end()
	})
}

// An edit that comes after a restart finds the answer all the same.
func TestEditAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n := newEditing(w)
		w.start()
		asked := w.ask("7", "Wann?")
		synctest.Wait()
		w.end()
		w2 := newWorld(t, w.queue.crash(), echo)
		w2.seq, w2.net, w2.o.Accounts = w.seq, w.net, w.o.Accounts
		w2.start()
		w2.ask("7", "Wo?", edits(asked))
		synctest.Wait()
		if got := n.line("1"); got != echoed("Wo?") || len(n.all()) != 1 {
			t.Errorf("the answer reads %q, %d posts", got, len(n.all()))
		}
		w2.end()
	})
}

// A question that is deleted before its answer is not answered; whoever deleted
// it, and whether it waits or is being answered. What has its answer keeps it.
func TestDeletedQuestions(t *testing.T) {
	inWorld(t, taking(3*time.Second), func(t *testing.T, w *world) {
		deleted := func(of channels.Event, in string) {
			w.ask("7", "", func(e *channels.Event) {
				e.Kind, e.Message, e.Actor = channels.KindDeletion, of.Message, channels.Actor{Kind: channels.System}
				e.Address = address(t, in, "")
			})
		}
		one, two, three := w.ask("7", "Eins?"), w.ask("7", "Zwei?"), w.ask("7", "Drei?")
		time.Sleep(time.Second)
		deleted(one, "8") // another chat's message of the same number
		deleted(two, "7")
		deleted(two, "7")
		time.Sleep(time.Second)
		equal(t, "seen", w.net.seen("7"), nil)
		deleted(one, "7")
		time.Sleep(time.Minute)
		deleted(three, "7")
		synctest.Wait()
		equal(t, "seen", w.net.seen("7"), []string{echoed("Drei?")})
		if s := w.g.Status(); s.Ends[gateway.EndDeleted] != 2 || s.Ends[gateway.EndSent] != 1 || s.Refused[gateway.ReasonKind] != 3 {
			t.Errorf("ends %v, refused %v", s.Ends, s.Refused)
		}
	})
}

// Whoever presses a button while the question is being edited does not bring the
// old answer back.
func TestPressWhileTheQuestionIsEdited(t *testing.T) {
	for _, late := range []time.Duration{0, time.Second, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), echo)
			n := newEditing(w)
			n.slow = 2 * time.Second
			w.start()
			asked := w.ask("7", "Wann?")
			synctest.Wait()
			id := w.queue.firstID()
			w.ask("7", "Wo?", edits(asked))
			time.Sleep(late)
			w.press("8", "up:"+id, "1", inChat(t, "7"))
			w.press("7", "down:"+id, "1")
			time.Sleep(time.Minute)
			if got := n.line("1"); got != echoed("Wo?") {
				t.Errorf("%v later: the answer reads %q", late, got)
			}
			w.end()
		})
	}
}
