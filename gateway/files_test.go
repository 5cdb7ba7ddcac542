package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

// fetching is a network whose files can be read: their bytes, by their Ref.
type fetching struct {
	*network
	mu      sync.Mutex
	bytes   map[string]string
	fetched []string
	slow    time.Duration
}

func (n *fetching) Fetch(ctx context.Context, f channels.File, most int64) (io.ReadCloser, error) {
	n.mu.Lock()
	b, ok := n.bytes[f.Ref]
	n.fetched = append(n.fetched, f.Ref)
	n.mu.Unlock()
	select {
	case <-time.After(n.slow):
	case <-ctx.Done():
		return nil, &channels.SendError{Class: channels.NotSent, Err: ctx.Err()}
	}
	switch {
	case f.Ref == "panic":
		panic("scripted")
	case !ok:
		return nil, fails(channels.Refused)
	}
	return io.NopCloser(strings.NewReader(b)), nil
}

// shelf keeps blobs in memory.
type shelf struct {
	mu sync.Mutex
	of map[string]string
}

func (s *shelf) PutBlob(r io.Reader, limit int64) (store.Blob, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return store.Blob{}, err
	}
	if int64(len(b)) > limit {
		return store.Blob{}, &store.TooLargeError{What: "blob", Limit: limit}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	blob := store.Blob{Hash: fmt.Sprintf("%064x", len(s.of)+1), Size: int64(len(b))}
	s.of[blob.Hash] = string(b)
	return blob, nil
}

func (s *shelf) OpenBlob(b store.Blob) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return io.NopCloser(strings.NewReader(s.of[b.Hash])), nil
}

func (s *shelf) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for i := range s.of {
		all = append(all, s.of[i])
	}
	return all
}

// newFetching gives w a network whose files can be read, and a place to keep
// them.
func newFetching(w *world) (*fetching, *shelf) {
	n := &fetching{network: w.net, bytes: map[string]string{"r1": "%PDF-1.7", "r2": "Wann ist die Sitzung?", "big": strings.Repeat("x", 2000)}}
	kept := &shelf{of: make(map[string]string)}
	w.o.Accounts[0].Channel, w.o.Files = n, kept
	w.o.Settings.Policy.Limits.FileSize, w.o.Settings.Policy.Limits.Files = 1000, 4
	return n, kept
}

func with(files ...channels.File) func(*channels.Event) {
	return func(e *channels.Event) { e.Files, e.Unsupported = files, "document" }
}

func pdf(ref, name string) channels.File {
	return channels.File{Ref: ref, Name: name, MIME: "application/pdf"}
}

// What comes with a question is kept by its hash and told to be unread; what is
// too large, of another kind or too much is told by its name. Strangers' files are
// not looked at.
func TestFilesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n, kept := newFetching(w)
		w.start()
		w.ask("7", "Was steht darin?", with(
			pdf("r1", "satzung.pdf"), pdf("big", "foto\u202egpj.pdf"), channels.File{Ref: "r1", Name: "lauf.exe", MIME: "application/x-msdownload"},
			pdf("gone", ""), pdf("r1", "fünfte.pdf"),
		))
		synctest.Wait()
		got := w.net.all()[0].text
		for _, want := range []string{
			"Zu: Was steht darin?", "Die Datei habe ich aufbewahrt, aber nicht gelesen", "„fotogpj.pdf“ ist zu groß",
			"Dateien wie „lauf.exe“ nehme ich nicht an", "„ohne Namen“ konnte ich nicht abrufen", "„fünfte.pdf“ habe ich nicht angenommen, es waren zu viele",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
		equal(t, "kept", kept.all(), []string{"%PDF-1.7"})
		equal(t, "fetched", n.fetched, []string{"r1", "big", "gone"})
		for _, e := range w.queue.envelopes() {
			if e.Intent == "files" && (len(e.Payload.Files) != 5 || e.Payload.Files[0].Blob.Size != 8 || e.Payload.Files[1].Lost != gateway.FileTooLarge) {
				t.Errorf("the log holds %+v", e.Payload.Files)
			}
		}
		w.ask("7", "", with(pdf("r2", "frage.pdf"), pdf("panic", "x.pdf")))
		synctest.Wait()
		if got := w.net.all()[1].text; !strings.HasPrefix(got, "Die Datei habe ich aufbewahrt, aber nicht gelesen. Welche Frage haben Sie? „x.pdf“ konnte") {
			t.Errorf("files without a question: %q", got)
		}
		w.ask("12", "Wann?", with(pdf("r1", "a.pdf")), actor(channels.Bot, "12"))
		synctest.Wait()
		if len(n.fetched) != 5 {
			t.Errorf("fetched %q, want none of a stranger's", n.fetched)
		}
		w.end()
	})
}

// Fetching a file holds up neither the network nor other people, and after a
// restart it is not kept a second time.
func TestFilesHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), taking(time.Minute))
		n, _ := newFetching(w)
		n.slow, w.o.Grace = 30*time.Second, time.Second
		w.start()
		began := time.Now()
		w.ask("7", "Was steht darin?", with(pdf("r1", "a.pdf")))
		w.ask("8", "Wann?")
		if d := time.Since(began); d > 0 {
			t.Errorf("the network waits %v for a file", d)
		}
		time.Sleep(45 * time.Second)
		w.end() // while the agent answers
		w2 := newWorld(t, w.queue.crash(), echo)
		n2, _ := newFetching(w2)
		w2.start()
		synctest.Wait()
		if len(n2.fetched) != 0 {
			t.Errorf("fetched again: %q", n2.fetched)
		}
		if got := w2.net.all(); len(got) != 2 || !strings.Contains(got[0].text+got[1].text, "aufbewahrt") {
			t.Errorf("seen %q", w2.net.seen(""))
		}
		w2.end()
	})
}

// Without a place to keep files they are told to be unreadable, as is a voice
// message without somebody who can write it down.
func TestFilesThatAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n, kept := newFetching(w)
		w.o.Files = nil
		w.start()
		w.ask("7", "Was steht darin?", with(pdf("r1", "a.pdf")))
		synctest.Wait()
		w.ask("7", "", with(pdf("r1", "a.pdf")))
		synctest.Wait()
		w.ask("7", "", voice)
		synctest.Wait()
		got := w.net.all()
		if !strings.Contains(got[0].text, "Den Anhang habe ich nicht gelesen, nur den Text.") || got[1].text != "Ich kann nur Text lesen. Bitte schreiben Sie Ihre Frage." || got[2].text != got[1].text {
			t.Errorf("seen %q", w.net.seen("7"))
		}
		if len(n.fetched) != 0 || len(kept.all()) != 0 {
			t.Errorf("fetched %q", n.fetched)
		}
		w.end()
	})
}

func voice(e *channels.Event) {
	e.Unsupported, e.Files = "voice", []channels.File{{Ref: "r2", Name: "voice.ogg", MIME: "audio/ogg"}}
}

// A voice message is a question once somebody can write it down, and the answer
// says what was understood; what was not understood is said.
func TestVoiceMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), func(_ context.Context, r agents.Request) (agents.Answer, error) {
			return echo(context.Background(), agents.Request{Text: r.Text + "/" + r.Scope})
		})
		_, _ = newFetching(w)
		heard := 0
		fail := error(nil)
		w.o.Transcribe = func(_ context.Context, r io.Reader, f gateway.KeptFile, lang string) (string, error) {
			heard++
			b, err := io.ReadAll(r)
			return "@handbuch " + string(b) + " " + lang + " " + f.MIME, errors.Join(err, fail)
		}
		w.start()
		w.ask("7", "", voice)
		synctest.Wait()
		fail = errors.New("scripted")
		w.ask("7", "", voice)
		synctest.Wait()
		w.end()
		got := w.net.all()
		if len(got) != 2 || !strings.HasPrefix(got[0].text, "Zu: Wann ist die Sitzung? de audio/ogg/handbuch [C-0001]") ||
			!strings.Contains(got[0].text, "Verstanden habe ich: „@handbuch Wann ist die Sitzung?") || got[1].text != "Ihre Sprachnachricht habe ich nicht verstanden. Bitte schreiben Sie Ihre Frage." {
			t.Errorf("seen %+v", got)
		}
		if heard != 2 {
			t.Errorf("heard %d times, want 2", heard)
		}
	})
}

// flaky is a network that does not give files the first times.
type flaky struct {
	*fetching
	fails int64
	how   channels.SendError
	tries atomic.Int64
}

func (n *flaky) Fetch(ctx context.Context, f channels.File, most int64) (io.ReadCloser, error) {
	if n.tries.Add(1) <= n.fails {
		how := n.how
		return nil, &how
	}
	return n.fetching.Fetch(ctx, f, most)
}

// A network that does not give a file for a moment is asked again; one that refuses
// it is not.
func TestFilesThatComeLater(t *testing.T) {
	for _, c := range []struct {
		name  string
		fails int64
		how   channels.SendError
		tries int64
		kept  int
	}{
		{"broken connection", 2, channels.SendError{Class: channels.NotSent}, 3, 1},
		{"too many requests", 1, channels.SendError{Class: channels.RetryAfter, After: 30 * time.Second}, 2, 1},
		{"down", 99, channels.SendError{Class: channels.NotSent}, 4, 0},
		{"too many requests for long", 99, channels.SendError{Class: channels.RetryAfter, After: time.Hour}, 1, 0},
		{"refused", 1, channels.SendError{Class: channels.Refused}, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), echo)
			n, kept := newFetching(w)
			f := &flaky{fetching: n, fails: c.fails, how: c.how}
			w.o.Accounts[0].Channel = f
			w.start()
			w.ask("7", "Was steht darin?", with(pdf("r1", "a.pdf")))
			time.Sleep(5 * time.Minute)
			if f.tries.Load() != c.tries || len(kept.all()) != c.kept || len(n.seen("7")) != 1 {
				t.Errorf("%s: fetched %d times, kept %d, seen %q; want %d, %d and an answer", c.name, f.tries.Load(), len(kept.all()), n.seen("7"), c.tries, c.kept)
			}
			w.end()
		})
	}
}
