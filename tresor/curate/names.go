package curate

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// maxName is the longest name of a file or folder in bytes, with room for the ID
// in front of a source.
const maxName = 200

// Slug turns a name into one for folders, pages and skills: lower-case letters
// a–z, digits and single hyphens, umlauts spelled out. It is "" if nothing is left.
func Slug(s string) string {
	s = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(norm.NFC.String(strings.ToLower(s)))
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		switch {
		case r < utf8.RuneSelf && text.IsASCIIAlnum(byte(r)):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // an accent
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// isName reports whether s may name a domain or, without its suffix, a page: it
// works on every file system, in links and as a relation's target.
func isName(s string) bool {
	if s == "" || len(s) > maxName || !text.IsASCIIAlnum(s[0]) {
		return false
	}
	for i := range len(s) {
		if b := s[i]; (!text.IsASCIIAlnum(b) || b >= 'A' && b <= 'Z') && b != '-' && b != '_' {
			return false
		}
	}
	return true
}

// isReserved reports whether a name is taken by the format or by an export.
func isReserved(name string) bool {
	return oneOf(name, "index", "log", "sources")
}

// SplitPage returns the page that a curator means: domain/name, with or without
// ".md" and "knowledge/".
func SplitPage(s string) (domain, name string, ok bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(path.Clean(strings.ReplaceAll(s, `\`, "/")), profil.Knowledge+"/"), ".md")
	domain, name, ok = strings.Cut(s, "/")
	return domain, name, ok && domain != "" && name != "" && !strings.Contains(name, "/")
}

// pagePath is where the page lies.
func pagePath(domain, name string) string {
	return profil.Knowledge + "/" + domain + "/" + name + ".md"
}

// fileNameFor turns the name of a file into one that the register can hold: a
// portable name without what breaks a table row. It is the same if the name is
// fine.
func fileNameFor(name string) string {
	name = normal(strings.ToValidUTF8(name, "_"))
	name = strings.Map(func(r rune) rune {
		if text.IsControl(r) || strings.ContainsRune(`|\/`, r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, text.Trim(name))
	suffix := profil.Suffix(name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(strings.TrimSuffix(name, suffix))
		if n == 0 {
			return name[:maxName]
		}
		stem := strings.TrimSuffix(name, suffix)
		name = stem[:len(stem)-n] + suffix
	}
	return name
}

// watch notes a hidden character that is in after and was not in before.
func (p *plan) watch(before, after string) {
	for _, r := range after {
		if isHidden(r) && !strings.ContainsRune(before, r) {
			p.hidden = r
		}
	}
}

// hasHidden reports whether s has a character that a reader does not see or that
// turns a line around.
func hasHidden(s string) bool { return strings.ContainsFunc(s, isHidden) }

// isHidden is true for controls, those of writing direction, invisible blanks and
// line ends that look like none. What joins or divides a word may stand.
func isHidden(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0x200b, 0x2028, 0x2029, 0x2060, 0xfeff:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control)
}

// normal composes the letters of a name: one file system splits them, and two
// names that look alike would be two files.
func normal(name string) string { return norm.NFC.String(name) }
