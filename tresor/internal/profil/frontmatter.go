package profil

import (
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/text"
)

// A Value is the value of a front-matter field: a text, or a list of texts.
type Value struct {
	IsList bool
	Text   string
	List   []string
	Line   int // in the file
}

// IsEmpty reports whether the value is an empty text or list.
func (v Value) IsEmpty() bool { return v.Text == "" && len(v.List) == 0 }

// FrontMatter holds the fields of a page's head by name.
type FrontMatter map[string]Value

// TextOf returns the field if it is a text, otherwise "".
func (m FrontMatter) TextOf(name string) string { return m[name].Text }

// ListOf returns the field if it is a list, otherwise nil.
func (m FrontMatter) ListOf(name string) []string { return m[name].List }

// ParseFrontMatter splits a page into its fields and its body, and says how many
// lines of the file stand before the body. The subset of YAML is the format's
// own (1-format section 3.1): scalars, lists of one level, no nesting.
func ParseFrontMatter(path, page string, f *check.Findings) (m FrontMatter, body string, offset int) {
	lines := strings.Split(page, "\n")
	m = FrontMatter{}
	if strings.TrimRight(lines[0], "\r") != "---" {
		f.Error(check.File(path).On(1), "FM-1")
		return m, page, 0
	}
	var found check.Findings
	for i := 1; i < len(lines); i++ {
		line, where := lines[i], check.Line(path, i+1)
		switch trimmed := text.Trim(line); {
		case strings.TrimRight(line, "\r") == "---":
			f.Errors = append(f.Errors, found.Errors...)
			return m, strings.Join(lines[i+1:], "\n"), i + 1
		case trimmed == "" || trimmed[0] == '#':
		case strings.HasPrefix(line, listMark):
			found.Error(check.File(path).On(i+1), "FM-3", trimmed)
		case text.LeadsWithSpace(line):
			found.Error(where, "FM-2", trimmed)
		default:
			key, rest, ok := strings.Cut(line, ":")
			key, rest = text.Trim(key), text.Trim(rest)
			if !ok {
				found.Error(check.File(path).On(i+1), "FM-4", trimmed)
				continue
			}
			if _, twice := m[key]; twice {
				found.Error(where, "FM-5", key)
				continue
			}
			v := Value{IsList: true}
			if rest != "" {
				v = inlineValue(rest)
			}
			v.Line = i + 1
			for rest == "" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], listMark) {
				i++
				v.List = append(v.List, unquote(text.Trim(lines[i][len(listMark):])))
			}
			m[key] = v
		}
	}
	f.Error(check.File(path).On(1), "FM-6")
	return m, "", 0
}

// listMark begins an item of a list below its field.
const listMark = "  - "

// inlineValue reads what stands behind a field on the same line, trimmed and not
// empty: a list in brackets, or a text.
func inlineValue(s string) Value {
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return Value{Text: unquote(s)}
	}
	v := Value{IsList: true}
	if inner := text.Trim(s[1 : len(s)-1]); inner != "" {
		for item := range strings.SplitSeq(inner, ",") {
			v.List = append(v.List, unquote(text.Trim(item)))
		}
	}
	return v
}

// unquote removes all outer double, then all outer single quotes.
func unquote(s string) string { return strings.Trim(strings.Trim(s, `"`), `'`) }
