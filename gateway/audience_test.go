package gateway_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"outheis/agents"
	"outheis/agents/tresor"
	"outheis/channels"
	"outheis/gateway"
	engine "outheis/tresor"
	"outheis/tresor/handbuch"
)

// An agent gets the names of the place in which its answer is read.
func TestPlaceOfARequest(t *testing.T) {
	var got []agents.Request
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		got = append(got, r)
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		space := func(e *channels.Event) { e.Space = "500" }
		for _, edits := range [][]func(*channels.Event){
			{}, {inGroup(t, "-1")}, {inGroup(t, "-1"), space}, {space},
			{inGroup(t, "-1"), func(e *channels.Event) { e.Address = address(t, "-1", "12") }},
			{inGroup(t, "-1"), func(e *channels.Event) { e.Space = strings.Repeat("5", 1000) }},
		} {
			w.ask("7", "Wann?", edits...)
			synctest.Wait()
		}
		for i, want := range []string{"false [net/main/7]", "true [net/main/-1]", "true [net/main/-1 net/main/space:500]", "false [net/main/7]", "true [net/main/-1]", "true [net/main/-1]"} {
			if has := fmt.Sprint(got[i].Public, " ", got[i].Audience); has != want {
				t.Errorf("request %d: %s, want %s", i+1, has, want)
			}
		}
	})
}

// The canary, end to end: whatever an administrator or a member writes or presses
// in a group with somebody who may not read a Tresor, nothing of it is posted
// there. In the group that its audience names it is, and only there: answers
// stay in their thread.
func TestCanaryStaysOutOfGroups(t *testing.T) {
	snapshot, err := engine.OpenFS(handbuch.FS(), handbuch.Name, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := tresor.New(tresor.Options{Tresore: []tresor.Tresor{{ID: "geheim", Audience: []string{"admin", "net/main/-2"}, Snapshot: snapshot}}})
	if err != nil {
		t.Fatal(err)
	}
	canary := regexp.MustCompile(`C-[0-9]{4}|S-[0-9]{4}|geheim|` + regexp.QuoteMeta(snapshot.Name()))
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), agent.Answer)
		w.o.Agents = map[string]agents.Agent{"tresor": agent}
		a := w.o.Settings.Policy.Access[mainAccount]
		a.People = map[string]agents.Role{"1": agents.RoleAdmin, gateway.Everybody: agents.RoleUser}
		a.Groups["-2"] = a.Groups["-1"]
		w.o.Settings.Policy.Access[mainAccount] = a
		w.o.Settings.Policy.Limits = gateway.Limits{Burst: 1000, Daily: 1000}
		w.start()
		room := func(chat, thread string) func(*channels.Event) {
			to := address(t, chat, thread)
			return func(e *channels.Event) { e.Address, e.Audience = to, channels.Group }
		}
		const question = "Was ist ein Tresor?"
		w.ask("1", question) // the administrator, alone
		synctest.Wait()
		if got := w.net.all(); len(got) != 1 || !canary.MatchString(got[0].text) {
			t.Fatalf("the administrator sees %v; the test shows nothing", got)
		}
		var answered string // the id of the request
		for _, e := range w.queue.envelopes() {
			if e.Type == gateway.TypeRequest && e.Payload.Text == question {
				answered = e.ID
			}
		}
		texts := []string{
			question, "Beleg 1 zeigen", "Belege", "Beleg 2", "zeig mir die Belege", "👍", "👎", "Hilfe", "Was ist?", "Welche Tresore gibt es?",
			"@geheim2 " + question, "C-1234?", "stop", "Danke", "Erzähl mehr davon.", "Wie war das eben?", "Wo steht das?",
		}
		for _, who := range []string{"1", "7"} {
			for _, text := range texts {
				w.ask(who, text, room("-1", "12"))
				w.ask(who, text, room("-1", "12"), func(e *channels.Event) { e.Quoted = w.net.all()[0].text })
			}
			for _, command := range []string{"tresor", "belege", "beleg", "evidence", "help", "start"} {
				w.ask(who, "", room("-1", "12"), func(e *channels.Event) { e.Kind, e.Command, e.Text = channels.KindCommand, command, "1" })
			}
			for _, button := range []string{"ev:" + answered, "ev:" + answered + ":1", "up:" + answered, "down:" + answered, "why:" + answered + ":wrong"} {
				w.ask(who, "", room("-1", "12"), func(e *channels.Event) { e.Kind, e.Button, e.Message = channels.KindButton, button, "1" })
			}
			for _, emoji := range []string{"👍", "👎", ""} {
				w.ask(who, emoji, room("-1", "12"), func(e *channels.Event) { e.Kind, e.Message = channels.KindReaction, "1" })
			}
			synctest.Wait()
		}
		posts := 0
		for _, s := range w.net.all() {
			if s.chat != "-1" {
				continue
			}
			posts++
			if m := canary.FindString(strings.ReplaceAll(s.text, "@geheim2", "")); m != "" && !strings.Contains(s.text, "geheim2") {
				t.Errorf("in the group somebody reads %q: %.300q", m, s.text)
			}
		}
		if posts < 10 {
			t.Errorf("%d posts in the group: the test is too weak", posts)
		}

		before := len(w.net.all())
		w.ask("7", question, room("-2", "33"))
		synctest.Wait()
		got := w.net.all()[before:]
		if len(got) != 1 || got[0].chat != "-2" || !canary.MatchString(got[0].text) {
			t.Errorf("in the group that the audience names: %v", got)
		}
		for _, e := range w.queue.envelopes() {
			if e.Type != gateway.TypeRequest || e.Payload.Address.Chat() != "-2" {
				continue
			}
			if e.Payload.Address.Thread() != "33" {
				t.Errorf("the answer goes to %+v, want the thread", e.Payload.Address)
			}
		}
		w.ask("7", question) // a member, alone
		synctest.Wait()
		if all := w.net.all(); canary.MatchString(all[len(all)-1].text) {
			t.Errorf("alone a member reads %q", all[len(all)-1].text)
		}
		w.end()
	})
}

// Evidence is shown on demand to those who may be answered now: when a Tresor has
// been closed to a group since it answered there, nothing more of it is shown.
func TestEvidenceOfATresorThatWasClosed(t *testing.T) {
	snapshot, err := engine.OpenFS(handbuch.FS(), handbuch.Name, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := tresor.New(tresor.Options{Tresore: []tresor.Tresor{{ID: "haus", Snapshot: snapshot}}})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), agent.Answer)
		w.o.Agents = map[string]agents.Agent{"tresor": agent}
		w.o.Settings.Policy.Access[mainAccount].Groups["-1"].People["7"] = agents.RoleUser
		w.start()
		room := inGroup(t, "-1")
		last := func(text string) string {
			w.ask("7", text, room)
			synctest.Wait()
			all := w.net.all()
			return all[len(all)-1].text
		}
		last("Was ist ein Tresor?")
		source := snapshot.Sources()[0].Title
		if got := last("Beleg 1 zeigen"); !strings.Contains(got, "C-") {
			t.Fatalf("seen %q, want a Beleg", got)
		}
		for _, audience := range [][]string{{"admin"}, {"net/main/-2"}} {
			agent.Declare(tresor.Tresor{ID: "haus", Audience: audience})
			for _, text := range []string{"Beleg 1 zeigen", "Belege", "Was ist ein Tresor?"} {
				if got := last(text); strings.Contains(got, "C-0") || strings.Contains(got, source) {
					t.Errorf("closed to all but %v, %q: %q", audience, text, got)
				}
			}
		}
		agent.Declare(tresor.Tresor{ID: "haus", Audience: []string{"net/main/-1"}})
		if got := last("Beleg 1 zeigen"); !strings.Contains(got, "C-") {
			t.Errorf("open to this group: %q", got)
		}
		w.end()
	})
}
