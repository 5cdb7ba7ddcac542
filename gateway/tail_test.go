package gateway_test

import (
	"strings"
	"testing"
	"time"

	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

var _ gateway.Tail = (*store.Log[gateway.Envelope])(nil)

// On a real log as well: what was asked, answered and said before a restart is
// known after it, by button and by words.
func TestEvidenceAfterARestartOnDisk(t *testing.T) {
	dir := t.TempDir()
	arrived := make(chan channels.Post, 16)
	life := func(seq int, f func(w *world)) int {
		t.Helper()
		h, err := store.Open(dir, store.Options{Holder: "test"})
		if err != nil {
			t.Fatal(err)
		}
		log, _, err := store.OpenLog[gateway.Envelope](h, "messages.jsonl", store.LogOptions{Family: store.FamilyMessages, Track: gateway.Track})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, newMemory(), two)
		w.o.Queue, w.o.Settings.Policy.Limits.Burst, w.seq = log, 2, seq
		w.net.onSend = func(_ int, p channels.Post) error { arrived <- p; return nil }
		w.start()
		f(w)
		w.end()
		if err := log.Close(); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		return w.seq
	}
	says := func(w *world, text string, edits ...func(*channels.Event)) string {
		t.Helper()
		if err := w.g.Deliver(t.Context(), w.event("7", text, edits...)); err != nil {
			t.Fatal(err)
		}
		select {
		case p := <-arrived:
			return p.Body.Plain
		case <-time.After(10 * time.Second):
			t.Fatalf("%q has no reply", text)
			return ""
		}
	}
	var button string
	seq := life(0, func(w *world) {
		if err := w.g.Deliver(t.Context(), w.event("7", "Wann?")); err != nil {
			t.Fatal(err)
		}
		p := <-arrived
		button = p.Body.Buttons[2].ID
	})
	life(seq, func(w *world) {
		for _, got := range []string{
			says(w, "Beleg 2"), says(w, "zeig mir Beleg 2", replyTo("1")),
			says(w, "", func(e *channels.Event) { e.Kind, e.Button, e.Message = channels.KindButton, button+":2", "1" }),
		} {
			if !strings.HasPrefix(got, "Beleg 2: C-0002\n") || !strings.Contains(got, "Der Laser ist gesperrt.") {
				t.Errorf("evidence: %q", got)
			}
		}
		if got := says(w, "Und wo?"); !strings.HasPrefix(got, "Zu: Und wo?") {
			t.Errorf("second question: %q", got)
		}
		if got := says(w, "Und wer?"); !strings.HasPrefix(got, "Das waren sehr viele Fragen") {
			t.Errorf("third question: %q, want the quota, of which one was used up before the restart", got)
		}
	})
}
