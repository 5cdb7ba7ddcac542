//go:build linux || darwin

package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/store"
)

// An envelope is a record as the gateway has them, with less in it.
type envelope struct {
	store.Head
	Conversation string          `json:"conversation_id"`
	Cause        string          `json:"cause,omitempty"`
	From         json.RawMessage `json:"from,omitempty"`
	To           string          `json:"to"`
	Type         string          `json:"type"`
	Intent       string          `json:"intent,omitempty"`
	Payload      payload         `json:"payload"`
	ReplyTo      string          `json:"reply_to,omitempty"`
	Priority     string          `json:"priority,omitempty"`
}

type payload struct {
	Text string          `json:"text,omitempty"`
	Ref  string          `json:"ref,omitempty"`
	Raw  json.RawMessage `json:"raw,omitempty"`
}

func request(cause, text string) envelope {
	return envelope{Conversation: "conv_5b1e90a7c2d4", Cause: cause, To: "dispatcher", Type: "request", Payload: payload{Text: text}}
}

func done(ref string) envelope {
	return envelope{Conversation: "conv_5b1e90a7c2d4", To: "dispatcher", Type: "event", Intent: "done", Payload: payload{Ref: ref}}
}

// track opens requests and closes them with done.
func track(f store.Facts) (opens, closes string) {
	switch {
	case f.Type == "request":
		return f.ID, ""
	case f.Intent == "done":
		return "", f.Ref
	}
	return "", ""
}

func options() store.LogOptions {
	return store.LogOptions{Family: store.FamilyMessages, Track: track}
}

func openLog(t testing.TB, h *store.Human, o store.LogOptions) (*store.Log[envelope], store.Recovery) {
	t.Helper()
	l, found, err := store.OpenLog[envelope](h, "messages.jsonl", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, found
}

func newLog(t *testing.T) (*store.Log[envelope], *store.Human) {
	t.Helper()
	h := openHuman(t, store.Options{})
	l, _ := openLog(t, h, options())
	return l, h
}

func mustAppend(t *testing.T, l *store.Log[envelope], e envelope) envelope {
	t.Helper()
	got, known, err := l.Append(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if known {
		t.Fatalf("cause %q was known", e.Cause)
	}
	return got
}

func collect(t *testing.T, l *store.Log[envelope], seq uint64) []envelope {
	t.Helper()
	var all []envelope
	for e, err := range l.From(t.Context(), seq) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func openCauses(l *store.Log[envelope]) []string {
	var causes []string
	for _, e := range l.Open() {
		causes = append(causes, e.Rec.Cause)
	}
	return causes
}

func TestAppendWritesTheLineThatIsSpecified(t *testing.T) {
	h := openHuman(t, store.Options{})
	o := options()
	o.Now = func() time.Time { return time.Date(2026, 11, 30, 15, 3, 11, 482_900_000, time.FixedZone("", 3600)) }
	l, _ := openLog(t, h, o)
	e := request("tg:7001234567:u:918273645", "Was heißt <b> & wo?\n\u2028\u0085\x07")
	e.From = json.RawMessage(`{"user":{"channel":"telegram","identity":"123456789","name":"Ada"}}`)
	e.Priority = "normal"
	got := mustAppend(t, l, e)

	text := read(t, filepath.Join(h.Dir(), "messages.jsonl"))
	want := `{"v":2,"seq":1,"id":"` + got.ID + `","at":"2026-11-30T14:03:11.482Z","conversation_id":"conv_5b1e90a7c2d4",` +
		`"cause":"tg:7001234567:u:918273645","from":{"user":{"channel":"telegram","identity":"123456789","name":"Ada"}},` +
		`"to":"dispatcher","type":"request","payload":{"text":"Was heißt <b> & wo?\n\u2028\u0085\u0007"},"priority":"normal","c":"`
	if !strings.HasPrefix(text, want) || len(text) != len(want)+len(`12345678"}`+"\n") {
		t.Errorf("got  %s\nwant %s…", text, want)
	}
	if got.V != 2 || got.Seq != 1 || len(got.ID) != 19 || !got.At.Equal(time.Date(2026, 11, 30, 14, 3, 11, 482_000_000, time.UTC)) {
		t.Errorf("got head %+v", got.Head)
	}
	if fi, err := os.Stat(filepath.Join(h.Dir(), "messages.jsonl")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 0600", fi.Mode(), err)
	}
}

func TestInvalidTextIsMarked(t *testing.T) {
	l, h := newLog(t)
	mustAppend(t, l, request("a", "halb \xC3"))
	mustAppend(t, l, request("b", "ganz \uFFFD und \\ufffd"))
	lines := strings.Split(read(t, filepath.Join(h.Dir(), "messages.jsonl")), "\n")
	if !strings.Contains(lines[0], `"halb \ufffd"},"lossy":true,"c":`) {
		t.Errorf("not marked: %s", lines[0])
	}
	if strings.Contains(lines[1], "lossy") {
		t.Errorf("marked: %s", lines[1])
	}
}

func TestKnownCauseIsNotWrittenAgain(t *testing.T) {
	l, _ := newLog(t)
	first := mustAppend(t, l, request("tg:1", "Wann?"))
	again, known, err := l.Append(t.Context(), request("tg:1", "anders"))
	if err != nil || !known || !reflect.DeepEqual(again, first) {
		t.Errorf("got %+v, %v, %v, want the first record", again, known, err)
	}
	all, err := l.AppendAll(t.Context(), []envelope{request("tg:2", "a"), request("tg:1", "b"), request("tg:2", "c"), request("", "d"), request("", "d")})
	if err != nil {
		t.Fatal(err)
	}
	var seqs []uint64
	for _, e := range all {
		seqs = append(seqs, e.Seq)
	}
	if want := []uint64{2, 1, 2, 3, 4}; !slices.Equal(seqs, want) {
		t.Errorf("got seqs %d, want %d", seqs, want)
	}
	if all[2].Payload.Text != "a" {
		t.Errorf("got %q for a cause of the same call, want the first text", all[2].Payload.Text)
	}
	for cause, want := range map[string]bool{"tg:1": true, "tg:2": true, "tg:3": false, "": false} {
		if _, ok, err := l.Lookup(cause); err != nil || ok != want {
			t.Errorf("look up %q: got %v, %v, want %v", cause, ok, err, want)
		}
	}
}

func TestWritersShareCommitsAndKeepTheirOrder(t *testing.T) {
	l, _ := newLog(t)
	const writers, each = 32, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			var last uint64
			for i := range each {
				e, known, err := l.Append(t.Context(), request(fmt.Sprintf("w%d:%d", w, i), strings.Repeat("x", i)))
				if err != nil || known || e.Seq <= last {
					t.Errorf("writer %d, record %d: got seq %d after %d, %v, %v", w, i, e.Seq, last, known, err)
				}
				last = e.Seq
			}
		})
	}
	wg.Wait()
	s := l.Stats()
	if s.Appended != writers*each || s.Seq != writers*each || s.Open != writers*each {
		t.Errorf("got %+v, want %d records", s, writers*each)
	}
	if s.Commits >= s.Appended {
		t.Errorf("got %d commits for %d records, want fewer", s.Commits, s.Appended)
	}
	var last uint64
	for _, e := range collect(t, l, 0) {
		if e.Seq != last+1 {
			t.Errorf("got seq %d after %d", e.Seq, last)
		}
		last = e.Seq
	}
}

func TestSameCauseFromManyIsWrittenOnce(t *testing.T) {
	l, _ := newLog(t)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		ids   = map[string]bool{}
		fresh int
	)
	for range 16 {
		wg.Go(func() {
			e, known, err := l.Append(t.Context(), request("tg:1", "Wann?"))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[e.ID] = true
			if !known {
				fresh++
			}
		})
	}
	wg.Wait()
	if len(ids) != 1 || fresh != 1 {
		t.Errorf("got %d ids, %d of them new, want one", len(ids), fresh)
	}
}

func TestRefusedRecords(t *testing.T) {
	l, h := newLog(t)
	long := request("", strings.Repeat("x", 256<<10))
	if _, _, err := l.Append(t.Context(), long); !errors.Is(err, store.ErrTooLong) {
		t.Errorf("got %v, want ErrTooLong", err)
	}
	if _, _, err := l.Append(t.Context(), request("", strings.Repeat("x", 255<<10))); err != nil {
		t.Errorf("just short enough: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Append(ctx, request("", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := l.Append(t.Context(), request("", "")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := l.Probe(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("probe: got %v, want ErrClosed", err)
	}

	type late struct {
		Text string `json:"text"`
		store.Head
	}
	if _, _, err := store.OpenLog[late](h, "late.jsonl", options()); err == nil {
		t.Error("a record whose Head is not first was accepted")
	}
	type sealed struct {
		store.Head
		C string `json:"c"`
	}
	s, _, err := store.OpenLog[sealed](h, "sealed.jsonl", options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Append(t.Context(), sealed{C: "12345678"}); err == nil {
		t.Error("a record with a seal of its own was accepted")
	}
	if _, _, err := store.OpenLog[envelope](h, "odd.jsonl", store.LogOptions{Family: "odd"}); err == nil {
		t.Error("an unknown family was accepted")
	}
}

func TestOpenLinesSurvive(t *testing.T) {
	l, h := newLog(t)
	a := mustAppend(t, l, request("a", ""))
	mustAppend(t, l, request("b", ""))
	mustAppend(t, l, request("c", ""))
	mustAppend(t, l, done(a.ID))
	if got, want := openCauses(l), []string{"b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %v open, want %v", got, want)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, found := openLog(t, h, options())
	if !found.Clean || !found.Checkpoint || found.Lines != 0 || found.Open != 2 {
		t.Errorf("got %+v, want a start from the checkpoint of a clean stop", found)
	}
	if got, want := openCauses(l), []string{"b", "c"}; !slices.Equal(got, want) {
		t.Errorf("after a restart: got %v open, want %v", got, want)
	}
	if got := mustAppend(t, l, request("d", "")); got.Seq != 5 {
		t.Errorf("got seq %d, want 5", got.Seq)
	}
	thorough := options()
	thorough.Thorough = true
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, found = openLog(t, h, thorough)
	if found.Checkpoint || found.Lines != 5 || !found.Clean {
		t.Errorf("got %+v, want every line read", found)
	}
	if got, want := openCauses(l), []string{"b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("after a thorough start: got %v open, want %v", got, want)
	}
}

func TestFromFindsItsPlaceInALongLog(t *testing.T) {
	l, _ := newLog(t)
	const n = 3000
	var recs []envelope
	for i := range n {
		recs = append(recs, request(fmt.Sprintf("tg:%d", i), strings.Repeat("ä", 1+i%90)))
	}
	if _, err := l.AppendAll(t.Context(), recs); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []uint64{0, 1, 2, 777, 1500, n - 1, n, n + 1} {
		want := n - int(max(seq, 1)) + 1
		got := collect(t, l, seq)
		if len(got) != want {
			t.Errorf("from %d: got %d records, want %d", seq, len(got), want)
		}
		if len(got) > 0 && got[0].Seq != max(seq, 1) {
			t.Errorf("from %d: got seq %d first", seq, got[0].Seq)
		}
	}
	for range l.From(t.Context(), 5) {
		break // a loop may end early
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range l.From(ctx, 0) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
}
