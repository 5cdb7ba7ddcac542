package mattermost_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"outheis/channels"
	fake "outheis/channels/fakenet/mattermost"
	"outheis/channels/mattermost"
	"outheis/formatting"
)

// benchSide is a fake and an adapter that runs on it.
func benchSide(b *testing.B, in channels.Deliver) (*fake.Server, *mattermost.Channel, string) {
	b.Helper()
	s, err := fake.New(fake.Options{Token: invented})
	if err != nil {
		b.Fatal(err)
	}
	ada := s.AddUser(fake.User{Username: "ada"}).ID
	c, err := mattermost.New(mattermost.Options{Account: account, Token: s.Token, URL: s.URL(), Limits: &channels.Limits{}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx, in)
	}()
	b.Cleanup(func() {
		cancel()
		<-done
		c.Close()
		s.Close()
	})
	if err := s.AwaitConnected(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s, c, ada
}

// BenchmarkIntake is the way of one message from the network to Deliver.
func BenchmarkIntake(b *testing.B) {
	got := make(chan struct{}, 1)
	s, _, ada := benchSide(b, func(context.Context, channels.Event) error { got <- struct{}{}; return nil })
	chat := s.Direct(ada)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Say(chat, ada, fmt.Sprint("Wie lange gilt die Frist? ", i))
		<-got
	}
}

// BenchmarkSend is one post.
func BenchmarkSend(b *testing.B) {
	s, c, ada := benchSide(b, func(context.Context, channels.Event) error { return nil })
	to, err := channels.NewAddress(mattermost.Kind, account, s.Direct(ada), "", "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := c.Send(b.Context(), channels.Post{To: to, Key: fmt.Sprint(i), Body: formatting.Part{Text: "Im Mai.", Plain: "Im Mai."}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdle is what a channel that runs and hears nothing keeps in memory.
func BenchmarkIdle(b *testing.B) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse)
	}
	for b.Loop() {
		s, err := fake.New(fake.Options{Token: invented})
		if err != nil {
			b.Fatal(err)
		}
		before := heap()
		c, err := mattermost.New(mattermost.Options{Account: account, Token: s.Token, URL: s.URL()})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Run(ctx, func(context.Context, channels.Event) error { return nil })
		}()
		if err := s.AwaitConnected(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(heap()-before)/1024, "KiB/channel")
		cancel()
		<-done
		c.Close()
		s.Close()
	}
}
