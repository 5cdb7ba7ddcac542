package discord

import (
	"regexp"
	"strings"
)

var (
	// webAddress finds what Discord makes a link of; nothing in it is markup.
	webAddress = regexp.MustCompile(`https?://[^\s<>]+`)
	// lineStart finds what is markup at the beginning of a line only.
	lineStart = regexp.MustCompile(`(?m)^([ \t]*)(>|#{1,3} |-# |[-+] |[0-9]+\. )`)
)

// signs are markup wherever they stand. "<" begins mentions, emoji and times,
// "[" a link with a label. Nobody is ever notified by what we send, so that
// "@everyone" is left alone.
var signs = strings.NewReplacer(
	`\`, `\\`, `*`, `\*`, `_`, `\_`, `~`, `\~`, "`", "\\`", `|`, `\|`, `[`, `\[`, `<`, `\<`,
)

// escape returns a text that Discord shows as it stands.
func escape(s string) string {
	var b strings.Builder
	from := 0
	for _, at := range webAddress.FindAllStringIndex(s, -1) {
		b.WriteString(signs.Replace(s[from:at[0]]))
		b.WriteString(s[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(signs.Replace(s[from:]))
	return lineStart.ReplaceAllStringFunc(b.String(), func(m string) string {
		i := strings.IndexFunc(m, func(r rune) bool { return r != ' ' && r != '\t' })
		if m[i] >= '0' && m[i] <= '9' {
			return strings.Replace(m, ".", `\.`, 1)
		}
		return m[:i] + `\` + m[i:]
	})
}
