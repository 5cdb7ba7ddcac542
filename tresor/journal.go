package tresor

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// LogActions are the actions of an entry of log.md, sorted.
func LogActions() []string {
	return []string{"extern", "ingest", "lint", "note", "onboarding", "release", "update"}
}

// Log appends an entry to log.md, as a transaction under the write lock, and
// returns its line without the end (3-artefacts section 4). What is there stays
// byte for byte, however large; log.md is outside the manifest. Errors are those
// of [WriteIndex]; validation is none of its business.
func Log(ctx context.Context, dir, action, text string, o Options) (entry string, err error) {
	if entry, err = logEntry(action, text, o); err != nil {
		return "", err
	}
	err = mutate(ctx, dir, "log", o, func(w *writing) error {
		target, err := logTarget(w.tree, entry, o)
		if err != nil {
			return err
		}
		return w.replace(ctx, nil, nil, target)
	})
	return entry, err
}

// LogEntry returns the target that appends an entry to log.md as [Log] does, for
// a plan of [Change].
func (v View) LogEntry(action, text string) (txn.Target, error) {
	entry, err := logEntry(action, text, v.o)
	if err != nil {
		return txn.Target{}, err
	}
	return logTarget(v.Tree, entry, v.o)
}

// LogLine words an entry of log.md, for one that goes into the target of another:
// a file changes once in a plan. The log itself is not looked at.
func (v View) LogLine(action, text string) (string, error) { return logEntry(action, text, v.o) }

// logEntry words an entry.
func logEntry(action, s string, o Options) (string, error) {
	switch {
	case !slices.Contains(LogActions(), action):
		return "", refuseWrite(o, "LG-1", action, LogActions())
	case !utf8.ValidString(s):
		return "", refuseWrite(o, "LG-2")
	case text.HasControl(s):
		return "", refuseWrite(o, "LG-3")
	}
	return entryLine(action, s, o), nil
}

func entryLine(action, s string, o Options) string {
	return "## [" + o.now().Format("2006-01-02") + "] " + action + " | " + s
}

func logTarget(t *tree.Tree, entry string, o Options) (txn.Target, error) {
	if t.Exists(profil.LogFile) {
		if err := t.CheckText(profil.LogFile); err != nil {
			text := wording.Say(o.Lang, "LG-4", err)
			var encoding *tree.EncodingError
			if errors.As(err, &encoding) {
				text = wording.Say(o.Lang, "LG-5", encoding.Offset)
			}
			return txn.Target{}, &WriteError{Text: text, Err: err}
		}
	}
	return txn.Target{Kind: txn.Append, Path: profil.LogFile, Content: []byte(entry), Mode: 0o644}, nil
}
