package tresor

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/lock"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// A RecoveryState is what [Recover] comes to.
type RecoveryState string

// The states.
const (
	Sound      RecoveryState = "sound"      // nothing was left behind
	Repairable RecoveryState = "repairable" // all steps can be carried out by [Recover]
	Repaired   RecoveryState = "repaired"   // they were
	Manual     RecoveryState = "manual"     // a person has to decide; nothing was changed
	Busy       RecoveryState = "busy"       // a writer is at work, or may be
)

// RecoverOptions are how far [Recover] may go.
type RecoverOptions struct {
	Apply bool // carry out the steps if all are safe
	// WriterGone is the word of a person that no writer is at work any more, where
	// the lock alone does not prove it: on another machine, or of another engine.
	WriterGone bool
}

// A Recovery is what was found and what is to be done about it.
type Recovery struct {
	State    RecoveryState
	Findings []Finding // what was left behind
	Steps    []string  // what is to be done, or was, in this order
	Valid    bool      // validation has no errors, at the end
	Pinned   bool      // the Tresor is as its manifest says, at the end
}

// Recover looks for what a writer of the Tresor in dir left that was cut off: its
// lock, its staging folder beside the Tresor, a state that is half old and half
// new (6-release section 5). With Apply it repairs what is certain: the writer is
// dead, and every file is either as it was or as it was to be. Then the former
// state is brought back, or where everything was in place already, kept. It
// deletes only what a transaction made and nobody needs; other things beside
// the Tresor get a name of their own there. Everything else is left as it is,
// with the steps that a person has to take.
//
// Recover can be repeated, also after it was itself cut off. The error is an
// [*InvalidError] where dir is no readable folder, and a [*WriteError] where
// looking or repairing failed.
func Recover(ctx context.Context, dir string, ro RecoverOptions, o Options) (Recovery, error) {
	root, err := tree.Resolve(dir)
	if err != nil {
		return Recovery{}, unreadable(dir, err, o)
	}
	found, err := lock.Find(root, o.hook)
	switch {
	case errors.Is(err, disk.ErrPlatform):
		return Recovery{}, unlockable(err, o)
	case err != nil:
		return Recovery{}, failedRecovery(o, profil.LockFile, err)
	case found != nil:
		defer found.Close()
	case ro.Apply:
		return recoverUnderLock(ctx, root, ro, o)
	}
	return recoverFrom(ctx, root, found, ro, o)
}

// recoverUnderLock is for a Tresor that nobody left a lock in: no writer may begin
// meanwhile.
func recoverUnderLock(ctx context.Context, root string, ro RecoverOptions, o Options) (Recovery, error) {
	l, err := lock.Take(root, "recover", o.now(), o.hook)
	if errors.Is(err, lock.ErrTaken) {
		r := &recovery{o: o}
		r.blocked(Busy, profil.LockFile, "RV-1")
		return r.Recovery, nil
	}
	if err != nil {
		// Where nothing can be written nothing is repaired, but it can be sound.
		if r, failed := recoverFrom(ctx, root, nil, RecoverOptions{}, o); failed == nil && r.State == Sound {
			return r, nil
		}
		return Recovery{}, unlockable(err, o)
	}
	r, err := recoverFrom(ctx, root, nil, ro, o)
	if failed := l.Release(); err == nil && failed != nil {
		err = &WriteError{Text: wording.Say(o.Lang, "WR-6", failed), Err: failed}
	}
	return r, err
}

func recoverFrom(ctx context.Context, root string, found *lock.Found, ro RecoverOptions, o Options) (Recovery, error) {
	t, err := o.open(root)
	if err != nil {
		return Recovery{}, unreadable(root, err, o)
	}
	defer t.Close()
	r := &recovery{t: t, o: o, RecoverOptions: ro, lock: found}
	if err := r.run(ctx); err != nil {
		return Recovery{}, err
	}
	r.lookAgain()
	return r.Recovery, nil
}

func failedRecovery(o Options, what string, err error) error {
	return &WriteError{Text: wording.Say(o.Lang, "RV-30", what, err), Err: err}
}

// A recovery is a [Recover] at work.
type recovery struct {
	Recovery
	RecoverOptions
	t     *tree.Tree
	o     Options
	lock  *lock.Found // nil without one
	steps []step
}

// A step can be carried out.
type step struct {
	what string // for an error
	do   func() error
}

// run looks, judges, and carries out what is safe.
func (r *recovery) run(ctx context.Context) error {
	if r.judgeLock(); r.State == Busy {
		return nil
	}
	named := ""
	if r.lock != nil && r.lock.Staging != "" {
		named = filepath.Base(r.lock.Staging)
	}
	left, foreign, err := txn.Leftovers(r.t.Root(), named, r.o.hook)
	if err != nil {
		return failedRecovery(r.o, "..", err)
	}
	r.judgeMissing(named, left, foreign)
	var all []*txn.Remains
	for _, name := range left {
		remains, err := txn.Inspect(r.t.Root(), name, r.o.hook)
		if err != nil {
			return failedRecovery(r.o, name, err)
		}
		if remains.Busy {
			r.blocked(Busy, name, "RV-28")
			return nil
		}
		all = append(all, remains)
	}
	for _, remains := range all {
		r.judgeRemains(remains, onlyOne(all))
	}
	for _, f := range foreign {
		r.find(Warning, f.Name, "RV-25", f.Root)
	}
	r.judgeRelease(len(left) > 0)
	r.releaseLock(len(left))
	switch {
	case r.State != "":
	case len(r.steps) == 0:
		r.State = Sound
	case !r.Apply:
		r.State = Repairable
	default:
		for _, s := range r.steps {
			if ctx.Err() != nil {
				return stopped(ctx, r.o)
			}
			if err := s.do(); err != nil {
				return failedRecovery(r.o, s.what, err)
			}
		}
		r.State = Repaired
	}
	return nil
}

// lookAgain adds how the Tresor is in the end.
func (r *recovery) lookAgain() {
	again, err := r.t.Again()
	if err != nil {
		return // it is neither
	}
	defer again.Close()
	r.Valid = validate(again, r.o).OK()
	r.Pinned = asPinned(again)
}

// find adds a finding about a file or folder.
func (r *recovery) find(severity Severity, label, key string, args ...any) {
	f := Finding{Severity: severity, Rule: key, Label: wording.Printable(label), Text: wording.Say(r.o.Lang, key, args...)}
	if label == profil.LockFile || label == profil.LogFile {
		f.Path = label
	}
	r.Findings = append(r.Findings, f)
}

// blocked adds a finding that nothing can be done about from here, the steps of a
// person, and the state.
func (r *recovery) blocked(state RecoveryState, label, key string, args ...any) {
	r.find(Error, label, key, args...)
	r.State = state
}

// advise adds a step of a person.
func (r *recovery) advise(key string, args ...any) {
	r.Steps = append(r.Steps, wording.Say(r.o.Lang, key, args...))
}

// plan adds a step that can be carried out.
func (r *recovery) plan(what string, do func() error, key string, args ...any) {
	r.advise(key, args...)
	r.steps = append(r.steps, step{what, do})
}

// writer says who made a lock or a staging folder, by its lines.
func writer(lines []string) wording.Sentence {
	values := make(map[string]string)
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, "="); ok {
			values[name] = value
		}
	}
	switch {
	case values["command"] != "":
		return wording.Sentence{Key: "RV-50", Args: []any{values["command"], values["pid"], values["host"], values["started"]}}
	case values["pid"] != "":
		return wording.Sentence{Key: "RV-55", Args: []any{values["pid"]}}
	}
	return wording.Sentence{Key: "RV-56"}
}
