package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sealedLine returns a line as the log writes it.
func sealedLine(seq uint64, cause, text string) string {
	body, err := encodeBody(&simRecord{Cause: cause, To: "dispatcher", Type: "request", Payload: simPayload{Text: text}})
	if err != nil {
		panic(err)
	}
	s := stamp{seq: seq, id: seq << 22, at: newWorld().now}
	return string(appendLine(nil, s.head(MessagesVersion), body))
}

// put lays a file on the disk as if it had always been there.
func (s *simFS) put(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	n := &simInode{id: s.nextID, data: []byte(text), clean: []byte(text)}
	s.names[name], s.stable[name] = n, n
}

func (s *simFS) file(name string) *simInode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

func (s *simFS) text(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.names[name]; n != nil {
		return string(n.data)
	}
	return ""
}

// TestTornTails is D8 of spec/reliability.md §1.8 and the corpus of what other
// programs stumbled over: whatever the end of the file looks like, the lines
// before it stay, what was cut off is kept, and the next record stands alone.
func TestTornTails(t *testing.T) {
	a, b, c := sealedLine(1, "a", "eins"), sealedLine(2, "b", "zwei ä"), sealedLine(3, "c", "drei")
	ab := a + b
	half := func(s, before string) string { return s[:strings.Index(s, before)+len(before)] }
	uml := half(c, "drei")
	long := strings.Repeat("x", 300<<10)
	for _, test := range []struct {
		name, file string
		torn       string // goes into the quarantine
		cut        int    // bytes cut off, when not len(torn)
		damage     []string
		causes     string // known afterwards
		legacy     int64
	}{
		{name: "empty file"},
		{name: "only a line end", file: "\n"},
		{name: "only blank lines", file: "\n \n\r\n"},
		{name: "whole", file: ab, causes: "ab"},
		{name: "in the middle of a line", file: ab + half(c, `"payload"`), torn: half(c, `"payload"`), causes: "ab"},
		{name: "in the middle of a character", file: ab + uml + "\xC3", torn: uml + "\xC3", causes: "ab"},
		{name: "in the middle of an escape", file: ab + uml + `\u00`, torn: uml + `\u00`, causes: "ab"},
		{name: "in the middle of a number", file: ab + `{"v":2,"seq":1`, torn: `{"v":2,"seq":1`, causes: "ab"},
		{name: "in the middle of the seal", file: ab + c[:len(c)-5], torn: c[:len(c)-5], causes: "ab"},
		{name: "first byte of a line", file: ab + "{", torn: "{", causes: "ab"},
		{name: "complete without its end", file: ab + strings.TrimSuffix(c, "\n"), causes: "abc"},
		{name: "complete but altered, without its end", file: ab + strings.Replace(strings.TrimSuffix(c, "\n"), "drei", "vier", 1),
			torn: strings.Replace(strings.TrimSuffix(c, "\n"), "drei", "vier", 1), causes: "ab"},
		{name: "complete, then a torn one without a line end between", file: ab + strings.TrimSuffix(c, "\n") + `{"v":2,"se`,
			torn: `{"v":2,"se`, causes: "abc"},
		{name: "trailing blank lines", file: ab + "\n\n", causes: "ab"},
		{name: "torn line, then a blank line", file: ab + half(c, `"type"`) + "\n\n", damage: []string{"malformed"}, causes: "ab"},
		{name: "trailing spaces", file: ab + "   ", cut: 3, causes: "ab"},
		{name: "one zero byte", file: ab + "\x00", cut: 1, causes: "ab"},
		{name: "zeros behind a torn line", file: ab + half(c, `"id"`) + strings.Repeat("\x00", 4096), torn: half(c, `"id"`),
			cut: len(half(c, `"id"`)) + 4096, causes: "ab"},
		{name: "a mebibyte of zeros", file: ab + strings.Repeat("\x00", 1<<20), cut: 1 << 20, causes: "ab"},
		{name: "more zeros than a line may have", file: ab + strings.Repeat("\x00", 1<<20+5),
			torn: strings.Repeat("\x00", 1<<20+5), causes: "ab"},
		{name: "a block of zeros in the middle", file: a + strings.Repeat("\x00", 512) + "\n" + b, damage: []string{"malformed"}, causes: "ab"},
		{name: "zeros before a line", file: a + strings.Repeat("\x00", 512) + b, damage: []string{"malformed"}, causes: "ab"},
		{name: "Windows line ends", file: strings.ReplaceAll(ab, "\n", "\r\n"), causes: "ab"},
		{name: "Windows line end on the last line only", file: a + strings.TrimSuffix(b, "\n") + "\r\n", causes: "ab"},
		{name: "a byte order mark", file: "\uFEFF" + ab, causes: "ab"},
		{name: "a long torn line", file: ab + `{"text":"` + long, torn: `{"text":"` + long, causes: "ab"},
		{name: "a long legacy line", file: ab + `{"text":"` + long + "\"}\n", causes: "ab", legacy: 1},
		{name: "two fused objects", file: strings.TrimSuffix(a, "\n") + b, causes: "ab"},
		{name: "a torn line with the next one glued to it", file: a + half(b, `"to"`) + c, damage: []string{"malformed"}, causes: "ac"},
		{name: "text without a line end", file: ab + "hallo", torn: "hallo", causes: "ab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			w.fs.put("messages.jsonl", test.file)
			l, found, err := w.open()
			if err != nil {
				t.Fatal(err)
			}
			if found.ReadOnly != nil {
				t.Fatalf("opened for reading only: %v", found.ReadOnly)
			}
			cut := max(test.cut, len(test.torn))
			switch {
			case cut == 0 && len(found.Torn) > 0:
				t.Errorf("got %+v torn, want nothing", found.Torn)
			case cut > 0 && (len(found.Torn) != 1 || found.Torn[0].Bytes != int64(cut)):
				t.Errorf("got %+v torn, want %d bytes", found.Torn, cut)
			case test.torn != "" && w.fs.text(found.Torn[0].Quarantine) != test.torn:
				t.Errorf("%q in quarantine: got %q, want %q", found.Torn[0].Quarantine, w.fs.text(found.Torn[0].Quarantine), test.torn)
			}
			var kinds []string
			for _, d := range found.Damage {
				kinds = append(kinds, d.Kind)
				if d.Kind == "malformed" {
					if got, want := w.fs.text(d.Quarantine), test.file[d.Offset:d.Offset+d.Length]; got != want {
						t.Errorf("quarantine: got %q, want %q", got, want)
					}
				}
			}
			if !slices.Equal(kinds, test.damage) || found.Legacy != test.legacy {
				t.Errorf("got damage %v and %d legacy lines, want %v and %d", kinds, found.Legacy, test.damage, test.legacy)
			}
			for _, cause := range []string{"a", "b", "c"} {
				_, ok, err := l.Lookup(cause)
				if want := strings.Contains(test.causes, cause); ok != want || err != nil {
					t.Errorf("look up %s: got %v, %v, want %v", cause, ok, err, want)
				}
			}
			r := simRecord{Cause: "next", Type: "request", Payload: simPayload{Text: "weiter"}}
			if _, known, err := l.Append(t.Context(), r); err != nil || known {
				t.Fatalf("append: got %v, %v", known, err)
			}
			kill(l)
			lines := strings.Split(strings.TrimSuffix(w.fs.text("messages.jsonl"), "\n"), "\n")
			if last := lines[len(lines)-1]; !isSealed([]byte(last)) || !strings.Contains(last, "weiter") {
				t.Errorf("the next record does not stand alone: %s", last)
			}
			before := w.fs.segments()
			l, found, err = w.open()
			if err != nil {
				t.Fatal(err)
			}
			kill(l)
			if got := w.fs.segments(); fmt.Sprint(got) != fmt.Sprint(before) {
				t.Errorf("the next start changed the log")
			}
			if len(found.Torn)+len(found.Damage) > 0 {
				t.Errorf("reported again: %+v", found)
			}
		})
	}
}

// TestTornTailOnFullDisk: the repair needs no room; what does not fit into the
// quarantine is printed before it is cut off.
func TestTornTailOnFullDisk(t *testing.T) {
	w := newWorld()
	a := sealedLine(1, "a", "eins")
	w.fs.put("messages.jsonl", a+"{halb")
	w.fs.put("cache/queue.ballast", "")
	full := true
	w.fs.fault = func(_ int, kind, name string) error {
		if full && (kind == "write" || kind == "create") {
			return syscall.ENOSPC
		}
		return nil
	}
	o := w.options()
	var rescue strings.Builder
	o.Rescue = &rescue
	l, found, err := openLog[simRecord]("messages.jsonl", false, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Torn) != 1 || found.Torn[0].Quarantine != "" {
		t.Errorf("got %+v, want one torn line that went nowhere", found.Torn)
	}
	if got, want := rescue.String(), fmt.Sprintf("messages.jsonl: cut off at byte %d: 7b68616c62\n", len(a)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := l.Stats().Degraded; got == nil {
		t.Error("the log does not say that the disk is full")
	}
	full = false
	if err := w.append(l, w.newRequest(1)); err == nil {
		t.Error("tried again at once")
	}
	w.now = w.now.Add(31 * time.Second)
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Error(err)
	}
	if got := w.fs.text("messages.jsonl"); !strings.Contains(got, `"what":"torn"`) || !strings.Contains(got, `"what":"degraded"`) {
		t.Errorf("the repair is not written down later:\n%s", got)
	}
	kill(l)
}

// TestTornTailIsKept: what was cut off is in the quarantine whatever happened to
// the starts that put it there, and when the power goes afterwards.
func TestTornTailIsKept(t *testing.T) {
	const fragment = `{"v":2,"seq":3,"id":"7`
	for stop := 1; ; stop++ {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		kill(l)
		w.fs.foreign("messages.jsonl", fragment)
		w.fs.stopAt = w.fs.ops + stop
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
		if l, _, err = w.open(); err != nil {
			t.Fatal(err)
		}
		kill(l)
		for seed := range uint64(10) {
			cut := w.fs.powerCut(rand.New(rand.NewPCG(seed, 8)))
			kept := ""
			for name, n := range cut.names {
				if strings.HasPrefix(name, "quarantine/") {
					kept += string(n.data)
				}
			}
			if kept != fragment {
				t.Fatalf("stopped in call %d, power cut %d: got %q in quarantine", stop, seed, kept)
			}
		}
	}
}
