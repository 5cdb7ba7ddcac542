package gateway_test

import (
	"strings"
	"testing"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

var now = time.Date(2026, 11, 30, 14, 3, 11, 0, time.UTC)

func address(t testing.TB, chat, thread string) channels.Address {
	t.Helper()
	a, err := channels.NewAddress("net", "main", chat, thread, "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// message is a question of person 778812 in a direct chat, changed by edits.
func message(t testing.TB, edits ...func(*channels.Event)) channels.Event {
	t.Helper()
	e := channels.Event{
		Kind: channels.KindMessage, Key: "u:1", Address: address(t, "778812", ""), Audience: channels.Direct, Addressed: true,
		Actor: channels.Actor{ID: "778812", Kind: channels.Person, Name: "Ole"}, Message: "11", Text: "Wann ist die Sitzung?", At: now,
	}
	for _, edit := range edits {
		edit(&e)
	}
	return e
}

func inGroup(t testing.TB, chat string) func(*channels.Event) {
	a := address(t, chat, "")
	return func(e *channels.Event) { e.Address, e.Audience = a, channels.Group }
}

func from(id string) func(*channels.Event)       { return func(e *channels.Event) { e.Actor.ID = id } }
func overheard(e *channels.Event)                { e.Addressed = false }
func text(s string) func(*channels.Event)        { return func(e *channels.Event) { e.Text = s } }
func written(at time.Time) func(*channels.Event) { return func(e *channels.Event) { e.At = at } }

func actor(k channels.ActorKind, id string) func(*channels.Event) {
	return func(e *channels.Event) { e.Actor = channels.Actor{Kind: k, ID: id} }
}

func command(name, rest string) func(*channels.Event) {
	return func(e *channels.Event) { e.Kind, e.Command, e.Text = channels.KindCommand, name, rest }
}

func edited(after time.Duration) func(*channels.Event) {
	return func(e *channels.Event) { e.Kind, e.At, e.Posted = channels.KindEdit, now.Add(after), now }
}

// The group matrix and the access matrix of spec/reliability.md T3, T4, T6 and
// T7, for one account whose access list is in force.
func TestDecideWhoMayAsk(t *testing.T) {
	access := func(a gateway.Access) gateway.Policy {
		return gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "main"}: a}}
	}
	people := map[string]agents.Role{"778812": agents.RoleAdmin, "2": agents.RoleUser, "3": "blocked", "4": ""}
	listed := access(gateway.Access{
		People:   people,
		Programs: []string{"99"},
		Groups: map[string]gateway.Group{
			"-1": {},
			"-2": {People: map[string]agents.Role{gateway.Everybody: agents.RoleAdmin, "5": agents.RoleUser, "2": "blocked"}},
			"-3": {Anonymous: true, Unaddressed: true, People: map[string]agents.Role{"5": agents.RoleUser}, Commands: []string{"help"}},
		},
	})
	open := access(gateway.Access{
		People: map[string]agents.Role{gateway.Everybody: agents.RoleAdmin, "2": agents.RoleAdmin},
		Groups: map[string]gateway.Group{"-1": {}},
	})
	for _, c := range []struct {
		name   string
		policy gateway.Policy
		event  channels.Event
		want   gateway.Reason
		role   agents.Role
	}{
		// T3: empty is nobody; everybody is written out and gives a user's role.
		{"no account", gateway.Policy{}, message(t), gateway.ReasonNobody, ""},
		{"empty access", access(gateway.Access{}), message(t), gateway.ReasonNobody, ""},
		{"empty people", access(gateway.Access{People: map[string]agents.Role{}}), message(t), gateway.ReasonNobody, ""},
		{"only groups listed", access(gateway.Access{Groups: map[string]gateway.Group{"-1": {}}}), message(t), gateway.ReasonSender, ""},
		{"another account's list", gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "second"}: {People: people}}}, message(t), gateway.ReasonNobody, ""},
		{"listed", listed, message(t), gateway.ReasonOK, agents.RoleAdmin},
		{"listed as user", listed, message(t, from("2")), gateway.ReasonOK, agents.RoleUser},
		{"everybody is a user", open, message(t), gateway.ReasonOK, agents.RoleUser},
		{"everybody, and named", open, message(t, from("2")), gateway.ReasonOK, agents.RoleAdmin},
		{"stranger", listed, message(t, from("7")), gateway.ReasonSender, ""},
		{"blocked", listed, message(t, from("3")), gateway.ReasonBlocked, ""},
		{"listed without a role", listed, message(t, from("4")), gateway.ReasonBlocked, ""},

		// T4: only the immutable id, and the whole of it.
		{"name of a listed id", listed, message(t, from("7"), func(e *channels.Event) { e.Actor.Name = "778812" }), gateway.ReasonSender, ""},
		{"ends like a listed id", listed, message(t, from("1778812")), gateway.ReasonSender, ""},
		{"begins like a listed id", listed, message(t, from("7788121")), gateway.ReasonSender, ""},
		{"blanks around a listed id", listed, message(t, from(" 778812")), gateway.ReasonSender, ""},
		{"no id", listed, message(t, from("")), gateway.ReasonAnonymous, ""},
		{"no id, open account", open, message(t, from("")), gateway.ReasonAnonymous, ""},
		{"id that is the wildcard", open, message(t, from(gateway.Everybody)), gateway.ReasonSender, ""},

		// T5: there is no pairing; what looks like a code is a stranger's text.
		{"a code from a stranger", listed, message(t, from("7"), text("ABCD2345")), gateway.ReasonSender, ""},
		{"direct access gives no right to a room", open, message(t, inGroup(t, "-1"), from("7")), gateway.ReasonSender, ""},

		// T6: groups need an entry of their own, and one for the sender.
		{"group not listed", listed, message(t, inGroup(t, "-9")), gateway.ReasonGroup, ""},
		{"group not listed, open account", open, message(t, inGroup(t, "-9")), gateway.ReasonGroup, ""},
		{"group, sender by the account", listed, message(t, inGroup(t, "-1")), gateway.ReasonOK, agents.RoleAdmin},
		{"group, stranger", listed, message(t, inGroup(t, "-1"), from("7")), gateway.ReasonSender, ""},
		{"group of everybody", listed, message(t, inGroup(t, "-2"), from("7")), gateway.ReasonOK, agents.RoleUser},
		{"group, sender by the group", listed, message(t, inGroup(t, "-2"), from("5")), gateway.ReasonOK, agents.RoleUser},
		{"group blocks a user of the account", listed, message(t, inGroup(t, "-2"), from("2")), gateway.ReasonBlocked, ""},
		{"blocked by the account, group of everybody", listed, message(t, inGroup(t, "-2"), from("3")), gateway.ReasonBlocked, ""},
		{"group, not addressed", listed, message(t, inGroup(t, "-1"), overheard), gateway.ReasonUnaddressed, ""},
		{"group that wants everything answered", listed, message(t, inGroup(t, "-3"), overheard), gateway.ReasonOK, agents.RoleAdmin},
		{"anonymous administrator", listed, message(t, inGroup(t, "-1"), actor(channels.System, "")), gateway.ReasonAnonymous, ""},
		{"anonymous administrator, allowed", listed, message(t, inGroup(t, "-3"), actor(channels.System, "")), gateway.ReasonOK, agents.RoleUser},
		{"system that claims an id", listed, message(t, inGroup(t, "-1"), actor(channels.System, "778812")), gateway.ReasonAnonymous, ""},
		{"linked channel", listed, message(t, func(e *channels.Event) {
			e.Audience, e.Actor = channels.Broadcast, channels.Actor{Kind: channels.System}
		}), gateway.ReasonGroup, ""},
		{"unknown kind of actor", listed, message(t, actor("alien", "778812")), gateway.ReasonAnonymous, ""},
		{"unknown audience", listed, message(t, func(e *channels.Event) { e.Audience = "parade" }), gateway.ReasonAudience, ""},
		{"bot", listed, message(t, actor(channels.Bot, "778812")), gateway.ReasonProgram, ""},
		{"bot, open account", open, message(t, actor(channels.Bot, "98")), gateway.ReasonProgram, ""},
		{"listed bot", listed, message(t, actor(channels.Bot, "99")), gateway.ReasonOK, agents.RoleUser},
		{"listed bot in a group", listed, message(t, inGroup(t, "-1"), actor(channels.Bot, "99")), gateway.ReasonOK, agents.RoleUser},
		{"webhook without id", listed, message(t, actor(channels.Webhook, "")), gateway.ReasonProgram, ""},
		{"command in a group", listed, message(t, inGroup(t, "-1"), command("help", "")), gateway.ReasonCommand, agents.RoleAdmin},
		{"listed command in a group", listed, message(t, inGroup(t, "-3"), command("help", "")), gateway.ReasonOK, agents.RoleAdmin},
		{"a question as a command in a group", listed, message(t, inGroup(t, "-1"), command("tresor", "Wann?")), gateway.ReasonOK, agents.RoleAdmin},
		{"stop in a group", listed, message(t, inGroup(t, "-1"), command("stop", "")), gateway.ReasonOK, agents.RoleAdmin},
		{"forwarded command", listed, message(t, func(e *channels.Event) { e.Text, e.Quoted, e.Unsupported = "", "/start", "forward" }), gateway.ReasonUnsupported, agents.RoleAdmin},

		// T7: whatever the kind of event, the same function and the same answer.
		{"stranger's command", listed, message(t, from("7"), command("start", "")), gateway.ReasonSender, ""},
		{"stranger's edit", listed, message(t, from("7"), edited(time.Second)), gateway.ReasonSender, ""},
		{"stranger's long text", listed, message(t, from("7"), text(strings.Repeat("a", 1<<20))), gateway.ReasonSender, ""},
		{"button", listed, message(t, func(e *channels.Event) { e.Kind = channels.KindButton }), gateway.ReasonKind, ""},
		{"reaction", listed, message(t, func(e *channels.Event) { e.Kind = channels.KindReaction }), gateway.ReasonKind, ""},
		{"deletion", listed, message(t, func(e *channels.Event) { e.Kind = channels.KindDeletion }), gateway.ReasonKind, ""},
		{"membership", listed, message(t, func(e *channels.Event) { e.Kind = channels.KindMembership }), gateway.ReasonKind, ""},
		{"unknown kind of event", listed, message(t, func(e *channels.Event) { e.Kind = "telepathy" }), gateway.ReasonKind, ""},
		{"admin's unknown command does nothing", listed, message(t, command("reload", "")), gateway.ReasonCommand, agents.RoleAdmin},
	} {
		got := gateway.Decide(c.event, c.policy, gateway.State{Now: now})
		if got.Reason == gateway.ReasonUnaddressed {
			got.Role = "" // known, but nobody asked
		}
		if got.Reason != c.want || got.Role != c.role {
			t.Errorf("%s: %s as %q, want %s as %q", c.name, got.Reason, got.Role, c.want, c.role)
		}
		if got.Role == "" && got.Say {
			t.Errorf("%s: a stranger gets a sentence", c.name)
		}
	}
}

func TestDecideHowMuch(t *testing.T) {
	policy := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "main"}: {
		People:   map[string]agents.Role{"778812": agents.RoleUser},
		Programs: []string{"99"},
		Groups:   map[string]gateway.Group{"-1": {Unaddressed: true}},
	}}}
	asked := func(n int, every time.Duration) []time.Time {
		var times []time.Time
		for i := n; i > 0; i-- {
			times = append(times, now.Add(-time.Duration(i)*every))
		}
		return times
	}
	toldAgo := func(r gateway.Reason, d time.Duration) map[gateway.Reason]time.Time {
		return map[gateway.Reason]time.Time{r: now.Add(-d)}
	}
	original := &gateway.Original{At: now}
	bot := actor(channels.Bot, "99")
	for _, c := range []struct {
		name  string
		event channels.Event
		state gateway.State
		want  gateway.Verdict
	}{
		{"fresh", message(t), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"two hours old", message(t, written(now.Add(-2*time.Hour))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"two days old", message(t, written(now.Add(-48*time.Hour))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonExpired}},
		{"from tomorrow", message(t, written(now.Add(24*time.Hour))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"without a time", message(t, written(time.Time{})), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"command two hours old", message(t, command("stop", ""), written(now.Add(-2*time.Hour))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonStale}},
		{"question as a command, two hours old", message(t, command("tresor", "Wann?"), written(now.Add(-2*time.Hour))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},

		{"19 in the window", message(t), gateway.State{Asked: asked(19, time.Second)}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"20 in the window", message(t), gateway.State{Asked: asked(20, time.Second)}, gateway.Verdict{Reason: gateway.ReasonQuota, Say: true, RetryAt: now.Add(280 * time.Second)}},
		{"20, told a minute ago", message(t), gateway.State{Asked: asked(20, time.Second), Told: toldAgo(gateway.ReasonQuota, time.Minute)}, gateway.Verdict{Reason: gateway.ReasonQuota, RetryAt: now.Add(280 * time.Second)}},
		{"20, told long ago", message(t), gateway.State{Asked: asked(20, time.Second), Told: toldAgo(gateway.ReasonQuota, time.Hour)}, gateway.Verdict{Reason: gateway.ReasonQuota, Say: true, RetryAt: now.Add(280 * time.Second)}},
		{"20 in more than the window", message(t), gateway.State{Asked: asked(20, 16*time.Second)}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"200 today", message(t), gateway.State{Asked: asked(200, 6*time.Minute)}, gateway.Verdict{Reason: gateway.ReasonDaily, Say: true, RetryAt: now.Add(4 * time.Hour)}},
		{"200 today, told", message(t), gateway.State{Asked: asked(200, 6*time.Minute), Told: toldAgo(gateway.ReasonDaily, 59*time.Minute)}, gateway.Verdict{Reason: gateway.ReasonDaily, RetryAt: now.Add(4 * time.Hour)}},

		{"mailbox full", message(t), gateway.State{Waiting: 20}, gateway.Verdict{Reason: gateway.ReasonBusy, Say: true}},
		{"mailbox full, told", message(t), gateway.State{Waiting: 20, Told: toldAgo(gateway.ReasonBusy, time.Minute)}, gateway.Verdict{Reason: gateway.ReasonBusy}},
		{"mailbox full, stop", message(t, command("stop", "")), gateway.State{Waiting: 20}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"mailbox full, edit", message(t, edited(time.Second)), gateway.State{Waiting: 20, Original: original}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"all mailboxes full", message(t), gateway.State{Open: 5000}, gateway.Verdict{Reason: gateway.ReasonBusy, Say: true}},

		{"edit of a waiting question", message(t, edited(59*time.Second)), gateway.State{Original: original}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"edit after a minute", message(t, edited(61*time.Second)), gateway.State{Original: original}, gateway.Verdict{Reason: gateway.ReasonEditLate}},
		{"edit of an answered question", message(t, edited(time.Second)), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonEditLate}},
		{"edit without change", message(t, edited(time.Second)), gateway.State{Original: &gateway.Original{At: now, Same: true}}, gateway.Verdict{Reason: gateway.ReasonEditSame}},
		{"edit of an old message", message(t, edited(0), func(e *channels.Event) { e.Posted = now.Add(-48 * time.Hour) }), gateway.State{Original: original}, gateway.Verdict{Reason: gateway.ReasonExpired}},
		{"edited command", message(t, edited(time.Second), func(e *channels.Event) { e.Command = "tresor" }), gateway.State{Original: original}, gateway.Verdict{Reason: gateway.ReasonCommandEdit}},

		{"unknown command", message(t, command("frobnicate", "")), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonCommand, Say: true}},
		{"unknown command in a group", message(t, inGroup(t, "-1"), command("frobnicate", "")), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonCommand}},
		{"longest text", message(t, text(strings.Repeat("ä", 4000))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"too long", message(t, text(strings.Repeat("ä", 4001))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonTooLong, Say: true}},
		{"too long, said to others", message(t, inGroup(t, "-1"), overheard, text(strings.Repeat("a", 4001))), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonTooLong}},
		{"voice", message(t, text(""), func(e *channels.Event) { e.Unsupported = "voice" }), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonUnsupported, Say: true}},
		{"picture with a caption", message(t, func(e *channels.Event) { e.Unsupported = "photo" }), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"sticker to others", message(t, inGroup(t, "-1"), overheard, text(""), func(e *channels.Event) { e.Unsupported = "sticker" }), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonUnsupported}},
		{"nothing but a mention", message(t, text(" \n")), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonEmpty, Say: true}},
		{"tresor without a question", message(t, command("tresor", "")), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonEmpty, Say: true}},
		{"start without a text", message(t, command("start", "")), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonOK}},

		{"program within its budget", message(t, bot), gateway.State{Asked: asked(5, time.Minute)}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"program beyond its budget", message(t, bot), gateway.State{Asked: asked(6, time.Minute)}, gateway.Verdict{Reason: gateway.ReasonLoop}},
		{"program beyond its budget long ago", message(t, bot), gateway.State{Asked: asked(6, 2*time.Minute)}, gateway.Verdict{Reason: gateway.ReasonOK}},
		{"muted program", message(t, bot), gateway.State{Muted: now.Add(time.Minute)}, gateway.Verdict{Reason: gateway.ReasonMuted}},
		{"programs get no sentences", message(t, bot, text("")), gateway.State{}, gateway.Verdict{Reason: gateway.ReasonEmpty}},
		{"people have no such budget", message(t), gateway.State{Asked: asked(6, time.Minute)}, gateway.Verdict{Reason: gateway.ReasonOK}},
	} {
		c.state.Now, c.want.Role = now, agents.RoleUser
		if got := gateway.Decide(c.event, policy, c.state); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	policy.Access[gateway.AccountID{Channel: "net", Account: "main"}] = gateway.Access{People: map[string]agents.Role{"778812": agents.RoleAdmin}, Unlimited: true}
	for name, s := range map[string]gateway.State{"quota": {Asked: asked(300, time.Second)}, "mailbox": {Waiting: 50, Open: 9999}} {
		s.Now = now
		if got := gateway.Decide(message(t, written(now.Add(-48*time.Hour))), policy, s); got.Reason != gateway.ReasonOK {
			t.Errorf("the owner's terminal is bound by %s: %s", name, got.Reason)
		}
	}
}

func TestCommandOf(t *testing.T) {
	for text, want := range map[string]string{
		"stop": "stop", "Stopp!": "stop", " ABBRECHEN. ": "stop", "/stop": "stop",
		"Hilfe": "help", "help": "help", "/start": "start",
		"verbinden": "link", "Verbinden ABCD-EF23": "link", "verbinden abcdefg2": "link", "verbinden abcd-efgh": "link", "Verbinden ABCDEFGH": "link",
		"Verbinden Netzwerk": "", "verbinden Schulung": "", "Verbinden mit dem Netz": "",
		"stop den Zähler": "", "Was ist Hilfe?": "", "": "", "start": "",
	} {
		if got := gateway.CommandOf(channels.Event{Kind: channels.KindMessage, Text: text}); got != want {
			t.Errorf("CommandOf(%q) = %q, want %q", text, got, want)
		}
	}
	for command, want := range map[string]string{"start": "start", "hilfe": "help", "abbrechen": "stop", "reload": "reload"} {
		if got := gateway.CommandOf(channels.Event{Kind: channels.KindCommand, Command: command, Text: "stop"}); got != want {
			t.Errorf("CommandOf(/%s) = %q, want %q", command, got, want)
		}
	}
}
