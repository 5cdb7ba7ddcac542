//go:build unix

package txn_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor/internal/txn"
)

// tree returns all paths below dir with their content, "/" for a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path) // both are below dir
		if info.IsDir() {
			all = append(all, rel+"/")
			return nil
		}
		b, err := os.ReadFile(path)
		all = append(all, rel+"="+string(b))
		return err
	}))
	return strings.Join(all, " ")
}

// everything holds a target of each kind.
func everything() []txn.Target {
	return []txn.Target{
		{Path: "a.md", Content: []byte("neu a"), Was: sum("alt a"), Mode: 0o644},
		{Kind: txn.Append, Path: "log.md", Content: []byte("zwei"), Mode: 0o644},
		{Kind: txn.Folder, Path: "seiten/neu", Mode: 0o755},
		{Kind: txn.Folder, Path: "seiten/neu/tief", Mode: 0o755},
		{Path: "seiten/neu/tief/s.md", Reader: strings.NewReader("Seite"), SHA256: sum("Seite"), Mode: 0o644},
		{Kind: txn.Move, From: "ein/q.md", Path: "aus/q.md", SHA256: sum("Quelle")},
		{Kind: txn.Move, From: "ein/r.md", Path: "ein/s.md"},
		{Kind: txn.Move, From: "ein/x.md", Path: "seiten/neu/x.md"},
		{Kind: txn.Remove, Path: "weg.md"},
	}
}

const (
	oldTree = "a.md=alt a aus/ ein/ ein/q.md=Quelle ein/r.md=R ein/x.md=X log.md=eins seiten/ weg.md=weg"
	newTree = "a.md=neu a aus/ aus/q.md=Quelle ein/ ein/s.md=R log.md=eins\nzwei\n seiten/ seiten/neu/ seiten/neu/tief/ seiten/neu/tief/s.md=Seite seiten/neu/x.md=X"
)

func everyVault(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v")
	for path, content := range map[string]string{
		"a.md": "alt a", "log.md": "eins", "weg.md": "weg", "ein/q.md": "Quelle", "ein/r.md": "R", "ein/x.md": "X", "aus/-": "", "seiten/-": "",
	} {
		full := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		if !strings.HasSuffix(path, "-") {
			must(t, os.WriteFile(full, []byte(content), 0o644))
		}
	}
	return dir
}

func TestEveryKind(t *testing.T) {
	dir := everyVault(t)
	if got := tree(t, dir); got != oldTree {
		t.Fatalf("the Tresor is %s", got)
	}
	if err := run(dir, txn.Transaction{Targets: everything()}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); got != newTree {
		t.Errorf("got  %s\nwant %s", got, newTree)
	}
	if left := siblings(t, dir); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestEveryKindRollsBack(t *testing.T) {
	dir := everyVault(t)
	stop := errors.New("stop")
	during := ""
	err := run(dir, txn.Transaction{Targets: everything(), After: func() error { during = tree(t, dir); return stop }})
	if !errors.Is(err, stop) || during != newTree {
		t.Errorf("got %v, during %s", err, during)
	}
	if got := tree(t, dir); got != oldTree {
		t.Errorf("got  %s\nwant %s", got, oldTree)
	}
	if left := siblings(t, dir); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// What others put into a new folder stays, and with it the folder.
func TestRollbackLeavesAFilledFolder(t *testing.T) {
	dir := everyVault(t)
	err := run(dir, txn.Transaction{Targets: everything(), After: func() error {
		must(t, os.WriteFile(filepath.Join(dir, "seiten/neu/fremd.md"), []byte("fremd"), 0o644))
		return errors.New("stop")
	}})
	var incomplete *txn.RollbackError
	if !errors.As(err, &incomplete) || len(incomplete.Failed) != 1 || !strings.Contains(incomplete.Failed[0].Error(), "seiten/neu: ") {
		t.Fatalf("got %v", err)
	}
	want := strings.Replace(oldTree, "seiten/", "seiten/ seiten/neu/ seiten/neu/fremd.md=fremd", 1)
	if got := tree(t, dir); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	for before, want := range map[string]string{
		"-": "neu\n", "": "neu\n", "alt": "alt\nneu\n", "alt\n": "alt\nneu\n", "a\r\nb\r\n": "a\r\nb\r\nneu\n", "a\r": "a\r\nneu\n", "\n": "\nneu\n",
		strings.Repeat("x", 1<<20): strings.Repeat("x", 1<<20) + "\nneu\n",
	} {
		dir := vault(t)
		if before != "-" {
			must(t, os.WriteFile(filepath.Join(dir, "log.md"), []byte(before), 0o600))
		}
		must(t, run(dir, txn.Transaction{Targets: []txn.Target{{Kind: txn.Append, Path: "log.md", Content: []byte("neu"), Mode: 0o644}}}))
		if b, err := os.ReadFile(filepath.Join(dir, "log.md")); err != nil || string(b) != want {
			t.Errorf("after %.9q: %.20q, %v", before, b, err)
		}
	}
}

func TestRefusedTargets(t *testing.T) {
	tests := []struct {
		name    string
		targets []txn.Target
		text    string
	}{
		{"absolute", []txn.Target{{Path: "/a.md"}}, "/a.md: "},
		{"outside", []txn.Target{{Path: "../a.md"}}, "../a.md: "},
		{"uncleaned", []txn.Target{{Path: "ein/./a.md"}}, "ein/./a.md: "},
		{"root", []txn.Target{{Path: "."}}, ".: "},
		{"line break", []txn.Target{{Path: "a\n.md"}}, `a\n.md: `},
		{"twice", []txn.Target{{Path: "n.md"}, {Kind: txn.Append, Path: "n.md"}}, "n.md: "},
		{"move and write", []txn.Target{{Kind: txn.Move, From: "ein/q.md", Path: "n.md"}, {Path: "ein/q.md"}}, "ein/q.md: "},
		{"move over a file", []txn.Target{{Kind: txn.Move, From: "ein/q.md", Path: "a.md"}}, "a.md: "},
		{"move nothing", []txn.Target{{Kind: txn.Move, From: "ein/-.md", Path: "n.md"}}, "ein/-.md: "},
		{"move a folder", []txn.Target{{Kind: txn.Move, From: "ein", Path: "n"}}, "ein: "},
		{"move other content", []txn.Target{{Kind: txn.Move, From: "ein/q.md", Path: "n.md", SHA256: sum("anders")}}, "ein/q.md: "},
		{"read other content", []txn.Target{{Path: "n.md", Reader: strings.NewReader("x"), SHA256: sum("anders")}}, "n.md: "},
		{"write over other content", []txn.Target{{Path: "a.md", Content: []byte("neu"), Was: sum("anders")}}, "a.md: "},
		{"write over nothing", []txn.Target{{Path: "n.md", Content: []byte("neu"), Was: sum("anders")}}, "n.md: "},
		{"remove nothing", []txn.Target{{Kind: txn.Remove, Path: "n.md"}}, "n.md: "},
		{"remove a folder", []txn.Target{{Kind: txn.Remove, Path: "ein"}}, "ein: "},
		{"folder exists", []txn.Target{{Kind: txn.Folder, Path: "ein"}}, "ein: "},
		{"folder too late", []txn.Target{{Path: "neu/n.md"}, {Kind: txn.Folder, Path: "neu"}}, "neu: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := everyVault(t)
			must(t, os.MkdirAll(filepath.Join(dir, "seiten"), 0o755))
			err := run(dir, txn.Transaction{Targets: append([]txn.Target{{Path: "zuerst.md", Content: []byte("x")}}, tt.targets...)})
			var refused *txn.Error
			if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), tt.text) {
				t.Errorf("got %v", err)
			}
			if got := tree(t, dir); got != oldTree {
				t.Errorf("the Tresor is %s", got)
			}
			if left := siblings(t, dir); left != nil {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// What changes between the look and the renaming is not lost.
func TestAChangeMeanwhileStays(t *testing.T) {
	for path, targets := range map[string][]txn.Target{
		"log.md":   {{Kind: txn.Append, Path: "log.md", Content: []byte("neu")}},
		"a.md":     {{Path: "a.md", Content: []byte("neu")}},
		"neu.md":   {{Path: "neu.md", Content: []byte("neu")}},
		"ein/q.md": {{Kind: txn.Move, From: "ein/q.md", Path: "aus/q.md"}},
		"weg.md":   {{Kind: txn.Remove, Path: "weg.md"}},
	} {
		dir := everyVault(t)
		before := ""
		err := run(dir, txn.Transaction{Targets: targets, Before: func() error {
			must(t, os.WriteFile(filepath.Join(dir, path), []byte("von Hand"), 0o644))
			before = tree(t, dir)
			return nil
		}})
		if err == nil || tree(t, dir) != before {
			t.Errorf("%s: %v, %s", path, err, tree(t, dir))
		}
	}
}
