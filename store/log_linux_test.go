package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/store"
)

// TestDiskWorker is no test of its own: it appends on a disk in trouble until
// it is refused, and prints what was acknowledged and why it stopped.
func TestDiskWorker(t *testing.T) {
	dir := os.Getenv("STORE_TEST_DISK")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var later time.Duration
	o := options()
	o.Now = func() time.Time { return time.Now().Round(0).Add(later) }
	l, _, err := store.OpenLog[envelope](h, "messages.jsonl", o)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ask := func() error {
		n++
		e, _, err := l.Append(t.Context(), request(fmt.Sprint("disk:", n), strings.Repeat("voll ", 200)))
		if err == nil {
			fmt.Println("ack", e.Cause, e.ID)
		}
		return err
	}
	for err == nil && n < 1000 {
		err = ask()
	}
	fmt.Println("stopped", err)
	if errors.Is(err, store.ErrFailed) {
		os.Exit(74)
	}
	if filler := filepath.Join(dir, "filler"); os.Remove(filler) == nil {
		if err := ask(); !errors.Is(err, store.ErrDegraded) {
			t.Errorf("at once: got %v, want ErrDegraded", err)
		}
		later = 31 * time.Second
		if err := ask(); err != nil {
			t.Errorf("with room again: %v", err)
		}
		if err := errors.Join(l.Close(), h.Close()); err != nil {
			t.Error(err)
		}
		checkDisk(t, dir, map[string]string{"disk:1": ""})
		fmt.Println("resumed")
	}
	os.Exit(0) // without a clean stop
}

// runDisk runs the worker by a command line and returns what it printed.
func runDisk(t *testing.T, dir string, args ...string) (acked map[string]string, words string, status *os.ProcessState) {
	t.Helper()
	args = append(args, os.Args[0], "-test.run=^TestDiskWorker$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "STORE_TEST_DISK="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	acked = map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "ack" {
			acked[f[1]] = f[2]
		} else {
			words += line
		}
	}
	return acked, words, cmd.ProcessState
}

// checkDisk opens the log and looks for everything that was acknowledged.
func checkDisk(t *testing.T, dir string, acked map[string]string) store.Recovery {
	t.Helper()
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	l, found, err := store.OpenLog[envelope](h, "messages.jsonl", options())
	if err != nil {
		t.Fatal(err)
	}
	for cause, id := range acked {
		if e, ok, err := l.Lookup(cause); err != nil || !ok || id != "" && e.ID != id {
			t.Errorf("acknowledged %s %s: got %+v, %v, %v", cause, id, e.Head, ok, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	return found
}

func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	const script = `mount -t tmpfs -o size=300k t "$STORE_TEST_DISK" && chmod 700 "$STORE_TEST_DISK" || exit 77
head -c 100000 /dev/zero >"$STORE_TEST_DISK/filler"; chmod 600 "$STORE_TEST_DISK/filler"
exec "$@"`
	acked, words, status := runDisk(t, dir, "unshare", "-Urm", "sh", "-c", script, "sh")
	if status.ExitCode() == 77 || strings.HasPrefix(words, "unshare:") {
		t.Skip("no mounts here: ", words)
	}
	if status.ExitCode() != 0 || len(acked) < 20 || !strings.Contains(words, "no space left on device") || !strings.Contains(words, "resumed") {
		t.Errorf("got status %d, %d records and\n%s", status.ExitCode(), len(acked), words)
	}
}

// TestReadOnlyDirectory is the first half of D7 of spec/reliability.md §1.8.
func TestReadOnlyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := openLog(t, h, options())
	mustAppend(t, l, request("tg:1", "Wann?"))
	if err := errors.Join(l.Close(), h.Close()); err != nil {
		t.Fatal(err)
	}
	before := read(t, filepath.Join(dir, "messages.jsonl"))
	h = openAt(t, dir, store.Options{ReadOnly: true})
	l, found := openLog(t, h, options())
	if !errors.Is(found.ReadOnly, store.ErrReadOnly) || found.Open != 1 {
		t.Errorf("got %+v, want one open line, for reading only", found)
	}
	if _, _, err := l.Append(t.Context(), request("tg:2", "")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("append: got %v, want ErrReadOnly", err)
	}
	if e, ok, err := l.Lookup("tg:1"); err != nil || !ok || e.Payload.Text != "Wann?" {
		t.Errorf("got %+v, %v, %v", e, ok, err)
	}
	if got := read(t, filepath.Join(dir, "messages.jsonl")); got != before {
		t.Errorf("the log was changed")
	}
}

func TestUnsafeLogsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"symbolic link": func(path string) error { return os.Symlink("elsewhere.jsonl", path) },
		"hard link": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Link(path, path+".second"))
		},
		"directory":          func(path string) error { return os.Mkdir(path, 0o700) },
		"FIFO":               func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"writable by others": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666)) },
	} {
		t.Run(name, func(t *testing.T) {
			h := openHuman(t, store.Options{})
			if err := spoil(filepath.Join(h.Dir(), "messages.jsonl")); err != nil {
				t.Fatal(err)
			}
			_, _, err := store.OpenLog[envelope](h, "messages.jsonl", options())
			var unsafe *store.UnsafeError
			var perm *store.PermissionError
			if !errors.As(err, &unsafe) && !errors.As(err, &perm) {
				t.Errorf("got %v, want it refused", err)
			}
		})
	}
}
