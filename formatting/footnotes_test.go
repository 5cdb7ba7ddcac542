package formatting_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"outheis/formatting"
)

func TestFootnotes(t *testing.T) {
	text := func(s string) []formatting.Inline { return []formatting.Inline{formatting.Text(s)} }
	doc := formatting.Doc(
		formatting.Para(formatting.Text("Eins."), formatting.Citation("C-0007"), formatting.Text(" Zwei."), formatting.Citation("C-0003"), formatting.Text(" Drei."), formatting.Citation("C-0001")),
		formatting.Footnotes{Title: text("Belege"), Notes: []formatting.Note{
			{ID: "C-0003", Inlines: text("C-0003 <Ordnung>")}, {ID: "C-0007", Inlines: text("C-0007 Aushang")}, {ID: "C-0003", Inlines: text("doppelt")},
		}},
	)
	for name, want := range map[string]string{
		"telegram":   "Eins. [2] Zwei. [1] Drei. [C-0001]\n\n<blockquote expandable>Belege\n1. C-0003 &lt;Ordnung&gt;\n2. C-0007 Aushang</blockquote>",
		"discord":    "Eins. [2] Zwei. [1] Drei. [C-0001]\n\nBelege\n1. C-0003 \\<Ordnung>\n2. C-0007 Aushang",
		"mattermost": "Eins. [2] Zwei. [1] Drei. [C-0001]\n\nBelege\n1. C-0003 &lt;Ordnung>\n2. C-0007 Aushang",
		"plain":      "Eins. [2] Zwei. [1] Drei. [C-0001]\n\nBelege\n1. C-0003 <Ordnung>\n2. C-0007 Aushang",
	} {
		for _, p := range profiles() {
			if p.Name != name {
				continue
			}
			if got := formatting.Render(doc, p)[0].Text; got != want {
				t.Errorf("%s:\n got %q\nwant %q", name, got, want)
			}
		}
	}
}

// Each citation has one entry in the legend, in its own part or behind it, and
// the numbers are those of the notes.
func TestFootnotesOverParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "notes")
		var d formatting.Document
		for range rapid.IntRange(1, 40).Draw(t, "sentences") {
			i := rapid.IntRange(1, n).Draw(t, "cited")
			d.Add(formatting.Para(formatting.Text(fmt.Sprintf("Ein Satz mit mehreren Wörtern zu ende%d.", i)), formatting.Citation(fmt.Sprintf("C-%04d", i))))
		}
		notes := formatting.Footnotes{}
		for i := range n {
			notes.Notes = append(notes.Notes, formatting.Note{ID: fmt.Sprintf("C-%04d", i+1), Inlines: []formatting.Inline{formatting.Text(fmt.Sprintf("Fundstelle%d", i+1))}})
		}
		d.Add(notes)
		p := drawProfile(t)
		parts := formatting.Render(d, p)
		checkParts(t, p, parts)
		legend := make(map[int]int)
		for i, part := range parts {
			for j := 1; j <= n; j++ {
				if strings.Contains(part.Plain, fmt.Sprintf("%d. Fundstelle%d\n", j, j)) || strings.HasSuffix(part.Plain, fmt.Sprintf("%d. Fundstelle%d", j, j)) {
					if _, twice := legend[j]; twice {
						t.Errorf("note %d is shown twice", j)
					}
					legend[j] = i
				}
			}
		}
		for i, part := range parts {
			for j := 1; j <= n; j++ {
				sentence := strings.Contains(strings.Join(strings.Fields(part.Plain), " "), fmt.Sprintf("ende%d. [%d]", j, j))
				if at, ok := legend[j]; sentence && (!ok || at < i) {
					t.Errorf("citation %d in part %d has its note in part %d, %v", j, i, at, ok)
				}
				if strings.Contains(part.Plain, fmt.Sprintf("ende%d.", j)) && !sentence {
					t.Errorf("citation %d is apart from its sentence", j)
				}
			}
		}
	})
}

func TestButtons(t *testing.T) {
	doc := formatting.Doc(formatting.Para(formatting.Text("Antwort.")))
	doc.Buttons = []formatting.Button{{ID: "a", Label: "Beleg\n1", Words: "beleg 1"}, {ID: "b", Label: "👍"}, {ID: "c", Label: "Mehr", Words: "me`hr"}}
	for most, want := range map[int]string{0: "Antwort.\n\n`beleg 1` · `` me`hr ``", 1: "Antwort.\n\n`` me`hr ``", 3: "Antwort."} {
		p := formatting.MattermostMarkdown(0)
		p.Buttons = most
		parts := formatting.Render(doc, p)
		if len(parts) != 1 || parts[0].Text != want || len(parts[0].Buttons) != most {
			t.Errorf("%d buttons: got %q, want %q", most, parts, want)
		}
		if most > 0 && parts[0].Buttons[0].Label != "Beleg 1" {
			t.Errorf("got label %q", parts[0].Buttons[0].Label)
		}
	}
	doc.Add(formatting.Para(formatting.Text(words(900))))
	parts := formatting.Render(doc, formatting.DiscordMarkdown())
	for i, part := range parts {
		if last := i == len(parts)-1; last != (len(part.Buttons) == 3) {
			t.Errorf("part %d has %d buttons", i+1, len(part.Buttons))
		}
	}
	if parts := formatting.Render(formatting.Document{Buttons: doc.Buttons}, formatting.Profile{}); len(parts) > 0 {
		t.Errorf("buttons without a text: %q", parts)
	}
}
