package bestand

import (
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// checkTree looks at every entry of the tree: no links, no second names, no
// content that could be executed.
func (l *loader) checkTree() {
	if err := l.tree.WalkError(); err != nil {
		l.Error(check.Where{Path: err.Path}, "TR-4", err.Path, err.Err)
		return
	}
	entries := l.tree.Entries()
	for _, e := range entries {
		if e.Kind == tree.Alias {
			l.Error(check.File(e.Path), "TR-1")
		}
	}
	for _, e := range entries {
		if e.Kind == tree.File && e.Links != 1 {
			l.Error(check.File(e.Path), "TR-2")
		}
	}
	for _, e := range entries {
		if e.Kind == tree.File && manifest.Tracked(e.Path) {
			if rule, arg := forbidden(e); rule != "" {
				l.Error(check.File(e.Path), rule, arg)
			}
		}
	}
	for _, e := range entries {
		if e.Kind == tree.Other {
			l.Error(check.File(e.Path), "TR-5")
		}
	}
	for _, e := range entries {
		switch {
		case e.Kind != tree.File || !manifest.Tracked(e.Path):
		case text.InvalidAt([]byte(e.Path)) >= 0:
			l.Error(check.File(e.Path), "TR-6")
		case !manifest.Portable(e.Path):
			l.Error(check.Where{Label: text.Repr(e.Path), Path: e.Path}, "TR-7")
		}
	}
	l.checkTwins()
}

// checkTwins looks for names that are one on other systems: those that differ
// only in case, or in how an umlaut is composed. The format allows them, so
// they are no error.
func (l *loader) checkTwins() {
	seen := make(map[string]string)
	for _, e := range l.tree.Entries() {
		if e.Kind != tree.Dir && !manifest.Tracked(e.Path) {
			continue
		}
		name := foldName(e.Path)
		if first, taken := seen[name]; taken {
			l.Hint(check.File(first), "TR-8", e.Path)
			continue
		}
		seen[name] = e.Path
	}
}

func foldName(path string) string {
	for i := range len(path) {
		if path[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(path)))
		}
	}
	return strings.ToLower(path)
}

// forbidden returns the rule that a file's kind breaks.
func forbidden(e *tree.Entry) (rule, arg string) {
	if e.Path != profil.EngineFile {
		if rule, arg := ForbiddenName(path.Base(e.Path)); rule != "" {
			return rule, arg
		}
	}
	if e.Exec {
		return "TR-3c", ""
	}
	return "", ""
}

// ForbiddenName returns the rule that a file with this name breaks anywhere in a
// Tresor, and the argument of its sentence; "" for a name that is allowed.
func ForbiddenName(name string) (rule, arg string) {
	suffix := strings.ToLower(profil.Suffix(name))
	switch suffix {
	case "":
		if name != "LICENSE" && name != "VERSION" {
			return "TR-3b", ""
		}
	case ".md", ".json", ".yaml", ".sha256", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".pdf":
	default:
		return "TR-3a", suffix
	}
	return "", ""
}

// Quarantine returns the paths of what lies unchecked in the quarantine; the
// folder itself if it is missing or unsafe.
func Quarantine(t *tree.Tree) []string {
	if !t.SafeDir(profil.Quarantine) {
		return []string{profil.Quarantine}
	}
	var payload []string
	for _, name := range t.Names(profil.Quarantine) {
		p := profil.Quarantine + "/" + name
		if name != "README.md" || !t.SafeFile(p) {
			payload = append(payload, p)
		}
	}
	return payload
}

func (l *loader) checkQuarantine() {
	for _, p := range Quarantine(l.tree) {
		l.Error(check.File(p), "QU-1")
	}
}

// checkRegister compares the register's rows with the raw files and returns the
// files that belong to a row.
func (l *loader) checkRegister() (accepted map[string]string) {
	accepted = make(map[string]string)
	for i, id := range register.IDs(l.Sources) {
		l.tree.Progress(StageSources, i, len(l.Sources))
		s := l.Sources[id]
		where := check.Where{Label: "REGISTER " + id, Path: profil.RegisterFile, Line: s.Line}
		if !register.IsTrust(s.Trust) {
			l.Error(where, "RM-1", s.Trust)
		}
		if !register.RightsDecided(s.Rights) {
			l.Error(where, "RM-2")
		}
		if !profil.IsSHA256(s.SHA256) {
			l.Error(where, "RM-3")
		}
		p, reason := l.tree.Rel(".", s.Ablage)
		switch {
		case reason != "":
			l.Error(where, "RM-4", s.Ablage, check.PathReason(reason))
			continue
		case path.Dir(p) != profil.Raw || !strings.HasPrefix(path.Base(p), id+"__"):
			l.Error(where, "RM-5", id)
			continue
		case l.tree.IsAlias(p):
			l.Error(where, "RM-6")
			continue
		case accepted[p] != "":
			l.Error(where, "RM-7", accepted[p])
			continue
		}
		accepted[p] = id
		if !l.tree.IsFile(p) {
			l.Error(where, "RM-8", s.Ablage)
			continue
		}
		l.checkRaw(where, s, p)
	}
	return accepted
}

// checkRaw compares a raw file with its hash and its suffix with its content.
func (l *loader) checkRaw(where check.Where, s register.Source, p string) {
	if !l.tree.SafeFile(p) {
		return // a second hard link, reported by the tree
	}
	if profil.IsSHA256(s.SHA256) {
		if digest, err := l.tree.Digest(p); err != nil {
			l.Error(where, "RM-12", s.Ablage, err)
		} else if digest != s.SHA256 {
			l.Error(where, "RM-9", digest)
		}
	}
	head, err := l.tree.Head(p, medien.HeadSize)
	if err != nil {
		return // reported with the hash
	}
	expected, detected := medien.TypeOf(p), medien.Detect(head)
	switch {
	case detected != "" && detected != expected:
		rule := "RM-10"
		if !medien.Allowed(detected) {
			rule = "RM-10a"
		}
		l.Error(where, rule, path.Base(p), detected)
	case detected == "" && expected != "":
		l.Error(where, "RM-11", path.Base(p), expected)
	}
}

// checkFolders looks for files that do not belong into sources/raw and
// knowledge.
func (l *loader) checkFolders(accepted map[string]string) {
	if !l.tree.SafeDir(profil.Raw) {
		l.Error(check.File(profil.Raw), "RW-1")
	}
	for _, e := range l.tree.Below(profil.Raw) {
		if (e.Safe() || e.Kind == tree.Alias) && accepted[e.Path] == "" {
			l.Error(check.File(e.Path), "RW-2")
		}
	}
	for _, e := range l.tree.Below(profil.Raw) {
		if e.Kind == tree.Dir {
			l.Error(check.File(e.Path), "RW-3")
		}
	}
	if !l.tree.SafeDir(profil.Knowledge) {
		l.Error(check.File(profil.Knowledge), "KN-1")
	}
	for _, e := range l.tree.Below(profil.Knowledge) {
		if (e.Safe() || e.Kind == tree.Alias) && profil.Suffix(path.Base(e.Path)) != ".md" {
			l.Error(check.File(e.Path), "KN-2")
		}
	}
}
