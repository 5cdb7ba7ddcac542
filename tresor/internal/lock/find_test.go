//go:build unix

package lock_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"outheis/tresor/internal/lock"
)

func TestFind(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	dead, own := child.Process.Pid, os.Getpid()
	content := func(pid int, host string, started time.Time) string {
		return fmt.Sprintf("pid=%d\nhost=%s\ncommand=release\nstarted=%s\n", pid, host, started.UTC().Format(time.RFC3339))
	}
	reused := lock.Held // where the time of a process's start is not known
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		reused = lock.Left
	}
	tests := []struct {
		name, content string
		state         lock.State
		reason        lock.Reason
	}{
		{"dead", content(dead, host, time.Now()), lock.Left, 0},
		{"alive", content(own, host, time.Now()), lock.Held, 0},
		{"number used again", content(own, host, time.Now().Add(-24*365*time.Hour)), reused, 0},
		{"no time", fmt.Sprintf("pid=%d\nhost=%s\n", own, host), lock.Held, 0},
		{"other machine", content(dead, host+"2", time.Now()), lock.Unclear, lock.OtherHost},
		{"other engine", fmt.Sprintf("pid=%d\n", dead), lock.Unclear, lock.NoHost},
		{"empty", "", lock.Unclear, lock.NoWriter},
		{"no number", "pid=x\nhost=" + host + "\n", lock.Unclear, lock.NoWriter},
		{"negative", "pid=-1\nhost=" + host + "\n", lock.Unclear, lock.NoWriter},
		{"binary", "\x00\xff\n\n=\n", lock.Unclear, lock.NoWriter},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".vault-release.lock")
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := lock.Find(dir, nil)
			if err != nil || f.State != tt.state || f.Reason != tt.reason {
				t.Fatalf("got %+v, %v", f, err)
			}
			second, err := lock.Find(dir, nil)
			if err != nil || second.State == lock.Left {
				t.Errorf("a second look gets %+v, %v", second, err)
			}
			second.Close()
			if err := f.Remove(); err != nil {
				t.Error(err)
			}
			f.Close()
			if f, err := lock.Find(dir, nil); f != nil || err != nil {
				t.Errorf("after Remove: %+v, %v", f, err)
			}
		})
	}
}

func TestFindWhatIsHeld(t *testing.T) {
	dir := t.TempDir()
	l := take(t, dir)
	f, err := lock.Find(dir, nil)
	if err != nil || f.State != lock.Held || f.PID != os.Getpid() || f.Command != "index" || !f.Started.Equal(now) {
		t.Fatalf("got %+v, %v", f, err)
	}
	f.Close()
	if err := l.Keep("rename failed"); err != nil {
		t.Fatal(err)
	}
	f, err = lock.Find(dir, nil)
	if err != nil || f.Required != "rename failed" {
		t.Errorf("got %+v, %v", f, err)
	}
	f.Close()
}

func TestFindWhatIsNoFile(t *testing.T) {
	for name, lay := range map[string]func(path string) error{
		"folder":     func(path string) error { return os.Mkdir(path, 0o755) },
		"link":       func(path string) error { return os.Symlink("nowhere", path) },
		"two names":  func(path string) error { return os.Link(filepath.Join(filepath.Dir(path), "a"), path) },
		"very large": func(path string) error { return os.WriteFile(path, make([]byte, 100<<10), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := lay(filepath.Join(dir, ".vault-release.lock")); err != nil {
				t.Fatal(err)
			}
			f, err := lock.Find(dir, nil)
			if err != nil || f.State != lock.Unclear || f.Reason != lock.NoFile {
				t.Fatalf("got %+v, %v", f, err)
			}
			f.Close()
		})
	}
}

// A lock that was replaced since is not removed.
func TestRemoveLeavesAnotherLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".vault-release.lock")
	if err := os.WriteFile(path, []byte("pid=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := lock.Find(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("pid=2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err == nil {
		t.Error("it was removed")
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
