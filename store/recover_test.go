package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func crashesOf(l *Log[simRecord]) map[string]int {
	crashes := map[string]int{}
	for _, e := range l.Open() {
		crashes[e.Rec.Cause] = e.Crashes
	}
	return crashes
}

// TestCrashesAreCountedInARow is R7 of spec/reliability.md §1.5.
func TestCrashesAreCountedInARow(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		clean   bool
		thorny  bool // the checkpoint is not used
		rotates bool
		want    map[string]int
	}{
		{want: map[string]int{"tg:1": 1}},
		{want: map[string]int{"tg:1": 2, "tg:2": 1}},
		{thorny: true, want: map[string]int{"tg:1": 3, "tg:2": 2, "tg:3": 1}},
		{rotates: true, want: map[string]int{"tg:1": 4, "tg:2": 3, "tg:3": 2, "tg:4": 1}},
		{clean: true, want: map[string]int{"tg:1": 0, "tg:2": 0, "tg:3": 0, "tg:4": 0, "tg:5": 0}},
		{want: map[string]int{"tg:1": 1, "tg:2": 1, "tg:3": 1, "tg:4": 1, "tg:5": 1, "tg:6": 1}},
	} {
		if step.clean {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			kill(l)
		}
		o := w.options()
		o.Thorough = step.thorny
		if l, _, err = openLog[simRecord]("messages.jsonl", false, o); err != nil {
			t.Fatal(err)
		}
		if got := crashesOf(l); !maps.Equal(got, step.want) {
			t.Errorf("step %d: got %v, want %v", i, got, step.want)
		}
		if step.rotates {
			w.now = w.now.Add(31 * day)
		}
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWrongCheckpointCostsTimeOnly: whatever stands in the checkpoint and the
// files beside it, the log is what its lines say.
func TestWrongCheckpointCostsTimeOnly(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := w.append(l, w.newRequest(1), w.newRequest(1), w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(16 * day)
	}
	if err := w.append(l, doneWith(w.acked["tg:2"])); err != nil {
		t.Fatal(err)
	}
	kill(l)
	reseal := func(b []byte) []byte {
		b = bytes.TrimSuffix(b, []byte("\n"))
		return append(appendSeal(b[:len(b)-sealLen], 0), '\n')
	}
	change := func(old, changed string) func([]byte) []byte {
		return func(b []byte) []byte {
			if !bytes.Contains(b, []byte(old)) {
				t.Fatalf("no %s in %s", old, b)
			}
			return reseal(bytes.Replace(b, []byte(old), []byte(changed), 1))
		}
	}
	for name, test := range map[string]struct {
		file   func(name string) bool
		change func([]byte) []byte
	}{
		"empty":            {isCheckpoint, func([]byte) []byte { return nil }},
		"no JSON":          {isCheckpoint, func([]byte) []byte { return []byte("{") }},
		"not sealed":       {isCheckpoint, func(b []byte) []byte { return bytes.Replace(b, []byte(`"open"`), []byte(`"opem"`), 1) }},
		"later version":    {isCheckpoint, change(`{"v":2`, `{"v":9`)},
		"other segment":    {isCheckpoint, change(`"segment":`, `"segment":9`)},
		"behind the end":   {isCheckpoint, change(`"offset":`, `"offset":99`)},
		"other begin":      {isCheckpoint, change(`"begin":`, `"begin":1`)},
		"no cause file":    {isCauses, func([]byte) []byte { return nil }},
		"short cause file": {isCauses, func(b []byte) []byte { return b[:len(b)-1] }},
		"flipped bit":      {isCauses, func(b []byte) []byte { b[len(b)-9] ^= 4; return b }},
		"other salt":       {isCauses, func(b []byte) []byte { b[20] ^= 1; return b }},
		"longer":           {isCauses, func(b []byte) []byte { return append(b, "mehr"...) }},
	} {
		t.Run(name, func(t *testing.T) {
			v := w.after(w.fs.clone())
			hit := false
			for file, n := range v.fs.names {
				if test.file(file) {
					n.data, hit = test.change(n.data), true
				}
			}
			if !hit {
				t.Fatal("no such file")
			}
			if _, err := v.check(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		v := w.after(w.fs.clone())
		for file := range v.fs.names {
			if isCheckpoint(file) || isCauses(file) {
				delete(v.fs.names, file)
			}
		}
		if _, err := v.check(); err != nil {
			t.Error(err)
		}
	})
}

func isCheckpoint(name string) bool { return name == "queue.ckpt" }
func isCauses(name string) bool     { return strings.HasSuffix(name, ".causes") }

func TestCauseFilesOfOldSegmentsAreSwept(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(31 * day)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var files []string
	for name := range w.fs.names {
		if isCauses(name) {
			files = append(files, name)
		}
	}
	if len(files) != 1+maxPast {
		t.Errorf("got %v, want one for the segment and one each for those before", files)
	}
}

// TestFullDiskIsSaidAndLeft: the log says in itself that the disk is full,
// refuses at once, tries again by itself when there is room, and says so.
func TestFullDiskIsSaidAndLeft(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(w.fs.text("cache/queue.ballast")); got != 100 {
		t.Fatalf("got %d bytes of ballast, want 100", got)
	}
	full := true
	w.fs.partial = func(n int) int { return n / 2 }
	w.fs.fault = func(_ int, kind, name string) error {
		if full && kind == "write" && w.fs.names["cache/queue.ballast"] != nil {
			return syscall.ENOSPC
		}
		return nil
	}
	w.fs.free = 1 << 20
	calls := func() int { return w.fs.ops }
	refused := func(when string) {
		t.Helper()
		err := w.append(l, w.newRequest(1))
		if !errors.Is(err, ErrDegraded) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: got %v, want ErrDegraded for want of space", when, err)
		}
	}
	refused("full")
	log := w.fs.text("messages.jsonl")
	if strings.Count(log, "\n") != 1 || !strings.Contains(log, `"intent":"repair","payload":{"what":"degraded","why":"no space left on device","at":0,"bytes":0}`) {
		t.Errorf("got %q, want one line that says so", log)
	}
	before := calls()
	refused("at once")
	w.now = w.now.Add(31 * time.Second)
	refused("still too full")
	if got := calls(); got != before {
		t.Errorf("got %d calls of the disk, want none", got-before)
	}
	if err := l.Probe(t.Context()); !errors.Is(err, ErrDegraded) {
		t.Errorf("probe: got %v, want ErrDegraded", err)
	}
	w.fs.free, full = 1<<30, false
	w.now = w.now.Add(31 * time.Second)
	if err := l.Probe(t.Context()); err != nil {
		t.Errorf("probe with room: %v", err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Error(err)
	}
	if s := l.Stats(); s.Degraded != nil {
		t.Errorf("still degraded: %v", s.Degraded)
	}
	if got := w.fs.text("messages.jsonl"); !strings.Contains(got, `"what":"resumed"`) {
		t.Errorf("the end of it is not written down:\n%s", got)
	}
	if got := len(w.fs.text("cache/queue.ballast")); got != 100 {
		t.Errorf("got %d bytes of ballast afterwards, want 100", got)
	}
	kill(l)
}

// TestReadOnlyInMidFlight is the second half of D7: the file system becomes
// read-only while the log is in use.
func TestReadOnlyInMidFlight(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	w.fs.fault = func(int, string, string) error { return syscall.EROFS }
	for range 3 {
		if err := w.append(l, w.newRequest(1)); !errors.Is(err, ErrDegraded) || !errors.Is(err, syscall.EROFS) {
			t.Errorf("got %v, want ErrDegraded", err)
		}
		w.now = w.now.Add(time.Minute)
	}
	if _, ok, err := l.Lookup("tg:1"); !ok || err != nil {
		t.Errorf("cannot be read: %v, %v", ok, err)
	}
	if got := openedCauses(l); !slices.Equal(got, []string{"tg:1"}) {
		t.Errorf("got %v open", got)
	}
	w.fs.fault = nil
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Errorf("writable again: %v", err)
	}
	kill(l)
	if _, err := w.check(); err != nil {
		t.Error(err)
	}
}

func TestReadOnlyLogChangesNothing(t *testing.T) {
	w := newWorld()
	w.fs.put("messages.jsonl", sealedLine(1, "a", "eins")+"kaputt\n"+sealedLine(3, "c", "drei")+"{halb")
	before := fmt.Sprint(w.fs.names)
	l, found, err := openLog[simRecord]("messages.jsonl", true, w.options())
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(found.ReadOnly, ErrReadOnly) || len(found.Torn) != 1 || len(found.Damage) != 1 || found.Open != 2 {
		t.Errorf("got %+v", found)
	}
	if _, _, err := l.Append(t.Context(), w.newRequest(1)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("append: got %v, want ErrReadOnly", err)
	}
	if got := openedCauses(l); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("got %v open", got)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(w.fs.names); w.fs.ops > 0 || got != before {
		t.Errorf("%d calls changed the disk", w.fs.ops)
	}
	empty := newWorld()
	l, found, err = openLog[simRecord]("messages.jsonl", true, empty.options())
	if err != nil || !found.New || empty.fs.ops > 0 {
		t.Fatalf("no log: got %+v, %v", found, err)
	}
	for range l.From(t.Context(), 0) {
		t.Error("a record in no log")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// expand makes a file of fuzzed bytes: the lowest stand for whole lines, which
// nobody would find by chance, the others for themselves.
func expand(in []byte) []byte {
	var file []byte
	for _, c := range in {
		switch {
		case c >= 1 && c <= 6:
			file = append(file, sealedLine(uint64(c), "cause", "text")...)
		case c == 7:
			file = append(file, strings.TrimSuffix(sealedLine(3, "c", "ohne Ende"), "\n")...)
		case c == 8:
			file = append(file, forgedNote()...)
		case c == 14:
			file = append(file, `{"v":1,"id":"0000000000000000007","type":"request"}`...)
		case c == 15:
			file = append(file, sealedLine(2, "b", "halb")[:90]...)
		default:
			file = append(file, c)
		}
	}
	return file
}

// FuzzRecover gives the log a file of any bytes: it never panics, every intact
// line survives, and a second start changes nothing.
func FuzzRecover(f *testing.F) {
	f.Add([]byte("\x01\x02"), true)
	f.Add([]byte("\x01\x0F"), false)
	f.Add([]byte("\x07\x02"), true)
	f.Add([]byte("\uFEFF\x01\r\n\x00\x00\n\x02"), false)
	f.Add([]byte("\x01\x08\x02\x08"), true)
	f.Add([]byte("\x0E\n"+`{"v":3}`+"\n[]\n\x0F\n\x06"), true)
	f.Fuzz(func(t *testing.T, in []byte, accept bool) {
		file := expand(in)
		if len(file) > 1<<20 {
			return
		}
		w := newWorld()
		w.fs.put("messages.jsonl", string(file))
		o := w.options()
		o.AcceptDamage = accept
		l, found, err := openLog[simRecord]("messages.jsonl", false, o)
		if err != nil {
			t.Fatal(err)
		}
		open := openedCauses(l)
		kill(l)
		before := w.fs.text("messages.jsonl")
		if found.ReadOnly != nil && len(found.Torn) == 0 && before != string(file) && before != string(file)+"\n" {
			t.Fatal("opened for reading only and changed more than the end")
		}
		for _, line := range bytes.Split(file, []byte("\n")) {
			if isSealed(line) && !strings.Contains(before, string(line)+"\n") {
				t.Fatalf("an intact line is gone: %q", line)
			}
		}
		l, found, err = w.open()
		if err != nil {
			t.Fatal(err)
		}
		again := openedCauses(l)
		kill(l)
		if accept && found.ReadOnly != nil {
			t.Fatal("accepted damage was not accepted")
		}
		if got := w.fs.text("messages.jsonl"); got != before {
			t.Fatalf("second start changed the log:\n%q\n→\n%q", before, got)
		}
		if !slices.Equal(open, again) {
			t.Fatalf("got %v open, then %v", open, again)
		}
	})
}
