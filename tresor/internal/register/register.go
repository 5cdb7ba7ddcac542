// Package register reads the two lists of sources: sources/REGISTER.md with the
// files in the Tresor, and sources/EXTERN.md with what lies outside of it and
// may be reached at all (1-format sections 5 and 6).
package register

import (
	"maps"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// A Source is a row of the source register.
type Source struct {
	ID     string // S-nnnn
	Title  string
	Stand  string
	SHA256 string
	Trust  string // T1, T2 or T3
	Rights string
	Ablage string // path of the raw file, as written
	Line   int
}

// FileName returns the last component of the Ablage.
func (s Source) FileName() string { return s.Ablage[strings.LastIndexByte(s.Ablage, '/')+1:] }

// An External is a row of the register of external sources.
type External struct {
	ID     string // X-nnnn
	Title  string
	Art    string // MarkdownTree or ForeignTresor
	Ziel   string // Local, or an https prefix
	Stand  string
	Key    string // of the machine's binding
	Trust  string
	Rights string
	Scope  string // of a foreign Tresor; "" otherwise
	Line   int
}

// The kinds of external sources, and the Ziel of a local one.
const (
	MarkdownTree  = "markdown-tree"
	ForeignTresor = "skillsafe-vault"
	Local         = "-"
)

// IsNetwork reports whether the source is read over https.
func (e External) IsNetwork() bool { return e.Ziel != Local }

// Load reads the source register, which must exist.
func Load(t *tree.Tree, f *check.Findings) map[string]Source {
	if !t.SafeFile(profil.RegisterFile) {
		f.Error(check.File(profil.RegisterFile), "RG-1")
		return nil
	}
	s, ok := f.Text(t, profil.RegisterFile)
	if !ok {
		return nil
	}
	return Parse(s, f)
}

// Parse reads the rows of a source register by ID. Of a repeated ID the first
// row stays.
func Parse(s string, f *check.Findings) map[string]Source {
	sources := make(map[string]Source)
	for row := range rows(profil.RegisterFile, "S", s, f) {
		if len(row.cells) != 7 {
			f.Error(row.where, "RG-2", len(row.cells))
			continue
		}
		r := Source{row.cells[0], row.cells[1], row.cells[2], row.cells[3], row.cells[4], row.cells[5], row.cells[6], row.where.Line}
		if !profil.IsID("S", r.ID) {
			f.Error(row.where, "RG-3", r.ID)
			continue
		}
		if _, twice := sources[r.ID]; twice {
			f.Error(row.where, "RG-4", r.ID)
			continue
		}
		for _, field := range [][2]string{{"Titel", r.Title}, {"Stand/Version", r.Stand}, {"Trust", r.Trust}, {"Rechte", r.Rights}, {"Ablage", r.Ablage}} {
			if field[1] == "" {
				f.Error(row.where, "RG-5", field[0])
			}
		}
		sources[r.ID] = r
	}
	return sources
}

// LoadExternal reads the register of external sources; without a file there are
// none.
func LoadExternal(t *tree.Tree, f *check.Findings) map[string]External {
	if !t.SafeFile(profil.ExternFile) {
		return nil
	}
	s, ok := f.Text(t, profil.ExternFile)
	if !ok {
		return nil
	}
	return ParseExternal(s, f)
}

// ParseExternal reads the rows of a register of external sources by ID. A row
// with a faulty field is kept.
func ParseExternal(s string, f *check.Findings) map[string]External {
	externals := make(map[string]External)
	keys := make(map[string]int)
	for row := range rows(profil.ExternFile, "X", s, f) {
		if len(row.cells) != 8 {
			f.Error(row.where, "XR-1", len(row.cells))
			continue
		}
		c := row.cells
		e := External{ID: c[0], Title: c[1], Art: c[2], Ziel: c[3], Stand: c[4], Key: c[5], Trust: c[6], Rights: c[7], Line: row.where.Line}
		if !profil.IsID("X", e.ID) {
			f.Error(row.where, "XR-2", e.ID)
			continue
		}
		if _, twice := externals[e.ID]; twice {
			f.Error(row.where, "XR-3", e.ID)
			continue
		}
		checkExternal(row.where, &e, keys, f)
		externals[e.ID] = e
	}
	return externals
}

func checkExternal(where check.Where, e *External, keys map[string]int, f *check.Findings) {
	for _, field := range [][2]string{{"Titel", e.Title}, {"Art", e.Art}, {"Ziel", e.Ziel}, {"Stand/Version", e.Stand},
		{"Bindungsschlüssel", e.Key}, {"Trust", e.Trust}, {"Rechte", e.Rights}} {
		if field[1] == "" {
			f.Error(where, "XR-4", field[0])
		}
	}
	if e.Art != MarkdownTree && e.Art != ForeignTresor {
		f.Error(where, "XR-5", e.Art)
	}
	if !IsTrust(e.Trust) {
		f.Error(where, "XR-6", e.Trust)
	}
	if !profil.IsBindingKey(e.Key) {
		f.Error(where, "XR-7", e.Key)
	} else if line, used := keys[e.Key]; used {
		f.Error(where, "XR-8", e.Key, line)
	} else {
		keys[e.Key] = where.Line
	}
	if e.IsNetwork() {
		if reason := checkPrefix(e.Ziel); reason != "" {
			f.Error(where, "XR-9", check.Reason(reason))
		}
	}
	if e.Art == ForeignTresor {
		if e.Scope = scope(e.Stand); e.Scope == "" {
			f.Error(where, "XR-10")
		}
	}
}

// IsTrust reports whether s is a level of trust.
func IsTrust(s string) bool { return s == "T1" || s == "T2" || s == "T3" }

// RightsDecided reports whether the cell says what may be done with a source.
func RightsDecided(s string) bool {
	switch strings.ToUpper(text.Trim(s)) {
	case "", "-", "?", "N/A", "NA", "RECHTE", "TODO", "TBD", "OFFEN", "UNKLAR", "UNGEKLÄRT", "UNKNOWN":
		return false
	}
	return true
}

// scope returns the one scope word that the cell contains, or "".
func scope(stand string) (found string) {
	for _, word := range profil.Scopes() {
		if strings.Contains(strings.ToLower(stand), word) {
			if found != "" {
				return ""
			}
			found = word
		}
	}
	return found
}

// checkPrefix returns the key of the reason why s is no https prefix.
func checkPrefix(s string) string {
	rest, https := strings.CutPrefix(s, "https://")
	switch {
	case text.Trim(s) != s:
		return "url.blanks"
	case text.HasControl(s):
		return "url.control"
	case !https:
		return "url.scheme"
	case rest == "" || rest[0] == '/':
		return "url.nohost"
	case strings.ContainsAny(s, "?#"):
		return "url.query"
	}
	authority, _, _ := strings.Cut(rest, "/")
	switch {
	case strings.Contains(authority, "@"):
		return "url.user"
	case strings.Contains(s, ".."):
		return "url.dotdot"
	}
	host, _, _ := strings.Cut(authority, ":")
	if host == "" || !text.IsASCIIAlnum(host[0]) || !text.IsASCIIAlnum(host[len(host)-1]) {
		return "url.host"
	}
	for i := range len(host) {
		if !text.IsASCIIAlnum(host[i]) && host[i] != '.' && host[i] != '-' {
			return "url.host"
		}
	}
	return ""
}

// IDs returns the IDs of a register in order.
func IDs[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
