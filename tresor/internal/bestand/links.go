package bestand

import (
	"iter"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/text"
)

// checkLinks checks the Markdown links of a page: they lead to files below its
// own folder. Links to the web are not followed.
func (l *loader) checkLinks(p *Page) {
	if hasHTMLLink(p.Body) {
		l.Error(check.File(p.Path), "LK-1")
	}
	for raw, line := range linkTargets(p.Body) {
		where := check.File(p.Path).On(p.Offset + line)
		target, reason := linkTarget(raw)
		if reason != "" {
			l.Error(where, "LK-2", check.Reason(reason))
			continue
		}
		if hasPrefix(target, "http://", "https://", "mailto:", "#") {
			continue
		}
		file, _, _ := strings.Cut(target, "#")
		full, why := l.tree.Rel(path.Dir(p.Path), file)
		switch {
		case why != "":
			l.Error(where, "LK-3", target, check.PathReason(why))
		case l.tree.IsAlias(full):
			l.Error(where, "LK-4", target)
		case !l.tree.IsFile(full):
			l.Error(where, "LK-5", target)
		}
	}
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// linkTargets yields the targets of inline links, then of reference
// definitions, with their lines.
func linkTargets(body string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		line := 1
		for from := 0; ; {
			i := strings.Index(body[from:], "](")
			if i < 0 {
				break
			}
			start := from + i + len("](")
			length := strings.IndexByte(body[start:], ')')
			if length < 0 {
				break
			}
			line += strings.Count(body[from:start], "\n")
			if !yield(body[start:start+length], line) {
				return
			}
			line += strings.Count(body[start:start+length], "\n")
			from = start + length + 1
		}
		line = 0
		for s := range strings.SplitSeq(body, "\n") {
			line++
			if target := definition(s); target != "" && !yield(target, line) {
				return
			}
		}
	}
}

// definition returns the target of a line "[name]: target", or "".
func definition(line string) string {
	rest := strings.TrimLeft(line, " \t")
	if len(line)-len(rest) > 3 || !strings.HasPrefix(rest, "[") {
		return ""
	}
	name, target, ok := strings.Cut(rest[1:], "]")
	if !ok || name == "" || !strings.HasPrefix(target, ":") {
		return ""
	}
	return strings.TrimLeftFunc(target[1:], text.IsSpace)
}

// linkTarget reads what stands in the brackets of a link: a target and
// optionally a title. Reason is the key of what is wrong.
func linkTarget(s string) (target, reason string) {
	s = text.Trim(s)
	if s == "" {
		return "", "link.empty"
	}
	var rest string
	if s[0] == '<' {
		end := strings.IndexByte(s, '>')
		if end < 0 {
			return "", "link.open"
		}
		target, rest = s[1:end], text.Trim(s[end+1:])
	} else if end := strings.IndexFunc(s, text.IsSpace); end < 0 {
		target = s
	} else {
		target, rest = s[:end], text.Trim(s[end:])
	}
	if rest != "" && !isTitle(rest) {
		return "", "link.syntax"
	}
	return target, ""
}

func isTitle(s string) bool {
	first, last := s[0], s[len(s)-1]
	return len(s) >= 2 && (first == last && (first == '"' || first == '\'') || first == '(' && last == ')')
}

// hasHTMLLink reports whether s contains <a or <img as a word.
func hasHTMLLink(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		for _, tag := range []string{"a", "img"} {
			if rest, ok := cutFold(s, tag); ok && !startsWithWordRune(rest) {
				return true
			}
		}
	}
}

// cutFold cuts lower-case ASCII letters off the front, without case. The two
// letters that fold to i count.
func cutFold(s, word string) (rest string, ok bool) {
	for _, want := range word {
		r, n := utf8.DecodeRuneInString(s)
		if r == 'ı' || r == 'İ' {
			r = 'i'
		}
		if n == 0 || unicode.ToLower(r) != want {
			return "", false
		}
		s = s[n:]
	}
	return s, true
}

func startsWithWordRune(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && (r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r))
}
