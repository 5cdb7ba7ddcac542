package tresor_test

import (
	"path/filepath"
	"testing"

	"outheis/tresor"
)

// A release of 1,000 pages reads everything three times: to make it, to see that
// nothing changed meanwhile, and to check it.
func BenchmarkRelease(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "tresor")
	generate(b, dir, 1000)
	for b.Loop() {
		if _, err := tresor.Release(b.Context(), dir, tresor.Patch, day); err != nil {
			b.Fatal(err)
		}
	}
}
