package channeltest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"outheis/channels"
)

// enduringCases say how a channel begins and ends, what it costs, and what it
// shows of itself.
func enduringCases() []testCase {
	return []testCase{
		{"KindAndProfileAreConstant", nil, kindAndProfile},
		{"StopsWhileIdle", nil, stopsWhileIdle},
		{"StopsWhileDeliverWaits", nil, stopsWhileDeliverWaits},
		{"StopsWhileDeliverFails", nil, stopsWhileDeliverFails},
		{"StopsDuringOutage", []Ability{Outage}, stopsDuringOutage},
		{"StopsWhileNobodyAnswers", []Ability{Faults}, stopsWhileNobodyAnswers},
		{"SecretsNeverLeak", []Ability{Faults, Outage, Redirects}, secretsNeverLeak},
		{"TypingIsShownAndEnds", []Ability{Typing}, typing},
		{"TypingIsShownInTheTopic", []Ability{Typing, Topics}, typingInTopic},
		{"TypingEndsWithTheContext", []Ability{Typing}, typingEnds},
		{"MenuIsSet", []Ability{Menu}, menu},
		{"UnchangedMenuIsNotSetAgain", []Ability{Menu}, unchangedMenu},
		{"MenuNamesArguments", []Ability{Menu, Arguments}, menuArguments},
		{"CheckSaysWhatIsWrong", []Ability{Checks, Revoking}, checks},
		{"HealthFollowsWhatIsReceived", []Ability{Health, Outage}, health},
		{"HealthNamesTheSecondClient", []Ability{Health, Exclusive}, healthConflict},
		{"HealthNamesWrongCredentials", []Ability{Health, Revoking}, healthCredentials},
		{"HealthNamesAFullDisk", []Ability{Health}, healthStore},
	}
}

func kindAndProfile(b *bench) {
	r := b.start()
	kind, profile := r.c.Kind(), r.c.Profile()
	r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	equal(b, "kind", r.c.Kind(), b.kind)
	equal(b, "kind later", r.c.Kind(), kind)
	equal(b, "profile's limit", r.c.Profile().Limit, profile.Limit)
	if profile.Name == "" {
		b.Error("the profile has no name")
	}
}

func stopsWhileIdle(b *bench) {
	r := b.start()
	if err := b.net.AwaitListening(b.soon()); err != nil {
		b.Fatal(err)
	}
	r.stop()
}

func stopsWhileDeliverWaits(b *bench) {
	entered := make(chan struct{})
	r := b.runWith(b.open(), func(ctx context.Context, _ channels.Event) error {
		close(entered)
		<-ctx.Done()
		return ctx.Err()
	})
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	select {
	case <-entered:
	case <-b.soon().Done():
		b.Fatal("nothing was delivered")
	}
	r.stop()
}

func stopsWhileDeliverFails(b *bench) {
	failed := make(chan struct{}, 1000)
	r := b.runWith(b.open(), func(context.Context, channels.Event) error {
		failed <- struct{}{}
		return errors.New("disk full")
	})
	for i := range 5 {
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint(i)})
		b.net.Say(Line{At: BenDirect, From: Ben, Text: fmt.Sprint(i)})
	}
	for range 4 {
		select {
		case <-failed:
		case <-b.soon().Done():
			b.Fatal("nothing was delivered")
		}
	}
	r.stop()
}

func stopsDuringOutage(b *bench) {
	b.net.GoDown()
	r := b.start()
	// It shows nothing outside that it has begun to wait; both a try and a wait
	// have to end at once.
	r.stop()
	b.net.ComeUp()
}

func stopsWhileNobodyAnswers(b *bench) {
	r := b.start()
	r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	b.net.BreakReceive(Late, 1)
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "wird gehört"})
	r.stop()
}

// secretsNeverLeak lets everything go wrong; the bench looks through all that
// was logged and returned when the case has ended.
func secretsNeverLeak(b *bench) {
	r := b.start()
	to := r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"}).Address
	for _, f := range []Fault{CutBefore, CutAfter, ServerError, Garbage, Late, Elsewhere} {
		b.net.BreakSend(f, 1)
		b.send(r.c, text(to, "etwas"))
		if f == Late { // would only take time on the way in
			continue
		}
		b.net.BreakReceive(f, 1)
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: "weiter"})
		r.next()
	}
	b.net.GoDown()
	b.send(r.c, text(to, "etwas"))
	if c, ok := r.c.(channels.Commander); ok {
		b.note(c.SetCommands(b.soon(), "de", []channels.Command{{Name: "help", About: "Hilfe"}}))
	}
	if p, ok := r.c.(channels.Prober); ok {
		b.note(p.Health())
	}
	if t, ok := r.c.(channels.Typer); ok {
		t.Typing(b.soon(), to)()
	}
	b.net.ComeUp()
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "wieder da"})
	for e := r.next(); e.Text != "wieder da"; {
		e = r.next()
	}
	// A panic prints what it was given; the bench prints the channel itself.
	r.stop()
}

func typing(b *bench) {
	c, to := b.asked()
	stop := c.(channels.Typer).Typing(b.Context(), to)
	if err := b.net.AwaitTyping(b.soon(), AdaDirect, 1); err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		stop()
		stop()
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		b.Error("stop blocks")
	}
}

func typingInTopic(b *bench) {
	r := b.start()
	at := TopicTwo
	to := r.hear(Line{At: at, From: Ada, Text: "hallo"}).Address
	stop := r.c.(channels.Typer).Typing(b.Context(), to)
	defer stop()
	if err := b.net.AwaitTyping(b.soon(), at, 1); err != nil {
		b.Fatal(err)
	}
}

func typingEnds(b *bench) {
	c, to := b.asked()
	ctx, cancel := context.WithCancel(b.Context())
	c.(channels.Typer).Typing(ctx, to)
	cancel()
	// That nothing is left behind shows at the end of the case.
}

// awaitHealth waits for a state.
func (b *bench) awaitHealth(c channels.Channel, want channels.State) channels.Health {
	b.Helper()
	p := c.(channels.Prober)
	var h channels.Health
	b.eventually("health "+string(want), func() bool {
		h = p.Health()
		return h.State == want
	})
	return h
}

func health(b *bench) {
	c := b.open()
	equal(b, "before Run", c.(channels.Prober).Health().State, channels.Starting)
	r := b.run(c)
	r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	h := b.awaitHealth(c, channels.Green)
	if h.Received.IsZero() || h.Reason != "" || h.Remedy != "" {
		b.Errorf("green looks like %+v", h)
	}
	b.net.GoDown()
	h = b.awaitHealth(c, channels.Yellow)
	if h.Reason == "" || h.Remedy == "" {
		b.Errorf("yellow without a reason or a remedy: %+v", h)
	}
	b.net.ComeUp()
	b.awaitHealth(c, channels.Green)
}

func healthConflict(b *bench) {
	r := b.start()
	r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	b.net.BreakReceive(SecondClient, 3)
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "wer bekommt das?"})
	if h := b.awaitHealth(r.c, channels.Red); h.Reason == "" || h.Remedy == "" {
		b.Errorf("red without a reason or a remedy: %+v", h)
	}
}

func healthCredentials(b *bench) {
	r := b.start()
	r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	b.net.Revoke()
	r.ended()
	if h := b.awaitHealth(r.c, channels.Red); h.Reason == "" || h.Remedy == "" {
		b.Errorf("red without a reason or a remedy: %+v", h)
	}
}

func healthStore(b *bench) {
	r := b.runWith(b.open(), refuseFirst(5, "eins", nil))
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "eins"})
	if h := b.awaitHealth(r.c, channels.Red); h.Reason == "" || h.Remedy == "" {
		b.Errorf("red without a reason or a remedy: %+v", h)
	}
	r.next()
	b.awaitHealth(r.c, channels.Green)
}
