package formatting_test

import (
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"outheis/formatting"
)

const page = "../docs/formatting.md"

// richAnswer holds one of everything that an answer can be made of.
func richAnswer() formatting.Document {
	text := func(s string) formatting.Inline { return formatting.Text(s) }
	line := func(inlines ...formatting.Inline) []formatting.Inline { return inlines }
	cell := func(s string) []formatting.Inline { return line(text(s)) }
	d := formatting.Doc(
		formatting.Head(2, text("Schutzbrille in Werkstatt 3")),
		formatting.Para(
			text("Sobald die Fräse läuft, ist eine "), formatting.Bold("Schutzbrille"), text(" zu tragen."), formatting.Citation("C-0012"),
			text(" Das gilt auch für "), formatting.Strike{Inlines: cell("Besucher")}, text(" Gäste."), formatting.Citation("C-0014"),
			text(" Die Datei heißt brille_v2*.pdf; wer <fragt>, schreibt an @all."),
		),
		formatting.Table{
			Head:  [][]formatting.Inline{cell("Frist"), cell("Betrag")},
			Align: []formatting.Align{formatting.AlignLeft, formatting.AlignRight},
			Rows:  [][][]formatting.Inline{{cell("14 Tage"), cell("3,50 €")}, {cell("1 Monat"), cell("1.250,00 €")}},
		},
		formatting.List{Items: []formatting.Item{
			{Task: formatting.TaskDone, Blocks: []formatting.Block{formatting.Para(text("Einweisung"))}},
			{Task: formatting.TaskOpen, Blocks: []formatting.Block{formatting.Para(text("Unterschrift"))}},
		}},
		formatting.Numbered(line(text("Haube schließen")), line(formatting.Code("fraese --start"), text(" eingeben"))),
		formatting.CodeBlock{Lang: "go", Text: "if brille < 1 && läuft {\n\treturn ErrKeineBrille\n}"},
		formatting.Quoted(formatting.Para(text("Ohne Einweisung kein Zutritt."))),
		formatting.Para(text("Mehr in der "), formatting.Link{URL: "https://intern.example.org/werkstatt?halle=3", Inlines: cell("Werkstattordnung")}, text(".")),
		formatting.Footnotes{Title: line(formatting.Bold("Belege")), Notes: []formatting.Note{
			{ID: "C-0012", Inlines: cell("C-0012 (S-0003 Werkstattordnung, Punkt 1, Wortlaut) — Stand 2027-01-04")},
			{ID: "C-0014", Inlines: cell("C-0014 (S-0003, Punkt 2, Auslegung) — eigene Einordnung")},
		}},
	)
	d.Buttons = []formatting.Button{
		{ID: "beleg:1", Label: "Beleg 1", Words: "beleg 1"}, {ID: "beleg:2", Label: "Beleg 2", Words: "beleg 2"},
		{ID: "gut", Label: "👍"}, {ID: "schlecht", Label: "👎"},
	}
	return d
}

type shownChannel struct {
	title   string
	profile formatting.Profile
}

func shownChannels() []shownChannel {
	mattermost := formatting.MattermostMarkdown(0)
	mattermost.Buttons = 5
	return []shownChannel{
		{"Telegram", formatting.TelegramHTML()},
		{"Discord", formatting.DiscordMarkdown()},
		{"Mattermost", mattermost},
		{"Terminal", formatting.Terminal(formatting.TerminalOptions{Width: 60})},
		{"ohne Auszeichnung", formatting.Plain(formatting.PlainOptions{Limit: 2000, Measure: formatting.Bytes, Reserve: 40})},
	}
}

// sideBySide writes a table of HTML with a column for each channel.
func sideBySide(b *strings.Builder, channels []shownChannel, content func(formatting.Profile) string) {
	b.WriteString("<table>\n<tr>")
	for _, c := range channels {
		b.WriteString("<th>" + c.title + "</th>")
	}
	b.WriteString("</tr>\n<tr valign=\"top\">\n")
	for _, c := range channels {
		shown := strings.ReplaceAll(html.EscapeString(content(c.profile)), formatting.Gap, "·")
		// An empty line would end the table.
		b.WriteString("<td><pre>" + strings.ReplaceAll(shown, "\n\n", "\n&#160;\n") + "</pre></td>\n")
	}
	b.WriteString("</tr>\n</table>\n\n")
}

func parts(d formatting.Document, p formatting.Profile) string {
	var texts []string
	for _, part := range formatting.Render(d, p) {
		s := part.Text
		var buttons []string
		for _, button := range part.Buttons {
			buttons = append(buttons, "[ "+button.Label+" ]")
		}
		if len(buttons) > 0 {
			s += "\n\n" + strings.Join(buttons, " ")
		}
		texts = append(texts, s)
	}
	return strings.Join(texts, "\n\n~~~~~~~~ nächster Teil ~~~~~~~~\n\n")
}

func limits(p formatting.Profile) string {
	units := map[formatting.Measure]string{formatting.Runes: "Codepunkte", formatting.Bytes: "Bytes", formatting.RunesOrUTF16: "Codepunkte oder UTF-16-Einheiten, was mehr ist"}
	limit := "ohne Grenze"
	if p.Limit > 0 {
		limit = fmt.Sprintf("%d %s", p.Limit, units[p.Measure])
		if p.LimitMarked {
			limit += ", mit der Auszeichnung"
		}
	}
	table := fmt.Sprintf("Raster bis %d Spalten, sonst Zeile für Zeile", p.TableWidth)
	switch {
	case p.Dialect == formatting.MattermostDialect():
		table = "eigene"
	case p.TableWidth == 0:
		table = "Zeile für Zeile"
	}
	buttons := "als Worte"
	if p.Buttons > 0 {
		buttons = fmt.Sprintf("bis %d", p.Buttons)
	}
	folds := "als nummerierte Liste"
	if p.Folds() {
		folds = "als aufklappbares Zitat"
	}
	return fmt.Sprintf("%s | %s | %s | %s", limit, table, buttons, folds)
}

// The page of the documentation shows what the renderer does.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Wie eine Antwort in jedem Kanal aussieht

Diese Seite schreibt ` + "`go test ./formatting -run TestPage -update`" + `; der gewöhnliche Testlauf vergleicht sie. Eine Antwort
entsteht einmal, ohne Kanal (` + "`formatting.Document`" + `). Was ein Kanal zeigen kann, sagt sein Profil.

| Kanal | Länge eines Teils | Tabellen | Knöpfe | Belege |
|---|---|---|---|---|
`)
	for _, c := range shownChannels() {
		b.WriteString("| " + c.title + " | " + limits(c.profile) + " |\n")
	}
	b.WriteString(`
Mattermost hat Knöpfe nur, wenn der Server outheis erreicht. Text aus Claims, Notizen und Fragen ist überall Inhalt und nie
Auszeichnung: Er ruft niemanden (` + "`@all`" + `), macht keine Überschrift und keinen Verweis. Der Punkt „·“ steht unten für ein Zeichen
ohne Breite, das Discord und Mattermost daran hindert.

## Eine Antwort mit allem

So wird sie gesendet.

`)
	d := richAnswer()
	all := shownChannels()
	show := func(p formatting.Profile) string { return parts(d, p) }
	sideBySide(&b, all[:3], show)
	sideBySide(&b, all[3:], show)
	b.WriteString(`## Eine lange Antwort

Sie wird in Teile geschnitten: zuerst zwischen Absätzen, dann Zeilen, Sätzen und Wörtern; nie zwischen einem Satz und seinem
Beleg. Jeder Teil steht für sich: Code wird neu geöffnet, in seiner Sprache; eine Tabelle wiederholt ihren Kopf. Hier
ist die Grenze so klein gewählt, dass man es sieht.

`)
	long := formatting.Doc(
		formatting.Para(formatting.Text("Der Antrag geht bis zum 15. März ein."), formatting.Citation("C-0101"), formatting.Text(" Danach verfällt der Anspruch."), formatting.Citation("C-0102")),
		formatting.CodeBlock{Lang: "sh", Text: strings.TrimSuffix(strings.Repeat("antrag --stelle amt --frist 2027-03-15\n", 9), "\n")},
	)
	table := formatting.Table{Head: [][]formatting.Inline{{formatting.Text("Stelle")}, {formatting.Text("Frist")}}}
	for i := range 12 {
		table.Rows = append(table.Rows, [][]formatting.Inline{{formatting.Text(fmt.Sprintf("Amt Nr. %d", i+1))}, {formatting.Text(fmt.Sprintf("%d Tage", 14*(i+1)))}})
	}
	long.Add(table)
	sideBySide(&b, all[:3], func(p formatting.Profile) string {
		p.Limit, p.Reserve = 360, 0
		return parts(long, p)
	})
	got := strings.TrimRight(b.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the renderer does; look at the difference that -update makes", page)
	}
}
