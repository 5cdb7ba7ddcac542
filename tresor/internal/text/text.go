// Package text holds the format's conventions for text: what whitespace is,
// how a file becomes text, which values are plain, what a date is, and which
// words look like an instruction to a language model (README sections 5.3, 5.9).
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether r is whitespace in the format: that of
// [unicode.IsSpace] and the separators U+001C to U+001F.
func IsSpace(r rune) bool {
	return r >= 0x1c && r <= 0x1f || unicode.IsSpace(r)
}

// Trim removes outer whitespace.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// IsBlank reports whether s holds nothing but whitespace.
func IsBlank(s string) bool { return Trim(s) == "" }

// LeadsWithSpace reports whether s begins with whitespace.
func LeadsWithSpace(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && IsSpace(r)
}

// CollapseSpace replaces runs of whitespace by one blank and trims.
func CollapseSpace(s string) string {
	if isCollapsed(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, IsSpace), " ")
}

func isCollapsed(s string) bool {
	blank := true
	for _, r := range s {
		if IsSpace(r) && (r != ' ' || blank) {
			return false
		}
		blank = r == ' '
	}
	return !blank || s == ""
}

// BOM is the byte-order mark that some editors put at the beginning of a file.
const BOM = "\ufeff"

// Decode turns the bytes of a text file into text: UTF-8 is checked strictly,
// CRLF and CR become LF, a byte-order mark stays. If b is no UTF-8, bad is the
// offset of the first wrong byte, otherwise -1.
func Decode(b []byte) (s string, bad int) {
	if bad = InvalidAt(b); bad >= 0 {
		return "", bad
	}
	s = string(b)
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return s, -1
}

// InvalidAt returns the offset of the first byte of b that is no part of valid
// UTF-8, or -1.
func InvalidAt(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// IsControl reports whether r is a code point below 32 or 127; the C1 controls
// are not meant.
func IsControl(r rune) bool { return r < 32 || r == 127 }

// HasControl reports whether s contains a control character, a line end
// included.
func HasControl(s string) bool { return strings.ContainsFunc(s, IsControl) }

// Len returns the length of s in code points.
func Len(s string) int { return utf8.RuneCountInString(s) }

// IsASCIIAlnum reports whether b is an ASCII letter or digit.
func IsASCIIAlnum(b byte) bool {
	return IsDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// IsDigit reports whether b is an ASCII digit; the format's IDs, dates and
// versions know no others (deviation D-11).
func IsDigit(b byte) bool { return b >= '0' && b <= '9' }

// AllDigits reports whether s is one or more ASCII digits.
func AllDigits(s string) bool {
	for i := range len(s) {
		if !IsDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// IsDate reports whether s is a calendar day JJJJ-MM-TT of the years 0001 to
// 9999.
func IsDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' ||
		!AllDigits(s[:4]) || !AllDigits(s[5:7]) || !AllDigits(s[8:]) {
		return false
	}
	year, month, day := atoi(s[:4]), atoi(s[5:7]), atoi(s[8:])
	return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

func atoi(s string) (n int) {
	for i := range len(s) {
		n = 10*n + int(s[i]-'0')
	}
	return n
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
