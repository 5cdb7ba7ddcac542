package search

import "strings"

// minRoot is the shortest root, in bytes; shorter ones say too little.
const minRoot = 4

// root returns what the forms of a verb and the nouns made from it have in
// common: geöffnet and Öffnung, ausgetreten and Austritt. It is coarser than
// the stem, so what it finds counts for less; "" where it would be too short.
func (l *lexicon) root(form string) string {
	r := l.reduce(form)
	if len(r) < minRoot {
		return ""
	}
	return r
}

func (l *lexicon) reduce(form string) string {
	if r, ok := l.irregular(form); ok {
		return r
	}
	for _, p := range l.prefixes {
		rest, ok := strings.CutPrefix(form, p)
		if !ok || len(rest) < 3 {
			continue
		}
		for _, infix := range []string{"ge", "zu"} {
			if inner, ok := strings.CutPrefix(rest, infix); ok && len(inner) >= 4 {
				if r, ok := l.irregular(rest); ok {
					return p + r
				}
				if infix == "zu" || participle(inner) {
					rest = inner
				}
				break
			}
		}
		if r, ok := l.irregular(rest); ok {
			return p + r
		}
		return p + l.ending(rest)
	}
	for _, p := range l.fixed {
		if rest, ok := strings.CutPrefix(form, p); ok {
			if r, ok := l.irregular(rest); ok {
				return p + r
			}
		}
	}
	if inner, ok := strings.CutPrefix(form, "ge"); ok && len(inner) >= 5 && participle(inner) && len(l.prefixes) > 0 {
		return l.ending(inner)
	}
	return l.ending(form)
}

// irregular looks a form up, with and without an ending.
func (l *lexicon) irregular(form string) (string, bool) {
	for _, end := range []string{"", "e", "en", "es", "s", "er", "n", "te", "ten", "t"} {
		if w, ok := strings.CutSuffix(form, end); ok && len(w) >= 3 {
			if r, ok := l.roots[w]; ok {
				return withoutT(r), true
			}
		}
	}
	return "", false
}

func participle(s string) bool { return strings.HasSuffix(s, "t") || strings.HasSuffix(s, "en") }

// ending cuts the endings of verbs and of nouns made from them.
func (l *lexicon) ending(form string) string {
	if len(l.prefixes) == 0 {
		return l.stem(form)
	}
	for _, end := range []string{
		"ungen", "enden", "ender", "endes", "ende", "ung", "est", "end", "en", "et", "st", "e", "n",
	} {
		if w, ok := strings.CutSuffix(form, end); ok && len(w) >= minRoot-1 {
			form = w
			break
		}
	}
	return withoutT(form)
}

// withoutT cuts the t of heizt and öffnet, and of Arbeit as well, which is as
// good as long as all forms lose it.
func withoutT(w string) string {
	if r, ok := strings.CutSuffix(w, "t"); ok && len(r) >= minRoot-1 {
		return r
	}
	return w
}
