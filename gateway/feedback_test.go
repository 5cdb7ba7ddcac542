package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"outheis/channels"
)

// Whoever writes gets a reply, also one who says again what they pressed; words
// behind a thumb that ask something are a question.
func TestWordsAreNeverMetWithSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n := newEditing(w)
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		w.press("7", "up:"+w.queue.firstID(), "1")
		synctest.Wait()
		for _, text := range []string{"gut", "gut", "👍 danke", "👍 danke, aber gilt das auch für Halle drei?", "falsch", "falsch"} {
			before := len(n.seen("7"))
			w.ask("7", text, replyTo("1"))
			synctest.Wait()
			if got := len(n.seen("7")) - before; got != 1 {
				t.Errorf("%q gets %d replies, want 1", text, got)
			}
		}
		equal(t, "seen", n.seen("7")[1:], []string{
			"Danke.", "Danke.", "Danke.", echoed("👍 danke, aber gilt das auch für Halle drei?"), "Danke, das ist vermerkt.", "Danke, das ist vermerkt.",
		})
		w.end()
	})
}

// What somebody pressed last holds, however often they change their mind, in the
// log and in what the buttons show.
func TestTheLastPressHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n := newEditing(w)
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		id := w.queue.firstID()
		var last channels.Event
		for i := range 45 {
			last = w.press("7", []string{"up:", "down:"}[i%2]+id, "1")
			synctest.Wait()
		}
		w.net.in <- last // delivered again
		synctest.Wait()
		equal(t, "buttons", n.labels("1"), []string{"👍 ✓", "👎", "Belege"})
		got := w.queue.feedback()
		if len(got) != 45 || got[44] != "up button" {
			t.Errorf("the log holds %d, the last of them %q", len(got), got[len(got)-1])
		}
		w.end()
	})
}

// "Beleg 0" is answered as any number that there is not; a button that nobody
// made is no button.
func TestBelegThatThereIsNot(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		w.ask("7", "Wann?")
		synctest.Wait()
		for _, text := range []string{"Beleg 0", "Beleg 2?"} {
			w.ask("7", text)
			synctest.Wait()
		}
		w.press("7", "ev:"+w.queue.firstID()+":"+strings.Repeat("0", 1<<20)+"1", "1")
		synctest.Wait()
		equal(t, "seen", w.net.seen("7")[1:], []string{
			"Einen Beleg 0 gibt es nicht: Diese Antwort hat nur einen.", "Einen Beleg 2 gibt es nicht: Diese Antwort hat nur einen.",
		})
	})
}
