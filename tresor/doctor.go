package tresor

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/graph"
	"outheis/tresor/internal/index"
	"outheis/tresor/internal/lock"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
)

// A Diagnosis is everything that can be said about a Tresor without changing it.
// Its findings begin with those of validation.
type Diagnosis struct {
	Errors   []Finding
	Warnings []Finding
	Hints    []Finding
	Pages    int
	Claims   int // distinct IDs
	Sources  int // rows of the source register
	External []ExternalState
	Manifest Verification
}

// OK reports whether there is no error.
func (d Diagnosis) OK() bool { return len(d.Errors) == 0 }

// An ExternalState is how a listed external source can be read on this machine.
type ExternalState struct {
	ID   string // X-nnnn
	Art  string // markdown-tree or skillsafe-vault
	Mode string // netz, lokal or unbound
}

// A Verification is how a Tresor compares with its manifest.
type Verification struct {
	Quarantine  []Finding // with any, nothing was compared
	Differences []Finding // new files are warnings
	Files       int       // that the manifest pins; 0 with differences
}

// OK reports whether the Tresor is what its manifest pins.
func (v Verification) OK() bool { return v.Quarantine == nil && v.Differences == nil }

// The thresholds of hints about a page.
const (
	manyClaims = 20
	manyLines  = 400
)

// Diagnose examines the Tresor in dir, also a broken one: what validation finds,
// whether the derived files and the manifest still fit, what an interrupted
// writer left behind, which external sources can be read on this machine and
// whether the sentences that claims cite are still in them, and what a curator
// may want to improve (3-artefacts section 6). It reads bound folders and never
// the network, and writes nothing. Only where dir is no readable folder there is
// an error, an [*InvalidError].
func Diagnose(dir string, o Options) (Diagnosis, error) {
	t, err := o.open(dir)
	if err != nil {
		return Diagnosis{}, unreadable(dir, err, o)
	}
	defer t.Close()
	b, found := bestand.Load(t)
	x := &examination{tree: t, Bestand: b, Findings: found}
	x.derived()
	x.writers()
	x.reachable()
	x.keywords()
	x.shape()
	x.reviewed()
	x.unusable()
	d := Diagnosis{Pages: len(b.Pages), Claims: len(b.Claims), Sources: len(b.Sources), External: x.external()}
	d.Manifest = verify(t, o)
	x.manifest(d.Manifest)
	d.Errors = findings(x.Errors, Error, o)
	d.Warnings = findings(x.Warnings, Warning, o)
	d.Hints = findings(x.Hints, Hint, o)
	return d, nil
}

// An examination adds to the findings of validation.
type examination struct {
	tree *tree.Tree
	*bestand.Bestand
	*check.Findings
}

// about is a finding's place in a file whose name its sentence says.
func about(file string) check.Where { return check.Where{Path: file} }

// derived compares VERSION, INDEX.md and graph.json with what they should be.
func (x *examination) derived() {
	if !x.tree.SafeFile(profil.VersionFile) {
		x.noVersion()
	} else if s, err := x.tree.Text(profil.VersionFile); err != nil {
		x.Error(about(profil.VersionFile), "DR-2", profil.VersionFile, err)
	} else if strings.HasPrefix(s, text.BOM) {
		x.Error(about(profil.VersionFile), "DR-27")
	} else if s = text.Trim(s); !profil.IsVersion(s) {
		x.Error(about(profil.VersionFile), "DR-3", s)
	}
	if head, err := x.tree.Head(profil.LogFile, len(text.BOM)); err == nil && string(head) == text.BOM {
		x.Hint(about(profil.LogFile), "DR-28")
	}
	for _, derived := range []struct {
		path, command string
		want          []byte
	}{
		{profil.IndexFile, "index", index.Render(x.Pages)},
		{profil.GraphFile, "graph", graph.Render(x.Pages)},
	} {
		where := about(derived.path)
		if !x.tree.SafeFile(derived.path) {
			if folder := path.Dir(derived.path); x.tree.Exists(folder) || folder == "." {
				x.Error(where, "DR-4", derived.path, derived.command)
			} else {
				x.Error(where, "DR-26", derived.path, folder, derived.command)
			}
			continue
		}
		if same, err := holds(x.tree, derived.path, derived.want); err != nil {
			x.Error(where, "DR-2", derived.path, err)
		} else if !same {
			x.Error(where, "DR-5", derived.path, derived.command)
		}
	}
}

// noVersion says what VERSION should hold: what the log names last, so that no
// version is given twice.
func (x *examination) noVersion() {
	if logged, _ := lastRelease(x.tree); logged != "" {
		x.Error(about(profil.VersionFile), "DR-29", profil.VersionFile, logged)
		return
	}
	x.Error(about(profil.VersionFile), "DR-1", profil.VersionFile)
}

// writers looks for what a writer leaves behind that is at work or was cut off:
// the lock (deviation D-65) and a folder beside the Tresor (D-66).
func (x *examination) writers() {
	if x.tree.Exists(profil.LockFile) {
		x.Error(about(profil.LockFile), "DR-6")
	}
	content := x.lockContent()
	if content != "" {
		x.Hint(check.Where{Label: "Lock", Path: profil.LockFile}, "DR-7", strings.Join(strings.FieldsFunc(content, isLineEnd), ", "))
	}
	named := ""
	if staging := lock.Staging(content); staging != "" {
		named = filepath.Base(staging)
	}
	x.abandoned()
	own, _, err := txn.Leftovers(x.tree.Root(), named, nil)
	if err != nil {
		return // the folder above need not be readable
	}
	for _, name := range own {
		x.Hint(check.Where{}, "DR-8", name)
	}
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// lockContent returns the lines of the lock; "" if there is nothing to read.
func (x *examination) lockContent() string {
	const enough = 4 << 10
	b, err := x.tree.Head(profil.LockFile, enough)
	if err != nil {
		return ""
	}
	return string(b)
}

// reachable looks for pages that no reader of the router finds.
func (x *examination) reachable() {
	routed, targets := make(map[string]bool), make(map[string]bool)
	for _, d := range x.Router.Domains() {
		for _, p := range d.Pages {
			routed[path.Clean(p)] = true
		}
	}
	for _, p := range x.Pages {
		for _, r := range p.Relations {
			targets[path.Clean(r.Target)] = true
		}
	}
	for _, p := range x.Pages {
		if routed[p.Path] {
			continue
		}
		x.Warn(check.File(p.Path), "DR-9")
		if !targets[p.Path] {
			x.Warn(check.File(p.Path), "DR-10")
		}
	}
}

// keywords looks for keywords of several domains (deviation D-72).
func (x *examination) keywords() {
	domains := make(map[string][]string)
	for _, d := range x.Router.Domains() {
		for _, k := range d.Keywords {
			if !slices.Contains(domains[k], d.Name) {
				domains[k] = append(domains[k], d.Name)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(domains)) {
		if len(domains[k]) > 1 {
			x.Hint(about(profil.RouterFile), "DR-11", k, domains[k])
		}
	}
}

// shape looks for pages that have grown large.
func (x *examination) shape() {
	for _, p := range x.Pages {
		if n := len(p.Claims); n > manyClaims {
			x.Hint(check.File(p.Path), "DR-12", n, manyClaims)
		}
		if n := strings.Count(strings.TrimSuffix(p.Body, "\n"), "\n") + 1; n > manyLines {
			x.Hint(check.File(p.Path), "DR-13", n, manyLines)
		}
	}
}

// reviewed looks for confident pages without a review in a Tresor that has
// reviews.
func (x *examination) reviewed() {
	isReviewed := func(p *bestand.Page) bool { return p.Front.TextOf("geprueft_von") != "" }
	if !slices.ContainsFunc(x.Pages, isReviewed) {
		return
	}
	for _, p := range x.Pages {
		if p.Front.TextOf("confidence") == "hoch" && !isReviewed(p) {
			x.Hint(check.File(p.Path), "DR-14")
		}
	}
}

// unusable looks for what is allowed and does not work: relation types with
// digits (deviation D-16) and titles that break the table of INDEX.md (D-19).
func (x *examination) unusable() {
	for _, name := range x.Types.Relations {
		if strings.ContainsFunc(name, unicode.IsDigit) {
			x.Hint(check.File(profil.TypesFile), "DR-15", name)
		}
	}
	for _, p := range x.Pages {
		if strings.Contains(p.Front.TextOf("title"), "|") {
			x.Hint(check.File(p.Path).On(p.Front["title"].Line), "DR-16")
		}
	}
}

// manifest sums up the comparison with the manifest, which was not made while
// anything lies in the quarantine (deviation D-74).
func (x *examination) manifest(v Verification) {
	switch {
	case v.Quarantine != nil:
		x.Error(about(profil.ManifestFile), "DR-17")
	case v.Differences != nil:
		x.Error(about(profil.ManifestFile), "DR-18")
	}
}

// verify compares a tree with its manifest.
func verify(t *tree.Tree, o Options) Verification {
	if payload := bestand.Quarantine(t); payload != nil {
		var f check.Findings
		for _, p := range payload {
			f.Error(check.File(p), "QU-1")
		}
		return Verification{Quarantine: findings(f.Errors, Error, o)}
	}
	problems, files := manifest.Status(t)
	if problems == nil {
		return Verification{Files: files}
	}
	v := Verification{Differences: findings(ofProblems(problems), Error, o)}
	for i, p := range problems {
		if p.New {
			v.Differences[i].Severity = Warning
		}
	}
	return v
}
