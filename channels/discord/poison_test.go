package discord_test

import (
	"context"
	"testing"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
)

const contained = "a mistake in the program was contained"

// poison panics at one text, as a mistake of ours at a message of an unforeseen
// shape would.
func poison(text string) channels.Deliver {
	return func(_ context.Context, e channels.Event) error {
		if e.Text == text {
			panic("unforeseen")
		}
		return nil
	}
}

// A message at which the program panics is skipped and told, and neither what
// is behind it nor other channels notice, whichever way it comes.
func TestPoisonMessageIsSkipped(t *testing.T) {
	for _, missed := range []bool{false, true} {
		n := newNetwork(t, fake.Options{})
		group, direct := n.at(channeltest.InGroup), n.at(channeltest.AdaDirect)
		s := run(t, n, nil, poison("gift")).connected()
		s.say("vorher")
		if missed {
			s.stop()
		}
		n.fake.Say(group, ada, "gift")
		n.fake.Say(group, ada, "danach")
		n.fake.Say(direct, ada, "anderswo")
		if missed {
			s = run(t, n, nil, poison("gift"))
		}
		got := map[string]string{}
		for range 2 {
			e := s.next()
			got[e.Address.Chat()] = e.Text
		}
		if got[group] != "danach" || got[direct] != "anderswo" {
			t.Errorf("missed=%v: came %v", missed, got)
		}
		if c := s.log.count(contained); c != channels.MaxStrikes || s.log.count("poison_test.go") == 0 {
			t.Errorf("missed=%v: logged %d times, want %d with the stack", missed, c, channels.MaxStrikes)
		}
		s.health(channels.Yellow)
		// What comes behind in the same channel shows that it has been read to the end.
		n.fake.Say(group, ada, "zuletzt")
		if e := s.next(); e.Text != "zuletzt" {
			t.Errorf("missed=%v: got %q", missed, e.Text)
		}
		s.stop()
		// It does not come again, and is no reason to read the channel again.
		s = run(t, n, nil, poison("gift")).connected()
		s.say("später")
		if c := s.log.count(contained); c != 0 {
			t.Errorf("missed=%v: after a restart it came again, %d times", missed, c)
		}
		s.stop()
	}
}

// An edit, a reaction or a command at which the program panics is given up as
// well.
func TestPoisonEventsAreSkipped(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	group := n.at(channeltest.InGroup)
	s := run(t, n, nil, func(_ context.Context, e channels.Event) error {
		if e.Kind != channels.KindMessage {
			panic("unforeseen")
		}
		return nil
	}).connected()
	id := n.fake.Say(group, ada, "eins")
	s.next()
	n.fake.Edit(group, id, "eins, geändert")
	n.fake.React(group, ada, id, "👍")
	n.fake.Slash(group, ada, "frage")
	n.fake.Delete(group, id)
	if e := s.say("zwei"); e.Text != "zwei" {
		t.Errorf("got %q", e.Text)
	}
	s.await("all strikes", func() bool { return s.log.count(contained) == 4*channels.MaxStrikes })
}

// Channels that are to be caught up with again and again, as with every new
// session, wait once behind the one that is at work.
func TestOneCatchUpWaitsPerChannel(t *testing.T) {
	if got := discord.CatchUps(t.Context(), 20); got != 2 {
		t.Errorf("%d of 20 were carried out, want 2", got)
	}
}
