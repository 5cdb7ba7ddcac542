package tresor

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/lock"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// A View is a Tresor under the write lock, as a plan of [Change] finds it.
type View struct {
	Tree    *tree.Tree
	Bestand *bestand.Bestand // what could be read; complete if Report is without errors
	Report  Report

	o       Options
	allowed map[string]bool // rules, of all copies of the view
}

// Allow lets the change bring in errors of a rule: for work that a person has to
// go on with, such as a media description that nobody has verified yet (MD-18).
func (v View) Allow(rule string) { v.allowed[rule] = true }

// Change changes files of the Tresor in dir as one transaction, for the commands
// of curators: it takes the write lock, shows plan the Tresor as it is, carries
// out the targets that plan returns in their order, validates the outcome and
// rolls everything back if there is an error that was not there before. What is
// to be consistent with the change, as a row of a register, a page in the router
// or an entry of the log ([View.LogEntry]), belongs into the same plan:
//
//	report, err := tresor.Change(ctx, dir, "add", o, func(v tresor.View) ([]txn.Target, error) {
//		rows, err := register.Add(…v.Bestand…)
//		return []txn.Target{
//			{Path: profil.RegisterFile, Content: rows},
//			{Kind: txn.Move, From: "sources/quarantine/plan.md", Path: "sources/raw/S-0003__plan.md", SHA256: digest},
//		}, err
//	})
//
// Command is the name in the lock. An error of plan leaves the Tresor as it is
// and is returned as it is; so does a plan without targets, which is no error.
// New validation errors give an [*InvalidError] with them, a locked Tresor one
// with the state [VaultBusy], everything else a [*WriteError]. The report is that
// of the changed Tresor, or where nothing was changed of the former one.
//
// A context that ends before the first target is in place stops the change;
// afterwards it runs to its end.
//
// A plan is made of internal types: only the packages of this engine can call it.
func Change(ctx context.Context, dir, command string, o Options, plan func(View) ([]txn.Target, error)) (Report, error) {
	var report Report
	err := mutate(ctx, dir, command, o, func(w *writing) error {
		b, found := bestand.Load(w.tree)
		report = reportOf(b, found, o)
		allowed := make(map[string]bool)
		targets, err := plan(View{w.tree, b, report, o, allowed})
		if err != nil {
			return err
		}
		var after Report
		err = w.replace(ctx, nil, func() error {
			again, err := w.tree.Again()
			if err != nil {
				return err
			}
			defer again.Close()
			after = validate(again, o)
			return noNewErrors(again.Name(), report, after, allowed)
		}, targets...)
		if err == nil && len(targets) > 0 {
			report = after
		}
		return err
	})
	return report, err
}

// noNewErrors returns the errors of after that before did not have and whose
// rule is not allowed.
func noNewErrors(name string, before, after Report, allowed map[string]bool) error {
	fresh := slices.DeleteFunc(Beyond(after.Errors, before.Errors), func(f Finding) bool { return allowed[f.Rule] })
	if len(fresh) == 0 {
		return nil
	}
	return &InvalidError{State: InvalidVault, Name: name, Findings: fresh, Warnings: after.Warnings}
}

// A writing is an operation under the write lock.
type writing struct {
	tree *tree.Tree
	lock *lock.Lock
	o    Options
}

// mutate runs a writing operation on the Tresor in dir under the write lock.
func mutate(ctx context.Context, dir, command string, o Options, operation func(*writing) error) error {
	if ctx.Err() != nil {
		return stopped(ctx, o)
	}
	root, err := tree.Resolve(dir)
	if err != nil {
		return unreadable(dir, err, o)
	}
	l, err := lock.Take(root, command, o.now(), o.hook)
	if errors.Is(err, lock.ErrTaken) {
		found := check.Finding{Where: check.File(profil.LockFile), Sentence: check.Reason("WR-1")}
		return &InvalidError{State: VaultBusy, Name: filepath.Base(root), Findings: findings([]check.Finding{found}, Error, o)}
	}
	if err != nil {
		return unlockable(err, o)
	}
	if t, failed := o.open(root); failed != nil {
		err = unreadable(dir, failed, o)
	} else {
		err = guarded(l, &writing{t, l, o}, operation)
		t.Close()
	}
	var incomplete *txn.RollbackError
	finish := l.Release
	if errors.As(err, &incomplete) {
		finish = func() error { return l.Keep(keptReason(command, incomplete)) }
	}
	if failed := finish(); failed != nil {
		return &WriteError{Text: wording.Say(o.Lang, "WR-6", failed), Recovery: incomplete != nil, Done: err == nil, Err: errors.Join(failed, err)}
	}
	return err
}

// unlockable is the error for a lock that cannot be made.
func unlockable(err error, o Options) error {
	if errors.Is(err, disk.ErrPlatform) {
		return &WriteError{Text: wording.Say(o.Lang, "TX-11"), Err: err}
	}
	return &WriteError{Text: wording.Say(o.Lang, "WR-7", err, wording.Remedy(err)), Err: err}
}

// keptReason is what a lock that stays says; the format has it in German.
func keptReason(command string, incomplete *txn.RollbackError) string {
	const reason = "Rollback unvollständig"
	if command == "release" {
		return reason
	}
	return reason + ": " + incomplete.FailedIn("de")
}

// guarded runs an operation. Should it panic, the lock is released: nothing is
// half written then, since the transaction catches its own.
func guarded(l *lock.Lock, w *writing, operation func(*writing) error) error {
	done := false
	defer func() {
		if !done {
			_ = l.Release() // the panic is worse
		}
	}()
	err := operation(w)
	done = true
	return err
}

// replace carries out the targets as one transaction and words its failure.
func (w *writing) replace(ctx context.Context, before, after func() error, targets ...txn.Target) error {
	err := txn.Transaction{Root: w.tree.Root(), Note: w.lock.Note(), Targets: targets,
		Before: before, After: after, Began: w.lock.Began, Ended: w.lock.Ended, Hook: w.o.hook}.Run(ctx)
	var incomplete *txn.RollbackError
	var invalid *InvalidError
	var worded *WriteError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &incomplete):
		text := wording.Say(w.o.Lang, "WR-5", w.words(incomplete.Cause), incomplete.FailedIn(w.o.Lang), incomplete.Backup)
		return &WriteError{Text: text, Recovery: true, Err: err}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return stopped(ctx, w.o)
	case errors.As(err, &invalid), errors.As(err, &worded):
		return err
	}
	return &WriteError{Text: w.words(err), Err: err}
}

// words words the cause of a failure.
func (w *writing) words(err error) string {
	var failed *txn.Error
	var worded *WriteError
	var invalid *InvalidError
	switch {
	case errors.As(err, &failed):
		return failed.In(w.o.Lang)
	case errors.As(err, &worded):
		return worded.Text
	case errors.As(err, &invalid) && len(invalid.Findings) > 0:
		return invalid.Findings[0].String()
	}
	return err.Error()
}

func stopped(ctx context.Context, o Options) error {
	return &WriteError{Text: wording.Say(o.Lang, "WR-8"), Err: ctx.Err()}
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
