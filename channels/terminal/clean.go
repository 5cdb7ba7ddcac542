package terminal

import (
	"regexp"
	"strings"

	"outheis/formatting"
)

// sgr is an escape sequence that does nothing but change how letters look.
var sgr = regexp.MustCompile(`\x1b\[[0-9;]{0,32}m`)

const reset = "\x1b[0m"

// clean returns text with everything made harmless that could have a terminal
// do something else than show it; see [formatting.Clean]. Rendering did so
// before; this is the last gate in front of the person's terminal. With color,
// sequences that only change colours and weight stay, and are ended.
func clean(text string, color bool) string {
	if !color {
		return formatting.Clean(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	last := ""
	for text != "" {
		at := sgr.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		b.WriteString(formatting.Clean(text[:at[0]]))
		if s := text[at[0]:at[1]]; s != "" {
			b.WriteString(s)
			last = s
		}
		text = text[at[1]:]
	}
	if last != "" && last != reset && last != "\x1b[m" {
		b.WriteString(reset)
	}
	return b.String()
}

// cleanLine returns what a person typed or pasted as one line of text.
func cleanLine(line string) string {
	line = formatting.Clean(strings.TrimRight(line, "\r\n"))
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(line))
}
