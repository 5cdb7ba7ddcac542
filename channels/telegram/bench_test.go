package telegram_test

import (
	"context"
	"fmt"
	"testing"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
	"outheis/formatting"
)

func BenchmarkIntake(b *testing.B) {
	s, err := fake.New(fake.Options{Keep: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.AddUser(fake.User{ID: ada, FirstName: "Ada"})
	c, err := telegram.New(telegram.Options{Account: account, Token: s.Token, APIURL: s.URL()})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	got, done := make(chan struct{}, 1000), make(chan error, 1)
	go func() {
		done <- c.Run(ctx, func(context.Context, channels.Event) error {
			got <- struct{}{}
			return nil
		})
	}()
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			s.Say(ada, ada, "Wie lange gilt die Frist für den Widerspruch?")
		}
		for range 100 {
			<-got
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/update")
	cancel()
	<-done
}

func BenchmarkSend(b *testing.B) {
	s, err := fake.New(fake.Options{Keep: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.AddUser(fake.User{ID: ada, FirstName: "Ada"})
	s.Say(ada, ada, "hallo")
	c, err := telegram.New(telegram.Options{Account: account, Token: s.Token, APIURL: s.URL(), Limits: &channels.Limits{}})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	to, err := channels.NewAddress(telegram.Kind, account, fmt.Sprint(ada), "", "")
	if err != nil {
		b.Fatal(err)
	}
	p := channels.Post{To: to, Body: formatting.Part{Text: "Die <b>Frist</b> endet am 2. Mai.", Plain: "Die Frist endet am 2. Mai.", Mode: "HTML"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
