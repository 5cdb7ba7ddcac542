package curate_test

import (
	"fmt"
	"strings"
	"testing"

	"outheis/tresor/curate"
)

// How long a text is looked through, by the megabyte.
func BenchmarkSuspicions(b *testing.B) {
	var s strings.Builder
	for i := 0; s.Len() < 1<<20; i++ {
		fmt.Fprintf(&s, "%d. Das Tor %d ist nachts geschlossen; die Regeln der Halle gelten für alle Besucher und Mitarbeiter.\n", i, i%7)
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if found := curate.Suspicions(s.String()); found != nil {
			b.Fatal(found)
		}
	}
}
