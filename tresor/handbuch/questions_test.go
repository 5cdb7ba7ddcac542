package handbuch_test

import (
	"testing"

	"outheis/tresor"
	"outheis/tresor/handbuch"
)

// What people ask leads to the page that answers it, in their words, also in
// English ones. How the answer is chosen from there is the agent's business.
func TestQuestionsFindTheirPage(t *testing.T) {
	s := open(t)
	for _, c := range []struct{ question, page string }{
		{"Wie verbinde ich Telegram?", "kanaele/telegram-verbinden"},
		{"Wie binde ich Telegram an?", "kanaele/telegram-verbinden"},
		{"How do I connect Telegram?", "kanaele/telegram-verbinden"},
		{"Wie finde ich meine Telegram-ID?", "kanaele/telegram-verbinden"},
		{"Antwortet der Bot in Gruppen?", "kanaele/telegram-gruppen"},
		{"Was ist der Privacy Mode?", "kanaele/telegram-gruppen"},
		{"Was ist die Whitelist?", "konfiguration/freigabe"},
		{"Wo liegt die config.yaml?", "konfiguration/datei"},
		{"Was mache ich mit Passwörtern?", "konfiguration/geheimnisse"},
		{"Wie installiere ich outheis?", "erste-schritte/installieren"},
		{"How do I get started?", "erste-schritte/einrichten"},
		{"Welche Befehle gibt es?", "erste-schritte/befehle"},
		{"Was ist ein Claim?", "antworten/tresor"},
		{"Was ist eine Fundstelle?", "antworten/belege"},
		{"Was bedeutet „Nicht im Bestand“?", "antworten/nicht-im-bestand"},
		{"Was bedeutet Exit-Code 3?", "antworten/status"},
		{"Wo ist das Human Directory?", "daten/ordner"},
		{"Wie mache ich ein Backup?", "daten/sicherung"},
		{"Was steht in messages.jsonl?", "daten/nachrichten"},
		{"Was passiert bei einem Stromausfall?", "betrieb/zuverlaessigkeit"},
		{"Wo sind die Logs?", "betrieb/gateway"},
		{"Läuft das in Docker?", "betrieb/docker"},
		{"Was ist mit der DSGVO?", "datenschutz/datenschutz"},
		{"Was bedeutet 409 Conflict?", "fehler/telegram"},
		{"disk full", "fehler/start"},
	} {
		r := s.Query(c.question, tresor.QueryOptions{})
		if r.State != tresor.CandidatesFound {
			t.Errorf("%q: %s %v", c.question, r.State, r.Errors)
			continue
		}
		if got, want := r.Evidence[0].Page.Path, "knowledge/"+c.page+".md"; got != want {
			t.Errorf("%q leads to %s, want %s", c.question, got, want)
		}
	}
}

// The first claim on connecting Telegram is an answer by itself.
func TestHowToConnectTelegram(t *testing.T) {
	c, p, ok := open(t).Claim("C-0301")
	if !ok || p.Path != "knowledge/kanaele/telegram-verbinden.md" || p.Claims[0].ID != c.ID {
		t.Errorf("C-0301 is not the first claim of its page: %+v", c)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := tresor.OpenFS(handbuch.FS(), handbuch.Name, tresor.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
