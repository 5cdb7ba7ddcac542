package discord_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
)

// receiving starts a channel on a fake with one group.
func receiving(b *testing.B, in channels.Deliver) (*fake.Server, string) {
	f, err := fake.New(fake.Options{Token: secret})
	if err != nil {
		b.Fatal(err)
	}
	f.AddUser(fake.User{ID: ada, Username: "ada"})
	f.AddGuild(guild, "Runde", ada)
	group := f.AddChannel(guild, "", "allgemein", fake.GuildText)
	c, err := discord.New(discord.Options{Account: account, Token: f.Token, URL: f.URL()})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, in) }()
	wait, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if err := f.AwaitConnected(wait); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		cancel()
		<-done
		if err := c.Close(); err != nil {
			b.Error(err)
		}
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	return f, group
}

// BenchmarkIntake measures from a person's message to the return of Deliver.
func BenchmarkIntake(b *testing.B) {
	got := make(chan struct{}, 1000)
	f, group := receiving(b, func(context.Context, channels.Event) error {
		got <- struct{}{}
		return nil
	})
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			f.Say(group, ada, "Wie lange gilt die Frist für den Widerspruch?")
		}
		for range 100 {
			<-got
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/message")
}

// BenchmarkLatency measures one message at a time.
func BenchmarkLatency(b *testing.B) {
	got := make(chan struct{}, 1)
	f, group := receiving(b, func(context.Context, channels.Event) error {
		got <- struct{}{}
		return nil
	})
	for b.Loop() {
		f.Say(group, ada, "Wie lange gilt die Frist für den Widerspruch?")
		<-got
	}
}

// BenchmarkIdle reports what a channel keeps while nothing happens, with its
// fake.
func BenchmarkIdle(b *testing.B) {
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	receiving(b, func(context.Context, channels.Event) error { return nil })
	for b.Loop() {
		runtime.Gosched()
	}
	b.ReportMetric((heap()-before)/1024, "KiB/channel")
}
