package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRotationCarriesOpenLinesAndKeepsCauses(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1), w.newRequest(1), w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, doneWith(w.acked["tg:2"])); err != nil {
		t.Fatal(err)
	}
	old := w.fs.text("messages.jsonl")
	w.now = time.Date(2026, 12, 1, 0, 0, 1, 0, time.UTC)
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	archive := "archive/messages-2026-11.jsonl"
	if got := w.fs.text(archive); got != old {
		t.Errorf("the archive is not what the segment was:\n%s", got)
	}
	if mode := w.fs.file(archive).mode; mode != 0o400 {
		t.Errorf("got mode %o, want 400", mode)
	}
	lines := strings.Split(w.fs.text("messages.jsonl"), "\n")
	sum := sha256.Sum256([]byte(old))
	header := fmt.Sprintf(`"payload":{"prev":"%s","prev_last_seq":4,"prev_sha256":"%s"}`, archive, hex.EncodeToString(sum[:]))
	if !strings.HasPrefix(lines[0], `{"v":2,"seq":5,`) || !strings.Contains(lines[0], `"intent":"segment",`+header) {
		t.Errorf("got header %s", lines[0])
	}
	for i, cause := range []string{"tg:1", "tg:3"} {
		was := strings.Split(old, "\n")[2*i]
		if want := was[:len(was)-sealLen] + `,"carried":true`; !strings.HasPrefix(lines[1+i], want) || !isSealed([]byte(lines[1+i])) {
			t.Errorf("%s: got %s, want the line of before, marked", cause, lines[1+i])
		}
	}
	check := func(when string) {
		t.Helper()
		if got, want := openedCauses(l), []string{"tg:1", "tg:3", "tg:4"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v open, want %v", when, got, want)
		}
		for cause, r := range w.acked {
			if got, ok, err := l.Lookup(cause); err != nil || !ok || got.ID != r.ID || got.Payload != r.Payload {
				t.Errorf("%s: look up %s: got %+v, %v, %v", when, cause, got, ok, err)
			}
		}
	}
	check("while running")
	kill(l)
	for _, thorough := range []bool{false, true} {
		o := w.options()
		o.Thorough = thorough
		if l, _, err = openLog[simRecord]("messages.jsonl", false, o); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprint("after a restart, thorough ", thorough))
		kill(l)
	}

	// Its owner packs the archive.
	w.fs.foreignRemove(archive)
	w.fs.put(archive+".gz", pack(t, old))
	if l, _, err = w.open(); err != nil {
		t.Fatal(err)
	}
	check("with a packed archive")

	// The second rotation carries what still is open from the first segment.
	w.now = time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC)
	if err := w.append(l, doneWith(w.acked["tg:1"])); err != nil {
		t.Fatal(err)
	}
	if got, want := openedCauses(l), []string{"tg:3", "tg:4"}; !slices.Equal(got, want) {
		t.Errorf("got %v open, want %v", got, want)
	}
	if n := strings.Count(w.fs.text("messages.jsonl"), carriedMark); n != 3 {
		t.Errorf("got %d carried lines, want 3, each marked once", n)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestCausesTwoBordersBack: February is shorter than the 35 days for which a
// cause is known.
func TestCausesTwoBordersBack(t *testing.T) {
	for _, zipped := range []bool{false, true} {
		w := newWorld()
		w.now = time.Date(2027, 1, 30, 20, 0, 0, 0, time.UTC)
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		young := w.newRequest(1)
		for _, at := range []time.Time{w.now, time.Date(2027, 2, 1, 9, 0, 0, 0, time.UTC), time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)} {
			w.now = at
			if err := w.append(l, young, w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			if w.acked["tg:2"].ID <= w.acked[young.Cause].ID {
				t.Errorf("%v: got %s, want the line of January", at, w.acked[young.Cause].ID)
			}
			if err := w.append(l, doneWith(w.acked[young.Cause])); err != nil { // an open one would be carried along
				t.Fatal(err)
			}
		}
		if zipped {
			for _, name := range []string{"archive/messages-2027-01.jsonl", "archive/messages-2027-02.jsonl"} {
				text := w.fs.text(name)
				w.fs.foreignRemove(name)
				w.fs.put(name+".gz", pack(t, text))
			}
		}
		for _, thorough := range []bool{false, true} {
			kill(l)
			o := w.options()
			o.Thorough = thorough
			if l, _, err = openLog[simRecord]("messages.jsonl", false, o); err != nil {
				t.Fatal(err)
			}
			if err := w.checkKnown(l); err != nil {
				t.Errorf("zipped %v, thorough %v: %v", zipped, thorough, err)
			}
		}
		// In the second week it is not looked for any more.
		w.now = time.Date(2027, 3, 9, 9, 0, 0, 0, time.UTC)
		for range 6 { // and a checkpoint
			if err := w.append(l, w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(l.j.past); n != 1 {
			t.Errorf("%d segments are kept open", n)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pack returns what gzip makes of text.
func pack(t *testing.T, text string) string {
	t.Helper()
	var zip bytes.Buffer
	z := gzip.NewWriter(&zip)
	if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return zip.String()
}

// TestForeignBytesAtTheBorder: what is known of the old segment is written into
// it, not into the new one, where the same offsets mean lines of our own.
func TestForeignBytesAtTheBorder(t *testing.T) {
	for _, foreign := range []string{"hallo\n", "hal", sealedLine(1<<40, "forged", "")} {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.append(l, w.newRequest(1), w.newRequest(1), w.newRequest(1), w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		w.fs.foreign("messages.jsonl", foreign)
		w.now = w.now.Add(31 * day)
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		if got := w.fs.text("messages.jsonl"); strings.Contains(got, kindForeign) || strings.Contains(got, "\n\n") {
			t.Errorf("%q: got a new segment\n%s", foreign, got)
		}
		if got := w.fs.text("archive/messages-2026-11.jsonl"); !strings.Contains(got, kindForeign) {
			t.Errorf("%q: got an archive\n%s", foreign, got)
		}
		kill(l)
		o := w.options()
		o.Thorough = true
		if l, _, err = openLog[simRecord]("messages.jsonl", false, o); err != nil {
			t.Fatal(err)
		}
		if got := openedCauses(l); len(got) != 5 {
			t.Errorf("%q: got %v open, want five", foreign, got)
		}
		if _, ok, err := l.Lookup("forged"); ok || err != nil {
			t.Errorf("%q: the foreign cause is known: %v, %v", foreign, ok, err)
		}
		kill(l)
	}
}

func TestRotationIsRareAndNeverBackwards(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zone data: ", err)
	}
	w := newWorld()
	o := w.options()
	o.Zone = berlin
	l, _, err := openLog[simRecord]("messages.jsonl", false, o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, step := range []struct {
		at   string
		want []string
	}{
		{"2026-11-30T22:59:59Z", nil},
		{"2026-11-30T23:00:00Z", []string{"2026-11"}}, // midnight in Berlin
		{"2026-12-31T22:59:00Z", []string{"2026-11"}},
		{"2026-12-31T23:00:00Z", []string{"2026-11", "2026-12"}},
		{"2026-12-01T12:00:00Z", []string{"2026-11", "2026-12"}}, // the clock goes back
		{"2027-01-15T12:00:00Z", []string{"2026-11", "2026-12"}},
		{"2027-04-15T12:00:00Z", []string{"2026-11", "2026-12", "2027-01"}},
	} {
		if w.now, err = time.Parse(time.RFC3339, step.at); err != nil {
			t.Fatal(err)
		}
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range slices.Sorted(maps.Keys(w.fs.segments())) {
			if month, ok := strings.CutPrefix(name, "archive/messages-"); ok {
				got = append(got, strings.TrimSuffix(month, ".jsonl"))
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("at %s: got archives %v, want %v", step.at, got, step.want)
		}
	}
	// Within 24 hours there is no second rotation.
	l.j.rotation.at = w.now
	w.now = w.now.Add(23 * time.Hour)
	l.j.rotation.month--
	if l.j.rotationDue(w.now) {
		t.Error("due again after 23 hours")
	}
	if l.j.rotation.at = w.now.Add(-24 * time.Hour); !l.j.rotationDue(w.now) {
		t.Error("not due after 24 hours")
	}
}

func TestTakenArchiveNameGetsANumber(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w.fs.put("archive/messages-2026-11.jsonl", "die des Besitzers\n")
	w.fs.put("archive/messages-2026-11-2.jsonl.gz", "gepackt")
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(31 * day)
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	if got := w.fs.text("archive/messages-2026-11.jsonl"); got != "die des Besitzers\n" {
		t.Errorf("the taken name was written over: %q", got)
	}
	if got := w.fs.text("archive/messages-2026-11-3.jsonl"); !strings.Contains(got, `"cause":"tg:1"`) {
		t.Errorf("got %q under the third name", got)
	}
}

func TestMissingSegmentGoesOnWhereTheArchivesEnd(t *testing.T) {
	for stop := 0; ; stop++ {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(31 * day)
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		kill(l)
		w.fs.foreignRemove("messages.jsonl")
		if stop > 0 { // the first start dies
			w.fs.stopAt = w.fs.ops + stop
			w.fs.partial = func(n int) int { return n * (stop % 3) / 2 }
			if l, _, err := w.open(); err == nil {
				kill(l)
			}
			if !w.fs.stopped {
				if stop < 10 {
					t.Errorf("a start has only %d calls", stop-1)
				}
				return
			}
			w.fs.reboot()
		}
		l, found, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		if found.New || stop == 0 && found.Rotation != "missing segment" {
			t.Errorf("stopped at %d: got %+v, want a missing segment", stop, found)
		}
		if _, ok, err := l.Lookup("tg:1"); !ok || err != nil {
			t.Errorf("stopped at %d: the archive's causes are forgotten: %v, %v", stop, ok, err)
		}
		r, _, err := l.Append(t.Context(), w.newRequest(1))
		if err != nil || r.Seq < 4 || r.ID <= w.acked["tg:2"].ID {
			t.Errorf("stopped at %d: got %+v, %v, want seq 4 or later", stop, r.Head, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRotationWhileManyWrite(t *testing.T) {
	w := newWorld()
	var mu sync.Mutex
	now := w.now
	o := w.options()
	o.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(40 * time.Minute)
		return now
	}
	l, _, err := openLog[simRecord]("messages.jsonl", false, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil { // stays open
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var watch, wg sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if open := openedCauses(l); !slices.Contains(open, "tg:1") {
				t.Errorf("an open line is missing from %d", len(open))
				return
			}
		}
	})
	const writers, each = 8, 60
	got := make([]map[string]simRecord, writers)
	for n := range writers {
		got[n] = map[string]simRecord{}
		wg.Go(func() {
			for i := range each {
				cause := fmt.Sprintf("w%d:%d", n, i)
				r := simRecord{Cause: cause, To: "dispatcher", Type: "request", Payload: simPayload{Text: cause}}
				r, known, err := l.Append(t.Context(), r)
				if err != nil || known {
					t.Errorf("%s: got %v, %v", cause, known, err)
				}
				got[n][cause] = r
				if again, known, err := l.Append(t.Context(), simRecord{Cause: cause, Type: "request"}); err != nil || !known || again.ID != r.ID {
					t.Errorf("%s again: got %+v, %v, %v", cause, again, known, err)
				}
				if i%3 > 0 {
					if _, _, err := l.Append(t.Context(), doneWith(r)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	for n := range got {
		for cause, r := range got[n] {
			w.attempted[cause], w.acked[cause] = cause, r
			if done, ok, err := l.Lookup(r.ID + ">done"); err != nil {
				t.Error(err)
			} else if ok {
				w.attempted[done.Cause], w.acked[done.Cause] = "", done
				w.closing[r.ID], w.closed[r.ID] = true, true
			}
		}
	}
	if len(w.fs.segments()) < 2 {
		t.Error("no rotation happened")
	}
	if open := l.Open(); len(open) != 1+writers*each/3 {
		t.Errorf("got %d open lines, want %d", len(open), 1+writers*each/3)
	}
	kill(l)
	w.now = now
	if _, err := w.check(); err != nil {
		t.Error(err)
	}
}
