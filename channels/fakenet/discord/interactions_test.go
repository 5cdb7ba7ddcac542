package discord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"outheis/channels/fakenet/discord"
)

// An action is what the gateway tells about an interaction.
type action struct {
	ID, Token, Locale string
	Type              int
	GuildID           string `json:"guild_id"`
	Data              struct {
		Name     string
		CustomID string `json:"custom_id"`
		Options  []struct{ Name, Value string }
	}
	Member  *struct{ User struct{ ID string } }
	User    *struct{ ID string }
	Message *struct{ ID string }
}

func (k *socket) action() action {
	k.t.Helper()
	for {
		p, err := k.next()
		if err != nil {
			k.t.Fatal(err)
		}
		if p.T != "INTERACTION_CREATE" {
			continue
		}
		var a action
		if err := json.Unmarshal(p.D, &a); err != nil {
			k.t.Fatal(err)
		}
		return a
	}
}

func (c *caller) callback(a action, body string) reply {
	c.t.Helper()
	return c.call("POST", "/interactions/"+a.ID+"/"+a.Token+"/callback", body)
}

func TestSlashCommandDeferredAndAnswered(t *testing.T) {
	s, w := world(t, discord.Options{})
	c, k := rest(t, s), dial(t, gatewayOf(s))
	k.start(s, guilds)
	id := s.Slash(w.channel, w.ada, "frage", "text", "wie lang?")
	a := k.action()
	if a.Type != 2 || a.Data.Name != "frage" || a.Data.Options[0].Value != "wie lang?" || a.Member.User.ID != w.ada || a.Locale != "de" || a.GuildID != w.guild {
		t.Errorf("interaction %+v", a)
	}
	if r := c.callback(a, `{"type":5}`); r.status != 204 {
		t.Fatalf("deferring got %d %s", r.status, r.raw)
	}
	if r := c.callback(a, `{"type":5}`); r.status != 400 || r.body["code"] != 40060.0 {
		t.Errorf("answering twice got %d %s", r.status, r.raw)
	}
	if got := s.Sent(w.channel); len(got) != 0 {
		t.Errorf("a deferred answer shows %+v", got)
	}
	hook := "/webhooks/" + s.Application() + "/" + a.Token
	if r := c.call("PATCH", hook+"/messages/@original", `{"content":"Vier Wochen."}`); r.status != 200 {
		t.Fatalf("answering got %d %s", r.status, r.raw)
	}
	r := c.call("POST", hook+"?wait=true", `{"content":"Und mehr.","flags":64}`)
	if r.status != 200 {
		t.Fatalf("a followup got %d %s", r.status, r.raw)
	}
	got := s.Sent(w.channel)
	if len(got) != 2 || got[0].Content != "Vier Wochen." || got[0].Interaction != id || got[0].Only != "" || got[1].Only != w.ada {
		t.Errorf("a person finds %+v", got)
	}
	if list := c.call("GET", "/channels/"+w.channel+"/messages", ""); strings.Contains(list.raw, "Und mehr") {
		t.Error("what one person sees stands in the history")
	}
	if act := s.Action(id); act.Answer != 5 || act.Original != got[0].ID {
		t.Errorf("action %+v", act)
	}
}

func TestInteractionsExpire(t *testing.T) {
	now := time.Now()
	s, w := world(t, discord.Options{Now: func() time.Time { return now }})
	c, k := rest(t, s), dial(t, gatewayOf(s))
	k.start(s, guilds)
	late := s.Slash(s.Direct(w.ada), w.ada, "hilfe")
	a := k.action()
	if a.User == nil || a.User.ID != w.ada || a.Member != nil || a.GuildID != "" {
		t.Errorf("in a direct channel came %+v", a)
	}
	now = now.Add(3*time.Second + time.Millisecond)
	if r := c.callback(a, `{"type":5}`); r.status != 404 || r.body["code"] != 10062.0 {
		t.Errorf("a late answer got %d %s", r.status, r.raw)
	}
	if !s.Action(late).Failed {
		t.Error("the person does not read that it failed")
	}
	s.Slash(w.channel, w.ada, "frage")
	a = k.action()
	if r := c.callback(a, `{"type":4,"data":{"content":"da"}}`); r.status != 204 {
		t.Fatalf("got %d %s", r.status, r.raw)
	}
	now = now.Add(15 * time.Minute)
	if r := c.call("POST", "/webhooks/"+s.Application()+"/"+a.Token, `{"content":"spät"}`); r.status != 401 || r.body["code"] != 50027.0 {
		t.Errorf("a followup after 15 minutes got %d %s", r.status, r.raw)
	}
}

func TestButtons(t *testing.T) {
	s, w := world(t, discord.Options{})
	c, k := rest(t, s), dial(t, gatewayOf(s))
	k.start(s, guilds)
	m := c.create(w.channel, `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"Ja","custom_id":"ja"},{"type":2,"style":5,"label":"Quelle","url":"https://beispiel.example"}]}]}`)
	s.Press(w.channel, w.ada, m, "ja")
	a := k.action()
	if a.Type != 3 || a.Data.CustomID != "ja" || a.Message.ID != m {
		t.Errorf("interaction %+v", a)
	}
	if r := c.callback(a, `{"type":6}`); r.status != 204 {
		t.Fatalf("got %d %s", r.status, r.raw)
	}
	s.Press(w.channel, w.ada, m, "ja")
	if r := c.callback(k.action(), `{"type":7,"data":{"content":"gewählt","components":[]}}`); r.status != 204 {
		t.Fatalf("got %d %s", r.status, r.raw)
	}
	if got := s.Sent(w.channel); len(got) != 1 || got[0].Content != "gewählt" || len(got[0].Buttons) != 0 || got[0].Edits != 1 {
		t.Errorf("a person finds %+v", got)
	}
}

func TestCommandsHaveTheirLimits(t *testing.T) {
	now := time.Now()
	s, w := world(t, discord.Options{Now: func() time.Time { return now }})
	c := rest(t, s)
	global := "/applications/" + s.Application() + "/commands"
	guild := "/applications/" + s.Application() + "/guilds/" + w.guild + "/commands"
	set := func(path string, from, n int) reply {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"befehl%d","description":"tut","name_localizations":{"de":"wort%d"}}`, from+i, from+i))
		}
		return c.call("PUT", path, "["+strings.Join(list, ",")+"]")
	}
	if r := set(global, 0, 101); r.status != 400 || r.body["code"] != 30032.0 {
		t.Errorf("101 commands got %d %s", r.status, r.raw)
	}
	if r := set(global, 0, 100); r.status != 200 {
		t.Fatalf("100 commands got %d %s", r.status, r.raw)
	}
	id := s.Menu("")[0].ID
	if r := set(global, 0, 100); r.status != 200 || s.Menu("")[0].ID != id {
		t.Errorf("the same commands got %d and the id %s, want %s", r.status, s.Menu("")[0].ID, id)
	}
	if r := set(global, 100, 100); r.status != 200 {
		t.Errorf("100 others got %d %s", r.status, r.raw)
	}
	if r := set(global, 200, 1); r.status != 429 || r.body["code"] != 30034.0 || r.body["retry_after"].(float64) < 3600 {
		t.Errorf("the 201st creation of a day got %d %s", r.status, r.raw)
	}
	if r := set(guild, 0, 1); r.status != 200 || len(s.Menu(w.guild)) != 1 {
		t.Errorf("another scope got %d %s", r.status, r.raw)
	}
	now = now.Add(24 * time.Hour)
	if r := set(global, 200, 1); r.status != 200 {
		t.Errorf("the next day got %d %s", r.status, r.raw)
	}
	for _, bad := range []string{`[{"name":"Groß","description":"x"}]`, `[{"name":"ok","description":""}]`, `[{"name":"ok","description":"x","name_localizations":{"xx":"a"}}]`, `[{"name":"a","description":"x"},{"name":"a","description":"x"}]`} {
		if r := c.call("PUT", guild, bad); r.status != 400 || r.body["code"] != 50035.0 {
			t.Errorf("%s got %d %s", bad, r.status, r.raw)
		}
	}
	if r := c.call("GET", global, ""); strings.Contains(r.raw, "wort200") {
		t.Error("localizations are listed without being asked for")
	}
	if r := c.call("GET", global+"?with_localizations=true", ""); !strings.Contains(r.raw, "wort200") {
		t.Errorf("localizations are not listed: %s", r.raw)
	}
}
