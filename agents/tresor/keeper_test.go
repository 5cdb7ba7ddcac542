package tresor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/agents"
	"outheis/agents/tresor"
	engine "outheis/tresor"
)

// A shelf is a Tresor in a folder, kept for an agent, with a clock of its own.
type shelf struct {
	t      *testing.T
	dir    string
	agent  *tresor.Agent
	keeper *tresor.Keeper

	mu      sync.Mutex // guards the fields below
	now     time.Time
	changes []string
}

func newShelf(t *testing.T, patience time.Duration) *shelf {
	t.Helper()
	s := &shelf{t: t, dir: write(t, gate("sechs")), now: time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)}
	s.agent = newAgent(t, tresor.Tresor{ID: "tor", Err: tresor.ErrNotLoaded})
	s.keeper = tresor.NewKeeper(s.agent, tresor.KeeperOptions{Patience: patience, Now: s.clock, Changed: s.changed})
	if err := s.keeper.Keep(t.Context(), "tor", s.dir); err != nil {
		t.Fatal(err)
	}
	return s
}

func gate(hour string) page {
	return page{path: "a/a.md", title: "Tor", claims: []string{"C-0001 S-0001 Wortlaut: Das Tor öffnet um " + hour + " Uhr."}}
}

func (s *shelf) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *shelf) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *shelf) changed(c tresor.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.Err == nil:
		s.changes = append(s.changes, "loaded")
	case c.Snapshot != nil:
		s.changes = append(s.changes, "releasing")
	default:
		s.changes = append(s.changes, "out")
	}
}

// edit changes the hour of the page, without releasing it.
func (s *shelf) edit(hour string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "knowledge/a/a.md"), []byte(gate(hour).text("a")), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// pin releases what there is.
func (s *shelf) pin() {
	s.t.Helper()
	if _, err := engine.WriteManifest(s.t.Context(), s.dir, engine.Options{}); err != nil {
		s.t.Fatal(err)
	}
}

// pinLocked edits and releases while a lock lies there, as a release does: with
// the manifest last.
func (s *shelf) pinLocked(hour string) {
	s.t.Helper()
	next := &shelf{t: s.t, dir: filepath.Join(s.t.TempDir(), "next")}
	if err := os.CopyFS(next.dir, os.DirFS(s.dir)); err != nil {
		s.t.Fatal(err)
	}
	next.remove(".vault-release.lock")
	next.edit(hour)
	next.pin()
	s.edit(hour)
	b, err := os.ReadFile(filepath.Join(next.dir, "MANIFEST.sha256"))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "MANIFEST.sha256"), b, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) remove(name string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) put(name string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// hour asks, and returns the hour of the answer, or "" if there is none because
// the Tresor is not available.
func (s *shelf) hour() string {
	s.t.Helper()
	answer, err := s.keeper.Answer(s.t.Context(), agents.Request{Text: "Wann öffnet das Tor?", Lang: "de"})
	var known *agents.Error
	switch {
	case errors.As(err, &known) && known.Status == agents.StatusUnavailable:
		return ""
	case err != nil || len(answer.Statements()) != 1:
		s.t.Fatalf("got %v, %v", answer, err)
	}
	return strings.Fields(answer.Statements()[0].Text)[4]
}

func (s *shelf) want(step, hour string) {
	s.t.Helper()
	if got := s.hour(); got != hour {
		s.t.Errorf("%s: answered with %q, want %q", step, got, hour)
	}
}

// Every drift is noticed by the next question, and ends with the next release or
// when it is undone.
func TestKeeperNoticesDrift(t *testing.T) {
	t.Parallel()
	s := newShelf(t, time.Minute)
	s.want("released", "sechs")
	page := filepath.Join(s.dir, "knowledge/a/a.md")
	info, err := os.Stat(page)
	if err != nil {
		t.Fatal(err)
	}
	s.edit("acht") // of the same length
	if err := os.Chtimes(page, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	s.want("page edited, with its old time and size", "")
	s.want("again", "")
	s.edit("sechs")
	s.want("undone", "sechs")
	s.edit("sieben")
	s.want("edited", "")
	s.pin()
	s.want("released", "sieben")
	s.remove("MANIFEST.sha256")
	s.want("manifest gone", "")
	s.pin()
	s.want("released", "sieben")
	s.put("knowledge/a/neu.md")
	s.want("a new page", "")
	s.remove("knowledge/a/neu.md")
	s.want("undone", "sieben")
	s.put("sources/quarantine/brief.pdf")
	s.want("something in quarantine", "")
	s.remove("sources/quarantine/brief.pdf")
	s.want("undone", "sieben")
	s.put("log.md")
	s.want("the log, which no release pins", "sieben")
	if err := os.Rename(s.dir, s.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	s.want("folder gone", "")
	if err := os.Symlink(s.dir+".gone", s.dir); err != nil {
		t.Fatal(err)
	}
	s.want("a link to it", "sieben")
	if problems := s.keeper.Problems(t.Context()); len(problems) > 0 {
		t.Errorf("problems %v of a Tresor that is served", problems)
	}
}

// While a release is under way the one before answers, for a while.
func TestKeeperDuringRelease(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 10*time.Second)
	s.put(".vault-release.lock")
	s.want("lock", "sechs")
	s.pinLocked("acht")
	s.want("half", "sechs")
	s.remove(".vault-release.lock")
	s.want("done", "acht")

	s.put(".vault-release.lock")
	s.want("lock again", "acht")
	s.pass(9 * time.Second)
	s.want("not long", "acht")
	s.pass(2 * time.Second)
	if err := s.keeper.LookDoubtful(t.Context()); err != nil {
		t.Fatal(err)
	}
	problems := s.keeper.Problems(t.Context())
	var invalid *engine.InvalidError
	if len(problems) != 1 || !errors.As(problems[0].Err, &invalid) || invalid.State != engine.VaultBusy || problems[0].Before == "" {
		t.Errorf("problems %v, want the lock that was left", problems)
	}
	s.want("left behind", "")
	s.remove(".vault-release.lock")
	s.want("removed", "acht")
	if got := strings.Join(s.changes, " "); got != "loaded releasing loaded releasing out loaded" {
		t.Errorf("changes: %s", got)
	}
}

// What goes on being out of service is said once, and not looked for again.
func TestKeeperSaysOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t, time.Second)
	s.edit("acht")
	for range 5 {
		s.pass(time.Hour)
		s.want("drift", "")
	}
	problems := s.keeper.Problems(t.Context())
	if len(problems) != 1 || problems[0].ID != "tor" || problems[0].Path != s.dir || s.clock().Sub(problems[0].Since) != 4*time.Hour {
		t.Errorf("problems %+v", problems)
	}
	if got := strings.Join(s.changes, " "); got != "loaded out" {
		t.Errorf("changes: %s", got)
	}
}

// A folder that does not answer takes its Tresor out of service and holds up
// nobody else; when it answers again, the Tresor is back.
func TestKeeperOfAFolderThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	dir := write(t, gate("sechs"))
	a := newAgent(t, tresor.Tresor{ID: "tor", Err: tresor.ErrNotLoaded}, tresor.Tresor{ID: "hof", Snapshot: build(t, gate("zehn"))})
	loaded := make(chan tresor.Change, 10)
	k := tresor.NewKeeper(a, tresor.KeeperOptions{Slow: 2 * time.Second, Changed: func(c tresor.Change) { loaded <- c }})
	if err := k.Keep(t.Context(), "tor", dir); err != nil {
		t.Fatal(err)
	}
	if c := <-loaded; c.Err != nil {
		t.Fatal(c.Err)
	}
	release := make(chan struct{})
	k.Hold(release)
	for range 3 {
		answer := ask(t, k, "Wann öffnet das Tor?")
		if got := cited(answer); got != "hof/C-0001" || !hasNote(answer, "„tor“", "nicht verfügbar") {
			t.Errorf("cites %s with %q, want the other, and the one that is missing named", got, answer.Notes())
		}
		if err := k.LookDoubtful(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if problems := k.Problems(t.Context()); len(problems) != 1 || !errors.Is(problems[0].Err, tresor.ErrSlow) || problems[0].Since.IsZero() {
		t.Errorf("problems %+v", problems)
	}
	if c := <-loaded; !errors.Is(c.Err, tresor.ErrSlow) {
		t.Errorf("got %+v", c)
	}
	close(release)
	if c := <-loaded; c.Err != nil {
		t.Errorf("got %+v", c)
	}
	if got := cited(ask(t, k, "Wann öffnet das Tor?")); got != "hof/C-0001 tor/C-0001" {
		t.Errorf("cites %s, want both", got)
	}
	if n := len(loaded); n != 0 {
		t.Errorf("%d further changes", n)
	}
}

func TestKeeperKeepsSeveral(t *testing.T) {
	t.Parallel()
	s := newShelf(t, time.Second)
	other := write(t, gate("neun"))
	if err := s.keeper.Keep(t.Context(), "tor", other); err != nil {
		t.Fatal(err)
	}
	s.want("another folder", "neun")
	s.agent.Declare(tresor.Tresor{ID: "neben", Err: tresor.ErrNotLoaded})
	if err := s.keeper.Keep(t.Context(), "neben", s.dir); err != nil {
		t.Fatal(err)
	}
	s.edit("acht")
	answer := ask(t, s.keeper, "Wann öffnet das Tor?")
	if !hasNote(answer, "„neben“", "nicht verfügbar") || cited(answer) != "tor/C-0001" {
		t.Errorf("cites %s with %q, want the other named as missing", cited(answer), answer.Notes())
	}
	if got := cited(ask(t, s.keeper, "@tor Wann öffnet das Tor?")); got != "tor/C-0001" {
		t.Errorf("cites %s", got)
	}
	s.keeper.Forget("neben")
	if got := cited(ask(t, s.keeper, "Wann öffnet das Tor?")); got != "C-0001" {
		t.Errorf("cites %s after the other has gone", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.keeper.Answer(ctx, agents.Request{Text: "Wann?"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}

// Whoever asks while somebody changes, releases, breaks and repairs a Tresor gets
// an answer of a state that was released, from a claim that names it, or hears
// that it is not available; and never an hour that was only edited.
func TestKeeperUnderChurn(t *testing.T) {
	t.Parallel()
	s := newShelf(t, time.Hour)
	var mu sync.Mutex
	released := map[string]string{} // hour by manifest
	note := func(hour string) {
		snapshot, err := engine.Open(s.dir, engine.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		released[snapshot.Manifest()] = hour
		mu.Unlock()
	}
	note("sechs")
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	type seen struct{ manifest, hour string }
	all := make([]map[seen]int, 4)
	for i := range all {
		all[i] = map[seen]int{}
		asking.Go(func() {
			for ctx.Err() == nil {
				answer, err := s.keeper.Answer(t.Context(), agents.Request{Text: "Wann öffnet das Tor?", Lang: "de"})
				var known *agents.Error
				switch {
				case errors.As(err, &known) && known.Status == agents.StatusUnavailable:
					all[i][seen{}]++
				case err != nil || len(answer.Statements()) != 1:
					t.Errorf("got %v, %v", answer, err)
					return
				default:
					all[i][seen{answer.Belege()[0].Manifest, strings.Fields(answer.Statements()[0].Text)[4]}]++
				}
			}
		})
	}
	defer asking.Wait()
	defer cancel()
	for n := range 16 {
		hour := fmt.Sprintf("h%02d", n)
		switch n % 4 {
		case 0: // edited, found out of service, released
			s.edit("falsch")
			s.want("edited", "")
			s.edit(hour)
			if _, err := engine.Release(t.Context(), s.dir, engine.Patch, engine.Options{}); err != nil {
				t.Fatal(err)
			}
		case 1: // under a lock, as a release does
			s.put(".vault-release.lock")
			s.pinLocked(hour)
			s.remove(".vault-release.lock")
		case 2: // without its manifest for a while
			s.remove("MANIFEST.sha256")
			s.want("no manifest", "")
			s.edit(hour)
			s.pin()
		default: // the whole folder
			if err := os.CopyFS(s.dir+".next", os.DirFS(s.dir)); err != nil {
				t.Fatal(err)
			}
			at := s.dir
			s.dir = at + ".next"
			s.edit(hour)
			s.pin()
			s.dir = at
			if err := os.Rename(at, at+".old"); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(at+".next", at); err != nil {
				t.Fatal(err)
			}
			s.remove("../" + filepath.Base(at) + ".old")
		}
		note(hour)
		s.want("released", hour)
	}
	cancel()
	asking.Wait()
	answered, out := 0, 0
	for _, one := range all {
		for k, n := range one {
			if k == (seen{}) {
				out += n
				continue
			}
			answered += n
			if released[k.manifest] != k.hour {
				t.Errorf("%d answers %q from %.8s, which was released with %q", n, k.hour, k.manifest, released[k.manifest])
			}
		}
	}
	t.Logf("%d answers, %d times out of service", answered, out)
	if answered == 0 || out == 0 {
		t.Error("nothing was tried")
	}
}
