package formattest

import (
	"strings"
	"unicode"
)

// Words returns the words of s: runs of letters, digits and the marks on them.
func Words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Missing returns the words of want that are not among those of got, each as
// often as it is missing.
func Missing(want, got []string) []string {
	have := make(map[string]int)
	for _, w := range got {
		have[w]++
	}
	var missing []string
	for _, w := range want {
		if have[w]--; have[w] < 0 {
			missing = append(missing, w)
		}
	}
	return missing
}
