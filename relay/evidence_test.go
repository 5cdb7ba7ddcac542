package relay_test

import (
	"strings"
	"testing"

	"outheis/agents"
	"outheis/formatting"
	"outheis/relay"
)

// "Beleg 2" shows the exact wording and all that is known of where it is from.
func TestEvidenceShowsABelegInFull(t *testing.T) {
	a := cite(t,
		[]agents.Statement{
			{Text: "Der Laser ist gesperrt.", Citations: []string{"C-0001"}},
			{Text: "Das gilt *auch* für Besucher.", Citations: []string{"C-0004", "C-0001"}, Auslegung: true},
		},
		[]agents.Beleg{
			{Kind: "claim", ID: "C-0001", Source: "S-0001", Fundstelle: "Punkt 1"},
			{Kind: "claim", ID: "C-0004", Tresor: "werk", Version: "1.2.0", Manifest: "ab12", Source: "S-0001", SourceTitle: "Laserordnung",
				Fundstelle: "Punkt 2", Art: "Auslegung", Stand: "2026-05-02", Confidence: "mittel"},
		})
	const head = `Beleg 2: C-0004

» Das gilt *auch* für Besucher.

• Quelle: S-0001 Laserordnung, Punkt 2
• Art: Auslegung (eigene Einordnung)
• Stand: 2026-05-02
• Konfidenz: mittel
• Fassung, aus der geantwortet wurde: 1.2.0 (Tresor „werk“)
• Prüfsumme dieser Fassung: ab12

`
	now := agents.Beleg{Version: "1.3.0", Manifest: "cd34", Source: "S-0009", SourceTitle: "Neue Ordnung", Fundstelle: "Punkt 7", Stand: "2027-01-01"}
	same := now
	same.Manifest = "ab12"
	for _, c := range []struct {
		name    string
		exhibit relay.Exhibit
		want    string
	}{
		{"same", relay.Exhibit{Proof: &agents.Proof{State: agents.ProofSame, Now: now, Wording: "x"}}, head + "Heute: Die heutige Fassung 1.3.0 sagt dasselbe."},
		{"same and outdated", relay.Exhibit{Proof: &agents.Proof{State: agents.ProofSame, Now: now, Outdated: true}},
			head + "Heute: Die heutige Fassung 1.3.0 sagt dasselbe. Die Seite gilt inzwischen als veraltet."},
		{"the same release", relay.Exhibit{Proof: &agents.Proof{State: agents.ProofSame, Now: same}}, head + "Heute: Das ist die heutige Fassung."},
		{"changed", relay.Exhibit{Proof: &agents.Proof{State: agents.ProofChanged, Now: now, Wording: "Auch für Gäste."}},
			head + "Heute: Die heutige Fassung 1.3.0 sagt es anders:\n\n» Auch für Gäste.\n\n• Quelle: S-0009 Neue Ordnung, Punkt 7\n• Stand: 2027-01-01"},
		{"gone", relay.Exhibit{Proof: &agents.Proof{State: agents.ProofGone, Now: now}}, head + "Heute: Die heutige Fassung 1.3.0 enthält C-0004 nicht mehr."},
		{"not compared", relay.Exhibit{Why: "Bestand nicht prüfbar."}, head + "Bestand nicht prüfbar."},
	} {
		c.exhibit.Number = 2
		parts := relay.Evidence(a, []relay.Exhibit{c.exhibit}, relay.Target{Lang: "de"}).Parts
		if len(parts) != 1 || parts[0].Plain != c.want {
			t.Errorf("%s:\n%+v\nwant:\n%s", c.name, parts, c.want)
		}
	}
	both := relay.Evidence(a, []relay.Exhibit{{Number: 1}, {Number: 2}, {Number: 3}, {Number: 0}}, relay.Target{Lang: "de"}).Parts
	if len(both) != 1 || !strings.HasPrefix(both[0].Plain, "Beleg 1: C-0001\n\n» Der Laser ist gesperrt.\n\n» Das gilt *auch* für Besucher.\n\n• Quelle: S-0001, Punkt 1\n\nBeleg 2: C-0004") {
		t.Errorf("both: %+v", both)
	}
}

func TestNoExhibit(t *testing.T) {
	for there, want := range map[int]string{
		0: "Einen Beleg 7 gibt es nicht: Diese Antwort hat keine Belege.",
		1: "Einen Beleg 7 gibt es nicht: Diese Antwort hat nur einen.",
		3: "Einen Beleg 7 gibt es nicht: Diese Antwort hat 3 Belege.",
	} {
		if got := relay.NoExhibit(7, there, relay.Target{Lang: "de"}).Parts; len(got) != 1 || got[0].Plain != want {
			t.Errorf("NoExhibit(7, %d) = %+v, want %q", there, got, want)
		}
	}
}

// Buttons stand below a reply, and under none that has no text.
func TestButtonsStandBelowTheReply(t *testing.T) {
	p := formatting.TelegramHTML()
	p.Buttons = 8
	target := relay.Target{Profile: p, Lang: "de", Buttons: []formatting.Button{{ID: "up:1", Label: "👍", Words: "gut"}}}
	for name, reply := range map[string]relay.Reply{"answer": relay.Compose(laser(t), target), "sentence": relay.Say("Guten Tag.", target)} {
		if n := len(reply.Parts); n != 1 || len(reply.Parts[0].Buttons) != 1 || reply.Parts[0].Buttons[0] != target.Buttons[0] {
			t.Errorf("%s: %+v", name, reply.Parts)
		}
	}
	if got := relay.Compose(agents.Answer{}, target).Parts; len(got) != 0 {
		t.Errorf("no answer gives %+v", got)
	}
}
