package store

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// remove takes a file away behind the log's back.
func (s *simFS) foreignRemove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rename1(nameOp{set: map[string]*simInode{name: nil}, dirs: []string{"."}})
}

func openedCauses(l *Log[simRecord]) []string {
	var causes []string
	for _, e := range l.Open() {
		causes = append(causes, e.Rec.Cause)
	}
	return causes
}

// TestForeignLinesAreNeverExecuted is D15 of spec/reliability.md §1.8: what
// others append is shown and has no effect, whatever it claims, then and after
// every kind of restart.
func TestForeignLinesAreNeverExecuted(t *testing.T) {
	forged := sealedLine(3, "forged", "lösche alles")
	for name, foreign := range map[string]string{
		"a legacy line":             `{"v":1,"id":"0000000000000000007","to":"dispatcher","type":"request","payload":{"text":"echo"},"cause":"forged"}` + "\n",
		"no JSON":                   "hallo\n",
		"half a line":               `{"v":1,"id":"000`,
		"a well sealed line":        forged,
		"without its end":           strings.TrimSuffix(forged, "\n"),
		"with a seq far ahead":      sealedLine(1<<40, "forged", "lösche alles"),
		"a copy of a line":          "COPY",
		"a note that denies others": forgedNote(),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			l, _, err := w.open()
			if err != nil {
				t.Fatal(err)
			}
			if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			if foreign == "COPY" {
				foreign, _, _ = strings.Cut(w.fs.text("messages.jsonl"), "\n")
				foreign += "\n"
			}
			check := func(when string) {
				t.Helper()
				if got, want := openedCauses(l), []string{"tg:1", "tg:2", "tg:3"}; !slices.Equal(got, want) {
					t.Errorf("%s: got %v open, want %v", when, got, want)
				}
				if _, ok, err := l.Lookup("forged"); ok || err != nil {
					t.Errorf("%s: the foreign cause is known: %v, %v", when, ok, err)
				}
				if err := w.checkLinesBut("forged"); err != nil {
					t.Errorf("%s: %v", when, err)
				}
				if got := w.fs.text("messages.jsonl"); !strings.Contains(got, strings.TrimSuffix(foreign, "\n")) {
					t.Errorf("%s: the foreign bytes are gone", when)
				}
			}
			w.fs.foreign("messages.jsonl", foreign)
			if err := w.append(l, w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			check("while running")
			if s := l.Stats(); s.Foreign != 1 {
				t.Errorf("got %d foreign appends, want 1", s.Foreign)
			}
			kill(l)
			for _, thorough := range []bool{false, true, true} {
				o := w.options()
				o.Thorough = thorough
				var found Recovery
				if l, found, err = openLog[simRecord]("messages.jsonl", false, o); err != nil {
					t.Fatal(err)
				}
				check("after a crash")
				if found.ReadOnly != nil || len(found.Damage) > 1 {
					t.Errorf("got %+v", found)
				}
				kill(l)
			}
			w.fs.foreignRemove("queue.ckpt")
			if l, _, err = w.open(); err != nil {
				t.Fatal(err)
			}
			check("without a checkpoint")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// forgedNote is a foreign line that says that our own lines are foreign.
func forgedNote() string {
	s := stamp{seq: 3, id: 99 << 22, at: newWorld().now}
	n := newNote(intentDamage, damageNote{[]place{{Kind: kindForeign, At: 0, Len: 300}}})
	return string(appendLine(nil, s.head(MessagesVersion), n.body))
}

// checkLinesBut is checkLines for a log in which a foreign line may stand.
func (w *world) checkLinesBut(cause string) error {
	v := w.after(newSimFS())
	for name, text := range w.fs.segments() {
		var kept []string
		for line := range strings.Lines(text) {
			if !strings.Contains(line, cause) && !strings.Contains(line, `"at":0,"len":300`) && !slices.Contains(kept, line) {
				kept = append(kept, line)
			}
		}
		v.fs.put(name, strings.Join(kept, ""))
	}
	return v.checkLines()
}

func TestLinesAppendedAfterACleanStopAreForeign(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w.fs.foreign("messages.jsonl", sealedLine(2, "forged", "lösche alles"))
	for range 2 {
		o := w.options()
		o.Thorough = true
		l, _, err := openLog[simRecord]("messages.jsonl", false, o)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := openedCauses(l), []string{"tg:1"}; !slices.Equal(got, want) {
			t.Errorf("got %v open, want %v", got, want)
		}
		kill(l)
	}
}

// TestRemovedLogIsPutBackWithoutAnAppend: by a look now and then, and by a
// stop.
func TestRemovedLogIsPutBackWithoutAnAppend(t *testing.T) {
	for name, look := range map[string]func(l *Log[simRecord]) error{
		"probe": func(l *Log[simRecord]) error {
			defer kill(l)
			return l.Probe(t.Context())
		},
		"close": (*Log[simRecord]).Close,
	} {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		w.fs.foreignRemove("messages.jsonl")
		if err := look(l); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.fs.text("messages.jsonl"); !strings.Contains(got, `"kind":"replaced"`) {
			t.Errorf("%s: not written down:\n%s", name, got)
		}
		if _, err := w.check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLogThatIsTakenAwayIsPutBack(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		if w.fs.foreignRemove("messages.jsonl"); replaced {
			w.fs.put("messages.jsonl", "im Editor gespeichert\n")
		}
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
		if got := w.fs.text("quarantine/messages.jsonl-replaced"); replaced != (got == "im Editor gespeichert\n") {
			t.Errorf("replaced %v: got %q in quarantine", replaced, got)
		}
		if got := w.fs.text("messages.jsonl"); !strings.Contains(got, `"kind":"replaced"`) {
			t.Errorf("replaced %v: not written down:\n%s", replaced, got)
		}
		if _, ok, err := l.Lookup("tg:1"); !ok || err != nil {
			t.Errorf("replaced %v: got %v, %v", replaced, ok, err)
		}
		if s := l.Stats(); s.Foreign != 1 || s.Damage != 1 {
			t.Errorf("got %+v", s)
		}
		kill(l)
		if _, err := w.check(); err != nil {
			t.Errorf("replaced %v: %v", replaced, err)
		}
	}
}

func TestLogThatIsCutShortGoesOn(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1), w.newRequest(1), w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	n := w.fs.file("messages.jsonl")
	first := len(strings.SplitAfter(string(n.data), "\n")[0])
	n.data = n.data[:first+20]
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	if got, want := openedCauses(l), []string{"tg:1", "tg:4"}; !slices.Equal(got, want) {
		t.Errorf("got %v open, want %v", got, want)
	}
	if _, ok, err := l.Lookup("tg:2"); ok || err != nil {
		t.Errorf("look up what is gone: got %v, %v", ok, err)
	}
	if got := w.fs.text("messages.jsonl"); !strings.Contains(got, `"kind":"truncated"`) {
		t.Errorf("not written down:\n%s", got)
	}
	kill(l)
	maps.DeleteFunc(w.acked, func(cause string, _ simRecord) bool { return cause == "tg:2" || cause == "tg:3" })
	if _, err := w.check(); err != nil {
		t.Error(err)
	}
}

// TestCutForeignLinesMakeRoom: what is written where foreign bytes stood, that
// somebody cut off again, is ours.
func TestCutForeignLinesMakeRoom(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	n := w.fs.file("messages.jsonl")
	size := len(n.data)
	w.fs.foreign("messages.jsonl", strings.Repeat("viel Text von anderen\n", 50))
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	n.data = n.data[:size+30]
	delete(w.acked, "tg:2")
	for range 7 { // with a checkpoint among them
		if err := w.append(l, w.newRequest(1)); err != nil {
			t.Fatal(err)
		}
	}
	kill(l)
	if _, err := w.check(); err != nil {
		t.Error(err)
	}
}

func TestTornForeignTailAfterACleanStop(t *testing.T) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.append(l, w.newRequest(1)), l.Close()); err != nil {
		t.Fatal(err)
	}
	w.fs.foreign("messages.jsonl", "hal")
	found, err := w.check()
	if err != nil {
		t.Error(err)
	}
	if len(found.Torn) != 1 || len(found.Damage) != 0 || !found.Clean {
		t.Errorf("got %+v, want a torn end", found)
	}
}

// TestForeignAppendInTheMomentOfOurs: another program's bytes come between our
// look at the file and our write.
func TestForeignAppendInTheMomentOfOurs(t *testing.T) {
	for name, foreign := range map[string]string{
		"a line":       "hallo\n",
		"half a line":  "hal", // ours is glued to it
		"a sealed one": sealedLine(1<<40, "forged", ""),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			l, _, err := w.open()
			if err != nil {
				t.Fatal(err)
			}
			if err := w.append(l, w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			once := false
			w.fs.fault = func(_ int, kind, name string) error {
				if kind == "write" && name == "messages.jsonl" && !once {
					once = true
					n := w.fs.names[name] // its lock is held
					n.data = append(n.data, foreign...)
				}
				return nil
			}
			if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			if err := w.append(l, w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			if got, want := openedCauses(l), 4; len(got) != want {
				t.Errorf("got %v open, want %d", got, want)
			}
			for _, r := range w.acked {
				if got, ok, err := l.Lookup(r.Cause); err != nil || !ok || got.ID != r.ID {
					t.Errorf("look up %s: got %+v, %v, %v", r.Cause, got, ok, err)
				}
			}
			kill(l)
			l, _, err = w.open()
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if got, want := openedCauses(l), 4; len(got) != want {
				t.Errorf("after a restart: got %v open, want %d", got, want)
			}
		})
	}
}
