package curate

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// A NewTresor is how a Tresor begins. Empty fields have defaults.
type NewTresor struct {
	Title string // from the folder's name
	// Scope is organisation, fachbereich, projekt or persoenlich. By default it is
	// that of the folder's name, see [tresor.ScopeOf], else persoenlich, which may
	// override nothing.
	Scope  string
	Domain string // name of the first domain; allgemein
}

// Init makes a new Tresor in the folder dir, which must not exist or be empty:
// without pages and sources, with the registries, one domain and the portable
// skill folder, valid and released as 1.0.0. It is built beside dir and renamed,
// so that dir has all or nothing; what an interruption leaves is a folder
// ".‹name›-init-…". What dir or an answer does not allow is a [*Refusal].
func Init(ctx context.Context, dir string, n NewTresor, o tresor.Options) (Done, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Done{}, refuse(o, "", "CU-10", dir, err, wording.Remedy(err))
	}
	f, err := n.facts(filepath.Base(dir), o)
	if err != nil {
		return Done{}, err
	}
	mode, err := mayHold(dir, o)
	if err != nil {
		return Done{}, err
	}
	files, err := f.files()
	if err != nil {
		return Done{}, err // the program is broken
	}
	left := tresor.Abandoned(filepath.Dir(dir), o) // of others, not of this one
	temp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-init-")
	if err != nil {
		return Done{}, refuse(o, "", "CU-10", filepath.Dir(dir), err, wording.Remedy(err))
	}
	made := filepath.Join(temp, filepath.Base(dir))
	done, err := build(ctx, made, mode, f, files, o)
	if err == nil {
		err = syscall.Rename(made, dir) // which, unlike os.Rename, takes the place of an empty folder
	}
	err = errors.Join(err, os.RemoveAll(temp))
	if err == nil {
		err = syncFolder(filepath.Dir(dir))
	}
	if err != nil {
		var known *Refusal
		if errors.As(err, &known) {
			return Done{}, known
		}
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return Done{}, refuse(o, "", "WR-8")
		case errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.EEXIST): // somebody else was faster
			return Done{}, refuse(o, "", "CU-16", dir)
		}
		return Done{}, refuse(o, "", "CU-10", dir, err, wording.Remedy(err))
	}
	done.Path = dir
	done.Notes = append(done.Notes, left...)
	if want := "wissenstresor-" + f.Scope; filepath.Base(dir) != want && !strings.HasPrefix(filepath.Base(dir), want+"-") {
		done.Notes = append(done.Notes, wording.Say(o.Lang, "CU-11", want+"-"+strings.TrimPrefix(f.Skill, "wissenstresor-")))
	}
	return done, nil
}

// facts checks the answers and adds what follows from them.
func (n NewTresor) facts(folder string, o tresor.Options) (facts, error) {
	f := facts{Title: text.Trim(n.Title), Skill: Slug(folder), Domain: n.Domain, Date: today(o)}
	if f.Title == "" {
		f.Title = text.CollapseSpace(strings.NewReplacer("-", " ", "_", " ").Replace(folder))
	}
	if hasHidden(f.Title) || text.HasControl(f.Title) || text.Len(f.Title) > 120 || text.Signature(f.Title) ||
		text.InvalidAt([]byte(f.Title)) >= 0 {
		return facts{}, refuse(o, "title", "CU-12")
	}
	f.QuotedTitle = strings.ReplaceAll(f.Title, "'", "''")
	const longest = 64 // that a skill may be called
	if f.Skill = strings.Trim(f.Skill[:min(len(f.Skill), longest)], "-"); f.Skill == "" {
		f.Skill = "wissenstresor"
	}
	if f.Domain == "" {
		f.Domain = "allgemein"
	}
	if !isName(f.Domain) || isReserved(f.Domain) {
		return facts{}, refuse(o, "domain", "CU-13", n.Domain, proposal(n.Domain, "allgemein"))
	}
	f.Scope = strings.ReplaceAll(strings.ToLower(n.Scope), "ö", "oe")
	if f.Scope == "" {
		f.Scope = cmp.Or(profil.ScopeOf(folder), "persoenlich")
	}
	switch f.Scope {
	case "organisation":
		f.ScopeName, f.Readers = "Organisation", "gilt für alle und als Grundlage"
	case "fachbereich":
		f.ScopeName, f.Readers = "Fachbereich", "gilt für einen Bereich"
	case "projekt":
		f.ScopeName, f.Readers = "Projekt", "gilt für ein Vorhaben"
	case "persoenlich":
		f.ScopeName, f.Readers = "Persönlich", "Notizen einer Person; ergänzen, überstimmen nie"
	default:
		return facts{}, refuse(o, "scope", "CU-14", n.Scope, profil.Scopes())
	}
	return f, nil
}

// proposal returns a name near to s that is allowed.
func proposal(s, otherwise string) string {
	if p := Slug(s); p != "" && !isReserved(p) {
		return p
	}
	return otherwise
}

// mayHold refuses a place that cannot become a Tresor. The mode is that of the
// folder, for a new one less the umask.
func mayHold(dir string, o tresor.Options) (mode fs.FileMode, err error) {
	mode = 0o755
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return 0, refuse(o, "", "CU-10", dir, err, wording.Remedy(err))
	case !info.IsDir():
		return 0, refuse(o, "", "CU-15", dir)
	default:
		mode = info.Mode().Perm()
		names, err := os.ReadDir(dir)
		if err != nil {
			return 0, refuse(o, "", "CU-10", dir, err, wording.Remedy(err))
		}
		if len(names) > 0 {
			return 0, refuse(o, "", "CU-16", dir)
		}
		if here, err := os.Stat("."); err == nil && os.SameFile(here, info) {
			return 0, refuse(o, "", "CU-17", filepath.Base(dir))
		}
	}
	above, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return 0, refuse(o, "", "CU-10", filepath.Dir(dir), err, wording.Remedy(err))
	}
	for at := above; ; at = filepath.Dir(at) {
		if isTresor(at) {
			return 0, refuse(o, "", "CU-18", at)
		}
		if at == filepath.Dir(at) {
			return mode, nil
		}
	}
}

// isTresor reports whether a folder has what only a Tresor has.
func isTresor(dir string) bool {
	for _, file := range []string{profil.RegisterFile, profil.TypesFile} {
		if _, err := os.Lstat(filepath.Join(dir, file)); err != nil {
			return false
		}
	}
	return true
}

// build makes the folder dir, writes the files of a Tresor into it and releases
// it.
func build(ctx context.Context, dir string, mode fs.FileMode, f facts, files map[string][]byte, o tresor.Options) (Done, error) {
	files[profil.VersionFile] = []byte("0.0.0\n")
	if err := os.Mkdir(dir, mode); err != nil {
		return Done{}, err
	}
	folders := []string{profil.Knowledge + "/" + f.Domain, profil.Raw, filepath.Dir(profil.GraphFile)}
	for path := range files {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return Done{}, err
		}
	}
	var done Done
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return Done{}, err
		}
		if err := writeFile(filepath.Join(dir, path), files[path]); err != nil {
			return Done{}, err
		}
		done.Files = append(done.Files, path)
	}
	note := wording.Say("de", "CU-19", f.Title, f.Scope)
	if _, err := tresor.Log(ctx, dir, "note", note, o); err != nil {
		return Done{}, err
	}
	if _, err := tresor.Release(ctx, dir, tresor.Major, o); err != nil {
		return Done{}, err
	}
	done.Report = tresor.Validate(dir, o)
	if !done.Report.OK() {
		return Done{}, &Refusal{Text: done.Report.Errors[0].String(), Findings: done.Report.Errors}
	}
	done.Files = append(done.Files, profil.IndexFile, profil.GraphFile, profil.LogFile, profil.ManifestFile)
	return done, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncFolder(path)
	})
}

func writeFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncFolder(path string) error {
	f, err := os.Open(path + string(filepath.Separator) + ".") // a folder, or it fails
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func now(o tresor.Options) time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
