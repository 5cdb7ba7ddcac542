package gateway_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

// bench is a gateway on the real store whose network says when a post arrives.
func bench(b *testing.B) (*world, chan string) {
	b.Helper()
	h, err := store.Open(b.TempDir(), store.Options{Holder: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	log, _, err := store.OpenLog[gateway.Envelope](h, "messages.jsonl", store.LogOptions{Family: store.FamilyMessages, Track: gateway.Track})
	if err != nil {
		b.Fatal(err)
	}
	w := newWorld(b, newMemory(), echo)
	w.o.Queue = log
	access := w.o.Settings.Policy.Access[gateway.AccountID{Channel: "net", Account: "main"}]
	access.Unlimited = true
	w.o.Settings.Policy.Access[gateway.AccountID{Channel: "net", Account: "main"}] = access
	arrived := make(chan string, 1<<16)
	w.net.onSend = func(_ int, p channels.Post) error { arrived <- p.To.Chat(); return nil }
	w.start()
	b.Cleanup(func() {
		w.end()
		if err := log.Close(); err != nil {
			b.Error(err)
		}
		if err := h.Close(); err != nil {
			b.Error(err)
		}
	})
	return w, arrived
}

// From the event of a channel to the post of its answer, durable on the way.
func BenchmarkQuestionToReply(b *testing.B) {
	w, arrived := bench(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if err := w.g.Deliver(b.Context(), w.event(fmt.Sprint(n%50), "Wann ist die Sitzung?")); err != nil {
			b.Fatal(err)
		}
		<-arrived
	}
}

// The same without a disk: what the gateway itself costs.
func BenchmarkQuestionToReplyInMemory(b *testing.B) {
	w := newWorld(b, newMemory(), echo)
	w.o.Settings.Policy.Access[gateway.AccountID{Channel: "net", Account: "main"}] = gateway.Access{
		People: map[string]agents.Role{gateway.Everybody: agents.RoleUser}, Unlimited: true,
	}
	arrived := make(chan string, 1<<16)
	w.net.onSend = func(_ int, p channels.Post) error { arrived <- p.To.Chat(); return nil }
	w.start()
	defer w.end()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if err := w.g.Deliver(b.Context(), w.event(fmt.Sprint(n%50), "Wann ist die Sitzung?")); err != nil {
			b.Fatal(err)
		}
		<-arrived
	}
}

// 64 conversations at once.
func BenchmarkConversationsInParallel(b *testing.B) {
	w, arrived := bench(b)
	var person, seq atomic.Int64
	to, err := channels.NewAddress("net", "main", "x", "", "")
	if err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		id := fmt.Sprint(person.Add(1))
		for pb.Next() {
			e := channels.Event{
				Kind: channels.KindMessage, Key: fmt.Sprint("b:", seq.Add(1)), Address: to, Audience: channels.Direct,
				Actor: channels.Actor{ID: id, Kind: channels.Person}, Text: "Wann ist die Sitzung?", At: time.Now(),
			}
			if err := w.g.Deliver(context.Background(), e); err != nil {
				b.Error(err)
				return
			}
			<-arrived
		}
	})
}

// A thousand conversations, each of which asks again when it has its answer:
// answered questions a second, the 99th percentile of the time from the event to
// the post, and what the heap holds meanwhile. Durable on the way.
func BenchmarkConversations(b *testing.B) {
	const conversations = 1000
	w, _ := bench(b)
	arrived := make([]chan struct{}, conversations)
	for i := range arrived {
		arrived[i] = make(chan struct{}, 1)
	}
	w.net.quiet = true
	w.net.onSend = func(_ int, p channels.Post) error {
		i, err := strconv.Atoi(p.To.Chat())
		arrived[i] <- struct{}{}
		return err
	}
	took := make([][]time.Duration, conversations)
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for i := range conversations {
		to := address(b, strconv.Itoa(i), "")
		all.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				asked := time.Now()
				err := w.g.Deliver(context.Background(), channels.Event{
					Kind: channels.KindMessage, Key: fmt.Sprint("b:", i, "/", n), Message: strconv.Itoa(n), Address: to, Audience: channels.Direct,
					Actor: channels.Actor{ID: strconv.Itoa(i), Kind: channels.Person}, Text: "Wann ist die Sitzung?", At: asked,
				})
				if err != nil {
					b.Error(err)
					return
				}
				<-arrived[i]
				took[i] = append(took[i], time.Since(asked))
			}
		})
	}
	most := make(chan uint64)
	stop := make(chan struct{})
	go func() { most <- mostHeap(stop) }()
	all.Wait()
	d := time.Since(began)
	b.StopTimer()
	close(stop)
	times := slices.Concat(took...)
	slices.Sort(times)
	b.ReportMetric(float64(len(times))/d.Seconds(), "q/s")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(<-most)/(1<<20), "heap-MiB")
}

// mostHeap returns the most bytes that the heap held until stop was closed.
func mostHeap(stop <-chan struct{}) (most uint64) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
		select {
		case <-tick.C:
		case <-stop:
			return most
		}
	}
}

// What reading back the end of a long log adds to a start.
func BenchmarkStartBehindALongLog(b *testing.B) {
	w, arrived := bench(b)
	for i := range 4000 {
		if err := w.g.Deliver(b.Context(), w.event(fmt.Sprint(i), "Wann ist die Sitzung?")); err != nil {
			b.Fatal(err)
		}
	}
	for range 4000 {
		<-arrived
	}
	for b.Loop() {
		next := newWorld(b, newMemory(), echo)
		next.o.Queue = w.o.Queue
		next.start()
		next.end()
	}
}

func BenchmarkDecide(b *testing.B) {
	e := message(b)
	p := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "main"}: {People: map[string]agents.Role{"778812": agents.RoleUser}}}}
	s := gateway.State{Now: now, Asked: []time.Time{now.Add(-time.Hour), now.Add(-time.Minute)}}
	b.ReportAllocs()
	for b.Loop() {
		gateway.Decide(e, p, s)
	}
}
