package text

import "unicode/utf8"

// Signature reports whether s contains words that try to instruct a language
// model. It is a tripwire for claims, labels and descriptions, not a defence:
// the list is short, English and frozen (deviation D-22). Letters are compared
// without case, across Unicode.
func Signature(s string) bool {
	for i, r := range s {
		switch foldASCII(r) {
		case 'i':
			if ignoreInstructions(s[i:]) {
				return true
			}
		case 's':
			if twoWords(s[i:], "system", "prompt") {
				return true
			}
		case 'd':
			if twoWords(s[i:], "developer", "message") {
				return true
			}
		case '<':
			if systemTag(s[i+1:]) {
				return true
			}
		}
	}
	return false
}

// ignoreInstructions matches: ignore [all|any] [previous|prior] instructions.
func ignoreInstructions(s string) bool {
	s, ok := word(s, "ignore")
	if !ok {
		return false
	}
	for _, optional := range [][2]string{{"all", "any"}, {"previous", "prior"}} {
		t, gap := spaces(s)
		if gap == 0 {
			return false
		}
		rest, ok := word(t, optional[0])
		if !ok {
			rest, ok = word(t, optional[1])
		}
		if ok {
			s = rest
		}
	}
	s, gap := spaces(s)
	_, ok = word(s, "instructions")
	return ok && gap > 0
}

func twoWords(s, first, second string) bool {
	s, ok := word(s, first)
	if !ok {
		return false
	}
	s, gap := spaces(s)
	_, ok = word(s, second)
	return ok && gap > 0
}

func systemTag(s string) bool {
	s, _ = spaces(s)
	s, ok := word(s, "system")
	if !ok {
		return false
	}
	s, _ = spaces(s)
	return s != "" && s[0] == '>'
}

// word removes the letters of w, which are lower-case ASCII, from the front of s.
func word(s, w string) (rest string, ok bool) {
	for i := range len(w) {
		r, n := utf8.DecodeRuneInString(s)
		if n == 0 || foldASCII(r) != rune(w[i]) {
			return "", false
		}
		s = s[n:]
	}
	return s, true
}

// spaces removes leading whitespace and says how many characters that were.
func spaces(s string) (rest string, n int) {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if !IsSpace(r) {
			break
		}
		s, n = s[size:], n+1
	}
	return s, n
}

// foldASCII returns the lower-case ASCII letter that r equals without case. Four
// letters beyond ASCII do.
func foldASCII(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r == 'ı', r == 'İ':
		return 'i'
	case r == 'ſ':
		return 's'
	case r == '\u212a':
		return 'k'
	}
	return r
}
