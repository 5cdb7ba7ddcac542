package okf

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"outheis/tresor/internal/text"
)

// scalar writes a text such that a YAML reader takes it for just this text
// (deviation D-82).
func scalar(s string) string {
	if needsQuotes(s) || isOther(s) || strings.ContainsFunc(s, unprintable) {
		return quote(s)
	}
	return s
}

// flowScalar is scalar inside of brackets. Widespread readers take a question
// mark there for the end of the text.
func flowScalar(s string) string {
	if strings.ContainsAny(s, ",[]{}?") {
		return quote(s)
	}
	return scalar(s)
}

// plainScalar is the rule of the reference, for fields whose form is known.
func plainScalar(s string) string {
	if s != "" && needsQuotes(s) {
		return quote(s)
	}
	return s
}

func needsQuotes(s string) bool {
	return s == "" || text.Trim(s) != s || strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", s[0]) >= 0 ||
		strings.Contains(s, ": ") || strings.HasSuffix(s, ":") || strings.Contains(s, " #")
}

// others are the forms that a reader of YAML 1.1 or 1.2 takes for a number, of
// base 60 too, or a date.
var others = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`[-+]?0[bB][01]+`, `[-+]?0[oO]?[0-7]+`, `[-+]?0[xX][0-9a-fA-F]+`,
	`[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`,
	`[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?`,
	`[-+]?\.(?:inf|Inf|INF)`, `\.(?:nan|NaN|NAN)`,
	`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]| +)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]*)? *(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?`,
}, "|") + `)$`)

// isOther reports whether a reader takes a bare text for null, a boolean, a
// number, a date, or one of the two signs with a meaning of their own.
func isOther(s string) bool {
	switch s {
	case "~", "=", "<<":
		return true
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return s == strings.ToLower(s) || s == strings.ToUpper(s) || s == strings.ToUpper(s[:1])+strings.ToLower(s[1:])
	}
	return others.MatchString(strings.ReplaceAll(s, "_", ""))
}

// unprintable reports whether a reader refuses a character or takes it for the
// end of a line.
func unprintable(r rune) bool {
	switch r {
	case '\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff':
		return true
	}
	return unicode.IsControl(r)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case !unprintable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
