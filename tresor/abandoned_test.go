//go:build unix

package tresor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// What an export that was killed leaves is named by the doctor of a Tresor
// beside it and by the next export there, and nobody deletes it.
func TestAKilledExportIsNamed(t *testing.T) {
	dir := released(t)
	parent := filepath.Dir(dir)
	dead := false
	_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "okf")}, day.WithHook(func(c disk.Call) error {
		if dead = dead || c.Op == "rename"; dead {
			return errFault
		}
		return nil
	}))
	left, globbed := filepath.Glob(filepath.Join(parent, ".okf.okf-staging-*"))
	if err == nil || globbed != nil || len(left) != 1 {
		t.Fatalf("export: %v; left %q, %v", err, left, globbed)
	}
	if list := tresor.Abandoned(parent, tresor.Options{}); len(list) != 1 || !strings.HasPrefix(list[0], left[0]+" stammt von einem „export“") {
		t.Errorf("got %q", list)
	}
	if h := strings.Join(hints(t, dir), " "); !strings.Contains(h, "DR-30") {
		t.Errorf("doctor: %s", h)
	}
	if _, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "okf")}, tresor.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left[0]); err != nil {
		t.Error(err)
	}
}

// Folders that are only named alike are nobody's leftovers.
func TestWhatAnInitLeaves(t *testing.T) {
	for name, want := range map[string]int{".hof-init-4711/hof/VERSION": 1, ".hof-init-4711/brief.txt": 0, ".hof-init-4711/tor/VERSION": 0,
		".hof-init-x/hof/VERSION": 0, "hof-init-4711/hof/VERSION": 0, ".okf.okf-staging-abc/index.md": 0, ".okf.okf-staging-abcdefghij/index.md": 1} {
		parent := t.TempDir()
		put(t, parent, name, "x")
		if list := tresor.Abandoned(parent, tresor.Options{}); len(list) != want {
			t.Errorf("%s: %q", name, list)
		}
	}
}
