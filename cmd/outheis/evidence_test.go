package main

import (
	"strings"
	"testing"

	fake "outheis/channels/fakenet/telegram"
)

// An old button works after a restart and after a new release, and names the
// release that the answer came from (channels.md §4 row 2).
func TestEvidenceOfAnOldRelease(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	who := person(0)
	s.say(who, servedQuestion)
	answer := s.got(who, 1)[0]
	labels := func() []string {
		var all []string
		for _, row := range s.server.Sent(who)[0].Buttons {
			for _, b := range row {
				all = append(all, b.Text)
			}
		}
		return all
	}
	button := func(label string) string {
		t.Helper()
		for _, row := range answer.Buttons {
			for _, b := range row {
				if b.Text == label {
					return b.Data
				}
			}
		}
		t.Fatalf("the answer has the buttons %q, none of them %q", labels(), label)
		return ""
	}
	has := func(m fake.Sent, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(m.Text, p) {
				t.Errorf("%q is missing in\n%s", p, m.Text)
			}
		}
	}
	s.server.Press(who, who, answer.MessageID, button("Belege"))
	has(s.got(who, 2)[1], "Beleg 1: C-0001", "Der Leuchtturm ist 31 Meter hoch.", "Quelle: S-0001 Almanach, Seite 1", "1.0.0", "Das ist die heutige Fassung.")

	s.stop()
	s.edit("32")
	s.put("VERSION", "1.1.0\n")
	s.pin()
	s.start()
	s.server.Press(who, who, answer.MessageID, button("Belege"))
	has(s.got(who, 3)[2], "Der Leuchtturm ist 31 Meter hoch.", "Fassung, aus der geantwortet wurde: 1.0.0", "Die heutige Fassung 1.1.0 sagt es anders:", "Der Leuchtturm ist 32 Meter hoch.")
	s.post(fake.Line{Chat: who, From: who, Text: "Beleg 1 zeigen", ReplyTo: answer.MessageID})
	has(s.got(who, 4)[3], "Fassung, aus der geantwortet wurde: 1.0.0")

	s.server.Press(who, who, answer.MessageID, button("👍"))
	s.until("the pressed button", func() bool { return labels()[0] == "👍 ✓" })
	has(s.server.Sent(who)[0], "Der Leuchtturm ist 31 Meter hoch. [C-0001]")
	s.settled()
	if n := len(s.server.Sent(who)); n != 4 {
		t.Errorf("%d messages, want 4", n)
	}
}
