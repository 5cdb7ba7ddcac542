package gateway_test

import (
	"context"
	"fmt"
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

func BenchmarkDecide(b *testing.B) {
	e := message(b)
	p := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "main"}: {People: map[string]agents.Role{"778812": agents.RoleUser}}}}
	s := gateway.State{Now: now, Asked: []time.Time{now.Add(-time.Hour), now.Add(-time.Minute)}}
	b.ReportAllocs()
	for b.Loop() {
		gateway.Decide(e, p, s)
	}
}
