package tresor

import (
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
)

// CheckRelease returns the [*WriteError] that [Release] would give for the
// Tresor in dir because of what is outside of its rules: a VERSION that cannot be
// raised or a log.md that cannot be continued. Who is about to change the Tresor
// and release it in the same go learns of it before the change. Nil promises
// nothing; nothing is locked or written.
func CheckRelease(dir string, level Level, o Options) error {
	t, err := tree.Open(dir)
	if err != nil {
		return nil // the change says so
	}
	defer t.Close()
	former, err := formerVersion(t, o)
	if err != nil {
		return err
	}
	if _, err := nextVersion(former, level); err != nil {
		return refuseWrite(o, "RE-2", former)
	}
	if t.Exists(profil.LogFile) && !t.SafeFile(profil.LogFile) {
		return refuseWrite(o, "RE-3")
	}
	_, err = logTarget(t, "", o)
	return err
}
