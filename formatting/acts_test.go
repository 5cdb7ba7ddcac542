package formatting_test

import (
	"fmt"
	"strings"
	"testing"

	"outheis/formatting"
)

// An actingText would act in a chat if it were not escaped. The sign · stands
// for a zero-width space; "" means that nothing has to be escaped.
type actingText struct{ name, text, discord, mattermost string }

func actingTexts() []actingText {
	return []actingText{
		{"words", "Straße, 3 € – „gut“ (siehe Nr. 3) z. B.", "", ""},
		{"marks", "*a* _b_ ~~c~~ `d` ||e||", "\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\` \\|\\|e\\|\\|", "\\*a\\* \\_b\\_ \\~\\~·c\\~\\~ \\`d\\` \\|\\|e\\|\\|"},
		{"names", "feld_name_2 groß_klein", `feld\_name\_2 groß\_klein`, `feld_name_2 groß\_klein`},
		{"everyone", "@everyone @here @all @channel", "@·everyone @·here @all @channel", "@·everyone @·here @·all @·channel"},
		{"people", "<@123> <@!123> <@&123> @anna a@b.example", `\<@·123> \<@·!123> \<@·&123> @anna a@b.example`, "&lt;@·123> &lt;@!123> &lt;@&amp;123> @·anna a@b.example"},
		{"places", "<#123> </cmd:1> ~markt #tag", `\<#123> \</cmd:1> \~markt #tag`, "&lt;#·123> &lt;/cmd&#58;1> \\~·markt #·tag"},
		{"times and emoji", "<t:1700000000:R> <:e:1> :bell: um 10:30", `\<t\:1700000000:R> \<\:e:1> \:bell: um 10:30`, "&lt;t&#58;1700000000&#58;R> &lt;&#58;e&#58;1> &#58;bell: um 10:30"},
		{"faces", "gut :) ;-) <3", `gut :) ;-) \<3`, "gut &#58;) &#59;-) &lt;·3"},
		{"heading", "# Titel", `\# Titel`, `\# Titel`},
		{"small text", "-# klein", `\-# klein`, `\-# klein`},
		{"quote", "> a", `\> a`, `\> a`},
		{"list", "- a", `\- a`, `\- a`},
		{"number", "12. a", `12\. a`, `12\. a`},
		{"date", "3. Mai", `3\. Mai`, `3\. Mai`},
		{"negative number", "-5 Grad", "", ""},
		{"underline", "===", `\===`, "&#61;=="},
		{"links", "[a](http://x.example) [b][c] [C-0001]", `\[a](<http://x.example>) \[b][c] [C-0001]`, `\[a](<http://x.example>) \[b][c] [C-0001]`},
		{"addresses", "https://a.example/x_y, ftp://h/_z_", `<https://a.example/x_y>, ftp\://h/\_z\_`, `<https://a.example/x_y>, ftp&#58;//h/\_z\_`},
		{"HTML", "<b>x</b> &amp; &", `\<b>x\</b> &amp; &`, "&lt;b>x&lt;/b> &amp;amp; &amp;"},
		{"formulas", "$$x$$ 5 $", "", "&#36;&#36;x&#36;&#36; 5 &#36;"},
		{"backslashes", `D:\Ablage \* \`, `D:\\Ablage \\\* \\`, `D:\Ablage &#92;\* &#92;`},
		{"table", "a | b", "", `a \| b`},
	}
}

// What a text says never acts in a chat (channels.md T1, M8).
func TestNothingInATextActs(t *testing.T) {
	for _, test := range actingTexts() {
		t.Run(test.name, func(t *testing.T) {
			doc := formatting.Doc(formatting.Para(formatting.Text(test.text)))
			for _, p := range []formatting.Profile{formatting.DiscordMarkdown(), formatting.MattermostMarkdown(0)} {
				want := test.discord
				if p.Name == "mattermost" {
					want = test.mattermost
				}
				if want == "" {
					want = test.text
				}
				parts := formatting.Render(doc, p)
				checkParts(t, p, parts)
				if got := strings.ReplaceAll(parts[0].Text, formatting.Gap, "·"); got != want {
					t.Errorf("%s: got %s, want %s", p.Name, got, want)
				}
				if parts[0].Plain != test.text {
					t.Errorf("%s: plain text %s", p.Name, parts[0].Plain)
				}
			}
		})
	}
}

// A fence counts towards the limit where it closes and opens again (channels.md
// D1), and nothing in the code ends it.
func TestFencesOfDiscord(t *testing.T) {
	p := formatting.DiscordMarkdown()
	doc := formatting.Doc(formatting.CodeBlock{Lang: "objective-c", Text: strings.TrimSpace(strings.Repeat("zeile mit ``` darin\n", 500))})
	parts := formatting.Render(doc, p)
	checkParts(t, p, parts)
	for i, part := range parts {
		if !strings.HasPrefix(part.Text, "```objective-c\n") || strings.Count(part.Text, "```") != 2 {
			t.Errorf("part %d: %.40q … has %d fences", i+1, part.Text, strings.Count(part.Text, "```"))
		}
	}
}

// A table that goes on in the next part has its head there too.
func TestNativeTablesGoOn(t *testing.T) {
	p := formatting.MattermostMarkdown(500)
	table := formatting.Table{Head: [][]formatting.Inline{{formatting.Text("a_1")}, {formatting.Bold("b")}}}
	for range 60 {
		table.Rows = append(table.Rows, [][]formatting.Inline{{formatting.Text("x|y"), formatting.Break{}, formatting.Text("z")}, {formatting.Code("k|v")}})
	}
	parts := formatting.Render(formatting.Doc(table), p)
	checkParts(t, p, parts)
	rows := 0
	for i, part := range parts {
		if !strings.HasPrefix(part.Text, "| a_1 | ") || !strings.HasPrefix(part.Plain, "| a_1 | b |\n| --- | --- |\n") {
			t.Errorf("part %d begins with %.60q", i+1, part.Text)
		}
		rows += strings.Count(part.Text, "| x\\|y / z | `k\\|v` |")
	}
	if len(parts) < 2 || rows != 60 {
		t.Errorf("%d rows in %d parts", rows, len(parts))
	}
}

func TestGridsGoOn(t *testing.T) {
	table := formatting.Table{Head: [][]formatting.Inline{{formatting.Text("Stelle")}, {formatting.Text("Frist")}}}
	for i := range 60 {
		table.Rows = append(table.Rows, [][]formatting.Inline{{formatting.Text(fmt.Sprintf("Amt <%02d>", i))}, {formatting.Text("1 Tag")}})
	}
	for _, p := range []formatting.Profile{formatting.TelegramHTML(), formatting.DiscordMarkdown()} {
		for limit := 300; limit < 400; limit++ {
			p.Limit = limit
			for _, doc := range []formatting.Document{formatting.Doc(table), formatting.Doc(formatting.Para(formatting.Text(words(40))), formatting.Quoted(table))} {
				parts := formatting.Render(doc, p)
				checkParts(t, p, parts)
				rows := 0
				for i, part := range parts {
					n, heads := strings.Count(part.Plain, "│ 1 Tag"), strings.Count(part.Plain, "Stelle   │ Frist\n─────────┼──────\nAmt <")
					if rows += n; n > 0 && heads != 1 || n == 0 && strings.Contains(part.Plain, "Stelle") {
						t.Fatalf("%s with a limit of %d: part %d has %d heads above %d rows: %q", p.Name, limit, i+1, heads, n, part.Plain)
					}
				}
				if rows != 60 || len(parts) < 4 {
					t.Fatalf("%s: %d rows in %d parts", p.Name, rows, len(parts))
				}
			}
		}
	}
}
