package formatting_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// hostileInputs are texts on which parsers and splitters take quadratic time
// or run out of stack, each of about size bytes. Every one of them ends with
// the word "Ende".
func hostileInputs(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	seq := func(f func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(f(i))
		}
		return b.String()
	}
	all := map[string]string{
		"one line":              fill("Wort "),
		"one word":              fill("a"),
		"one cluster":           "a" + fill("\u200d"),
		"quotes":                fill(">"),
		"quotes with blanks":    fill("> "),
		"lists":                 fill("- "),
		"numbered lists":        fill("1. "),
		"indented lists":        seq(func(i int) string { return strings.Repeat("  ", i) + "- a\n" }),
		"open brackets":         fill("["),
		"nested brackets":       strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"open links":            fill("[a]("),
		"links in a word":       strings.Repeat("[a](", 2000) + fill("b"),
		"open titles":           fill(`[a](b "`),
		"images":                fill("![") + fill("](x)"),
		"backticks":             seq(func(i int) string { return strings.Repeat("`", i%1000+1) + " " }),
		"stars":                 fill("*"),
		"openers":               fill("*a **b "),
		"closers":               fill("a* "),
		"wrong closers":         fill("a**b_c*"),
		"mixed closers":         strings.Repeat("**a_ ", size/10) + strings.Repeat("__b* ", size/10),
		"tildes":                fill("~~a "),
		"underscores":           fill("a_"),
		"less-thans":            fill("<"),
		"open tags":             fill("<a "),
		"comments":              fill("<!--"),
		"addresses":             fill("a.b@c"),
		"blanks in links":       fill("[a ](https://a.example)"),
		"trimmed lines":         fill("**a**&#32;\n"),
		"web addresses":         fill("www.a.b "),
		"references":            fill("&#"),
		"wide table":            fill("|a") + "\n" + fill("|-") + "\n" + fill("|b"),
		"wide table, many":      strings.Repeat("|a", 300) + "\n" + strings.Repeat("|-", 300) + "\n" + fill("a\n"),
		"long table":            "|a|b|c|\n|-|-|-|\n" + fill("|1|2|3|\n"),
		"padded table":          strings.Repeat("|a", 30) + "\n" + strings.Repeat("|-", 30) + "\n" + fill("a\n"),
		"many tables":           fill("a|b\n-|-\n"),
		"definitions":           fill("[a]: b\n"),
		"different defs":        seq(func(i int) string { return fmt.Sprintf("[a%d]: b%d\n", i, i) }),
		"one def, many uses":    fill("[a] ") + "\n\n[a]: https://example.org/" + strings.Repeat("x", 1000),
		"long paragraph":        fill("a\n"),
		"long heading":          "# " + fill("*a "),
		"long underlined":       fill("*a\n") + "===\n",
		"nested quote of list":  fill("> - "),
		"lists in quotes":       fill("> - a\n>   - b\n> 1. c\n"),
		"numbers and bullets":   fill("1. a\n- b\n"),
		"quotes of many depths": seq(func(i int) string { return strings.Repeat(">", i%30) + " a\n" }),
		"lists of many depths":  seq(func(i int) string { return strings.Repeat("   ", i%8) + "1. a\n" }),
		"marks in marks":        fill("**a _b ~~c `d` e~~ f_ g** "),
		"marked cells":          "|a|b|\n|-|-|\n" + fill("|**1** _2_|[x](https://a.example)|\n"),
		"tables in quotes":      fill("> |a|b|\n> |-|-|\n> |1|2|\n>\n"),
		"code in lists":         fill("- a\n  ```\n  x\n  ```\n"),
		"code lines":            "```\n" + fill("x\n"),
		"code line":             "```\n" + fill("x y "),
		"bold":                  fill("**a** "),
		"citations":             fill("[C-0001] "),
		"bracketed words":       fill("a] "),
		"sentences":             fill("Satz. [x] "),
		"families":              fill("👩‍👩‍👧‍👦"),
		"ampersands":            fill("&"),
	}
	for name, s := range all {
		all[name] = s + "\n\nEnde\n"
	}
	return all
}

func TestHostileInputsKeepTheirWords(t *testing.T) {
	for name, md := range hostileInputs(20_000) {
		t.Run(name, func(t *testing.T) {
			doc := formatting.Parse(md)
			for _, p := range profiles() {
				parts := formatting.Render(doc, p)
				if len(parts) == 0 || !strings.Contains(parts[len(parts)-1].Text, "E") {
					t.Fatalf("%s: got %d parts, the last without its end", p.Name, len(parts))
				}
				checkParts(t, p, parts)
			}
			switch {
			case strings.ContainsAny(md, "<&|"), name == "definitions", name == "one def, many uses", name == "lists of many depths":
				return // what is left of these is not what was written
			}
			got := formattest.Words(markless(joinPlain(formatting.Render(doc, formatting.Profile{}))))
			want := formattest.Words(markless(md))
			if missing := formattest.Missing(want, got); len(missing) > 0 {
				t.Errorf("lost %d of %d words, such as %.40q", len(missing), len(want), missing[0])
			}
		})
	}
}

// BenchmarkHostile renders each hostile text in three sizes for each network:
// the time must grow as the size does.
func BenchmarkHostile(b *testing.B) {
	sizes := []int{250_000, 500_000, 1_000_000}
	texts := make([]map[string]string, len(sizes))
	for i, size := range sizes {
		texts[i] = hostileInputs(size)
	}
	for _, p := range []formatting.Profile{formatting.TelegramHTML(), formatting.DiscordMarkdown(), formatting.MattermostMarkdown(0)} {
		for _, name := range slices.Sorted(maps.Keys(texts[0])) {
			for i, size := range sizes {
				b.Run(fmt.Sprintf("%s/%s/%dkB", p.Name, name, size/1000), func(b *testing.B) {
					b.SetBytes(int64(len(texts[i][name])))
					for b.Loop() {
						formatting.Render(formatting.Parse(texts[i][name]), p)
					}
				})
			}
		}
	}
}
