// Package okf turns a Bestand into an OKF 0.2 bundle: Markdown pages with YAML
// front matter that other programs read without knowing a Tresor (7-export). It
// builds the files in memory, always the same ones for the same Bestand, and
// writes none; a bundle carries no engine, no manifest and no rules, and there
// is no way back from it.
package okf

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
)

// The names of a bundle's own files.
const (
	IndexFile = "index.md"
	LogFile   = "log.md"
	sources   = "sources" // the folder of raw files
)

// Options say what goes into a bundle.
type Options struct {
	Version string // of the release; "" if it is not known
	Log     string // the journal; "" without one
	Sources bool   // raw files belong to the bundle
}

// A Bundle is everything to write.
type Bundle struct {
	Files []File // by path: pages, indexes and the log
	Raw   []Raw  // by ID of their source
}

// A File is a text file of the bundle.
type File struct {
	Path    string
	Content string
}

// Raw is a raw file to copy byte by byte; its path is the same in the Tresor and
// in the bundle.
type Raw struct {
	Source string // S-nnnn
	Path   string
}

// Build builds the bundle of a Bestand without errors.
func Build(b *bestand.Bestand, o Options) *Bundle {
	bundle := &Bundle{}
	domains := make(map[string][]*bestand.Page)
	for _, p := range b.Pages {
		domain := domainOf(p)
		domains[domain] = append(domains[domain], p)
		bundle.add(path.Join(domain, p.Name), page(b, p, o.Sources))
	}
	names := slices.Sorted(maps.Keys(domains))
	bundle.add(IndexFile, rootIndex(names, o))
	for _, name := range names {
		bundle.add(path.Join(name, IndexFile), domainIndex(name, domains[name]))
	}
	if log := exportedLog(o.Log); log != "" {
		bundle.add(LogFile, log)
	}
	slices.SortFunc(bundle.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	if o.Sources {
		for _, id := range register.IDs(b.Sources) {
			bundle.Raw = append(bundle.Raw, Raw{id, path.Clean(b.Sources[id].Ablage)})
		}
	}
	return bundle
}

func (b *Bundle) add(path, content string) { b.Files = append(b.Files, File{path, content}) }

// Collision returns a domain whose folder would be one of the bundle's own
// names, on any file system, or "" (deviation D-84).
func Collision(b *bestand.Bestand, withSources bool) string {
	for _, p := range b.Pages {
		domain := domainOf(p)
		switch strings.ToLower(domain) {
		case IndexFile, LogFile:
			return domain
		case sources:
			if withSources {
				return domain
			}
		}
	}
	return ""
}

func domainOf(p *bestand.Page) string {
	return cmp.Or(p.Front.TextOf("domain"), "unbekannt")
}

// rootIndex says what the bundle is and lists the domains.
func rootIndex(domains []string, o Options) string {
	var b strings.Builder
	b.WriteString("---\nokf_version: \"0.2\"\n---\n\n# Bundle\n\n" +
		"Export aus dem Wissenstresor (Profil " + profil.Name + ", Bestand v" + cmp.Or(o.Version, "?") + "). " +
		"Dies ist eine Momentaufnahme in OKF 0.2, kein Tresor: sie trägt keine Engine, kein Manifest und keine Regeln. ")
	if o.Sources {
		b.WriteString("Registrierte Rohquellen liegen unter sources/raw/.")
	} else {
		b.WriteString("Registrierte Rohquellen sind nicht enthalten; sources[].resource ist deshalb ein Deskriptor und kein folgbarer Pfad.")
	}
	b.WriteString("\n\n# Subdirectories\n\n")
	for _, d := range domains {
		b.WriteString("* [" + label(d) + "](" + d + "/) - Wissensdomäne des Tresors.\n")
	}
	return b.String()
}

func domainIndex(domain string, pages []*bestand.Page) string {
	var b strings.Builder
	b.WriteString("# " + domain + "\n\n")
	for _, p := range pages {
		b.WriteString("* [" + label(cmp.Or(p.Front.TextOf("title"), stem(p.Name))) + "](" + p.Name + ") - " +
			cmp.Or(description(p), "Wissensseite.") + "\n")
	}
	return b.String()
}

// label escapes the text of a link.
func label(s string) string { return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s) }

func stem(name string) string { return strings.TrimSuffix(name, profil.Suffix(name)) }

// exportedLog groups the entries of the journal by day, the newest first; "" if
// there is none.
func exportedLog(log string) string {
	days := make(map[string][]string)
	for line := range strings.SplitSeq(log, "\n") {
		if date, action, text, ok := parseEntry(line); ok {
			days[date] = append(days[date], "* **"+strings.ToUpper(action[:1])+action[1:]+"**: "+text+"\n")
		}
	}
	if len(days) == 0 {
		return ""
	}
	groups := []string{"# Directory Update Log\n"}
	for _, date := range slices.Backward(slices.Sorted(maps.Keys(days))) {
		groups = append(groups, "## "+date+"\n"+strings.Join(days[date], ""))
	}
	return strings.Join(groups, "\n")
}

// parseEntry reads a line "## [JJJJ-MM-TT] aktion | text".
func parseEntry(line string) (date, action, text string, ok bool) {
	rest, ok := strings.CutPrefix(line, "## [")
	if !ok || len(rest) < len("2026-05-06] ") || rest[10:12] != "] " || !dateForm(rest[:10]) {
		return "", "", "", false
	}
	action, text, ok = strings.Cut(rest[12:], " | ")
	low := action != "" && strings.Trim(action, "abcdefghijklmnopqrstuvwxyz") == ""
	return rest[:10], action, text, ok && low && text != ""
}

func dateForm(s string) bool {
	for i, c := range []byte(s) {
		if i == 4 || i == 7 {
			if c != '-' {
				return false
			}
		} else if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
