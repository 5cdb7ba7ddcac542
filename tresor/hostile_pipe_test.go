//go:build unix

package tresor_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor"
)

// A pipe in the place of a folder of a bound tree is refused like a folder that
// is gone, and not waited for (5-extern section 3).
func TestPipeInABoundTree(t *testing.T) {
	dir, root, foreign := halle3(t), regelwerk(t), regelwerk(t)
	put(t, foreign, "MANIFEST.sha256", fmt.Sprintf("%x  regeln/laser.md\n", sha256.Sum256([]byte("x"))))
	bindSource(t, dir, "X-0001", root)
	bindSource(t, dir, "X-0002", foreign)
	for _, at := range []string{root, foreign} {
		must(t, os.RemoveAll(filepath.Join(at, "regeln")))
		must(t, syscall.Mkfifo(filepath.Join(at, "regeln"), 0o644))
	}
	l := lookUp(t, dir, "Laser", tresor.LookupOptions{Sources: []string{"X-0001"}}).Lookup
	if l.State != tresor.LookupNotBound || len(l.Notes) != 1 || !strings.HasPrefix(l.Notes[0], "X-0001/regeln/laser.md: ") {
		t.Errorf("lookup: %+v", l)
	}
	l = lookUp(t, dir, "Laser", tresor.LookupOptions{Sources: []string{"X-0002"}}).Lookup
	if l.State != tresor.LookupBadSource || !strings.HasPrefix(l.Reason, "X-0002: regeln/laser.md: ") {
		t.Errorf("lookup in a foreign Tresor: %+v", l)
	}
	r := refusalOf(t, tresor.AnchorTemplate(t.Context(), dir, "X-0001", "regeln/laser.md", nil, tresor.Options{}))
	if r.State != "unreachable" || len(r.Errors) != 1 {
		t.Errorf("anchor template: %+v", r)
	}
	if _, err := tresor.Diagnose(dir, tresor.Options{}); err != nil {
		t.Errorf("doctor: %v", err)
	}
}
