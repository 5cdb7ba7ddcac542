package netz_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What the reference engine fetched a while ago is not fetched again; its cache
// is not written, and nothing in it is trusted that is no plain document.
func TestReferenceCache(t *testing.T) {
	for name, tt := range map[string]struct {
		age     time.Duration
		content string
		spoil   func(file string) error
		want    string
	}{
		"fresh":    {10 * time.Second, "früher geholt", nil, "früher geholt"},
		"oldest":   {60*time.Second + 999*time.Millisecond, "früher geholt", nil, "früher geholt"},
		"stale":    {61 * time.Second, "früher geholt", nil, "Fassung 1"},
		"future":   {-time.Hour, "früher geholt", nil, "früher geholt"},
		"no UTF-8": {0, "fr\xfcher", nil, "Fassung 1"},
		"link": {0, "x", func(file string) error {
			if err := os.Rename(file, file+".alt"); err != nil {
				return err
			}
			return os.Symlink(file+".alt", file)
		}, "Fassung 1"},
		"shared folder": {0, "x", func(file string) error { return os.Chmod(filepath.Dir(file), 0o777) }, "Fassung 1"},
	} {
		t.Run(name, func(t *testing.T) {
			sh := newShelf(t)
			q := ask("a.md")
			folder := filepath.Join(sh.base, "skillsafe", filepath.Base(q.Vault), q.Source)
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, fmt.Sprintf("%x.md", sha256.Sum256([]byte(q.Prefix+"a.md"))))
			if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			at := sh.now.Add(-tt.age)
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
			if tt.spoil != nil {
				if err := tt.spoil(file); err != nil {
					t.Fatal(err)
				}
			}
			document, rec := sh.read(t, q)
			fetched := tt.want == "Fassung 1"
			if document != tt.want || rec.Fetched != fetched || !fetched && rec.Age != max(0, int(tt.age/time.Second)) {
				t.Errorf("got %q, %+v", document, rec)
			}
			if b, err := os.ReadFile(file); tt.spoil == nil && (err != nil || string(b) != tt.content) {
				t.Errorf("the cache of the other holds %q, %v", b, err)
			}
		})
	}
}
