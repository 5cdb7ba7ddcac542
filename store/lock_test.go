//go:build linux || darwin

package store_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/store"
)

// TestHolder is no test of its own: the test binary runs itself with it to
// have another process that holds a human directory until its input ends.
func TestHolder(t *testing.T) {
	dir := os.Getenv("STORE_TEST_HOLD")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	h, err := store.Open(dir, store.Options{Holder: "outheis run"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString("held\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		t.Log(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// startHolder starts another process that holds dir.
func startHolder(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolder$")
	cmd.Env = append(os.Environ(), "STORE_TEST_HOLD="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	return cmd
}

func wantLocked(t *testing.T, dir string) *store.LockedError {
	t.Helper()
	h, err := store.Open(dir, store.Options{})
	if err == nil {
		h.Close()
		t.Fatal("a second instance got the directory")
	}
	var le *store.LockedError
	if !errors.As(err, &le) {
		t.Fatalf("got %v, want a LockedError", err)
	}
	return le
}

func TestSecondInstanceLearnsWhoHoldsTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	cmd := startHolder(t, dir)
	le := wantLocked(t, dir)
	if le.PID != cmd.Process.Pid || le.Command != "outheis run" || le.Since.IsZero() || le.Host != "" || le.Dir != dir {
		t.Errorf("got %+v, want process %d, \"outheis run\"", le, cmd.Process.Pid)
	}
	for _, part := range []string{dir, `"outheis run"`, "since"} {
		if !strings.Contains(le.Error(), part) {
			t.Errorf("%q does not say %s", le, part)
		}
	}
}

func TestLockWithinOneProcess(t *testing.T) {
	h := openHuman(t, store.Options{Holder: "outheis chat"})
	if le := wantLocked(t, h.Dir()); le.PID != os.Getpid() || le.Command != "outheis chat" {
		t.Errorf("got %+v", le)
	}
	if err := h.CheckLock(); err != nil {
		t.Errorf("a refused second instance harmed the lock: %v", err)
	}
	if le := wantLocked(t, h.Dir()); le.PID != os.Getpid() {
		t.Errorf("a refused second instance wiped the note: %+v", le)
	}
}

func TestKilledHolderFreesTheLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	cmd := startHolder(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	h := openAt(t, dir, store.Options{Holder: "outheis send"})
	if err := h.CheckLock(); err != nil {
		t.Error(err)
	}
}

func TestStoppedHolderStillHolds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	cmd := startHolder(t, dir)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if le := wantLocked(t, dir); le.PID != cmd.Process.Pid {
		t.Errorf("got process %d, want %d", le.PID, cmd.Process.Pid)
	}
}

func TestClosedHolderFreesTheLockAndItsNote(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	for range 3 {
		h, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, ".lock")); err != nil || len(b) != 0 {
		t.Errorf("the lock file says %q, %v; want nothing", b, err)
	}
}

func TestDeletedLockFileLetsNobodyIn(t *testing.T) {
	h := openHuman(t, store.Options{})
	lock := filepath.Join(h.Dir(), ".lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := h.CheckLock(); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("lock file removed: got %v, want ErrLockLost", err)
	}
	if le := wantLocked(t, h.Dir()); le.PID != 0 {
		t.Errorf("without a lock file the holder is unknown, got process %d", le.PID)
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.CheckLock(); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("lock file replaced: got %v, want ErrLockLost", err)
	}
}

func TestMovedDirectoryIsNoticed(t *testing.T) {
	h := openHuman(t, store.Options{})
	if err := os.Rename(h.Dir(), h.Dir()+"-old"); err != nil {
		t.Fatal(err)
	}
	if err := h.CheckLock(); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("moved: got %v, want ErrLockLost", err)
	}
	if err := os.Mkdir(h.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.CheckLock(); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("replaced: got %v, want ErrLockLost", err)
	}
}

// A note can be left over from a holder that was killed, come from another
// machine, or be anything: it is information, not the lock.
func TestNotesOfOthers(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	note := func(pid int, host string) string {
		b, err := json.Marshal(map[string]any{"pid": pid, "command": "outheis run", "since": time.Unix(1_800_000_000, 0).UTC(), "host": host})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, note, wantHost string
		wantPID              int
	}{
		{"empty", "", "", 0},
		{"not JSON", "4711\n", "", 0},
		{"huge", strings.Repeat("x", 1<<20), "", 0},
		{"process that is gone", note(gone.Process.Pid, host), "", 0},
		{"impossible process", note(-1, host), "", 0},
		{"other machine", note(4711, "elsewhere"), "elsewhere", 4711},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := openHuman(t, store.Options{})
			if err := os.WriteFile(filepath.Join(h.Dir(), ".lock"), []byte(tt.note), 0o600); err != nil {
				t.Fatal(err)
			}
			le := wantLocked(t, h.Dir())
			if le.PID != tt.wantPID || le.Host != tt.wantHost {
				t.Errorf("got process %d on %q, want %d on %q", le.PID, le.Host, tt.wantPID, tt.wantHost)
			}
			if le.PID == 0 && !strings.HasSuffix(le.Error(), "another process") {
				t.Errorf("got %q", le)
			}
		})
	}
}
