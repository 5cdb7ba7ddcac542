package telegram

import (
	"regexp"
	"strings"
)

// maxRichBlocks is how many blocks a rich message may have, with room to spare
// (core.telegram.org/bots/api#rich-messages says 500).
const maxRichBlocks = 400

var (
	richBlock  = regexp.MustCompile(`(?s)<pre>.*?</pre>|<blockquote(?: expandable)?>.*?</blockquote>`)
	headLine   = regexp.MustCompile(`^<b>([^<]*)</b>$`)
	gridRule   = regexp.MustCompile(`^─+(┼─+)*$`)
	richTag    = regexp.MustCompile(`<(/?)([a-z]+)[^>]*>`)
	quoteOpens = regexp.MustCompile(`^<blockquote(?: expandable)?>`)
)

// rich turns a part in Telegram's HTML parse mode into a rich message. It
// reports false for what gains nothing by it, which is everything without a
// heading or a table, and for what it cannot be sure to keep whole.
//
// What comes in is what formatting made, so that the few shapes in it are
// known: titles are lines in bold, tables are grids of │ and ─.
func rich(part string) (string, bool) {
	var b richBuilder
	from := 0
	for _, at := range richBlock.FindAllStringIndex(part, -1) {
		b.lines(part[from:at[0]])
		b.block(part[at[0]:at[1]])
		from = at[1]
	}
	b.lines(part[from:])
	return b.String(), b.gains && !b.torn && b.blocks <= maxRichBlocks
}

// A richBuilder collects the blocks of a rich message.
type richBuilder struct {
	strings.Builder
	blocks int
	gains  bool // there is something that plain HTML does not have
	torn   bool // a mark begins in one block and ends in another
}

func (b *richBuilder) add(open, content, end string) {
	b.WriteString(open + content + end)
	b.blocks++
	if !balanced(content) {
		b.torn = true
	}
}

// lines adds paragraphs, titles and rules.
func (b *richBuilder) lines(text string) {
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			b.add("<p>", strings.Join(paragraph, "<br>"), "</p>")
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		m := headLine.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "":
			flush()
		case strings.Trim(line, "—") == "":
			flush()
			b.add("", "<hr>", "")
		case m != nil:
			flush()
			b.add("<h4>", m[1], "</h4>")
			b.gains = true
		default:
			// Blanks at the beginning show the depth of a list.
			trimmed := strings.TrimLeft(line, " ")
			paragraph = append(paragraph, strings.Repeat("\u00a0", len(line)-len(trimmed))+trimmed)
		}
	}
	flush()
}

// block adds a quotation, a table, or literal text.
func (b *richBuilder) block(block string) {
	if open := quoteOpens.FindString(block); open != "" {
		inner := strings.TrimSuffix(strings.TrimPrefix(block, open), "</blockquote>")
		b.add("<blockquote>", strings.ReplaceAll(inner, "\n", "<br>"), "</blockquote>")
		return
	}
	if table, ok := grid(strings.TrimSuffix(strings.TrimPrefix(block, "<pre>"), "</pre>")); ok {
		b.add("<table>", table, "</table>")
		b.gains = true
		return
	}
	b.add("", block, "")
}

// grid turns a table of │ and ─ into rows and cells.
func grid(text string) (string, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) < 2 || !gridRule.MatchString(lines[1]) || strings.Contains(text, "<") {
		return "", false
	}
	columns := strings.Count(lines[1], "┼") + 1
	if columns > 20 { // the most that a rich message takes
		return "", false
	}
	var b strings.Builder
	for i, line := range lines {
		if i == 1 {
			continue
		}
		cells := strings.Split(line, "│")
		if len(cells) != columns {
			return "", false
		}
		kind := "td"
		if i == 0 {
			kind = "th"
		}
		b.WriteString("<tr>")
		for _, cell := range cells {
			b.WriteString("<" + kind + ">" + strings.TrimSpace(cell) + "</" + kind + ">")
		}
		b.WriteString("</tr>")
	}
	return b.String(), true
}

// balanced reports whether every mark ends in the order in which it began.
func balanced(s string) bool {
	var open []string
	for _, m := range richTag.FindAllStringSubmatch(s, -1) {
		switch {
		case m[2] == "br" || m[2] == "hr":
		case m[1] == "":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			return false
		default:
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}
