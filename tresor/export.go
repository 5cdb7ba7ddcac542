package tresor

import (
	"context"
	"errors"
	"path"
	"strings"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/okf"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// ExportOptions say what an export is and where it goes.
type ExportOptions struct {
	Out     string // the folder to write, replaced as a whole
	Home    string // of the user, which is never replaced; "" if there is none
	Sources bool   // copy the raw files too; their rights are a person's matter
}

// An Exported is an export as it was written.
type Exported struct {
	Dir       string // absolute
	Documents int    // pages, indexes and the log
	Raw       int    // raw files
	Former    string // where the earlier export lies that was in the place; "" if there was none
}

// An ExportError is why there is no export. Both the Tresor and what was at the
// target before are whole; Text says where the latter lies if it is no longer
// there.
type ExportError struct {
	Text     string    // in the language of the options
	Findings []Finding // the first of those that stand in the way; may be nil
	Err      error     // may be nil
}

func (e *ExportError) Error() string { return "tresor: export: " + e.Text }

// Unwrap returns the cause.
func (e *ExportError) Unwrap() error { return e.Err }

// maxShown is the number of findings that an export names.
const maxShown = 10

// maxLog is the largest journal that is exported, in bytes.
const maxLog = 64 << 20

// Export writes the release in dir as an OKF 0.2 bundle to a folder outside of
// it. Only a valid Tresor that is as its manifest says is exported; two exports
// of the same release are the same bytes. Nothing in dir is written and no lock
// is taken, but a lock that is there refuses.
//
// The bundle is prepared beside the target and renamed into place. An earlier
// export in that place is kept under another name, beside it; anything else
// there refuses. Errors are an [*ExportError], or an [*InvalidError] where dir is
// no readable folder. A context that ends before the bundle is in place stops
// the export.
func Export(ctx context.Context, dir string, e ExportOptions, o Options) (Exported, error) {
	t, err := o.open(dir)
	if err != nil {
		return Exported{}, unreadable(dir, err, o)
	}
	defer t.Close()
	x := &exporter{tree: t, o: o}
	if err := x.read(); err != nil {
		return Exported{}, err
	}
	to, err := x.checkTarget(e.Out, e.Home)
	if err != nil {
		return Exported{}, err
	}
	bundle, err := x.build(e.Sources)
	if err != nil {
		return Exported{}, err
	}
	former, err := x.write(ctx, to, bundle)
	if err != nil {
		return Exported{}, err
	}
	return Exported{Dir: to.path, Documents: len(bundle.Files), Raw: len(bundle.Raw), Former: former}, nil
}

type exporter struct {
	tree     *tree.Tree
	bestand  *bestand.Bestand
	manifest string // digest
	o        Options
}

func (x *exporter) refuse(err error, key string, args ...any) *ExportError {
	return &ExportError{Text: wording.Say(x.o.Lang, key, args...), Err: err}
}

// read reads the release and refuses what is none.
func (x *exporter) read() error {
	if x.tree.Exists(profil.LockFile) {
		return x.refuse(nil, "XP-1")
	}
	b, found := bestand.Load(x.tree)
	if found.Errors != nil {
		return x.inTheWay("XP-2", found.Errors)
	}
	if problems, _ := manifest.Status(x.tree); problems != nil {
		return x.inTheWay("XP-3", ofProblems(problems))
	}
	digest, err := x.tree.Digest(profil.ManifestFile)
	if err != nil {
		return x.refuse(err, "XP-4")
	}
	x.bestand, x.manifest = b, digest
	return nil
}

func (x *exporter) inTheWay(key string, found []check.Finding) *ExportError {
	e := x.refuse(nil, key)
	e.Findings = findings(found[:min(len(found), maxShown)], Error, x.o)
	return e
}

func (x *exporter) build(withSources bool) (*okf.Bundle, error) {
	if domain := okf.Collision(x.bestand, withSources); domain != "" {
		return nil, x.refuse(nil, "XP-5", domain)
	}
	if withSources {
		for _, id := range register.IDs(x.bestand.Sources) {
			ablage := x.bestand.Sources[id].Ablage
			if tree.CheckRel(ablage) != "" || !x.tree.SafeFile(path.Clean(ablage)) {
				return nil, x.refuse(nil, "XP-6", id)
			}
		}
	}
	log, err := x.log()
	if err != nil {
		return nil, err
	}
	version, err := x.tree.Text(profil.VersionFile)
	if err != nil {
		version = "" // a release without it is one all the same
	}
	return okf.Build(x.bestand, okf.Options{Version: text.Trim(version), Log: log, Sources: withSources}), nil
}

// log returns the journal; "" if there is none that can be read.
func (x *exporter) log() (string, error) {
	b, err := x.tree.Read(profil.LogFile, maxLog)
	if errors.Is(err, tree.ErrChanged) {
		return "", x.refuse(err, "XP-4")
	}
	s, bad := text.Decode(b)
	if err != nil || bad >= 0 {
		return "", nil
	}
	return strings.TrimPrefix(s, text.BOM), nil
}

// unchanged makes sure that the Tresor is still the release that was read.
func (x *exporter) unchanged() error {
	again, err := x.tree.Again()
	if err != nil {
		return x.refuse(err, "XP-4")
	}
	defer again.Close()
	problems, _ := manifest.Status(again)
	digest, err := again.Digest(profil.ManifestFile)
	if err != nil || problems != nil || digest != x.manifest || again.Exists(profil.LockFile) {
		return x.refuse(err, "XP-4")
	}
	return nil
}
