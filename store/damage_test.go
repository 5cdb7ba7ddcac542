package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestBitFlipsCostOneRecordEach is D9 of spec/reliability.md §1.8. BIT_FLIPS
// sets how many flips are tried, each on a log of its own.
func TestBitFlipsCostOneRecordEach(t *testing.T) {
	t.Parallel()
	flips := 1000
	if s := os.Getenv("BIT_FLIPS"); s != "" {
		var err error
		if flips, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	whole := newWorld()
	l, _, err := whole.open()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if err := whole.append(l, whole.newRequest(i%5)); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			if err := whole.append(l, doneWith(whole.openRequests()[0])); err != nil {
				t.Fatal(err)
			}
		}
	}
	kill(l)
	size := len(whole.fs.text("messages.jsonl"))
	r := rand.New(rand.NewPCG(9, 9))
	lost := 0
	for range flips {
		w := whole.after(whole.fs.clone())
		bit := r.IntN(8 * size)
		w.fs.file("messages.jsonl").data[bit/8] ^= 1 << (bit % 8)
		o := w.options()
		o.Thorough = true
		l, found, err := openLog[simRecord]("messages.jsonl", false, o)
		if err != nil {
			t.Fatalf("bit %d: %v", bit, err)
		}
		if found.ReadOnly != nil {
			t.Fatalf("bit %d: opened for reading only: %v", bit, found.ReadOnly)
		}
		var gone []string
		for cause, r := range w.acked {
			got, ok, err := l.Lookup(cause)
			if err != nil || !ok || got.ID != r.ID || got.Payload != r.Payload || got.Intent != r.Intent {
				gone = append(gone, cause)
			}
		}
		kill(l)
		if len(gone) > 1 {
			t.Fatalf("bit %d: %d records are lost: %v", bit, len(gone), gone)
		}
		if len(gone) > 0 && len(found.Damage)+len(found.Torn) == 0 {
			t.Fatalf("bit %d: the loss of %v is not reported: %+v", bit, gone, found)
		}
		lost += len(gone)
	}
	if lost < flips/2 {
		t.Errorf("only %d of %d flips cost a record: they hit too little", lost, flips)
	}
	t.Logf("%d flips, %d records lost", flips, lost)
}

func TestDamageInTheMiddleCostsOneLineAndIsWrittenDown(t *testing.T) {
	w := newWorld()
	bad := `{"v":2,"seq":2,` + "\x00\x00" + `"kaputt`
	w.fs.put("messages.jsonl", sealedLine(1, "a", "eins")+bad+"\n"+sealedLine(3, "c", "drei"))
	l, found, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want := Damage{Kind: "malformed", Offset: 163, Length: int64(len(bad)), MissingFrom: 2, MissingTo: 2,
		Quarantine: "quarantine/messages.jsonl-163.bad"}
	if len(found.Damage) != 1 || found.Damage[0] != want {
		t.Errorf("got %+v, want %+v", found.Damage, want)
	}
	if got := w.fs.text(want.Quarantine); got != bad {
		t.Errorf("got %q in quarantine, want %q", got, bad)
	}
	log := w.fs.text("messages.jsonl")
	if !strings.Contains(log, bad) {
		t.Error("the damaged bytes were touched")
	}
	if !strings.Contains(log, `"intent":"damage","payload":{"places":[{"kind":"malformed","at":163,"len":24,"seq_missing":[2,2],"quarantine":"quarantine/messages.jsonl-163.bad"}]}`) {
		t.Errorf("not written down:\n%s", log)
	}
	var seqs []uint64
	var failures int
	for e, err := range l.From(t.Context(), 0) {
		var line *LineError
		switch {
		case errors.As(err, &line):
			failures++
		case err != nil:
			t.Error(err)
		default:
			seqs = append(seqs, e.Seq)
		}
	}
	if failures != 1 || !slices.Equal(seqs, []uint64{1, 3, 4}) {
		t.Errorf("got seqs %d and %d failures, want 1, 3, 4 and one", seqs, failures)
	}
	if s := l.Stats(); s.Damage != 1 || s.Seq != 4 {
		t.Errorf("got %+v", s)
	}
}

func TestMissingAndRepeatedLinesAreReported(t *testing.T) {
	w := newWorld()
	a, b, d := sealedLine(1, "a", ""), sealedLine(2, "b", ""), sealedLine(9, "d", "")
	w.fs.put("messages.jsonl", a+b+a+d)
	l, found, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var got []string
	for _, p := range found.Damage {
		got = append(got, fmt.Sprint(p.Kind, p.MissingFrom, p.MissingTo))
	}
	if want := []string{"repeat0 0", "gap3 8"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if open := l.Open(); len(open) != 3 {
		t.Errorf("got %d open lines, want 3", len(open))
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	if s := l.Stats(); s.Seq != 11 { // with the line about the damage
		t.Errorf("got seq %d, want 11", s.Seq)
	}
}

func TestTooMuchDamageOpensForReadingOnly(t *testing.T) {
	var file strings.Builder
	for i := range uint64(12) {
		fmt.Fprintf(&file, "%skaputt %d\n", sealedLine(2*i+1, fmt.Sprint("c", i), ""), i)
	}
	for name, text := range map[string]string{
		"places": file.String(),
		"bytes":  sealedLine(1, "c0", "") + strings.Repeat("x", 70<<10) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.fs.put("messages.jsonl", text)
			for range 2 { // it stays so until the owner has looked
				l, found, err := w.open()
				if err != nil {
					t.Fatal(err)
				}
				var much *TooDamagedError
				if !errors.As(found.ReadOnly, &much) || much.Bytes == 0 {
					t.Errorf("got %v, want the amount of damage", found.ReadOnly)
				}
				if _, _, err := l.Append(t.Context(), w.newRequest(1)); !errors.Is(err, ErrReadOnly) {
					t.Errorf("append: got %v, want ErrReadOnly", err)
				}
				if _, ok, err := l.Lookup("c0"); !ok || err != nil {
					t.Errorf("the log cannot be read: %v, %v", ok, err)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				if w.fs.text("messages.jsonl") != text {
					t.Fatal("the log was changed")
				}
			}
			l, found, err := openLog[simRecord]("messages.jsonl", true, w.options())
			if much := (*TooDamagedError)(nil); err != nil || !errors.As(found.ReadOnly, &much) {
				t.Errorf("opened for reading: got %v, %v, want the amount of damage", err, found.ReadOnly)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			o := w.options()
			o.AcceptDamage = true
			l, found, err = openLog[simRecord]("messages.jsonl", false, o)
			if err != nil || found.ReadOnly != nil {
				t.Fatalf("accepted: got %v, %v", err, found.ReadOnly)
			}
			if err := w.append(l, w.newRequest(1)); err != nil {
				t.Error(err)
			}
			kill(l)
			if l, found, err = w.open(); err != nil || found.ReadOnly != nil {
				t.Fatalf("after that: got %v, %v", err, found.ReadOnly)
			}
			kill(l)
		})
	}
}

func TestAlteredLegacyAndNewerLinesAreShownAndNotExecuted(t *testing.T) {
	w := newWorld()
	newer := bytes.Replace([]byte(strings.TrimSuffix(sealedLine(3, "n", ""), "\n")), []byte(`{"v":2`), []byte(`{"v":3`), 1)
	newer = appendSeal(newer[:len(newer)-sealLen], 0)
	w.fs.put("messages.jsonl", strings.Join([]string{
		`{"id":"0000000000000000007","from":"zeno","to":"dispatcher","type":"request","payload":{"text":"v0"},"cause":"l0","timestamp":1809153660.112}`,
		`{"v":1,"id":"0000000000000000008","from":{"agent":"zeno"},"to":"dispatcher","type":"request","payload":{"text":"v1"},"cause":"l1","eigenes":[1]}`,
		strings.TrimSuffix(sealedLine(1, "a", "eins"), "\n"),
		strings.TrimSuffix(strings.Replace(sealedLine(2, "b", "zwei"), "zwei", "drei", 1), "\n"),
		string(newer),
		strings.TrimSuffix(sealedLine(4, "d", "vier"), "\n"), "",
	}, "\n"))
	l, found, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if found.Legacy != 2 || found.Altered != 1 || found.Newer != 1 {
		t.Errorf("got %+v, want 2 legacy, 1 altered, 1 newer", found)
	}
	if len(found.Damage) != 1 || found.Damage[0].Kind != "altered" || found.Damage[0].MissingFrom != 2 {
		t.Errorf("got damage %+v, want the altered line", found.Damage)
	}
	var open []string
	for _, e := range l.Open() {
		open = append(open, e.Rec.Cause)
	}
	if want := []string{"a", "d"}; !slices.Equal(open, want) {
		t.Errorf("got %v open, want %v", open, want)
	}
	for _, cause := range []string{"l0", "l1", "b", "n"} {
		if _, ok, err := l.Lookup(cause); ok || err != nil {
			t.Errorf("look up %s: got %v, %v, want nothing", cause, ok, err)
		}
	}
	shown := map[string]string{}
	var refused int
	for e, err := range l.From(t.Context(), 0) {
		var late *NewerError
		if errors.As(err, &late) {
			refused++
			continue
		}
		if err != nil {
			t.Error(err)
		}
		if e.Type == "request" {
			shown[e.Payload.Text] = e.Untrusted()
		}
		if e.Payload.Text == "v0" && (e.V != 2 || !e.At.Equal(time.UnixMilli(1809153660112))) {
			t.Errorf("a line of version 0 became %+v", e.Head)
		}
	}
	if want := map[string]string{"v0": "legacy", "v1": "legacy", "eins": "", "drei": "altered", "vier": ""}; !maps.Equal(shown, want) {
		t.Errorf("got %v, want %v", shown, want)
	}
	if refused != 1 {
		t.Errorf("got %d lines of a later version refused, want 1", refused)
	}
	if err := w.append(l, simRecord{Cause: "l0", Type: "request"}); err != nil {
		t.Errorf("a cause that only a legacy line has: %v", err)
	}
}
