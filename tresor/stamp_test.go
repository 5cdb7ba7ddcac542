package tresor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"outheis/tresor"
)

// A snapshot knows the folder that it was read from, until that changes.
func TestStampOfSnapshot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tresor")
	generate(t, dir, 100)
	put := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("log.md", "# Log\n")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	s, err := tresor.Open(dir, tresor.Options{})
	for err == nil && s.Stamp().Young() {
		<-tick.C
		s, err = tresor.Open(dir, tresor.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	look := func() bool {
		t.Helper()
		now, err := tresor.Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		return now.Same(s.Stamp())
	}
	if !look() {
		t.Fatal("another stamp without a change")
	}
	put("log.md", "# Log\n\nmehr\n")
	if !look() {
		t.Error("another stamp after a line in the log, which no release pins")
	}
	for _, name := range []string{"evals", ".vault-release.lock", "neu.md", "sources/quarantine/neu.pdf"} {
		path := put(name, "")
		if look() {
			t.Errorf("the same stamp with %s", name)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if !look() {
		t.Error("another stamp after what was added has gone")
	}
	if _, err := tresor.Look(dir + "/none"); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

// BenchmarkLook is what a served Tresor costs for each question: one look at its
// folder, without reading a file.
func BenchmarkLook(b *testing.B) {
	for _, pages := range []int{100, 1000} {
		b.Run(fmt.Sprint(pages, " pages"), func(b *testing.B) {
			dir := b.TempDir()
			generate(b, dir, pages)
			for b.Loop() {
				if _, err := tresor.Look(dir); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
