package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/agents"
	"outheis/gateway"
	"outheis/tresor"
)

// A served Tresor is the almanach of a running outheis, whose first claim says a
// number, and who has released which one.
type served struct {
	*scene
	dir string

	mu       sync.Mutex      // guards the fields below
	released map[string]bool // heights that were released at some time
}

const (
	servedQuestion = "Wie hoch ist der Leuchtturm?"
	servedPage     = "knowledge/ort/almanach.md"
	servedManifest = "MANIFEST.sha256"
	servedLock     = ".vault-release.lock"
)

func newServed(t *testing.T) *served {
	s := &served{scene: newScene(t, 1), dir: writeAlmanach(t), released: map[string]bool{"31": true}}
	s.configure(s.dir)
	s.start()
	return s
}

func (s *served) put(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(name)), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) read(dir, name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *served) remove(name string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.dir, filepath.FromSlash(name))); err != nil {
		s.t.Fatal(err)
	}
}

// edit has the page say another height, unreleased.
func (s *served) edit(height string) {
	s.t.Helper()
	before, rest, ok := strings.Cut(s.read(s.dir, servedPage), "Der Leuchtturm ist ")
	_, after, ok2 := strings.Cut(rest, " Meter hoch.")
	if !ok || !ok2 {
		s.t.Fatal("the page is not as it was")
	}
	s.put(servedPage, before+"Der Leuchtturm ist "+height+" Meter hoch."+after)
}

// may notes that a height may be answered from now on.
func (s *served) may(height string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released[height] = true
}

// pin pins what there is, without another version.
func (s *served) pin() {
	s.t.Helper()
	if _, err := tresor.WriteManifest(s.t.Context(), s.dir, tresor.Options{}); err != nil {
		s.t.Fatal(err)
	}
}

// answerOf asks through the control socket, and returns the height that is
// answered, or "" if the Tresor is not available.
func (s *served) answerOf(ctx context.Context, chat string) (string, error) {
	c, err := gateway.DialControl(s.human)
	if err != nil {
		return "", err
	}
	defer c.Close()
	a, err := c.Send(ctx, gateway.LocalChat{Name: chat}, servedQuestion)
	switch {
	case err != nil:
		return "", err
	case a.Status == agents.StatusUnavailable:
		return "", nil
	case a.Status != agents.StatusOK || a.Answer == nil || len(a.Answer.Statements()) != 1:
		return "", fmt.Errorf("answered %s, %s with %v", a.Status, a.Notice, a.Reply)
	}
	f := strings.Fields(a.Answer.Statements()[0].Text)
	return f[3], nil
}

// want asks in a conversation of its own.
func (s *served) want(step, height string) {
	s.t.Helper()
	got, err := s.answerOf(s.wait(), "")
	if err != nil || got != height {
		s.t.Errorf("%s: answered with %q, %v; want %q", step, got, err, height)
	}
}

// While many ask without a pause, somebody releases in every way there is, leaves
// half-written states, goes back to earlier ones, edits without releasing and
// leaves locks. Every question is answered, from a state that was released or
// with the word that there is none; and what was released is what the next
// question gets.
func TestServedWhileReleased(t *testing.T) {
	t.Parallel()
	people, rounds := 6, 12
	if thorough {
		people, rounds = 20, 200
	}
	s := newServed(t)
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	seen := make([]map[string]int, people)
	for p := range people {
		seen[p] = make(map[string]int)
		asking.Go(func() {
			for ctx.Err() == nil {
				height, err := s.answerOf(s.t.Context(), fmt.Sprint("person", p))
				if err != nil {
					t.Errorf("person %d: %v", p, err)
					return
				}
				seen[p][height]++
			}
		})
	}
	last := "31"
	for n := range rounds {
		before := last
		last = fmt.Sprint(100 + n)
		s.may(last)
		switch n % 6 {
		case 0: // an edit that nobody released, then a release by the engine
			s.edit("7777")
			s.want("edited", "")
			s.edit(last)
			if _, err := tresor.Release(t.Context(), s.dir, tresor.Minor, tresor.Options{}); err != nil {
				t.Fatal(err)
			}
		case 1: // without its manifest for a while
			s.remove(servedManifest)
			s.want("no manifest", "")
			s.edit(last)
			s.pin()
		case 2: // a state of the page that was never released, and back
			page := s.read(s.dir, servedPage)
			s.edit("8888")
			s.put(servedPage, page)
			s.want("restored", before)
			s.edit(last)
			s.pin()
		case 3: // half a manifest, as somebody who copies file by file leaves it
			s.edit(last)
			s.pin()
			manifest := s.read(s.dir, servedManifest)
			s.put(servedManifest, manifest[:len(manifest)/2])
			s.want("half a manifest", "")
			s.put(servedManifest, manifest)
		case 4: // another folder in its place
			if err := os.CopyFS(s.dir+".next", os.DirFS(s.dir)); err != nil {
				t.Fatal(err)
			}
			at := s.dir
			s.dir = at + ".next"
			s.edit(last)
			s.pin()
			s.dir = at
			if err := os.Rename(at, at+fmt.Sprint(".old", n)); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(at+".next", at); err != nil {
				t.Fatal(err)
			}
		case 5: // a lock, under which nothing is released, and a release behind it
			s.put(servedLock, "")
			s.want("lock", before)
			s.remove(servedLock)
			s.want("no lock", before)
			s.edit(last)
			if _, err := tresor.Release(t.Context(), s.dir, tresor.Patch, tresor.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		s.want("released", last)
	}
	cancel()
	asking.Wait()
	total := make(map[string]int)
	for _, one := range seen {
		for height, n := range one {
			total[height] += n
		}
	}
	answered := 0
	for height, n := range total {
		answered += n
		if height != "" && !s.released[height] {
			t.Errorf("%d answers say %q, which was never released", n, height)
		}
	}
	t.Logf("%d questions of %d people answered during %d releases, %d of them as not available; heights %v",
		answered, people, rounds, total[""], slices.Sorted(maps.Keys(total)))
	if answered < 10*people {
		t.Errorf("only %d questions were answered", answered)
	}
}

// Administrators hear once that a Tresor is out of service, with the reason and
// the remedy, and nothing of what passes by itself. It is back with its next
// release, without anybody asking.
func TestDriftIsTold(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	s.greet()
	s.edit("7777")
	s.want("edited", "")
	s.edit("31")
	s.want("undone", "31")
	s.edit("8888")
	told := s.got(sceneAdmin, 2)[1].Text
	for _, part := range []string{"almanach", "GEÄNDERT " + servedPage, "outheis tresor doctor"} {
		if !strings.Contains(told, part) {
			t.Errorf("the administrators are told %q, without %q", told, part)
		}
	}
	s.want("still", "")
	s.edit("32")
	s.pin()
	s.until("the release to be served", func() bool {
		r := s.status()
		return slices.ContainsFunc(r.Tresore, func(one tresorReport) bool { return one.ID == "almanach" && one.Problem == "" && one.Claims > 0 })
	})
	s.want("released", "32")
	tick := time.NewTimer(3 * lookTime)
	defer tick.Stop()
	<-tick.C
	if n := len(s.server.Sent(sceneAdmin)); n != 2 {
		t.Errorf("the administrator has %d messages, want the greeting and one about the Tresor", n)
	}
}
