package curate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/curate"
)

// A file that grows as fast as it is read is refused.
func TestExamineAGrowingFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "Hofbuch.md")
	if err := os.WriteFile(file, []byte("Das Tor.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o, looks := may(2), 0
	o.Progress = func(tresor.Stage, int, int) {
		if looks++; looks > 100 {
			cancel() // it never ends
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := f.WriteString("Und noch ein Satz.\n"); err != nil {
			t.Error(err)
		}
	}
	_, err := curate.Examine(ctx, file, "", o)
	if _, text := refusal(t, err); !strings.Contains(text, "es wurde beim Lesen verändert") {
		t.Errorf("got %q after %d looks", text, looks)
	}
}
