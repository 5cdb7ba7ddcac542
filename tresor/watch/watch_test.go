package watch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outheis/tresor"
	"outheis/tresor/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Options with which tests need not wait long. With told only events count.
var (
	quick = watch.Options{Quiet: 20 * time.Millisecond, Poll: 50 * time.Millisecond}
	told  = watch.Options{Quiet: 20 * time.Millisecond, Poll: time.Hour}
)

const page = "knowledge/werkstatt/laserraum.md"

// copied returns a copy of a valid Tresor.
func copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "halle3")
	if err := os.CopyFS(dir, os.DirFS("../testdata/halle3")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A watched Tresor gives the changes of a run.
type watched struct {
	t       *testing.T
	dir     string
	changes chan watch.Change
}

// start watches dir until the test ends, and waits for the end.
func start(t *testing.T, dir string, o watch.Options) *watched {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watched{t, dir, make(chan watch.Change, 1000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		watch.Run(ctx, dir, o, func(c watch.Change) { w.changes <- c })
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Error("Run does not end with its context")
		}
	})
	return w
}

// until returns the first change that fits, and how many came before it.
func (w *watched) until(what string, fits func(watch.Change) bool) (c watch.Change, before int) {
	w.t.Helper()
	deadline := time.After(time.Minute)
	for ; ; before++ {
		select {
		case c = <-w.changes:
			if fits(c) {
				return c, before
			}
		case <-deadline:
			w.t.Fatalf("%s: no such change; the last was %+v", what, c)
		}
	}
}

func (w *watched) untilErrors(what string, n int) watch.Change {
	w.t.Helper()
	c, _ := w.until(what, func(c watch.Change) bool { return !c.Missing && len(c.Report.Errors) == n })
	return c
}

func (w *watched) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *watched) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *watched) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// broken is the page with a status that there is none of.
func (w *watched) broken() string {
	return strings.Replace(w.read(page), "status: in-pruefung", "status: offen", 1)
}

func TestTheFirstChangeIsTheFullReport(t *testing.T) {
	w := start(t, copied(t), told)
	c, before := w.until("first", func(watch.Change) bool { return true })
	want := tresor.Validate(w.dir, tresor.Options{})
	if before != 0 || !c.First || c.Missing || c.Polling != nil || len(c.Gone) != 0 {
		t.Errorf("got %+v", c)
	}
	if len(c.New) != len(want.Errors)+len(want.Warnings)+len(want.Hints) || c.Report.Claims != want.Claims || want.Claims == 0 {
		t.Errorf("got %d findings and %d claims, validate says %+v", len(c.New), c.Report.Claims, want)
	}
}

func TestASaveTellsWhatIsNewAndWhatIsGone(t *testing.T) {
	at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	o := told
	o.Now = func() time.Time { return at }
	w := start(t, copied(t), o)
	w.untilErrors("valid", 0)
	good := w.read(page)
	w.write(page, w.broken())
	c := w.untilErrors("broken", 1)
	if len(c.New) != 1 || c.New[0].Path != page || len(c.Gone) != 0 || c.First || !c.At.Equal(at) {
		t.Errorf("broken: %+v", c)
	}
	w.write(page, good)
	c = w.untilErrors("mended", 0)
	if len(c.New) != 0 || len(c.Gone) != 1 || c.Gone[0].Path != page {
		t.Errorf("mended: new %v, gone %v", c.New, c.Gone)
	}
}

// Editors write beside the file and put that in its place, or move the file away
// before they write it anew.
func TestHowEditorsSave(t *testing.T) {
	saves := map[string]func(w *watched, content string){
		"rename over": func(w *watched, content string) {
			w.write(page+"~.md", content)
			w.do(os.Rename(w.path(page+"~.md"), w.path(page)))
		},
		"backup and write anew": func(w *watched, content string) {
			w.do(os.Rename(w.path(page), w.path(page+"~")))
			w.write(page, content)
			w.do(os.Remove(w.path(page + "~")))
		},
		"remove and write anew": func(w *watched, content string) {
			w.do(os.Remove(w.path(page)))
			w.write(page, content)
		},
		"truncate and write in pieces": func(w *watched, content string) {
			f, err := os.Create(w.path(page))
			w.do(err)
			for _, line := range strings.SplitAfter(content, "\n") {
				_, err := f.WriteString(line)
				w.do(err)
			}
			w.do(f.Close())
		},
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			w := start(t, copied(t), told)
			w.untilErrors("valid", 0)
			good, bad := w.read(page), w.broken()
			save(w, bad)
			w.untilErrors("broken", 1)
			save(w, good)
			w.untilErrors("mended", 0)
			save(w, bad) // the watch is still on the file of that name
			w.untilErrors("broken again", 1)
		})
	}
}

func TestFoldersComeAndGo(t *testing.T) {
	w := start(t, copied(t), told)
	w.untilErrors("valid", 0)
	for round := range 2 {
		w.do(os.MkdirAll(w.path("notes/tief/tiefer"), 0o755))
		w.write("notes/tief/tiefer/a.exe", "")
		w.untilErrors(fmt.Sprint("a file in a new folder, round ", round), 1)
		w.write("notes/tief/tiefer/b.exe", "") // in a folder that was not there at the beginning
		w.untilErrors("a second one", 2)
		w.do(os.Rename(w.path("notes/tief"), w.path("notes/anders")))
		w.write("notes/anders/tiefer/c.exe", "")
		w.untilErrors("after a folder was renamed", 3)
		w.do(os.RemoveAll(w.path("notes")))
		w.untilErrors("the folders are gone", 0)
	}
}

// A burst of changes is one change, or a few if it takes long.
func TestABurstIsOneChange(t *testing.T) {
	o := told
	o.Quiet = 100 * time.Millisecond
	w := start(t, copied(t), o)
	w.untilErrors("valid", 0)
	w.do(os.MkdirAll(w.path("notes"), 0o755))
	const files = 400
	for i := range files {
		w.write(fmt.Sprintf("notes/%d.exe", i), "x")
	}
	if _, before := w.until("all files", func(c watch.Change) bool { return len(c.Report.Errors) == files }); before > 20 {
		t.Errorf("%d changes for one burst", before+1)
	}
}

// Somebody who never stops writing does not keep the report away.
func TestPatienceEnds(t *testing.T) {
	w := start(t, copied(t), watch.Options{Quiet: 50 * time.Millisecond, Poll: time.Hour})
	w.untilErrors("valid", 0)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for {
		select {
		case <-tick.C:
			w.write(page, w.broken())
		case c := <-w.changes:
			if len(c.Report.Errors) == 1 {
				return
			}
		case <-deadline:
			t.Fatal("no change while somebody writes")
		}
	}
}

func TestTheFolderVanishesAndComesBack(t *testing.T) {
	w := start(t, copied(t), quick)
	w.untilErrors("valid", 0)
	missing := func(c watch.Change) bool { return c.Missing }
	away := w.dir + "-weg"
	for range 2 {
		w.do(os.Rename(w.dir, away))
		c, _ := w.until("moved away", missing)
		if len(c.New) != 1 || len(c.Gone) != 0 {
			t.Errorf("missing: new %v, gone %v", c.New, c.Gone)
		}
		w.do(os.Rename(away, w.dir))
		if c := w.untilErrors("moved back", 0); c.First || len(c.New) != 0 || len(c.Gone) != 0 {
			t.Errorf("back: %+v", c)
		}
		good := w.read(page)
		w.write(page, w.broken())
		w.untilErrors("a save after it came back", 1)
		w.write(page, good)
		w.untilErrors("mended", 0)
	}
	// Another folder takes its place at once.
	w.do(os.CopyFS(away, os.DirFS(w.dir)))
	old := w.dir + "-alt"
	w.do(os.WriteFile(filepath.Join(away, "a.exe"), nil, 0o644))
	w.do(os.Rename(w.dir, old))
	w.do(os.Rename(away, w.dir))
	w.untilErrors("another folder", 1)
	w.do(os.Remove(w.path("a.exe")))
	w.untilErrors("a save in the other folder", 0)
	// A folder above it goes.
	w.do(os.RemoveAll(w.dir))
	w.until("removed", missing)
	w.do(os.CopyFS(w.dir, os.DirFS(old)))
	w.untilErrors("written anew", 0)
}

func TestAFolderThatIsNotThereYet(t *testing.T) {
	dir := copied(t)
	later := filepath.Join(t.TempDir(), "noch", "nicht")
	w := start(t, later, quick)
	c, _ := w.until("missing", func(watch.Change) bool { return true })
	if !c.Missing || !c.First {
		t.Errorf("got %+v", c)
	}
	w.do(os.CopyFS(later, os.DirFS(dir)))
	// It may be seen half copied.
	c = w.untilErrors("there", 0)
	if c.Report.Pages == 0 {
		t.Errorf("got %+v", c)
	}
}

// A file in its place, or a folder that may not be read, is told once.
func TestAFolderThatCannotBeRead(t *testing.T) {
	w := start(t, copied(t), quick)
	w.untilErrors("valid", 0)
	missing := func(c watch.Change) bool { return c.Missing }
	w.do(os.Rename(w.dir, w.dir+"-weg"))
	w.until("moved away", missing)
	w.do(os.WriteFile(w.dir, nil, 0o644))
	w.do(os.Remove(w.dir))
	w.do(os.Rename(w.dir+"-weg", w.dir))
	if _, before := w.until("moved back", func(c watch.Change) bool { return !c.Missing }); before != 0 {
		t.Errorf("told %d times more that it is missing", before)
	}
	if os.Geteuid() == 0 {
		return // root may read everything
	}
	w.do(os.Chmod(w.dir, 0o111))
	t.Cleanup(func() { _ = os.Chmod(w.dir, 0o755) })
	w.until("not readable", missing)
	w.do(os.Chmod(w.dir, 0o755))
	if _, before := w.until("readable again", func(c watch.Change) bool { return !c.Missing }); before != 0 {
		t.Errorf("told %d times more that it cannot be read", before)
	}
}

func TestALinkToTheFolder(t *testing.T) {
	dir := copied(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	w := start(t, link, quick)
	w.untilErrors("valid", 0)
	w.write(page, w.broken())
	w.untilErrors("broken", 1)
	other := copied(t)
	w.do(os.Remove(link))
	w.do(os.Symlink(other, link))
	w.untilErrors("the link leads elsewhere", 0)
}

// Where the system has no room for another watch, or watches in vain as on a
// drive of another machine, the folder is looked at.
func TestPollingWithoutEvents(t *testing.T) {
	for _, tt := range []struct {
		watches int
		err     error
	}{{0, syscall.ENOSPC}, {3, syscall.ENOSPC}, {0, nil}} {
		w := start(t, copied(t), watch.WithoutEvents(quick, tt.watches, tt.err))
		c := w.untilErrors("valid", 0)
		if c.Polling != tt.err {
			t.Errorf("after %d watches: %v, want %v", tt.watches, c.Polling, tt.err)
		}
		good := w.read(page)
		w.write(page, w.broken())
		w.untilErrors("broken", 1)
		w.write(page, good)
		w.untilErrors("mended", 0)
		w.do(os.Rename(w.dir, w.dir+"-weg"))
		w.until("moved away", func(c watch.Change) bool { return c.Missing })
		w.do(os.Rename(w.dir+"-weg", w.dir))
		w.untilErrors("moved back", 0)
	}
}

func TestDifferences(t *testing.T) {
	finding := func(rule, path string, line int, text string) tresor.Finding {
		label := path
		if line > 0 {
			label = fmt.Sprintf("%s:%d", path, line)
		}
		return tresor.Finding{Rule: rule, Label: label, Path: path, Line: line, Text: text}
	}
	a, b := finding("CL-1", "a.md", 12, "x"), finding("CL-1", "a.md", 13, "x")
	other := finding("CL-1", "b.md", 12, "x")
	warning := a
	warning.Severity = tresor.Warning
	tests := []struct {
		name          string
		before, after tresor.Report
		found, gone   int
	}{
		{"nothing", tresor.Report{}, tresor.Report{}, 0, 0},
		{"the same", tresor.Report{Errors: []tresor.Finding{a}}, tresor.Report{Errors: []tresor.Finding{a}}, 0, 0},
		{"moved", tresor.Report{Errors: []tresor.Finding{a}}, tresor.Report{Errors: []tresor.Finding{b}}, 0, 0},
		{"one more of its kind", tresor.Report{Errors: []tresor.Finding{a}}, tresor.Report{Errors: []tresor.Finding{a, b}}, 1, 0},
		{"one less", tresor.Report{Errors: []tresor.Finding{a, b}}, tresor.Report{Errors: []tresor.Finding{b}}, 0, 1},
		{"elsewhere", tresor.Report{Errors: []tresor.Finding{a}}, tresor.Report{Errors: []tresor.Finding{other}}, 1, 1},
		{"milder", tresor.Report{Errors: []tresor.Finding{a}}, tresor.Report{Warnings: []tresor.Finding{warning}}, 1, 1},
		{"a hint", tresor.Report{}, tresor.Report{Hints: []tresor.Finding{a}}, 1, 0},
	}
	for _, tt := range tests {
		found, gone := watch.Differences(tt.before, tt.after)
		if len(found) != tt.found || len(gone) != tt.gone {
			t.Errorf("%s: new %v, gone %v", tt.name, found, gone)
		}
	}
}
