package telegram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"outheis/channels/fakenet/telegram"
)

func TestUpdatesAreConfirmedByOffset(t *testing.T) {
	b := start(t, telegram.Options{FirstUpdate: 100})
	for i := range 150 {
		b.s.Say(ada, ada, fmt.Sprint(i))
	}
	if got := b.updates(); len(got) != 100 || string(got[0]["update_id"]) != "100" {
		t.Fatalf("%d updates, the first is %s", len(got), got[0]["update_id"])
	}
	if got := b.updates("limit", "7"); len(got) != 7 {
		t.Errorf("%d updates, want 7", len(got))
	}
	if got := b.updates("offset", "200"); len(got) != 50 {
		t.Errorf("%d updates, want 50", len(got))
	}
	if got := b.s.Pending(); got != 50 {
		t.Errorf("%d are pending, want 50", got)
	}
	if got := b.updates("offset", "1"); len(got) != 50 {
		t.Errorf("confirmed updates came back: %d", len(got))
	}
	if got := b.updates("offset", "-3"); len(got) != 3 || string(got[0]["update_id"]) != "247" {
		t.Errorf("from the end: %d updates", len(got))
	}
	if got := b.updates("offset", "99999"); len(got) != 0 {
		t.Errorf("%d updates behind the last", len(got))
	}
	if got := b.s.Confirmed(); got != 249 {
		t.Errorf("confirmed up to %d, want 249", got)
	}
}

func TestUpdatesExpire(t *testing.T) {
	now := time.Now()
	b := start(t, telegram.Options{Now: func() time.Time { return now }})
	id := b.s.Say(ada, ada, "alt")
	b.s.Press(ada, ada, id, "x")
	now = now.Add(3 * time.Minute)
	if got := b.updates(); len(got) != 1 {
		t.Errorf("%d updates, want the message only", len(got))
	}
	now = now.Add(24 * time.Hour)
	if got := b.updates(); len(got) != 0 {
		t.Errorf("%d updates after a day", len(got))
	}
}

func TestAllowedUpdates(t *testing.T) {
	b := start(t, telegram.Options{})
	kinds := func() string {
		var all []string
		for _, u := range b.updates() {
			for k := range u {
				if k != "update_id" {
					all = append(all, k)
				}
			}
		}
		return strings.Join(all, " ")
	}
	id := b.s.Say(ada, ada, "eins")
	b.s.React(ada, ada, id, "👍")
	if got := kinds(); got != "message" {
		t.Errorf("by default: %q", got)
	}
	b.call("getUpdates", "allowed_updates", `["edited_message","message_reaction"]`)
	b.s.Say(ada, ada, "zwei")
	b.s.Edit(ada, id, "drei", 0)
	b.s.React(ada, ada, id, "👍")
	if got := kinds(); got != "message edited_message message_reaction" {
		t.Errorf("after a choice: %q", got)
	}
}

func TestLongPollWaits(t *testing.T) {
	b := start(t, telegram.Options{})
	got := make(chan answer, 1)
	go func() {
		a, err := b.try(b.t.Context(), "getUpdates", "timeout", "50")
		if err != nil {
			b.t.Error(err)
		}
		got <- a
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := b.s.AwaitPolling(ctx); err != nil {
		t.Fatal(err)
	}
	b.s.Say(ada, ada, "hallo")
	if a := <-got; !strings.Contains(string(a.Result), "hallo") {
		t.Errorf("got %+v", a)
	}
}

func TestOlderPollGetsTheConflict(t *testing.T) {
	b := start(t, telegram.Options{})
	got := make(chan answer, 1)
	go func() {
		a, err := b.try(b.t.Context(), "getUpdates", "timeout", "50")
		if err != nil {
			b.t.Error(err)
		}
		got <- a
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := b.s.AwaitPolling(ctx); err != nil {
		t.Fatal(err)
	}
	if a := b.call("getUpdates"); !a.OK {
		t.Errorf("the younger poll: %+v", a)
	}
	want := "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	if a := <-got; a.Status != 409 || a.Description != want {
		t.Errorf("the older poll: %+v", a)
	}
}

func TestWebhookExcludesPolling(t *testing.T) {
	b := start(t, telegram.Options{})
	b.wantRefusal(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", "setWebhook", "url", "http://x.example.org")
	if a := b.call("setWebhook", "url", "https://x.example.org"); a.Description != "Webhook was set" {
		t.Errorf("got %+v", a)
	}
	b.wantRefusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first", "getUpdates")
	if a := b.call("deleteWebhook"); a.Description != "Webhook was deleted" {
		t.Errorf("got %+v", a)
	}
	b.updates()
}

func TestUpgradeOfAGroup(t *testing.T) {
	b := start(t, telegram.Options{})
	to := b.s.Upgrade(group, ada)
	a := b.wantRefusal(400, "Bad Request: group chat was upgraded to a supergroup chat", "sendMessage", "chat_id", "-2001", "text", "x")
	if a.Parameters.MigrateTo != to {
		t.Errorf("moved to %d, want %d", a.Parameters.MigrateTo, to)
	}
	got := b.updates()
	if len(got) != 2 || !strings.Contains(string(got[0]["message"]), "migrate_to_chat_id") || !strings.Contains(string(got[1]["message"]), "migrate_from_chat_id") {
		t.Errorf("updates: %v", got)
	}
	if a := b.call("sendMessage", "chat_id", fmt.Sprint(to), "text", "x"); !a.OK {
		t.Errorf("got %+v", a)
	}
}

func TestPrivacyMode(t *testing.T) {
	b := start(t, telegram.Options{Privacy: true, Bot: telegram.User{Username: "auskunft_bot"}})
	b.call("sendMessage", "chat_id", "-2001", "text", "unsere")
	ours := b.s.Sent(group)[0].MessageID
	b.s.Say(group, ada, "unter uns")
	b.s.Say(group, ada, "@auskunft_bot eins")
	b.s.Say(group, ada, "/zwei")
	b.s.Post(telegram.Line{Chat: group, From: ada, Text: "drei", ReplyTo: ours})
	b.s.Say(ada, ada, "vier")
	var got []string
	for _, u := range b.updates() {
		var m telegram.Message
		if err := json.Unmarshal(u["message"], &m); err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Text)
	}
	if want := "@auskunft_bot eins|/zwei|drei|vier"; strings.Join(got, "|") != want {
		t.Errorf("the bot reads %q, want %q", got, want)
	}
}
