//go:build unix

package txn_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/txn"
)

// growing appends to the file at a path whenever it is read, and lets a read
// fail that comes after far too many.
func growing(t *testing.T, path string) (hook disk.Hook, endless error) {
	endless = errors.New("read on without an end")
	reads := 0
	return func(c disk.Call) error {
		if c.Op != "read" || c.Path != path {
			return nil
		}
		if reads++; reads > 100 {
			return endless
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		_, err = f.Write(make([]byte, 64<<10))
		must(t, err)
		return f.Close()
	}, endless
}

// A file that grows as fast as it is read is refused, and nothing is written.
func TestAGrowingFile(t *testing.T) {
	for name, tt := range map[string]struct {
		target txn.Target
		grows  string
		want   string
	}{
		"write":  {txn.Target{Path: "a.md", Content: []byte("neu a"), Mode: 0o644}, "a.md", "TX-16"},
		"append": {txn.Target{Kind: txn.Append, Path: "log.md", Content: []byte("zwei"), Mode: 0o644}, "log.md", "TX-16"},
		"move":   {txn.Target{Kind: txn.Move, From: "ein/q.md", Path: "aus/q.md"}, "ein/q.md", "TX-2"},
		"remove": {txn.Target{Kind: txn.Remove, Path: "weg.md"}, "weg.md", "TX-2"},
		"moved":  {txn.Target{Kind: txn.Move, From: "ein/q.md", Path: "aus/q.md"}, "aus/q.md", "TX-2"}, // when all is read back
	} {
		t.Run(name, func(t *testing.T) {
			dir := everyVault(t)
			hook, endless := growing(t, filepath.Join(dir, tt.grows))
			err := run(dir, txn.Transaction{Targets: []txn.Target{tt.target}, Hook: hook})
			var refused *txn.Error
			if !errors.As(err, &refused) || errors.Is(err, endless) || refused.Why.Key != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if _, err := os.Lstat(filepath.Join(dir, "aus/q.md")); err == nil {
				t.Error("the move stands")
			}
			for p, former := range map[string]string{"a.md": "alt a", "log.md": "eins", "ein/q.md": "Quelle", "weg.md": "weg"} {
				b, err := os.ReadFile(filepath.Join(dir, p))
				if before, _, _ := strings.Cut(string(b), "\x00"); err != nil || before != former {
					t.Errorf("%s: %.20q, %v", p, b, err)
				}
			}
			if left := siblings(t, dir); len(left) > 0 {
				t.Errorf("left beside the Tresor: %q", left)
			}
		})
	}
}
