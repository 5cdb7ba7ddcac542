package tresor_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"outheis/tresor"
)

func BenchmarkExport(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, dir string) {
		parent := b.TempDir()
		for i := 0; b.Loop(); i++ {
			out := filepath.Join(parent, strconv.Itoa(i)) // an earlier export would be kept
			done, err := tresor.Export(b.Context(), dir, tresor.ExportOptions{Out: out}, tresor.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(done.Documents), "documents")
		}
	})
}
