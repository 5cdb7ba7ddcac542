package tresor_test

import (
	"testing"

	"outheis/tresor"
)

func BenchmarkDiagnose(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, dir string) {
		for b.Loop() {
			if _, err := tresor.Diagnose(dir, tresor.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
