package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
)

// Missed messages that Discord has and does not give out are owed: nothing that
// comes meanwhile makes them count as read, whether the program is started anew
// or not.
func TestUnreadMessagesStayOwed(t *testing.T) {
	for _, fault := range []fake.Fault{
		{Kind: fake.Page, Status: 503, Body: "<html>"},
		{Kind: fake.Garbage, Body: "<html>"},
		{Kind: fake.Page, Status: 403, Body: "<html>a login page</html>"},
		{Kind: fake.Refuse, Status: 401, Message: "401: Unauthorized"},
		{Kind: fake.Refuse, Status: 400, Message: "Bad Request"},
		{Kind: fake.CutBefore},
	} {
		for _, restart := range []bool{false, true} {
			n := newNetwork(t, fake.Options{})
			group := n.at(channeltest.InGroup)
			s := run(t, n, nil, nil).connected()
			s.say("vorher")
			s.stop()
			n.fake.Say(group, ada, "verpasst")
			fault.Route, fault.Channel, fault.Times = fake.GetMessages, group, -1
			n.fake.Fault(fault)
			s = run(t, n, nil, nil)
			if h := s.health(channels.Yellow); !strings.Contains(h.Reason, "1") {
				t.Errorf("%+v: health is %+v, want the channels that are owed", fault, h)
			}
			if e := s.say("inzwischen"); e.Text != "inzwischen" {
				t.Errorf("%+v: got %q", fault, e.Text)
			}
			if restart {
				// The mark is saved, and nothing has come but what is live.
				saves := n.cursor.Saves()
				n.fake.Say(n.at(channeltest.AdaDirect), ada, "anderswo")
				s.next()
				s.await("a save", func() bool { return n.cursor.Saves() > saves })
				s.stop()
			}
			n.fake.ClearFaults()
			if restart {
				s = run(t, n, nil, nil)
			}
			found := false
			for !found {
				found = s.next().Text == "verpasst"
			}
			s.health(channels.Green)
			s.stop()
		}
	}
}

// Exactly as many as are allowed are all delivered, in order, over several pages.
func TestManyMissedMessagesKeepTheirOrder(t *testing.T) {
	for _, missed := range []int{99, 100, 101, 250, 260} {
		n := newNetwork(t, fake.Options{})
		s := run(t, n, nil, nil).connected()
		s.say("vorher")
		s.stop()
		for i := range missed {
			n.fake.Say(n.at(channeltest.InGroup), ada, fmt.Sprint(i))
		}
		s = run(t, n, func(o *discord.Options) { o.CatchUpMessages = 250 }, nil)
		for i := max(0, missed-250); i < missed; i++ {
			if e := s.next(); e.Text != fmt.Sprint(i) {
				t.Fatalf("of %d: got %q, want %d", missed, e.Text, i)
			}
		}
		want := 0
		if missed > 250 {
			want = 1
		}
		if got := s.log.count("missed messages are left out"); got != want {
			t.Errorf("of %d: told %d times that some are left out, want %d", missed, got, want)
		}
		s.stop()
	}
}

// What a person wrote in a direct channel that Discord did not list is found
// with the next message there.
func TestUnknownDirectChannelIsReadWithItsFirstMessage(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	nobody := func(o *discord.Options) { o.People = nil }
	s := run(t, n, nobody, nil).connected()
	s.say("vorher")
	s.stop()
	n.fake.Say(n.at(channeltest.BenDirect), ben, "verpasst")
	s = run(t, n, nobody, nil).connected()
	n.fake.Say(n.at(channeltest.BenDirect), ben, "neu")
	for _, want := range []string{"verpasst", "neu"} {
		if e := s.next(); e.Text != want {
			t.Errorf("got %q, want %q", e.Text, want)
		}
	}
}
