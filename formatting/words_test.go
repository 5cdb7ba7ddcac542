package formatting_test

import (
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// No letter of a text is lost where it is read: what is left of Markdown has at
// least as many of each as the source, but for the boxes of tasks and character
// references. Words are another matter: fe**tt** is one word to a reader.
func TestParseKeepsEveryLetter(t *testing.T) {
	count := func(s string) map[rune]int {
		n := make(map[rune]int)
		for _, r := range formatting.Clean(s) {
			if unicode.IsLetter(r) {
				n[r]++
			}
		}
		return n
	}
	for _, d := range formattest.Corpus(17, 300) {
		got := count(docText(formatting.Parse(d.Markdown)))
		for r, n := range count(noWords.ReplaceAllString(d.Markdown, " ")) {
			if got[r] < n {
				t.Errorf("%s: %d of %d %q are left of %.500q", d.ID, got[r], n, r, d.Markdown)
			}
		}
	}
}

var noWords = regexp.MustCompile(`&#?\w+;|\[[xX]\]`)

// Every word of a document is there for its reader, on each network that has
// markup, as often as it was written. What is longer than half a part without
// a blank is left out: it may be cut.
func TestEveryWordIsSeen(t *testing.T) {
	docs := formattest.Corpus(18, 80)
	for _, p := range []formatting.Profile{formatting.TelegramHTML(), formatting.DiscordMarkdown(), formatting.MattermostMarkdown(0), formatting.MattermostMarkdown(600)} {
		words := 0
		for _, d := range docs {
			doc := formatting.Parse(d.Markdown)
			var want []string
			for _, token := range strings.Fields(decoded(formatting.Clean(docText(doc)))) {
				if p.Measure.Of(token) <= p.Limit/2 {
					want = append(want, formattest.Words(token)...)
				}
			}
			words += len(want)
			got := formattest.Words(decoded(seenWords(t, p, formatting.Render(doc, p))))
			if missing := formattest.Missing(want, got); len(missing) > 0 {
				t.Errorf("%s: %s lost %q of %.500q", p.Name, d.ID, missing, d.Markdown)
			}
		}
		t.Logf("%s: looked for %d words of %d documents", p.Name, words, len(docs))
	}
}

// decoded returns s with the characters that have to be encoded in a URL as
// they were written.
func decoded(s string) string {
	return encoded.ReplaceAllStringFunc(s, func(code string) string {
		b, err := hex.DecodeString(code[1:])
		if err != nil {
			return code
		}
		return string(b)
	})
}

var encoded = regexp.MustCompile(`%[0-9A-F]{2}`)

// seenWords returns what a reader of the network sees, with the URLs of links
// and the languages of code.
func seenWords(t *testing.T, p formatting.Profile, parts []formatting.Part) string {
	t.Helper()
	parse := formattest.ParseHTML
	switch p.Dialect {
	case formatting.DiscordDialect():
		parse = formattest.ParseDiscord
	case formatting.MattermostDialect():
		parse = formattest.ParseMattermost
	}
	var b strings.Builder
	for _, part := range parts {
		text, entities, err := parse(part.Text)
		if err != nil {
			t.Fatalf("%s: %v in %q", p.Name, err, part.Text)
		}
		b.WriteString(strings.ReplaceAll(text, formatting.Gap, "") + "\n")
		for _, e := range entities {
			b.WriteString(e.Arg + "\n")
		}
	}
	return b.String()
}

// docWords returns the words that drawDocument drew, in order.
func docWords(d formatting.Document) []string {
	return markedWord.FindAllString(formatting.Clean(docText(d)), -1)
}

// docText returns the text of a document as a walk over its tree finds it, with
// the URLs of links that do not say them, and the languages of code.
func docText(d formatting.Document) string {
	var b strings.Builder
	var inlines func([]formatting.Inline)
	inlines = func(list []formatting.Inline) {
		for _, in := range list {
			switch in := in.(type) {
			case formatting.Text:
				b.WriteString(string(in))
			case formatting.Code:
				b.WriteString(string(in))
			case formatting.Citation:
				b.WriteString(" " + string(in) + " ")
			case formatting.Break:
				b.WriteString("\n")
			case formatting.Strong:
				inlines(in.Inlines)
			case formatting.Emphasis:
				inlines(in.Inlines)
			case formatting.Strike:
				inlines(in.Inlines)
			case formatting.Link:
				from := b.Len()
				inlines(in.Inlines)
				if scheme, ok := strings.CutSuffix(in.URL, strings.TrimSpace(b.String()[from:])); !ok || len(scheme) > len("https://") {
					b.WriteString(" " + in.URL + " ")
				}
			}
		}
	}
	var blocks func([]formatting.Block)
	blocks = func(list []formatting.Block) {
		for _, block := range list {
			switch block := block.(type) {
			case formatting.Paragraph:
				inlines(block.Inlines)
			case formatting.Heading:
				inlines(block.Inlines)
			case formatting.CodeBlock:
				b.WriteString(block.Lang + "\n" + block.Text)
			case formatting.Quote:
				blocks(block.Blocks)
			case formatting.List:
				for _, item := range block.Items {
					blocks(item.Blocks)
				}
			case formatting.Table:
				for _, cell := range block.Head {
					inlines(cell)
					b.WriteString("\n")
				}
				for _, row := range block.Rows {
					for _, cell := range row {
						inlines(cell)
						b.WriteString("\n")
					}
				}
			}
			b.WriteString("\n")
		}
	}
	blocks(d.Blocks)
	return b.String()
}
