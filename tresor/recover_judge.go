package tresor

import (
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/lock"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// judgeLock says whose the lock is, and whether that proves that nobody writes.
func (r *recovery) judgeLock() {
	l := r.lock
	if l == nil {
		return
	}
	who := writer(l.Lines)
	switch {
	case l.State == lock.Held:
		r.blocked(Busy, profil.LockFile, "RV-2", who)
		r.advise("RV-60", l.PID)
	case l.State == lock.Left:
		r.find(Error, profil.LockFile, "RV-3", who)
	case l.Reason == lock.NoFile:
		r.blocked(Manual, profil.LockFile, "RV-4")
		r.advise("RV-61")
	case l.Reason == lock.NoAccess:
		r.blocked(Manual, profil.LockFile, "RV-29", userName(l.Owner))
		r.advise("RV-76", userName(l.Owner))
	case r.WriterGone:
		r.find(Error, profil.LockFile, "RV-5", who)
	default:
		r.blocked(Manual, profil.LockFile, "RV-6", who, uncertain(l))
		r.advise("RV-62")
	}
	if l.Required != "" {
		r.find(Error, profil.LockFile, "RV-7", l.Required)
	}
}

// userName returns the name of a user of this machine, or the number.
func userName(id uint32) string {
	number := strconv.FormatUint(uint64(id), 10)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}

// uncertain says why it is not clear whether the writer lives.
func uncertain(l *lock.Found) wording.Sentence {
	switch l.Reason {
	case lock.NoWriter:
		return wording.Sentence{Key: "RV-51"}
	case lock.NoHost:
		return wording.Sentence{Key: "RV-52"}
	case lock.OtherHost:
		return wording.Sentence{Key: "RV-53", Args: []any{l.Host}}
	}
	return wording.Sentence{Key: "RV-54"}
}

// judgeMissing is about a lock that names a folder that is not here: the Tresor
// was moved since, and what lay beside it was not.
func (r *recovery) judgeMissing(named string, left []string, foreign []txn.Foreign) {
	if named == "" || r.lock.Ended || slices.Contains(left, named) || asPinned(r.t) && r.valid() {
		return
	}
	if slices.ContainsFunc(foreign, func(f txn.Foreign) bool { return f.Name == named }) {
		r.blocked(Manual, profil.LockFile, "RV-24", named)
	} else {
		r.blocked(Manual, profil.LockFile, "RV-23", r.lock.Staging)
		r.advise("RV-75", r.lock.Staging)
	}
	r.adviseRelease()
}

// onlyOne reports whether at most one transaction changed something that is still
// there. Of two nobody knows which was the later one.
func onlyOne(all []*txn.Remains) bool {
	n := 0
	for _, m := range all {
		if m.Progress == txn.After || m.Progress == txn.Between || m.Progress == txn.Stuck {
			n++
		}
	}
	return n <= 1
}

// judgeRemains says what a staging folder means.
func (r *recovery) judgeRemains(m *txn.Remains, only bool) {
	if m.Strange {
		r.judgeStrange(m)
		return
	}
	who := writer(m.Note)
	progress := m.Progress
	if progress == txn.Between && !only {
		progress = txn.Stuck
	}
	switch progress {
	case txn.Unbegun:
		if m.Empty {
			r.find(Warning, m.Name, "RV-26")
		} else {
			r.find(Warning, m.Name, "RV-10")
		}
		r.clean(m)
	case txn.Before:
		r.find(Warning, m.Name, "RV-11", who)
		r.clean(m)
	case txn.After:
		r.judgeDone(m, who, only)
	case txn.Between:
		r.find(Error, m.Name, "RV-13", who, changed(m))
		r.rollBack(m)
	case txn.Unknown:
		if m.Foreign != nil {
			r.find(Warning, m.Name, "RV-27") // named like one by chance
			return
		}
		if asPinned(r.t) {
			r.find(Warning, m.Name, "RV-15")
			r.setAside(m)
			return
		}
		r.blocked(Manual, m.Name, "RV-16")
		r.adviseRelease()
	default:
		if r.lock == nil && asPinned(r.t) && r.valid() {
			r.find(Warning, m.Name, "RV-17", who)
			r.setAside(m)
			return
		}
		r.blocked(Manual, m.Name, "RV-18", who, changed(m))
		r.adviseFiles(m)
		r.adviseRelease()
	}
}

// adviseFiles says for each file that is not as it was where that is now.
func (r *recovery) adviseFiles(m *txn.Remains) {
	for _, p := range m.Paths {
		former, moved := m.Former(p)
		switch {
		case p.Now == p.Before:
		case p.Before == txn.Absent:
			if p.Now != p.After || m.MovedFrom(p) == "" {
				r.advise("RV-74", p.Path)
			}
		case former != "":
			r.advise("RV-69", p.Path, former)
		case moved != "":
			r.advise("RV-72", p.Path, moved)
		default:
			r.advise("RV-73", p.Path)
		}
	}
}

// judgeStrange is about a folder that somebody else may have put there. It counts
// only while there is a lock that it may belong to.
func (r *recovery) judgeStrange(m *txn.Remains) {
	if r.lock == nil {
		r.find(Warning, m.Name, "RV-22")
		return
	}
	r.blocked(Manual, m.Name, "RV-22")
	r.advise("RV-71", m.Name)
}

// judgeDone is about a transaction that put everything in place, but perhaps was
// cut off before its last checks.
func (r *recovery) judgeDone(m *txn.Remains, who wording.Sentence, only bool) {
	switch {
	case r.passes(m):
		r.find(Warning, m.Name, "RV-12", who)
		r.clean(m)
	case m.Restorable && only:
		r.find(Error, m.Name, "RV-14", who)
		r.rollBack(m)
	default:
		r.find(Warning, m.Name, "RV-19", who)
		r.setAside(m)
	}
}

// passes makes the checks that the transaction makes at its end.
func (r *recovery) passes(m *txn.Remains) bool {
	switch command(m.Note) {
	case "log":
		return true
	case "checksum":
		return asPinned(r.t)
	case "release":
		return checkRelease(r.t, r.o) == nil
	}
	return r.valid()
}

func (r *recovery) valid() bool {
	_, found := bestand.Load(r.t)
	return found.Errors == nil
}

// asPinned reports whether the Tresor is as its manifest says.
func asPinned(t *tree.Tree) bool {
	problems, _ := manifest.Status(t)
	return problems == nil
}

func command(note []string) string {
	for _, line := range note {
		if c, ok := strings.CutPrefix(line, "command="); ok {
			return c
		}
	}
	return ""
}

// changed lists the paths that are no longer as they were.
func changed(m *txn.Remains) []string {
	var list []string
	for _, p := range m.Paths {
		if p.Now != p.Before {
			list = append(list, p.Path)
		}
	}
	return list
}

func (r *recovery) clean(m *txn.Remains) {
	if m.Foreign != nil {
		r.setAside(m)
		return
	}
	r.plan(m.Name, r.ending(m, m.Clean), "RV-63", m.Name)
}

func (r *recovery) rollBack(m *txn.Remains) {
	r.plan(m.Name, m.RollBack, "RV-64", changed(m))
	r.clean(m)
}

// setAside keeps a staging folder that is not understood under a name that no
// writer and no doctor looks for.
func (r *recovery) setAside(m *txn.Remains) {
	name := r.t.Name() + "-recovery-" + txn.Suffix(m.Name)
	r.plan(m.Name, r.ending(m, func() error { return m.SetAside(name) }), "RV-65", m.Name, name)
}

// ending lets the lock know that a staging folder which it names is not needed
// any more, before do takes that away: recover can be cut off there too.
func (r *recovery) ending(m *txn.Remains, do func() error) func() error {
	return func() error {
		if l := r.lock; l != nil && !l.Ended && l.Staging != "" && filepath.Base(l.Staging) == m.Name {
			if err := l.End(); err != nil {
				return err
			}
		}
		return do()
	}
}

// releaseLock removes the lock last, if nothing is left to decide.
func (r *recovery) releaseLock(leftovers int) {
	l := r.lock
	if l == nil || r.State != "" {
		return
	}
	// A writer of ours has its staging folder beside the Tresor from before its
	// first change until after its last; without one, nothing is half done. Nor is
	// it while the lock does not even name its process. Of others only the manifest
	// can tell.
	begun := l.PID > 0
	ours := l.Command != "" && l.Required == ""
	if leftovers == 0 && begun && !ours && !asPinned(r.t) {
		r.blocked(Manual, profil.ManifestFile, "RV-8")
		r.adviseRelease()
		return
	}
	r.plan(profil.LockFile, l.Remove, "RV-66")
}

// adviseRelease says how a person comes to a consistent state again.
func (r *recovery) adviseRelease() {
	if r.lock != nil {
		r.advise("RV-67")
	}
	r.advise("RV-68")
}

// judgeRelease looks at what a release can leave that nothing but a person
// explains: derived files that the manifest does not know, and an entry of the
// log without its release.
func (r *recovery) judgeRelease(left bool) {
	if !left && r.lock == nil {
		problems, _ := manifest.Status(r.t)
		derived := []string{profil.IndexFile, profil.GraphFile, profil.VersionFile}
		var paths []string
		for _, p := range problems {
			if !slices.Contains(derived, p.Path) {
				paths = nil
				break
			}
			paths = append(paths, p.Path)
		}
		if paths != nil {
			r.blocked(Manual, profil.ManifestFile, "RV-20", paths)
			r.advise("RV-68")
		}
	}
	version, ok := readVersion(r.t)
	logged, noted := lastRelease(r.t)
	if ok && logged != "" && !noted && newer(logged, version) && !left {
		r.find(Warning, profil.LogFile, "RV-21", logged, version)
		r.advise("RV-70", logged)
	}
}

var releaseEntry = regexp.MustCompile(`(?m)^\x{feff}?## \[[0-9-]{10}\] release \| v([0-9]+\.[0-9]+\.[0-9]+) `)

// lastRelease returns the version that the log names last, or "", and whether a
// later note is about it: then somebody has seen it.
func lastRelease(t *tree.Tree) (version string, noted bool) {
	b, err := t.Tail(profil.LogFile, 64<<10)
	if err != nil {
		return "", false // there is none, or it is of no use here
	}
	all := releaseEntry.FindAllSubmatchIndex(b, -1)
	if all == nil {
		return "", false
	}
	last := all[len(all)-1]
	version = string(b[last[2]:last[3]])
	about := regexp.MustCompile(`(?m)^## \[[0-9-]{10}\] note \| (.*[^0-9A-Za-z.])?v?` + regexp.QuoteMeta(version) + `([^0-9A-Za-z.]|\.?$|\.[^0-9])`)
	return version, about.Match(b[last[1]:])
}

// newer compares two versions.
func newer(a, b string) bool {
	x, errX := profil.ParseVersion(a)
	y, errY := profil.ParseVersion(b)
	return errX == nil && errY == nil && slices.Compare(x[:], y[:]) > 0
}
