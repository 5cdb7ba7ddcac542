package channeltest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outheis/channels"
)

// intakeCases say what is handed over, and when it counts as received.
func intakeCases() []testCase {
	return []testCase{
		{"MessageArrivesWhole", nil, messageArrivesWhole},
		{"TextIsNotChanged", nil, textIsNotChanged},
		{"LineBreaksAreKept", []Ability{Breaks}, lineBreaksAreKept},
		{"KeysTellEventsApart", nil, keysTellEventsApart},
		{"OrderOfAChatIsKept", nil, orderOfAChatIsKept},
		{"RefusedEventComesAgain", nil, refusedEventComesAgain},
		{"RefusedEventHoldsBackItsChat", nil, refusedEventHoldsBackItsChat},
		{"CutWhileReceivingLosesNothing", []Ability{Faults}, receivingSurvives(CutBefore)},
		{"CutAfterReceivingLosesNothing", []Ability{Faults}, receivingSurvives(CutAfter)},
		{"ServerErrorWhileReceivingLosesNothing", []Ability{Faults}, receivingSurvives(ServerError)},
		{"GarbageWhileReceivingLosesNothing", []Ability{Faults}, receivingSurvives(Garbage)},
		{"RedirectWhileReceivingLosesNothing", []Ability{Faults, Redirects}, receivingSurvives(Elsewhere)},
		{"WaitWhileReceivingLosesNothing", []Ability{Faults, RateLimit}, receivingSurvives(WaitAccount)},
		{"SlowAnswerIsReceived", []Ability{Faults}, receivingSurvives(Slow)},
		{"SecondClientLosesNothing", []Ability{Exclusive}, receivingSurvives(SecondClient)},
		{"OutageLosesNothing", []Ability{Outage}, outageLosesNothing},
		{"StartDuringOutage", []Ability{Outage}, startDuringOutage},
		{"EditIsAnEventOfItsOwn", []Ability{Edits}, editIsAnEventOfItsOwn},
		{"EditWithoutChangeHasTheSameKey", []Ability{Edits}, editWithoutChange},
		{"DeletionIsAnEvent", []Ability{Deletions}, deletionIsAnEvent},
		{"UnsupportedContentIsNamed", []Ability{Media}, unsupportedContentIsNamed},
		{"ReactionIsAnEvent", []Ability{Reactions}, reactionIsAnEvent},
		{"RemovalIsAnEvent", []Ability{Membership, Groups}, removalIsAnEvent},
		{"MoveIsAnEvent", []Ability{Moves, Groups}, moveIsAnEvent},
	}
}

func messageArrivesWhole(b *bench) {
	r := b.start()
	before := time.Now().Add(-2 * time.Second)
	id := b.net.Say(Line{At: AdaDirect, From: Ada, Text: "Wie lange gilt die Frist?"})
	e := r.next()
	equal(b, "kind", e.Kind, channels.KindMessage)
	equal(b, "text", e.Text, "Wie lange gilt die Frist?")
	equal(b, "message", e.Message, id)
	equal(b, "audience", e.Audience, channels.Direct)
	equal(b, "addressed", e.Addressed, true)
	equal(b, "actor's kind", e.Actor.Kind, channels.Person)
	equal(b, "command", e.Command, "")
	equal(b, "unsupported", e.Unsupported, "")
	if e.Actor.ID == "" || e.Actor.Name == "" {
		b.Errorf("a person without id or name: %+v", e.Actor)
	}
	if e.At.Before(before) || e.At.After(time.Now().Add(2*time.Second)) {
		b.Errorf("time %s is not that of the message", e.At)
	}
	if ben := r.hear(Line{At: BenDirect, From: Ben, Text: "Und meine?"}); ben.Actor.ID == e.Actor.ID || ben.Address.Chat() == e.Address.Chat() {
		b.Errorf("two people look like one: %+v and %+v", e, ben)
	}
}

func textIsNotChanged(b *bench) {
	r := b.start()
	for _, s := range []string{
		"Größe 1.234,56 € – „wörtlich“", "😀👨‍👩‍👧‍👦🇩🇪 ganz", "עברית و عربى",
		"<b>kein</b> *Markup* _hier_ & `da`", "e\u0301 kombiniert", "/pfad/zu/datei und C:\\x", strings.Repeat("lang ", 380) + "Ende",
	} {
		if e := r.hear(Line{At: AdaDirect, From: Ada, Text: s}); e.Text != s {
			b.Errorf("text arrived as %q, want %q", e.Text, s)
		}
	}
}

func lineBreaksAreKept(b *bench) {
	r := b.start()
	const s = "Zeile eins\nZeile zwei\n\n  eingerückt"
	equal(b, "text", r.hear(Line{At: AdaDirect, From: Ada, Text: s}).Text, s)
}

func keysTellEventsApart(b *bench) {
	r := b.start()
	keys := make(map[string]string)
	for i := range 20 {
		at, from := AdaDirect, Ada
		if i%2 == 1 {
			at, from = BenDirect, Ben
		}
		e := r.hear(Line{At: at, From: from, Text: "gleich"})
		if other, ok := keys[e.Key]; ok {
			b.Errorf("events %s and %s share the key %s", other, e.Message, e.Key)
		}
		keys[e.Key] = e.Message
	}
}

func orderOfAChatIsKept(b *bench) {
	var n atomic.Int64
	r := b.runWith(b.open(), func(ctx context.Context, _ channels.Event) error {
		if n.Add(1)%7 == 0 { // some take longer
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond):
			}
		}
		return nil
	})
	const each = 100
	for i := range each {
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("a", i)})
		b.net.Say(Line{At: BenDirect, From: Ben, Text: fmt.Sprint("b", i)})
	}
	next := map[string]int{"a": 0, "b": 0}
	for range 2 * each {
		e := r.next()
		who := e.Text[:1]
		if want := fmt.Sprint(who, next[who]); e.Text != want {
			b.Fatalf("%s came, want %s", e.Text, want)
		}
		next[who]++
	}
}

// refuseFirst returns a Deliver that refuses the first n events that say what.
func refuseFirst(n int, what string, seen func(channels.Event)) channels.Deliver {
	var mu sync.Mutex
	return func(_ context.Context, e channels.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if seen != nil {
			seen(e)
		}
		if e.Text == what && n > 0 {
			n--
			return errors.New("disk full")
		}
		return nil
	}
}

func refusedEventComesAgain(b *bench) {
	var tries []channels.Event
	r := b.runWith(b.open(), refuseFirst(3, "eins", func(e channels.Event) { tries = append(tries, e) }))
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "eins"})
	e := r.next()
	r.stop()
	if len(tries) != 4 {
		b.Fatalf("delivered %d times, want 4", len(tries))
	}
	for i, try := range tries {
		if !reflect.DeepEqual(try, e) {
			b.Errorf("try %d differs:\n got %+v\nwant %+v", i+1, try, e)
		}
	}
}

func refusedEventHoldsBackItsChat(b *bench) {
	r := b.runWith(b.open(), refuseFirst(3, "eins", nil))
	for _, s := range []string{"eins", "zwei", "drei"} {
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: s})
	}
	for _, want := range []string{"eins", "zwei", "drei"} {
		equal(b, "order", r.next().Text, want)
	}
}

// receivingSurvives breaks the way in while people write.
func receivingSurvives(f Fault) func(*bench) {
	return func(b *bench) {
		r := b.start()
		equal(b, "before", r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"}).Text, "vorher")
		times := 2
		if f == WaitAccount { // each takes WaitAsked
			times = 1
		}
		b.net.BreakReceive(f, times)
		got := make(map[string]bool)
		for i := range 10 {
			b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("Frage ", i)})
		}
		// An event may come twice, with the same key; the store sorts that out.
		for i := 0; i < 10; {
			e := r.next()
			if got[e.Key] || e.Text == "vorher" {
				continue
			}
			got[e.Key] = true
			equal(b, "text", e.Text, fmt.Sprint("Frage ", i))
			i++
		}
	}
}

func outageLosesNothing(b *bench) {
	r := b.start()
	r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"})
	b.net.GoDown()
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "währenddessen"})
	b.net.ComeUp()
	e := r.next()
	for e.Text == "vorher" { // what was not acknowledged may return
		e = r.next()
	}
	equal(b, "text", e.Text, "währenddessen")
}

func startDuringOutage(b *bench) {
	b.net.GoDown()
	r := b.start()
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "wartet"})
	b.net.ComeUp()
	equal(b, "text", r.next().Text, "wartet")
}

func editIsAnEventOfItsOwn(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "Wann ist Ostern?"})
	keys := map[string]bool{e.Key: true}
	for _, s := range []string{"Wann ist Pfingsten?", "Wann ist Ostern?", "Wann ist Advent?"} {
		b.net.Edit(AdaDirect, e.Message, s)
		edit := r.next()
		equal(b, "kind", edit.Kind, channels.KindEdit)
		equal(b, "message", edit.Message, e.Message)
		equal(b, "text", edit.Text, s)
		equal(b, "actor", edit.Actor, e.Actor)
		equal(b, "chat", edit.Address.Chat(), e.Address.Chat())
		if keys[edit.Key] {
			b.Errorf("edit %q has the key of an earlier event", s)
		}
		keys[edit.Key] = true
		if edit.Posted.IsZero() || edit.At.Before(edit.Posted) {
			b.Errorf("edited at %s, written at %s", edit.At, edit.Posted)
		}
	}
}

func editWithoutChange(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "Wann ist Ostern?"})
	b.net.Edit(AdaDirect, e.Message, "Wann ist Pfingsten?")
	edit := r.next()
	b.net.Touch(AdaDirect, e.Message)
	marker := b.net.Say(Line{At: AdaDirect, From: Ada, Text: "weiter"})
	touched := r.next()
	if touched.Message == marker {
		return // not reported at all
	}
	equal(b, "key", touched.Key, edit.Key)
	equal(b, "text", touched.Text, edit.Text)
}

func deletionIsAnEvent(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "vergiss das"})
	b.net.Delete(AdaDirect, e.Message)
	gone := r.next()
	equal(b, "kind", gone.Kind, channels.KindDeletion)
	equal(b, "message", gone.Message, e.Message)
	equal(b, "chat", gone.Address.Chat(), e.Address.Chat())
	equal(b, "text", gone.Text, "")
	if gone.Key == e.Key {
		b.Errorf("the deletion has the key of what was written: %s", gone.Key)
	}
}

func unsupportedContentIsNamed(b *bench) {
	r := b.start()
	voice := r.hear(Line{At: AdaDirect, From: Ada, Media: "voice"})
	equal(b, "unsupported", voice.Unsupported, "voice")
	equal(b, "text", voice.Text, "")
	photo := r.hear(Line{At: AdaDirect, From: Ada, Media: "photo", Text: "Was ist das?"})
	equal(b, "unsupported", photo.Unsupported, "photo")
	equal(b, "text", photo.Text, "Was ist das?")
	equal(b, "kind", photo.Kind, channels.KindMessage)
}

func reactionIsAnEvent(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "gut"})
	for _, emoji := range []string{"👍", ""} {
		b.net.React(AdaDirect, e.Message, emoji)
		reaction := r.next()
		equal(b, "kind", reaction.Kind, channels.KindReaction)
		equal(b, "emoji", reaction.Text, emoji)
		equal(b, "message", reaction.Message, e.Message)
		equal(b, "actor", reaction.Actor.ID, e.Actor.ID)
	}
}

func removalIsAnEvent(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ada, Text: "hallo"})
	b.net.Close(InGroup, Removed)
	gone := r.next()
	equal(b, "kind", gone.Kind, channels.KindMembership)
	equal(b, "change", gone.Change, channels.ChangeRemoved)
	equal(b, "chat", gone.Address.Chat(), e.Address.Chat())
}

func moveIsAnEvent(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ada, Text: "vorher"})
	b.net.Move()
	moved := r.next()
	equal(b, "kind", moved.Kind, channels.KindMembership)
	equal(b, "change", moved.Change, channels.ChangeMoved)
	equal(b, "old chat", moved.Address.Chat(), e.Address.Chat())
	if moved.Moved.IsZero() {
		b.Fatal("the new address is missing")
	}
	b.must(r.c, text(moved.Moved, "im neuen Chat"))
	if got := b.texts(InGroup); len(got) != 1 || got[0] != "im neuen Chat" {
		b.Errorf("the moved group shows %q", got)
	}
}
