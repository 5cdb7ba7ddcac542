package tree

import (
	"path"
	"strings"

	"outheis/tresor/internal/text"
)

// Reason is why a text is no safe relative path; there is a sentence for each.
type Reason string

// The reasons, in the order of their checks.
const (
	PathEmpty     Reason = "path.empty"
	PathBlanks    Reason = "path.blanks" // outer whitespace
	PathControl   Reason = "path.control"
	PathBackslash Reason = "path.backslash"
	PathAbsolute  Reason = "path.absolute"
	PathDotDot    Reason = "path.dotdot"
	PathOutside   Reason = "path.outside" // it resolves to somewhere outside of the base
)

// Rel checks s as a safe relative path below the folder base and returns the
// path relative to the root, or why it is none. The path need not exist.
func (t *Tree) Rel(base, s string) (string, Reason) {
	if r := CheckRel(s); r != "" {
		return "", r
	}
	p := path.Join(base, s)
	if !t.Within(p, base) {
		return "", PathOutside
	}
	return p, ""
}

// CheckRel checks the form of a safe relative path.
func CheckRel(s string) Reason {
	switch trimmed := text.Trim(s); {
	case trimmed == "":
		return PathEmpty
	case trimmed != s:
		return PathBlanks
	case text.HasControl(s):
		return PathControl
	case strings.Contains(s, `\`):
		return PathBackslash
	case s[0] == '/' || len(s) > 2 && s[1:3] == ":/" && text.IsASCIIAlnum(s[0]) && !text.IsDigit(s[0]):
		return PathAbsolute
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return PathDotDot
		}
	}
	return ""
}

// Within reports whether p, its links resolved, is base or lies below it.
func (t *Tree) Within(p, base string) bool {
	end, ok := t.Resolve(p)
	if !ok {
		return false
	}
	top, ok := t.Resolve(base)
	if !ok || !t.SafeDir(top) {
		return false
	}
	return top == "." || end == top || strings.HasPrefix(end, top+"/")
}

// IsFile reports whether p, its links resolved inside the tree, is a regular
// file.
func (t *Tree) IsFile(p string) bool {
	end, ok := t.Resolve(p)
	return ok && t.entries[end] != nil && t.entries[end].Kind == File
}

// IsAlias reports whether p itself is a link.
func (t *Tree) IsAlias(p string) bool {
	e := t.entries[p]
	return e != nil && e.Kind == Alias
}

// Resolve follows the links in p. Components that do not exist stay as they
// are. It fails for a loop and for a link out of the tree, also if that leads
// back by another one.
func (t *Tree) Resolve(p string) (string, bool) {
	const maxLinks = 40
	if !t.aliases {
		p = path.Clean(p)
		return p, p != ".." && !strings.HasPrefix(p, "../")
	}
	done, rest := ".", strings.Split(p, "/")
	for followed := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if done == "." {
				return "", false
			}
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		e := t.entries[next]
		if e == nil || e.Kind != Alias {
			done = next
			continue
		}
		if followed++; followed > maxLinks || e.target == "" {
			return "", false
		}
		target := e.target
		if path.IsAbs(target) {
			inside, ok := t.insideRoot(target)
			if !ok {
				return "", false
			}
			done, target = ".", inside
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, true
}

func (t *Tree) insideRoot(abs string) (string, bool) {
	root := strings.TrimSuffix(t.real, "/")
	if t.real == "" {
		return "", false
	}
	if abs == root {
		return ".", true
	}
	return strings.CutPrefix(abs, root+"/")
}
