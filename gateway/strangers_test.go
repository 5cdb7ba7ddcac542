package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
)

// Who asks and may not is known for a while, with what is needed to let them in,
// and nothing else of them.
func TestStrangers(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		known := func() string {
			var all []string
			for _, s := range w.g.Strangers() {
				all = append(all, fmt.Sprintf("%s %s %s %s", s.Reason, s.Person, s.Chat, s.Space))
			}
			return strings.Join(all, ", ")
		}
		group := func(chat string) func(*channels.Event) { return inGroup(t, chat) }
		ask := func(edits ...func(*channels.Event)) {
			w.ask("7", "Ein Geheimnis von Ada?", edits...)
			synctest.Wait()
			time.Sleep(time.Second)
		}
		ask() // may ask
		ask(group("-9"), overheard)
		if got := known(); got != "" {
			t.Errorf("known: %s", got)
		}
		ask(group("-9"), func(e *channels.Event) { e.Space = "77" })
		ask(actor(channels.Bot, "55"))
		ask(group("-9"), func(e *channels.Event) { e.Space = "77" })
		if got, want := known(), "group 7 -9 77, program 55 7 "; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if all := fmt.Sprint(w.g.Strangers()); strings.Contains(all, "Ada") || strings.Contains(all, "Ole") {
			t.Errorf("more than ids is known: %s", all)
		}
		for n := range 100 {
			ask(group(fmt.Sprint(-1000-n)), from("4711"))
		}
		if all := w.g.Strangers(); len(all) != 20 || all[0].Chat != "-1099" || all[19].Chat != "-1080" {
			t.Errorf("%d are known, from %v", len(all), all)
		}
		time.Sleep(25 * time.Hour)
		if got := known(); got != "" {
			t.Errorf("known after a day: %s", got)
		}
	})
}
