package text

import (
	"fmt"
	"strings"
	"unicode"
)

// Repr returns s quoted as the format prints a value (README section 5.6).
func Repr(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b := []byte{quote}
	for i, r := range s {
		switch {
		case r == '\\' || r == rune(quote):
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == unicode.ReplacementChar && InvalidAt([]byte(s[i:])) == 0:
			b = fmt.Appendf(b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r < 0x100:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, quote))
}

// ReprList returns the texts quoted as the format prints a list.
func ReprList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = Repr(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
