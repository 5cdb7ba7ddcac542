package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word or a number of a text.
type token struct {
	form    string // folded; numbers in one notation
	raw     string // as it stands in the text
	upper   bool   // begins with a capital letter
	number  bool   // of digits, perhaps with letters around them
	first   bool   // begins a sentence, where a capital says nothing
	joiner  byte   // the byte between this token and the one before, 0 if more or none
	ordinal bool   // a number with a dot behind it, as in "2. Mai"
}

// tokens splits text into its words and numbers. Hyphens separate. Numbers keep
// their inner dots, commas and colons, names such as not_found their inner _,
// since their parts are no words of a language. A date becomes one token for day
// and month and one for the year, however it is written.
func tokens(text string) []token {
	out := make([]token, 0, len(text)/7+1)
	first, end := true, -1
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isWord(r) {
			if r == '.' || r == '!' || r == '?' || r == ':' {
				first = true
			}
			i += n
			continue
		}
		start := i
		i = wordEnd(text, i)
		t := token{raw: text[start:i], upper: unicode.IsUpper(r), first: first}
		if end >= 0 && start == end+1 {
			t.joiner = text[end]
		}
		first, end = false, i
		if t.joiner != 0 && isGenderEnding(t) {
			continue
		}
		t.number = strings.IndexFunc(t.raw, unicode.IsDigit) >= 0
		if t.number {
			t.form = number(strings.ToLower(t.raw))
			t.ordinal = i < len(text) && text[i] == '.'
			if t.ordinal {
				first = false
			}
		} else {
			t.form = fold(t.raw)
		}
		if t.form != "" { // a mark without its letter leaves nothing
			out = append(out, t)
		}
	}
	return dates(out)
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// wordEnd returns where the token that begins at i ends.
func wordEnd(text string, i int) int {
	var before rune
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isWord(r) {
			if r == '_' && i+1 < len(text) && isInner(text[i+1:]) {
				i += n
				continue
			}
			// Between digits a dot, comma or colon belongs to the number.
			if r != '.' && r != ',' && r != ':' || !unicode.IsDigit(before) || i+1 >= len(text) || text[i+1] < '0' || text[i+1] > '9' {
				return i
			}
		}
		before = r
		i += n
	}
	return i
}

// isInner reports that a name goes on with rest behind its _; Nutzer_innen is
// no such name.
func isInner(rest string) bool {
	end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) && r != '_' })
	if end < 0 {
		end = len(rest)
	}
	word := strings.Trim(rest[:end], "_")
	return word != "" && word != "in" && word != "innen"
}

// isGenderEnding reports whether t is the second half of Nutzer:in or
// Nutzer*innen, which adds nothing to the word before.
func isGenderEnding(t token) bool {
	switch t.joiner {
	case ':', '*', '_', '/':
		return t.raw == "in" || t.raw == "innen"
	}
	return false
}

// number brings a number into one notation: 1.250 and 1,250 become 1250, 1,5
// becomes 1.5, 18:00 becomes 18, 05 becomes 5.
func number(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' && r != ':' }) >= 0 {
		return s
	}
	if hour, minute, ok := strings.Cut(s, ":"); ok {
		if minute == "00" {
			return trimZeros(hour)
		}
		return s
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == ',' })
	if len(parts) == 1 {
		return trimZeros(parts[0])
	}
	thousands := len(parts[0]) <= 3 && parts[0] != "0"
	for _, p := range parts[1:] {
		thousands = thousands && len(p) == 3
	}
	if thousands {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, ".")
}

func trimZeros(s string) string {
	if t := strings.TrimLeft(s, "0"); t != "" {
		return t
	}
	return "0"
}

// dates joins what belongs to a date: 2026-05-02, 2.5.2026, 2. Mai 2026 and
// May 2, 2026 all become the token 05-02 and the year's.
func dates(in []token) []token {
	out := in[:0:0]
	changed := false
	for i := 0; i < len(in); i++ {
		t := in[i]
		if !t.number {
			out = append(out, t)
			if i+1 == len(in) || !isDay(in[i+1].form) || i > 0 && in[i-1].ordinal {
				continue
			}
			if m := month(t.form); m != "" {
				day := in[i+1]
				day.form = dayOf(m, day.form)
				out, changed = append(out, day), true
				i++
			}
			continue
		}
		if y, m, d, ok := dotted(t.form); ok {
			day, year := t, t
			day.form, year.form = dayOf(m, d), y
			out, changed = append(out, day, year), true
			continue
		}
		if i+2 < len(in) && len(t.form) == 4 && in[i+1].joiner == '-' && in[i+2].joiner == '-' &&
			isMonth(in[i+1].form) && isDay(in[i+2].form) {
			day := in[i+2]
			day.form = dayOf(in[i+1].form, in[i+2].form)
			out, changed = append(out, t, day), true
			i += 2
			continue
		}
		if t.ordinal && isDay(t.form) && i+1 < len(in) {
			if m := month(in[i+1].form); m != "" {
				t.form = dayOf(m, t.form)
				changed = true
			}
		}
		out = append(out, t)
	}
	if !changed {
		return in
	}
	return out
}

// dotted splits 2.5.2026.
func dotted(s string) (year, month, day string, ok bool) {
	p := strings.Split(s, ".")
	if len(p) != 3 || len(p[2]) != 4 || !isDay(trimZeros(p[0])) || !isMonth(trimZeros(p[1])) {
		return "", "", "", false
	}
	return p[2], trimZeros(p[1]), trimZeros(p[0]), true
}

func isMonth(s string) bool { return within(s, 12) }
func isDay(s string) bool   { return within(s, 31) }

func within(s string, max int) bool {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' || n > 99 {
			return false
		}
		n = n*10 + int(r-'0')
	}
	return n >= 1 && n <= max
}

func month(form string) string {
	for _, l := range lexicons().all() {
		if m, ok := l.months[form]; ok {
			return m
		}
	}
	return ""
}

func dayOf(month, day string) string {
	if len(month) == 1 {
		month = "0" + month
	}
	if len(day) == 1 {
		day = "0" + day
	}
	return month + "-" + day
}
