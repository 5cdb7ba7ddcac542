package gateway_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

// hearing gives w a network with voice messages and somebody who writes them down,
// taking a time; most is how many did so at once, now how many do.
type hearing struct {
	*fetching
	mu        sync.Mutex // guards what follows
	now, most int
	calls     int
}

func newHearing(w *world, takes time.Duration) *hearing {
	n, _ := newFetching(w)
	h := &hearing{fetching: n}
	w.o.Transcribe = func(ctx context.Context, _ io.Reader, _ gateway.KeptFile, _ string) (string, error) {
		h.mu.Lock()
		h.calls++
		h.now++
		h.most = max(h.most, h.now)
		h.mu.Unlock()
		defer func() {
			h.mu.Lock()
			h.now--
			h.mu.Unlock()
		}()
		select {
		case <-time.After(takes):
			return "Wann?", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return h
}

func (h *hearing) counts() (now, most, calls int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.most, h.calls
}

// Hearing is work as answering is: only so many at a time, the chat shows that
// somebody works, and "stop" ends it at once (channels.md §4 row 7).
func TestHearingIsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.o.MaxParallel = 4
		h := newHearing(w, 100*time.Second)
		w.start()
		for i := range 50 {
			w.ask(fmt.Sprint(100+i), "", voice)
		}
		synctest.Wait()
		time.Sleep(50 * time.Second)
		synctest.Wait()
		if now, most, _ := h.counts(); now != 4 || most != 4 {
			t.Errorf("%d are heard, at most %d at once; want 4", now, most)
		}
		equal(t, "notices to the first", h.courtesies("100"), []string{"Ich arbeite noch daran …"})
		if got := h.courtesies("149"); len(got) != 1 || !strings.Contains(got[0], "Nr. ") {
			t.Errorf("notices to the last: %q", got)
		}
		if len(h.typed) != 4 {
			t.Errorf("typing shows in %q, want four chats", h.typed)
		}
		w.ask("100", "/stop")
		w.ask("100", "Text?")
		synctest.Wait()
		equal(t, "seen by who stopped", h.seen("100"), []string{"Abgebrochen."})
		if now, _, calls := h.counts(); now != 4 || calls != 5 {
			t.Errorf("%d are heard after %d calls, want the next one begun", now, calls)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		equal(t, "seen by who stopped", h.seen("100"), []string{"Abgebrochen.", echoed("Text?")})
		if got := len(h.seen("")); got != 51 {
			t.Errorf("%d messages are seen, want 51", got)
		}
		if _, most, _ := h.counts(); most != 4 {
			t.Errorf("%d were heard at once", most)
		}
		w.end()
	})
}

// Fetching files ends with "stop" as well, with a question beside them or without.
func TestStopWhileFilesAreFetched(t *testing.T) {
	for _, text := range []string{"", "Was steht darin?"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), echo)
			n, kept := newFetching(w)
			n.slow = 90 * time.Second
			w.start()
			w.ask("7", text, with(pdf("r1", "a.pdf")))
			synctest.Wait()
			time.Sleep(30 * time.Second)
			w.ask("7", "stop")
			synctest.Wait()
			equal(t, "seen", n.seen("7"), []string{"Abgebrochen."})
			if got := n.courtesies("7"); len(got) != 1 {
				t.Errorf("notices %q", got)
			}
			time.Sleep(time.Hour)
			if len(kept.all()) != 0 || w.queue.openCount() != 0 {
				t.Errorf("kept %q, %d are open", kept.all(), w.queue.openCount())
			}
			w.end()
		})
	}
}

// What takes the process with it is not tried for ever, whatever it is: writing down
// a voice message, keeping a file, proving a Beleg (reliability.md §1.5 R7).
func TestPoisonOfEveryKind(t *testing.T) {
	for _, what := range []string{"voice", "question with a file", "file", "evidence"} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, calls := newMemory(), 0
				die := func(ctx context.Context) error {
					calls++
					q.kill() // the process is gone
					<-ctx.Done()
					return ctx.Err()
				}
				for run := range 6 {
					w := newWorld(t, q, echo)
					n, kept := newFetching(w)
					w.o.Transcribe = func(ctx context.Context, _ io.Reader, _ gateway.KeptFile, _ string) (string, error) {
						return "", die(ctx)
					}
					w.o.Files = &deadlyShelf{kept, func() bool { return what != "voice" }, die}
					w.o.Agents["tresor"] = deadlyProver{echo, die}
					w.o.Grace = time.Second
					w.start()
					if run == 0 {
						switch what {
						case "voice":
							w.ask("7", "", voice)
						case "file":
							w.ask("7", "", with(pdf("r1", "a.pdf")))
						case "question with a file":
							w.ask("7", "Was?", with(pdf("r1", "a.pdf")))
						default:
							w.ask("7", "Wann?")
							synctest.Wait()
							w.ask("7", "Beleg 1")
						}
					}
					synctest.Wait()
					time.Sleep(time.Hour)
					synctest.Wait()
					if run == 5 {
						if calls != 3 || q.openCount() != 0 {
							t.Errorf("tried %d times, want 3; %d are open", calls, q.openCount())
						}
					}
					if got := n.seen("7"); run == 3 && (len(got) != 1 || !strings.HasPrefix(got[0], "Während dieser Frage bin ich mehrfach abgestürzt")) {
						t.Errorf("seen %q", got)
					}
					q.kill()
					w.stop()
					<-w.done
					q = q.crash()
				}
			})
		})
	}
}

// deadlyShelf ends the process when something is put into it.
type deadlyShelf struct {
	*shelf
	is  func() bool
	die func(context.Context) error
}

func (s *deadlyShelf) PutBlob(r io.Reader, limit int64) (store.Blob, error) {
	if s.is() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
		defer cancel()
		return store.Blob{}, s.die(ctx)
	}
	return s.shelf.PutBlob(r, limit)
}

// deadlyProver ends the process when it is to prove something.
type deadlyProver struct {
	answering
	die func(context.Context) error
}

func (p deadlyProver) Prove(ctx context.Context, _ agents.Request, _ agents.Beleg, _ string) (agents.Proof, error) {
	return agents.Proof{}, p.die(ctx)
}

var _ channels.Fetcher = (*hearing)(nil)
