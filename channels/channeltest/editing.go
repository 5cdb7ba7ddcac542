package channeltest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"outheis/channels"
	"outheis/formatting"
)

// editingCases are about buttons under our messages and about changing what we
// sent.
func editingCases() []testCase {
	return []testCase{
		{"ButtonsArrive", []Ability{Buttons}, buttonsArrive},
		{"ButtonIsAnEvent", []Ability{Buttons}, buttonIsAnEvent},
		{"PressInAGroupNamesWhoPressed", []Ability{Buttons, Groups}, pressInAGroup},
		{"PressIsReleasedAfterItIsStored", []Ability{Buttons}, pressIsReleased},
		{"OldButtonsWorkAfterRestart", []Ability{Buttons}, oldButtonsWork},
		{"ButtonsStayInTheTopic", []Ability{Buttons, Topics}, buttonsStayInTheTopic},
		{"EditReplacesOurMessage", []Ability{Editing}, editReplaces},
		{"EditingTwiceIsOnce", []Ability{Editing}, editingTwice},
		{"EditChangesTheButtons", []Ability{Editing, Buttons}, editChangesTheButtons},
		{"EditOfADeletedMessageIsRefused", []Ability{Editing}, editOfADeleted},
		{"EditOfAStrangersMessageIsRefused", []Ability{Editing}, editOfAStrangers},
		{"EditAfterRestart", []Ability{Editing}, editAfterRestart},
		{"CutWhileEditingIsUnsureAndRepeatable", []Ability{Editing, Faults}, cutWhileEditing},
		{"EditAskedToWait", []Ability{Editing, RateLimit}, editAskedToWait},
	}
}

// choices are buttons as the gateway makes them.
func choices(n int) []formatting.Button {
	var all []formatting.Button
	for i := range n {
		all = append(all, formatting.Button{ID: fmt.Sprintf("beleg:%d", i+1), Label: fmt.Sprintf("Beleg %d 👍 <&>", i+1), Words: fmt.Sprintf("Beleg %d zeigen", i+1)})
	}
	return all
}

// withButtons is a post of plain text with n buttons.
func withButtons(to channels.Address, s string, n int) channels.Post {
	return post(to, formatting.Part{Text: s, Plain: s, Buttons: choices(n)})
}

// last returns our last message at a place.
func (b *bench) last(at Place) Arrived {
	b.Helper()
	all := b.net.Arrived(at)
	if len(all) == 0 {
		b.Fatalf("nothing arrived at %s", at)
	}
	return all[len(all)-1]
}

// shows checks the buttons below a message.
func (b *bench) shows(a Arrived, want []formatting.Button) {
	b.Helper()
	same := func(x, y formatting.Button) bool { return x.ID == y.ID && x.Label == y.Label }
	if !slices.EqualFunc(a.Buttons, want, same) {
		b.Errorf("buttons are %+v, want %+v", a.Buttons, want)
	}
}

func buttonsArrive(b *bench) {
	c, to := b.asked()
	most := c.Profile().Buttons
	if most < 1 {
		b.Fatalf("the profile allows %d buttons", most)
	}
	for _, n := range []int{1, 2, 3, min(7, most), most} {
		b.must(c, withButtons(to, fmt.Sprint("mit ", n), n))
		got := b.last(AdaDirect)
		equal(b, "text", got.Text, fmt.Sprint("mit ", n))
		b.shows(got, choices(n))
	}
	plain := withButtons(to, "ohne Auszeichnung", 2)
	plain.Plain = true
	b.must(c, plain)
	b.shows(b.last(AdaDirect), choices(2))
}

func buttonIsAnEvent(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "zeig"})
	receipt := b.must(r.c, withButtons(e.Address, "Beleg?", 2))
	b.net.Press(AdaDirect, receipt.Remote, "beleg:2")
	press := r.next()
	equal(b, "kind", press.Kind, channels.KindButton)
	equal(b, "button", press.Button, "beleg:2")
	equal(b, "message", press.Message, receipt.Remote)
	equal(b, "actor", press.Actor.ID, e.Actor.ID)
	equal(b, "chat", press.Address.Chat(), e.Address.Chat())
	equal(b, "addressed", press.Addressed, true)
	b.net.Press(AdaDirect, receipt.Remote, "beleg:2")
	if again := r.next(); again.Key == press.Key {
		b.Errorf("two presses have the key %s", press.Key)
	}
	b.must(r.c, text(b.stored(press.Address), "hier ist er"))
	equal(b, "the answer", b.last(AdaDirect).Text, "hier ist er")
}

func pressInAGroup(b *bench) {
	r := b.start()
	ben := r.hear(Line{At: InGroup, From: Ben, Text: "zeig"})
	ada := r.hear(Line{At: InGroup, From: Ada, Text: "mir auch"})
	receipt := b.must(r.c, withButtons(ben.Address, "Beleg?", 1))
	b.net.Press(InGroup, receipt.Remote, "beleg:1")
	press := r.next()
	equal(b, "actor", press.Actor.ID, ada.Actor.ID)
	equal(b, "audience", press.Audience, channels.Group)
	equal(b, "chat", press.Address.Chat(), ben.Address.Chat())
}

// pressIsReleased: the network's waiting sign ends when the press is stored,
// and not before.
func pressIsReleased(b *bench) {
	var early atomic.Int64
	refuse := refuseFirst(2, "", nil)
	r := b.runWith(b.open(), func(ctx context.Context, e channels.Event) error {
		if e.Kind != channels.KindButton {
			return nil
		}
		early.Add(int64(b.net.Released()))
		return refuse(ctx, e)
	})
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "zeig"})
	receipt := b.must(r.c, withButtons(e.Address, "Beleg?", 1))
	b.net.Press(AdaDirect, receipt.Remote, "beleg:1")
	r.next()
	b.eventually("releasing the button", func() bool { return b.net.Released() == 1 })
	if early.Load() != 0 {
		b.Error("the button was released before the press was stored")
	}
}

func oldButtonsWork(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "zeig"})
	receipt := b.must(r.c, withButtons(e.Address, "Beleg?", 3))
	b.acknowledged()
	r = r.restart()
	b.net.Press(AdaDirect, receipt.Remote, "beleg:3")
	press := r.unseen(map[string]bool{e.Key: true})
	equal(b, "button", press.Button, "beleg:3")
	equal(b, "message", press.Message, receipt.Remote)
	b.eventually("releasing the button", func() bool { return b.net.Released() == 1 })
}

func buttonsStayInTheTopic(b *bench) {
	r := b.start()
	e := r.hear(Line{At: TopicTwo, From: Ada, Text: "zeig"})
	receipt := b.must(r.c, withButtons(e.Address, "Beleg?", 1))
	b.net.Press(TopicTwo, receipt.Remote, "beleg:1")
	press := r.next()
	equal(b, "thread", press.Address.Thread(), e.Address.Thread())
	b.must(r.c, text(press.Address, "der Beleg"))
	equal(b, "topic two reads", b.last(TopicTwo).Text, "der Beleg")
}

// edit edits and checks that every error is a typed one.
func (b *bench) edit(c channels.Channel, p channels.Post, remote string) *channels.SendError {
	b.Helper()
	if err := c.(channels.Editor).Edit(b.soon(), p, remote); err != nil {
		return b.typed(err, p.Body.Plain)
	}
	return nil
}

// edits edits and fails the case unless it is done.
func (b *bench) edits(c channels.Channel, p channels.Post, remote string) {
	b.Helper()
	if se := b.edit(c, p, remote); se != nil {
		b.Fatalf("Edit: %v", se)
	}
}

func editReplaces(b *bench) {
	c, to := b.asked()
	receipt := b.must(c, text(to, "vorläufig"))
	for _, s := range []string{"endgültig: 2. Mai", "a < b & c", "kürzer"} {
		b.edits(c, text(to, s), receipt.Remote)
		got := b.net.Arrived(AdaDirect)
		equal(b, "messages", len(got), 1)
		equal(b, "text", got[0].Text, s)
		equal(b, "id", got[0].Remote, receipt.Remote)
	}
}

func editingTwice(b *bench) {
	c, to := b.asked()
	receipt := b.must(c, text(to, "vorläufig"))
	p := text(to, "endgültig")
	b.edits(c, p, receipt.Remote)
	b.edits(c, p, receipt.Remote)
	got := b.net.Arrived(AdaDirect)
	equal(b, "messages", len(got), 1)
	equal(b, "text", got[0].Text, "endgültig")
}

func editChangesTheButtons(b *bench) {
	c, to := b.asked()
	receipt := b.must(c, withButtons(to, "Beleg?", 3))
	b.edits(c, withButtons(to, "Danke", 1), receipt.Remote)
	b.shows(b.last(AdaDirect), choices(1))
	b.edits(c, withButtons(to, "Danke", 2), receipt.Remote)
	b.shows(b.last(AdaDirect), choices(2))
	b.edits(c, text(to, "Danke"), receipt.Remote)
	b.shows(b.last(AdaDirect), nil)
}

func editOfADeleted(b *bench) {
	c, to := b.asked()
	receipt := b.must(c, text(to, "vorläufig"))
	b.net.Delete(AdaDirect, receipt.Remote)
	if se := b.edit(c, text(to, "endgültig"), receipt.Remote); se == nil || se.Class != channels.Refused {
		b.Errorf("Edit of a deleted message: %v, want refused", se)
	}
	equal(b, "messages", len(b.net.Arrived(AdaDirect)), 0)
}

func editOfAStrangers(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "das ist meins"})
	if se := b.edit(r.c, text(e.Address, "nein, unseres"), e.Message); se == nil || se.Class != channels.Refused {
		b.Errorf("Edit of a person's message: %v, want refused", se)
	}
	for _, remote := range []string{"", "no such message"} {
		if se := b.edit(r.c, text(e.Address, "hallo"), remote); se == nil || se.Class != channels.Refused {
			b.Errorf("Edit of message %q: %v, want refused", remote, se)
		}
	}
}

func editAfterRestart(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "Frage"})
	receipt := b.must(r.c, text(e.Address, "vorläufig"))
	r.stop()
	b.close(r.c)
	b.edits(b.open(), text(b.stored(e.Address), "endgültig"), receipt.Remote)
	equal(b, "text", b.last(AdaDirect).Text, "endgültig")
}

func cutWhileEditing(b *bench) {
	c, to := b.asked()
	receipt := b.must(c, text(to, "vorläufig"))
	for i, f := range []Fault{CutBefore, CutAfter, ServerError, Garbage} {
		p := text(to, fmt.Sprint("Fassung ", i))
		b.net.BreakSend(f, 1)
		if se := b.edit(c, p, receipt.Remote); se == nil || se.Class != channels.Unsure {
			b.Errorf("%s: %v, want unsure", f, se)
		}
		b.edits(c, p, receipt.Remote)
		equal(b, "text", b.last(AdaDirect).Text, fmt.Sprint("Fassung ", i))
	}
	equal(b, "messages", len(b.net.Arrived(AdaDirect)), 1)
}

func editAskedToWait(b *bench) {
	c, to := b.asked()
	receipt := b.must(c, text(to, "vorläufig"))
	b.net.BreakSend(WaitChat, 1)
	if se := b.edit(c, text(to, "endgültig"), receipt.Remote); se == nil || se.Class != channels.RetryAfter {
		b.Fatalf("Edit: %v, want retry after", se)
	}
	equal(b, "text", b.last(AdaDirect).Text, "vorläufig")
}
