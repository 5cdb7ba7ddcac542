//go:build peers && linux

package tresor_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// build builds outheis for a test.
func build(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "outheis")
	if out, err := exec.Command("go", "build", "-o", path, "outheis/cmd/outheis").CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	return path
}

// A commandLine is a writer as people start it.
type commandLine struct {
	program string // outheis
	args    []string
	lay     func(t *testing.T, dir string)
}

// commandLines builds the program and returns its writers by name.
func commandLines(t *testing.T) map[string]commandLine {
	t.Helper()
	all := map[string]commandLine{
		"release":    {args: []string{"release", "minor"}},
		"index":      {args: []string{"index"}},
		"graph":      {args: []string{"graph"}},
		"checksum":   {args: []string{"checksum"}},
		"log":        {args: []string{"log", "note", "Rücksprache"}},
		"new domain": {args: []string{"new", "domain", "kasse", "--keyword", "Kasse"}},
		"add": {args: []string{"add", "sources/quarantine/neu.md", "--title", "Kasse", "--stand", "2026-05-01", "--trust", "T2", "--rights", "intern"},
			lay: func(t *testing.T, dir string) {
				put(t, dir, "sources/quarantine/neu.md", "Die Kasse schließt um sechs.\n")
			}},
		"recover": {args: []string{"recover", "--apply"}, lay: layCutOff},
	}
	program := build(t)
	for name, c := range all {
		c.program = program
		all[name] = c
	}
	return all
}

// layCutOff leaves what a release leaves that ends while it puts its files in
// place.
func layCutOff(t *testing.T, dir string) {
	dead := false
	hook := func(c disk.Call) error {
		if dead = dead || c.Op == "rename" && filepath.Base(c.To) == "VERSION"; dead {
			return errFault
		}
		return nil
	}
	if _, err := tresor.Release(t.Context(), dir, tresor.Minor, day.WithHook(hook)); err == nil {
		t.Error("the release was not cut off")
	}
	bury(t, dir)
}

func (c commandLine) command(t *testing.T, dir string, before ...string) *exec.Cmd {
	t.Helper()
	args := append(append(before, c.program, "tresor", "--root", dir), c.args...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + filepath.Dir(filepath.Dir(dir)), "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GOMAXPROCS=1"}
	return cmd
}

func (c commandLine) layAll(t *testing.T) string {
	t.Helper()
	dir := writer{layMore: c.lay}.lay(t)
	return dir
}

var entryDate = regexp.MustCompile(`(?m)^## \[\d{4}-\d\d-\d\d\]`)

// undated is whole without the days in the log.
func undated(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := whole(t, dir)
	all["log.md"] = entryDate.ReplaceAllString(all["log.md"], "## [day]")
	return all
}

// ends returns the Tresor before and after the command.
func (c commandLine) ends(t *testing.T, name string) (former, latter map[string]string) {
	t.Helper()
	dir := c.layAll(t)
	former = undated(t, dir)
	if out, err := c.command(t, dir).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	latter = undated(t, dir)
	if difference(former, latter) == "" {
		t.Fatal(name, "changes nothing")
	}
	return former, latter
}

// straced runs the command with an injected fault and reports whether it was
// hit.
func (c commandLine) straced(t *testing.T, dir, fault string) (hit bool, code int, out string) {
	t.Helper()
	trace := filepath.Join(filepath.Dir(dir), "..", "trace")
	call, _, _ := strings.Cut(fault, ":")
	before := []string{"strace", "-qq", "-f", "-o", trace, "-e", "trace=" + call, "-e", "inject=" + fault}
	if !strings.Contains(fault, "signal") {
		before = append(before, "--seccomp-bpf") // faster, and deaf to signals
	}
	cmd := c.command(t, dir, before...)
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	traced, err := os.ReadFile(trace)
	must(t, err)
	hit = bytes.Contains(traced, []byte("(INJECTED)")) || bytes.Contains(traced, []byte("killed by SIGKILL"))
	return hit, cmd.ProcessState.ExitCode(), string(b)
}

// tally counts how runs ended.
type tally struct {
	mu     sync.Mutex
	counts map[string]map[string]int
}

func (a *tally) count(row, column string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.counts == nil {
		a.counts = map[string]map[string]int{}
	}
	if a.counts[row] == nil {
		a.counts[row] = map[string]int{}
	}
	a.counts[row][column]++
}

var columns = []string{"hit", "old", "new", "recover", "then old", "then new", "by word"}

func (a *tally) table(rows []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s", "")
	for _, c := range columns {
		fmt.Fprintf(&b, "%9s", c)
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "\n%-28s", row)
		for _, c := range columns {
			fmt.Fprintf(&b, "%9d", a.counts[row][c])
		}
	}
	return b.String()
}

// sweptFaults are what happens to the calls of the system, and to one in how
// many of them: a walk through the tree opens and closes a lot.
var sweptFaults = map[string]int{
	"write:signal=SIGKILL:when=%d": 1, "fsync:signal=SIGKILL:when=%d": 1, "renameat:signal=SIGKILL:when=%d": 1,
	"renameat2:signal=SIGKILL:when=%d": 1, "unlinkat:signal=SIGKILL:when=%d": 1, "mkdirat:signal=SIGKILL:when=%d": 1,
	"fchmod:signal=SIGKILL:when=%d": 1, "flock:signal=SIGKILL:when=%d": 1,
	"openat:signal=SIGKILL:when=%d": 17, "newfstatat:signal=SIGKILL:when=%d": 17, "close:signal=SIGKILL:when=%d": 17,

	"write:error=ENOSPC:when=%d": 1, "write:error=EIO:when=%d": 2, "write:error=EINTR:when=%d": 3, "write:error=ENOSPC:when=%d+": 3,
	"fsync:error=EIO:when=%d": 1, "fsync:error=EINTR:when=%d": 3, "fsync:error=EIO:when=%d+": 3,
	"renameat:error=EIO:when=%d": 1, "renameat:error=EINTR:when=%d": 1, "renameat:error=EROFS:when=%d+": 1,
	"renameat2:error=ENOSPC:when=%d": 1, "renameat2:error=EINVAL:when=%d": 1, "renameat2:error=EINTR:when=%d": 1,
	"unlinkat:error=EIO:when=%d": 1, "unlinkat:error=EINTR:when=%d": 3, "mkdirat:error=ENOSPC:when=%d": 1, "mkdirat:error=EINTR:when=%d": 1,
	"fchmod:error=EPERM:when=%d": 1, "flock:error=ENOLCK:when=%d": 1, "getdents64:error=EIO:when=%d": 9,
	"openat:error=EIO:when=%d": 17, "openat:error=EMFILE:when=%d+": 29, "openat:error=EINTR:when=%d": 29,
	"read:error=EIO:when=%d": 17, "newfstatat:error=EIO:when=%d": 17,
}

// One fault in each call of the system in turn, to the real program, until a run
// meets none: it dies there, or the call fails. The Tresor is the former or the
// new one byte for byte, or it is locked and recover makes it one of them
// (spec/reliability.md §1.3 C).
func TestFaultAtEverySystemCall(t *testing.T) {
	if out, err := exec.Command("strace", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Fatalf("strace is needed and cannot be used here: %v %s", err, out)
	}
	var counts tally
	var rows []string
	t.Run("sweep", func(t *testing.T) {
		all := commandLines(t)
		rows = slices.Sorted(maps.Keys(all))
		for _, name := range rows {
			c := all[name]
			former, latter := c.ends(t, name)
			for fault, step := range sweptFaults {
				t.Run(name+"/"+fault, func(t *testing.T) {
					t.Parallel()
					missed := 0
					for n := 1; missed < 2; n += step {
						if n > 2000 {
							t.Fatal("no run ends untouched")
						}
						if c.sweptOnce(t, &counts, name, fmt.Sprintf(fault, n), former, latter) {
							missed = 0
						} else {
							missed++
						}
						if t.Failed() {
							t.Fatalf("at call %d", n)
						}
					}
				})
			}
		}
	})
	t.Logf("how the runs ended:\n%s", counts.table(rows))
	for _, row := range rows {
		if counts.counts[row]["hit"] < 60 {
			t.Errorf("%s: the sweep is too short", row)
		}
	}
}

func (c commandLine) sweptOnce(t *testing.T, all *tally, row, fault string, former, latter map[string]string) (hit bool) {
	t.Helper()
	dir := c.layAll(t)
	defer os.RemoveAll(filepath.Dir(filepath.Dir(dir)))
	hit, code, out := c.straced(t, dir, fault)
	if hit {
		all.count(row, "hit")
	}
	now := undated(t, dir)
	isNew := difference(now, latter) == ""
	if code == 0 && !isNew {
		t.Errorf("%s: success, but %s is not new: %s", fault, difference(now, latter), out)
	}
	if strings.Contains(out, "panic: ") || strings.Contains(out, "goroutine ") && !strings.Contains(out, "runtime: ") {
		t.Errorf("%s: a crash: %s", fault, out)
	}
	c.endsWell(t, all, row, dir, former, latter)
	return hit
}

// endsWell checks that the Tresor is old or new, if need be after a recovery.
func (c commandLine) endsWell(t *testing.T, all *tally, row, dir string, former, latter map[string]string) {
	t.Helper()
	column := func(prefix string) string {
		now := undated(t, dir)
		switch {
		case difference(now, former) == "":
			return prefix + "old"
		case difference(now, latter) == "":
			return prefix + "new"
		}
		t.Errorf("neither old (%s) nor new (%s)", difference(now, former), difference(now, latter))
		return "broken"
	}
	_, locked := os.Lstat(filepath.Join(dir, ".vault-release.lock"))
	if locked != nil && besides(t, dir) == "" {
		all.count(row, column(""))
		return
	}
	all.count(row, "recover")
	ro := tresor.RecoverOptions{Apply: true}
	r, err := tresor.Recover(t.Context(), dir, ro, tresor.Options{Lang: "en"})
	if err == nil && r.State == tresor.Manual {
		// The process died before it wrote its number: only a person knows.
		if b, err := os.ReadFile(filepath.Join(dir, ".vault-release.lock")); err != nil || len(b) > 0 {
			t.Errorf("recover: %+v", r)
		}
		all.count(row, "by word")
		ro.WriterGone = true
		r, err = tresor.Recover(t.Context(), dir, ro, tresor.Options{Lang: "en"})
	}
	if err != nil || r.State != tresor.Repaired && r.State != tresor.Sound {
		t.Errorf("recover: %+v, %v", r, err)
		return
	}
	all.count(row, column("then "))
	if left := besides(t, dir); left != "" {
		t.Errorf("left beside the Tresor: %s", left)
	}
	if again, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{}, tresor.Options{}); err != nil || again.State != tresor.Sound {
		t.Errorf("recover again: %+v, %v", again, err)
	}
}

// Ctrl-C and the like at any moment leave the former or the new Tresor, never a
// lock; being killed leaves what recover repairs.
func TestSignalsAtAnyMoment(t *testing.T) {
	var all tally
	rows := []string{"SIGINT", "SIGTERM", "SIGKILL"}
	t.Run("signals", func(t *testing.T) {
		c := commandLines(t)["release"]
		former, latter := c.ends(t, "release")
		length := time.Hour // that a release takes
		for range 5 {
			cmd := c.command(t, c.layAll(t))
			start := time.Now()
			must(t, cmd.Run())
			length = min(length, time.Since(start))
		}
		for i, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
			t.Run(rows[i], func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(1, uint64(i)))
				for range 100 {
					dir := c.layAll(t)
					cmd := c.command(t, dir)
					must(t, cmd.Start())
					timer := time.AfterFunc(time.Duration(r.Int64N(int64(length))), func() { _ = cmd.Process.Signal(sig) }) // it may be over
					_ = cmd.Wait()                                                                                          // how it ended is in the state of the Tresor
					timer.Stop()
					if sig != os.Kill {
						if _, err := os.Lstat(filepath.Join(dir, ".vault-release.lock")); err == nil || besides(t, dir) != "" {
							t.Errorf("lock: %v, beside: %s", err, besides(t, dir))
						}
					}
					c.endsWell(t, &all, rows[i], dir, former, latter)
				}
			})
		}
	})
	t.Logf("how the runs ended:\n%s", all.table(rows))
}

// Of several processes at once each releases one of its own or refuses.
func TestReleasesOfManyProcesses(t *testing.T) {
	c := commandLines(t)["release"]
	done, refused := 0, 0
	for range 20 {
		dir := c.layAll(t)
		var running []*exec.Cmd
		for range 4 {
			cmd := c.command(t, dir)
			must(t, cmd.Start())
			running = append(running, cmd)
		}
		released := 0
		for _, cmd := range running {
			switch err := cmd.Wait(); {
			case err == nil:
				released++
			case cmd.ProcessState.ExitCode() == 1:
				refused++
			default:
				t.Errorf("ended with %v", err)
			}
		}
		if want, got := fmt.Sprintf("1.%d.0", released), open(t, dir).Version(); released == 0 || got != want {
			t.Errorf("%d released, version %s", released, got)
		}
		if left := besides(t, dir); left != "" {
			t.Errorf("left beside the Tresor: %s", left)
		}
		done += released
	}
	t.Logf("%d released, %d refused", done, refused)
}
