package mattermost

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// address finds what the server makes a link of by itself; an escape in it
// would break it.
var address = regexp.MustCompile(`(?i)\b(?:https?://|www\.|mailto:)[^\s<>]+`)

// lineMark finds what makes a line a heading, a quote, a list or a rule.
var lineMark = regexp.MustCompile(`^(\s*)(?:([#>+=-])|(\d{1,9})([.)]))`)

// escape returns Markdown that shows s as it is.
func escape(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		escapeLine(&b, line)
	}
	return b.String()
}

func escapeLine(b *strings.Builder, line string) {
	if m := lineMark.FindStringSubmatch(line); m != nil {
		line = line[len(m[0]):]
		b.WriteString(m[1] + m[3] + `\` + m[2] + m[4])
	}
	for line != "" {
		at := address.FindStringIndex(line)
		if at == nil {
			escapeWords(b, line)
			return
		}
		escapeWords(b, line[:at[0]])
		b.WriteString(line[at[0]:at[1]])
		line = line[at[1]:]
	}
}

// escapeWords escapes what is markup within a line. An underscore inside of a
// word is none, and is left alone; so is a colon that begins no emoji.
func escapeWords(b *strings.Builder, s string) {
	for i, r := range s {
		switch r {
		case '\\', '`', '*', '~', '[', ']', '|', '<', '&', '$', '!':
			b.WriteByte('\\')
		case '_':
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !word(before) || !word(after) {
				b.WriteByte('\\')
			}
		case ':':
			if emojiAt.MatchString(s[i:]) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
}

// emojiAt finds a name that would become a picture.
var emojiAt = regexp.MustCompile(`^:[a-zA-Z0-9_+-]+:`)

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
