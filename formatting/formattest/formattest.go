// Package formattest helps to test renderers: a seeded generator of Markdown as
// people, models and attackers write it ([Corpus]), a parser for Telegram's
// HTML as strict as Telegram's own ([ParseHTML]), and the words of a text
// ([Words]).
//
// It is used by tests only and knows nothing of the renderer.
package formattest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Doc is a document of the corpus.
type Doc struct {
	ID       string
	Class    string // "answer", "long", "hostile" or "mutated"
	Markdown string
}

var classes = [...]string{"answer", "long", "hostile", "mutated"}

// Corpus generates n documents of each class, of the long ones a tenth of
// that; the same seed gives the same documents. Answers are what the gateway's
// agents write, long ones take 5 to 20 kB, hostile ones are made of constructs
// on which renderers fail, mutated ones are answers with marks inserted and
// characters removed.
func Corpus(seed uint64, n int) []Doc {
	g := generator{rand.New(rand.NewPCG(seed, 0x6f757468656973))}
	var docs []Doc
	for _, class := range classes {
		count := n
		if class == "long" {
			count = (n + 9) / 10
		}
		for i := range count {
			d := Doc{ID: fmt.Sprintf("%s-%d", class, i), Class: class}
			switch class {
			case "answer":
				d.Markdown = g.answer()
			case "long":
				d.Markdown = g.long(5000 + g.IntN(15000))
			case "hostile":
				d.Markdown = g.hostile()
			case "mutated":
				d.Markdown = g.mutate(g.answer())
			}
			docs = append(docs, d)
		}
	}
	return docs
}

// Long generates one long document of about size bytes.
func Long(seed uint64, size int) string {
	g := generator{rand.New(rand.NewPCG(seed, 0x6c6f6e67))}
	return g.long(size)
}

type generator struct{ *rand.Rand }

func pick[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

var words = strings.Fields(`Die Werkstatt liegt im Hof links neben dem Lager und ist montags geschlossen
	Anträge gehen spätestens am 15.03.2027 beim Amt ein sonst verfällt der Anspruch gemäß § 7 Abs. 2 Satz 1
	größere Öfen dürfen nur Geübte bedienen Gebühr 3,50 € je Stück bzw. 1.250 € im Jahr z. B. für Maße über 40 cm
	Straße Fuß ärgerlich Übergabe naïve façade (siehe Anlage) Nr. 12 usw. ca. 20 % „Zitat“ Ende`)

var signs = []string{
	"🙂", "👩\u200d👩\u200d👧\u200d👦", "🇩🇪", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "⚠\ufe0f", "✅", "𝔘",
	"नमस्ते दुनिया", "日本語の文。次の文。", "مرحبا بك", "می\u200cخواهم", "e\u0301", "👍🏽", "❤\ufe0f\u200d🔥",
}

func (g generator) words(n int) string {
	s := make([]string, n)
	for i := range s {
		s[i] = pick(g, words)
	}
	return strings.Join(s, " ")
}

func (g generator) inline() string {
	w := g.words(1 + g.IntN(4))
	switch g.IntN(20) {
	case 0:
		return "**" + w + "**"
	case 1:
		return "*" + w + "*"
	case 2:
		return "_" + w + "_"
	case 3:
		return "***" + w + "***"
	case 4:
		return "~~" + w + "~~"
	case 5:
		return "`" + w + "`"
	case 6:
		return fmt.Sprintf("[%s](https://intern.example.org/akte/%d?a=1&b=x_y_z)", w, g.IntN(1000))
	case 7:
		return fmt.Sprintf("feld_name_%d", g.IntN(100))
	case 8:
		return `D:\Ablage\plan_v2_final.odt`
	case 9:
		return fmt.Sprintf("[C-%04d]", 1+g.IntN(999))
	case 10:
		return fmt.Sprintf("%s. [C-%04d] [hb/C-%04d]", w, 1+g.IntN(999), 1+g.IntN(999))
	case 11:
		return "x < y && y > z"
	case 12:
		return w + " " + pick(g, signs)
	case 13:
		return "**" + w + " `k_v*` " + pick(g, signs) + "**"
	case 14:
		return "https://example.org/wiki/Ding_(Sache)?q=1&r=2"
	case 15:
		return "**" + w + " *" + g.words(2) + "* " + g.words(1) + "**"
	case 16:
		return "3 * 4 * 5 = 60"
	case 17:
		return "(" + w + ")!"
	case 18:
		return "auskunft_a@amt.example.org"
	default:
		return "<https://example.org/a_b_c>"
	}
}

func (g generator) paragraph(n int) string {
	var s []string
	for range n {
		s = append(s, g.words(2+g.IntN(8)), g.inline())
	}
	return strings.Join(s, " ") + pick(g, []string{".", "!", "?", " …", ""})
}

func (g generator) list() string {
	var b strings.Builder
	for i := range 2 + g.IntN(5) {
		indent := strings.Repeat("   ", pick(g, []int{0, 0, 0, 1, 2}))
		mark := pick(g, []string{"- ", "- ", "* ", "- [ ] ", "- [x] ", fmt.Sprintf("%d. ", i+1)})
		b.WriteString(indent + mark + g.paragraph(1) + "\n")
	}
	return b.String()
}

func (g generator) table() string {
	columns := 1 + g.IntN(5)
	var b strings.Builder
	row := func(cell func() string) {
		b.WriteString("|")
		for range columns {
			b.WriteString(" " + cell() + " |")
		}
		b.WriteString("\n")
	}
	row(func() string { return pick(g, []string{"Frist", "Betrag", "Stelle", "Stand", "Quelle"}) })
	row(func() string { return pick(g, []string{"---", ":--", "--:", ":-:"}) })
	for range 1 + g.IntN(7) {
		row(func() string {
			if g.IntN(6) == 0 {
				return g.inline()
			}
			return g.words(g.IntN(4))
		})
	}
	return b.String()
}

func (g generator) code(lines int) string {
	var b strings.Builder
	b.WriteString("```" + pick(g, []string{"", "go", "json", "bash", "c++", "objective-c"}) + "\n")
	for range lines {
		b.WriteString(pick(g, []string{
			"for i := range n { if *p < 1 && q > 2 { return } }",
			`{"straße": "am_ufer", "zahlen": [1, 2]}`,
			`grep -E '^[a-z]+_[0-9]$' "$DATEI" | sort # ordnen`,
			"\tm[k] = `roh`",
			"",
			"# Titel **kein Fett** [x](y)",
		}) + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}

func (g generator) quote() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(pick(g, []string{"> ", "> ", "> > "}) + g.paragraph(1) + "\n")
	}
	return b.String()
}

func (g generator) block() string {
	switch g.IntN(11) {
	case 0:
		return g.list()
	case 1:
		return g.table()
	case 2:
		return g.code(1 + g.IntN(10))
	case 3:
		return g.quote()
	case 4:
		return strings.Repeat("#", 1+g.IntN(6)) + " " + g.words(1+g.IntN(4)) + "\n"
	case 5:
		return "---\n"
	default:
		return g.paragraph(1+g.IntN(6)) + "\n"
	}
}

func (g generator) answer() string {
	var b strings.Builder
	for range 1 + g.IntN(5) {
		b.WriteString(g.block() + "\n")
	}
	b.WriteString("Belege:\n")
	for range 1 + g.IntN(4) {
		fmt.Fprintf(&b, "- C-%04d (S-%04d, Abschnitt %d, %s) — Stand 2027-01-%02d\n", 1+g.IntN(99), 1+g.IntN(9), 1+g.IntN(9), pick(g, []string{"Wortlaut", "Beobachtung", "Auslegung"}), 1+g.IntN(28))
	}
	b.WriteString("\nStand: 2027-01-02; Konfidenz: mittel\nNicht im Bestand: " + g.words(3) + ".\n")
	return b.String()
}

func (g generator) long(size int) string {
	var b strings.Builder
	for b.Len() < size {
		switch g.IntN(14) {
		case 0:
			b.WriteString(g.code(30 + g.IntN(120)))
		case 1:
			b.WriteString(g.words(300) + "\n")
		case 2:
			b.WriteString(strings.Repeat(pick(g, signs), 20+g.IntN(500)) + "\n")
		default:
			b.WriteString(g.block())
		}
		b.WriteString("\n")
	}
	return b.String()
}

var hostile = []string{
	"**fett _schräg** weiter_", "*a **b* c**", "[x](y(z)) [a_b](http://e.example/a_b_c)", "`` ein ` darin ``",
	"```\noffen <b>", "||verdeckt|| und ~einfach~", "<b>fett</b> & <script>alert(1)</script> &amp; &nbsp; &#x27; &#8238;",
	"- \n- leer\n-", "1) eins\n2) zwei", "# \n##Ohne", "> zitat\n>> tiefer\nfaul", `a\*b\_c \[d\] \`, "__init__.py __fett__",
	"![bild](https://e.example/i.png)", "[leer]() [](https://e.example)", "[ref][1] [frei]\n\n[1]: https://e.example \"Titel\"\n[2]: https://unbenutzt.example",
	"Fußnote[^1]\n\n[^1]: Text", "$a_1 * b_2$", "|a|b|\n|c|d|", "|a|b|\n|-|-|\n|1|2|3|\n|4|", "~~~\ntilde\n~~~", "****", "_ _", "*_~`>#+-=|{}.!",
	"ftp://x/_y_ mailto:a_b@c.example @name_x #tag_y /cmd_z", "\u202ervorn\u202c und \u200bnull\u2066x\u2069", "Tab\there  \nUmbruch\\\nnoch einer",
	"1. a\n   - b\n     ```\n     c\n     ```\n2. d", "<!-- kommentar -->", "**„Wort“**text", "[a](<b c>) [j](javascript:alert(1)) [d](data:text/html,x)",
	"[bank.example](https://boese.example/) [u](https://bank.example@boese.example/)", "**[fett](https://e.example)** [**fett** x](https://e.example)",
	"> - liste\n> ```\n> code\n> ```", "\x1b[31mrot\x1b[0m \x1b]8;;https://e.example\x07link\x1b]8;;\x07", "a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a",
	"\U000E0041\U000E0042 \ufeff\u2060x\u00ad", "a\xffb\xc3", "\r\nzeile\rzeile", "<tg-spoiler>x</tg-spoiler><a href=\"tg://user?id=1\">y</a>", "&lt;b&gt; &#60;i&#62;",
	"[![b](https://e.example/i.png)](https://e.example)", "- [ ] offen\n- [x] fertig\n  weiter", "    eingerückt\n    code", "Titel\n===\nUnter\n---",
	"[C-0001] [C-0002] Satz.[C-0003]", "```go extra wörter\nx\n```", "```<script>\nx\n```", "|Spalte|\n|:-:|\n|`a\\|b`|",
}

func (g generator) hostile() string {
	var s []string
	for range 1 + g.IntN(6) {
		s = append(s, pick(g, hostile))
	}
	return strings.Join(s, pick(g, []string{"\n", "\n\n", " "}))
}

func (g generator) mutate(s string) string {
	r := []rune(s)
	marks := []string{"*", "**", "_", "`", "```", "~", "~~", "[", "]", "(", ")", "<", ">", "&", "#", "|", `\`, "-", "\n", "\n\n", "> ", "\x1b", "\u202e"}
	for range 1 + g.IntN(12) {
		i := g.IntN(len(r))
		if g.IntN(2) == 0 {
			r = append(r[:i], r[i+1:]...)
		} else {
			r = append(r[:i], append([]rune(pick(g, marks)), r[i:]...)...)
		}
	}
	return string(r)
}
