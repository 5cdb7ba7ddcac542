package txn

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor/internal/disk"
)

// A Progress says how far a transaction came that left its staging folder.
type Progress int

// How far it came.
const (
	// Unbegun: it has no complete list, so that nothing was changed; or it was
	// over, and almost everything of the folder is gone.
	Unbegun Progress = iota
	Unknown          // the folder is another engine's, which makes no list
	Before           // everything is as it was before
	After            // everything is as it was to be
	Between          // some of each, and what was there before can be brought back
	Stuck            // a path holds neither, or what was there before is missing
)

// Absent is the state of a [Path] where nothing is.
const Absent = "-"

// A Path is one that the transaction changes.
type Path struct {
	Path          string
	Before, After string // digest, [Absent], "folder"
	Now           string // the same, or "other"
	number        int
	isKept        bool // what was there before is in the staging folder
}

// Remains are what a transaction left beside the Tresor.
type Remains struct {
	Name     string   // of the staging folder
	Note     []string // lines about the writer
	Progress Progress
	Paths    []Path // in the order of the steps
	// Restorable says that what was there before can be brought back.
	Restorable bool
	Foreign    []string // names in the folder that no transaction makes
	// Strange says that somebody else may have put together what is in it: neither
	// this user nor the owner of the Tresor made it, or others may write to it. It
	// was not looked at further.
	Strange bool
	// Empty says that nothing is in it: it was just made, or is about to go.
	Empty bool
	// Busy says that its transaction is at work. It was not looked at further.
	Busy bool

	root string
	hook disk.Hook
}

// Former returns where what was at a path before is now: kept beside the Tresor,
// or moved in it; both are "" if it is gone.
func (r *Remains) Former(p Path) (kept, moved string) {
	if p.isKept {
		return r.Name + "/" + former(p.number), ""
	}
	if to := r.moved(&p); to != nil && to.Now == p.Before {
		return "", to.Path
	}
	return "", ""
}

// MovedFrom returns the path that a file was moved from to p; "" for other steps.
func (r *Remains) MovedFrom(p Path) string {
	if from := r.from(&p); from != nil {
		return from.Path
	}
	return ""
}

// Inspect looks at the staging folder with a name.
func Inspect(root, name string, hook disk.Hook) (*Remains, error) {
	r := &Remains{Name: name, root: root, hook: hook}
	beside, staging, err := r.open()
	if errors.Is(err, fs.ErrPermission) {
		r.Strange, r.Progress = true, Unknown
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	defer beside.Close()
	defer staging.Close()
	if r.Strange, err = r.isStrange(staging); r.Strange || err != nil {
		r.Progress = Unknown
		return r, err
	}
	names, err := staging.Names()
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		info, err := staging.Info(n)
		if err != nil {
			return nil, err
		}
		if !ourName.MatchString(n) || !info.Plain() {
			r.Foreign = append(r.Foreign, n)
		}
	}
	r.Empty = len(names) == 0
	if slices.Contains(names, listName) && !slices.Contains(r.Foreign, listName) {
		list, busy, err := readList(staging)
		if err != nil {
			return nil, err
		}
		if busy {
			r.Busy, r.Progress = true, Unknown
			return r, nil
		}
		if !r.parse(string(list)) {
			r.Paths = nil
		}
	}
	if r.Paths == nil && !ourForm.MatchString(name) {
		r.Progress = Unknown
		return r, nil
	}
	return r, r.look(staging)
}

// isStrange reports whether somebody else may have made the list in the folder:
// whoever can write beside the Tresor must not make us write into it.
func (r *Remains) isStrange(staging *disk.Folder) (bool, error) {
	root, err := disk.Open(r.root, r.hook)
	if err != nil {
		return false, err
	}
	defer root.Close()
	tresor, err := root.Self()
	if err != nil {
		return false, err
	}
	self, err := staging.Self()
	ours := self.Owner == tresor.Owner || int(self.Owner) == os.Geteuid()
	return !ours || self.Mode.Perm()&0o022 != 0, err
}

var ourName = regexp.MustCompile(`^(TARGETS|(rollback-)?[0-9]{2,}\.(stage|orig|absent))$`)

func (r *Remains) open() (beside, staging *disk.Folder, err error) {
	if beside, err = disk.Open(filepath.Dir(r.root), r.hook); err != nil {
		return nil, nil, err
	}
	if staging, err = beside.Folder(r.Name); err != nil {
		beside.Close()
		return nil, nil, err
	}
	return beside, staging, nil
}

// readList reads the list, unless its transaction is at work.
func readList(staging *disk.Folder) (list []byte, busy bool, err error) {
	file, err := staging.Open(listName)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	if free, err := file.Lock(); err == nil && !free {
		return nil, true, nil
	}
	list, err = io.ReadAll(io.LimitReader(file, 64<<20))
	return list, false, err
}

// parse reads the list; it reports whether that is complete.
func (r *Remains) parse(list string) (complete bool) {
	head, paths, ok := strings.Cut("\n"+list, "\npaths=")
	count, paths, cut := strings.Cut(paths, "\n")
	n, err := strconv.Atoi(count)
	if !ok || !cut || err != nil || n != strings.Count(paths, "\n") || !strings.HasSuffix(paths, "\n") {
		return false
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(head, "\n"), "\n") {
		if !isOwnerLine(line) {
			r.Note = append(r.Note, line)
		}
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(paths, "\n"), "\n") {
		f := strings.SplitN(line, " ", 4)
		if len(f) < 4 || !fs.ValidPath(f[3]) || f[3] == "." || !isState(f[1]) || !isState(f[2]) {
			return false
		}
		number, err := strconv.Atoi(f[0])
		if err != nil {
			return false
		}
		r.Paths = append(r.Paths, Path{Path: f[3], Before: f[1], After: f[2], number: number})
	}
	return true
}

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func isState(s string) bool { return s == absent || s == aFolder || digestForm.MatchString(s) }

// look reads what is at the paths now, and judges.
func (r *Remains) look(staging *disk.Folder) error {
	if len(r.Paths) == 0 {
		return nil
	}
	before, after := true, true
	for i := range r.Paths {
		p := &r.Paths[i]
		var err error
		if p.Now, err = r.now(p.Path); err != nil {
			return err
		}
		before = before && p.Now == p.Before
		after = after && p.Now == p.After
	}
	r.Restorable = true
	for i := range r.Paths {
		kept, err := r.kept(staging, &r.Paths[i])
		if err != nil {
			return err
		}
		r.Restorable = r.Restorable && kept
	}
	switch {
	case before:
		r.Progress = Before
	case after:
		r.Progress = After
	case r.Restorable:
		r.Progress = Between
	default:
		r.Progress = Stuck
	}
	return nil
}

func (r *Remains) now(p string) (string, error) {
	f, err := openFolder(r.root, path.Dir(p), r.hook)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	return stateOf(f.Folder, path.Base(p))
}

// kept reports whether what was at a path before is there or can be brought
// back: there was nothing, or it is kept, or it has only moved.
func (r *Remains) kept(staging *disk.Folder, p *Path) (bool, error) {
	now, err := stateOf(staging, former(p.number))
	if err != nil {
		return false, err
	}
	p.isKept = now == p.Before && now != absent
	switch to := r.moved(p); {
	case p.Now == p.Before:
		return true, nil
	case p.Now != p.After:
		return false, nil
	case p.Before == absent:
		return true, nil
	case to != nil:
		return to.Now == p.Before, nil
	}
	return p.isKept, nil
}

// moved returns the path that a file was moved to from p; nil for other steps.
func (r *Remains) moved(p *Path) *Path {
	for i := range r.Paths {
		if to := &r.Paths[i]; to.number == p.number && to.Path != p.Path && p.After == absent {
			return to
		}
	}
	return nil
}

// RollBack brings back what was there before, if that can still be done. It can
// be repeated after an error or the end of the process.
func (r *Remains) RollBack() error {
	beside, staging, err := r.open()
	if err != nil {
		return err
	}
	defer beside.Close()
	defer staging.Close()
	if err := r.look(staging); err != nil {
		return err
	}
	if !r.Restorable {
		return fail(r.Name, "TX-18", nil)
	}
	for i := len(r.Paths) - 1; i >= 0; i-- {
		p := &r.Paths[i]
		if p.Now == p.Before {
			continue
		}
		if err := r.restore(staging, p); err != nil {
			return fail(p.Path, "TX-6", err)
		}
	}
	if err := r.look(staging); err != nil {
		return err
	}
	if r.Progress != Before {
		return fail(r.Name, "TX-18", nil)
	}
	return nil
}

func (r *Remains) restore(staging *disk.Folder, p *Path) error {
	f, err := openFolder(r.root, path.Dir(p.Path), r.hook)
	if err != nil {
		return err
	}
	defer f.Close()
	name := path.Base(p.Path)
	switch {
	case p.Now == aFolder:
		err = f.Rmdir(name)
	case p.Before == absent && r.from(p) != nil && r.from(p).Now == absent:
		return nil // goes back with the path that it came from
	case p.Before == absent:
		err = f.Remove(name)
	case r.moved(p) != nil:
		return r.moveBack(f, name, r.moved(p))
	case p.Now == absent:
		err = staging.Move(former(p.number), f.Folder, name)
	default:
		err = copyOver(staging, former(p.number), f, name)
	}
	if err != nil {
		return err
	}
	return f.Sync()
}

// from returns the path that a file was moved from to p; nil for other steps.
func (r *Remains) from(p *Path) *Path {
	for i := range r.Paths {
		if from := &r.Paths[i]; from.number == p.number && from.Path != p.Path && from.After == absent {
			return from
		}
	}
	return nil
}

func (r *Remains) moveBack(to *folder, name string, from *Path) error {
	f, err := openFolder(r.root, path.Dir(from.Path), r.hook)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Move(path.Base(from.Path), to.Folder, name); err != nil {
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	return f.Sync()
}

// copyOver puts a copy of a kept file in the place of one, with owner and permissions
// of that.
func copyOver(staging *disk.Folder, kept string, f *folder, name string) error {
	const temporary = "rollback-00.stage"
	info, err := f.Info(name)
	if err != nil {
		return err
	}
	if err := staging.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := copyFile(staging, kept, staging, temporary, info); err != nil {
		return err
	}
	return staging.Rename(temporary, f.Folder, name)
}

// Clean removes the staging folder. It refuses one that holds anything foreign.
func (r *Remains) Clean() error {
	beside, staging, err := r.open()
	if err != nil {
		return err
	}
	defer beside.Close()
	defer staging.Close()
	names, err := staging.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		if !ourName.MatchString(n) {
			return fail("", "TX-17", nil, n)
		}
	}
	return removeStaging(beside, staging, names)
}

// SetAside gives the staging folder another name beside the Tresor, which must
// be free.
func (r *Remains) SetAside(name string) error {
	beside, err := disk.Open(filepath.Dir(r.root), r.hook)
	if err != nil {
		return err
	}
	defer beside.Close()
	if err := beside.Move(r.Name, beside, name); err != nil {
		return err
	}
	return beside.Sync()
}
