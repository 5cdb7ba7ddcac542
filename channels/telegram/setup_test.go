package telegram_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
)

func deliverTo(events chan<- channels.Event) channels.Deliver {
	return func(_ context.Context, e channels.Event) error {
		events <- e
		return nil
	}
}

// found returns the finding whose text holds part.
func found(t *testing.T, all []channels.Finding, part string) channels.Finding {
	t.Helper()
	for _, f := range all {
		if strings.Contains(f.Text, part) {
			return f
		}
	}
	t.Errorf("nothing about %q in %+v", part, all)
	return channels.Finding{}
}

// Also in channels.md 2.1: privacy mode.
func TestPrivacyModeIsNamedWhereItKeepsMessagesAway(t *testing.T) {
	for _, tt := range []struct {
		privacy, needs bool
		want           channels.State
	}{
		{false, false, channels.Green}, {false, true, channels.Green}, {true, false, channels.Green}, {true, true, channels.Yellow},
	} {
		n := newNetworkOf(t, fake.Options{Privacy: tt.privacy})
		o := n.options(quiet())
		o.AllMessages = tt.needs
		c := open(t, o)
		events, _ := run(t, c)
		n.fake.Say(ada, ada, "hallo")
		next(t, events)
		if h := c.Health(); h.State != tt.want || tt.want == channels.Yellow && (!strings.Contains(h.Reason, "Privacy") || h.Remedy == "") {
			t.Errorf("%+v: health %+v", tt, h)
		}
		part := "alle Nachrichten"
		if tt.privacy {
			part = "Privacy Mode"
		}
		if f := found(t, c.Check(soon(t)), part); f.Level != tt.want {
			t.Errorf("%+v: finding %+v", tt, f)
		}
	}
}

func TestCheckLooksForTheGroups(t *testing.T) {
	n := newNetworkOf(t, fake.Options{Privacy: true})
	admin := n.fake.AddGroup(fake.Chat{ID: -3001, Type: "group", Title: "Verwaltet"}, ada)
	n.fake.Promote(admin.ID)
	n.fake.AddGroup(fake.Chat{ID: -3002, Type: "group", Title: "Verlassen"}, ada)
	n.fake.Kick(-3002, ben)
	n.fake.AddGroup(fake.Chat{ID: -3003, Type: "group", Title: "Stumm"}, ada)
	n.fake.Mute(-3003, ben)
	o := n.options(quiet())
	o.AllMessages, o.Groups = true, []string{fmt.Sprint(group), "-3001", "-3002", "-3003", "-3999"}
	all := open(t, o).Check(soon(t))
	for part, want := range map[string]channels.State{
		"Runde": channels.Yellow, "Verwaltet": channels.Green, "-3002": channels.Red, "Stumm": channels.Red, "-3999": channels.Red,
	} {
		if f := found(t, all, part); f.Level != want || want != channels.Green && f.Remedy == "" {
			t.Errorf("%s: %+v, want %s", part, f, want)
		}
	}
	n.violations()
}

func TestCheckNamesWebhooks(t *testing.T) {
	h := newHooked(t)
	polling := open(t, h.network.options(quiet()))
	hooked := open(t, h.options(quiet()))
	if f := found(t, hooked.Check(soon(t)), "noch nicht gesetzt"); f.Level != channels.Yellow {
		t.Errorf("before the start: %+v", f)
	}
	_, stop := runUntil(t, hooked)
	if err := h.fake.AwaitCalls(soon(t), "setWebhook", 1); err != nil {
		t.Fatal(err)
	}
	found(t, hooked.Check(soon(t)), "an den Webhook zu")
	if f := found(t, polling.Check(soon(t)), "Von früher"); f.Level != channels.Yellow {
		t.Errorf("for polling: %+v", f)
	}
	stop()
}

// An album that is spread over several answers, with one that is cut off by a
// restart, is one question with all its files.
func TestAlbumIsOneQuestion(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	part := func(i int) {
		l := fake.Line{Chat: ada, From: ada, Media: "document", File: []byte(fmt.Sprint(i)), FileName: fmt.Sprint(i, ".txt"), Group: "album"}
		if i == 0 {
			l.Text = "Vergleiche"
		}
		n.fake.Post(l)
	}
	c := open(t, n.options(quiet()))
	telegram.WaitForAlbums(c, 300*time.Millisecond)
	_, stop := runUntil(t, c)
	part(0)
	// The first part is not acknowledged while others may come.
	if err := n.fake.AwaitCalls(soon(t), "getUpdates", 2); err != nil {
		t.Fatal(err)
	}
	if n.fake.Pending() != 1 {
		t.Error("the first part is acknowledged before the album is whole")
	}
	stop()
	c = open(t, n.options(quiet()))
	telegram.WaitForAlbums(c, 300*time.Millisecond)
	events, stop := runUntil(t, c)
	defer stop()
	n.fake.Say(ben, ben, "Ben wartet nicht lange")
	part(1)
	part(2)
	seen := map[string]channels.Event{}
	for range 2 {
		e := next(t, events)
		seen[e.Text] = e
	}
	if e := seen["Vergleiche"]; len(e.Files) != 3 || e.Files[2].Name != "2.txt" {
		t.Errorf("got %+v", e)
	}
	if _, ok := seen["Ben wartet nicht lange"]; !ok {
		t.Errorf("got %+v", seen)
	}
	if err := n.fake.AwaitConfirmed(soon(t)); err != nil {
		t.Error(err)
	}
}
