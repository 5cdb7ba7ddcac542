package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// similar returns the one of known that s is probably meant to be: the same but
// for case and separators, or a few slips away; or "".
func similar(s string, known []string) string {
	s = squeeze(s)
	best, least := "", 1+min(3, (utf8.RuneCountInString(s)+1)/3)
	for _, k := range known {
		if d := slips(s, squeeze(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// slips counts how often a hand slipped between two words. Letters in another
// order and an ending more or less count as one slip.
func slips(a, b string) int {
	d := levenshtein.ComputeDistance(a, b)
	const short = 3
	if d > 1 && (sortedLetters(a) == sortedLetters(b) ||
		min(len(a), len(b)) > short && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))) {
		return 1
	}
	return d
}

func sortedLetters(s string) string {
	r := []rune(s)
	slices.Sort(r)
	return string(r)
}

// squeeze removes what people write differently.
func squeeze(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
