package channeltest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"outheis/channels"
)

// returningCases say what comes after the program was away: everything that
// was not stored, under the same keys, in order, once.
func returningCases() []testCase {
	return []testCase{
		{"RefusedEventComesAgainAfterRestart", []Ability{Pending}, refusedEventComesAgainAfterRestart},
		{"NothingIsAcknowledgedBeforeItIsStored", []Ability{Pending, Acks}, nothingIsAcknowledgedBeforeItIsStored},
		{"WhatWaitedWhileAwayComes", []Ability{Pending}, whatWaitedWhileAwayComes},
		{"WhatWaitedComesFromAllPlaces", []Ability{Pending, Groups}, whatWaitedComesFromAllPlaces},
		{"StoredEventsDoNotReturn", []Ability{Pending}, storedEventsDoNotReturn},
		{"KilledProgramLosesNothing", []Ability{Pending, Cursors}, killedProgramLosesNothing},
		{"CursorIsNotSavedForEachEvent", []Ability{Cursors}, cursorIsNotSavedForEachEvent},
		{"RestartsInARowLoseNothing", []Ability{Pending}, restartsInARow},
	}
}

// restart ends r and its channel and runs a new one, as another start of the
// program does.
func (r *running) restart() *running {
	r.b.Helper()
	r.stop()
	r.b.close(r.c)
	return r.b.start()
}

// unseen returns the next event that none of keys names, and notes it there.
// What was stored may come again, under the key that it had.
func (r *running) unseen(keys map[string]bool) channels.Event {
	r.b.Helper()
	for {
		e := r.next()
		if !keys[e.Key] {
			keys[e.Key] = true
			return e
		}
	}
}

func refusedEventComesAgainAfterRestart(b *bench) {
	refused := make(chan channels.Event, 1000)
	r := b.runWith(b.open(), func(_ context.Context, e channels.Event) error {
		if e.Text == "vorher" {
			return nil
		}
		refused <- e
		return errors.New("disk full")
	})
	before := r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"})
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "eins"})
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "zwei"})
	var first channels.Event
	select {
	case first = <-refused:
	case <-b.soon().Done():
		b.Fatal("nothing was delivered")
	}
	r = r.restart()
	keys := map[string]bool{before.Key: true}
	e := r.unseen(keys)
	equal(b, "key", e.Key, first.Key)
	equal(b, "text", e.Text, "eins")
	equal(b, "address", e.Address, first.Address)
	equal(b, "second text", r.unseen(keys).Text, "zwei")
}

func nothingIsAcknowledgedBeforeItIsStored(b *bench) {
	entered, release := make(chan struct{}), make(chan struct{})
	r := b.runWith(b.open(), func(ctx context.Context, e channels.Event) error {
		if e.Text == "wichtig" {
			close(entered)
			select {
			case <-release:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "wichtig"})
	b.net.Say(Line{At: BenDirect, From: Ben, Text: "auch"})
	select {
	case <-entered:
	case <-b.soon().Done():
		b.Fatal("nothing was delivered")
	}
	if n := b.net.Unacknowledged(); n == 0 {
		b.Error("acknowledged before it was stored")
	}
	close(release)
	r.next()
	r.next()
	if err := b.net.AwaitAcknowledged(b.soon()); err != nil {
		b.Errorf("stored and not acknowledged: %v", err)
	}
}

func whatWaitedWhileAwayComes(b *bench) {
	const waiting = 250 // more than one page of any network
	r := b.start()
	keys := map[string]bool{r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"}).Key: true}
	b.acknowledged()
	r.stop()
	b.close(r.c)
	for i := range waiting {
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("Frage ", i)})
	}
	r = b.start()
	for i := range waiting {
		equal(b, "text", r.unseen(keys).Text, fmt.Sprint("Frage ", i))
	}
	r.quietAfter(keys)
}

// quietAfter makes sure that nothing comes any more but what somebody says
// now, and what is known.
func (r *running) quietAfter(keys map[string]bool) {
	r.b.Helper()
	r.b.net.Say(Line{At: AdaDirect, From: Ada, Text: "Schluss"})
	equal(r.b, "after all that was missed", r.unseen(keys).Text, "Schluss")
}

func whatWaitedComesFromAllPlaces(b *bench) {
	places := []Place{AdaDirect, BenDirect, InGroup}
	if b.has(Topics) {
		places = append(places, TopicOne, TopicTwo)
	}
	say := func(at Place, text string) {
		from := Ada
		if at == BenDirect {
			from = Ben
		}
		b.net.Say(Line{At: at, From: from, Text: text})
	}
	r := b.start()
	keys := make(map[string]bool)
	for _, at := range places {
		say(at, "vorher")
		keys[r.next().Key] = true
	}
	b.acknowledged()
	r.stop()
	b.close(r.c)
	const each = 20
	for i := range each {
		for _, at := range places {
			say(at, fmt.Sprint(at, "|", i))
		}
	}
	r = b.start()
	next := make(map[string]int)
	for range each * len(places) {
		e := r.unseen(keys)
		place, n, _ := cutLast(e.Text)
		if want := fmt.Sprint(next[place]); n != want {
			b.Fatalf("of %s came %s, want %s", place, n, want)
		}
		next[place]++
	}
	r.quietAfter(keys)
}

// cutLast cuts s at its last bar.
func cutLast(s string) (before, after string, ok bool) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '|' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func storedEventsDoNotReturn(b *bench) {
	r := b.start()
	keys := make(map[string]bool)
	for i := range 5 {
		keys[r.hear(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("alt ", i)}).Key] = true
	}
	b.acknowledged()
	r = r.restart()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "neu"})
	equal(b, "text", e.Text, "neu")
	if keys[e.Key] {
		b.Errorf("a new event has the key %s of an old one", e.Key)
	}
}

// killedProgramLosesNothing starts again from the bytes that were on disk while
// an event was not yet stored.
func killedProgramLosesNothing(b *bench) {
	entered := make(chan struct{}, 1000)
	r := b.runWith(b.open(), func(ctx context.Context, e channels.Event) error {
		if e.Text != "wichtig" {
			return nil
		}
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	keys := map[string]bool{r.hear(Line{At: BenDirect, From: Ben, Text: "vorher"}).Key: true}
	cursor := b.net.Cursor()
	b.eventually("saving the cursor", func() bool { return cursor.Saves() > 0 })
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "wichtig"})
	b.net.Say(Line{At: BenDirect, From: Ben, Text: "auch"})
	select {
	case <-entered:
	case <-b.soon().Done():
		b.Fatal("nothing was delivered")
	}
	disk, err := cursor.Load()
	if err != nil {
		b.Fatal(err)
	}
	r.stop()
	b.close(r.c)
	if err := cursor.Save(disk); err != nil {
		b.Fatal(err)
	}
	r = b.start()
	missing := map[string]bool{"wichtig": true, "auch": true}
	for len(missing) > 0 {
		delete(missing, r.unseen(keys).Text)
	}
}

func cursorIsNotSavedForEachEvent(b *bench) {
	r := b.start()
	const events = 500
	start, saves := time.Now(), b.net.Cursor().Saves()
	for i := range events {
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint(i)})
	}
	for range events {
		r.next()
	}
	most := 3 + int(time.Since(start)/(100*time.Millisecond))
	if n := b.net.Cursor().Saves() - saves; n > min(most, events/2) {
		b.Errorf("saved %d times for %d events within %s", n, events, time.Since(start))
	}
	r.stop()
	if b.net.Cursor().Saves() == saves {
		b.Error("the end of Run saved nothing")
	}
}

func restartsInARow(b *bench) {
	r := b.start()
	keys := map[string]bool{r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"}).Key: true}
	for i := range 10 {
		r.stop()
		b.close(r.c)
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("Frage ", i)})
		r = b.start()
		equal(b, "text", r.unseen(keys).Text, fmt.Sprint("Frage ", i))
	}
}
