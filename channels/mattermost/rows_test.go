package mattermost_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	fake "outheis/channels/fakenet/mattermost"
	"outheis/channels/mattermost"
	"outheis/formatting"
)

// channels.md M1: a connection that swallows everything is found out.
func TestHalfOpenConnectionIsFoundOut(t *testing.T) {
	r := newRig(t, fake.Options{})
	_, events := r.start()
	r.s.Say(r.direct, r.ada, "vorher")
	texts(t, events, "vorher")
	r.s.Freeze()
	r.s.Say(r.direct, r.ada, "währenddessen")
	texts(t, events, "währenddessen")
}

// channels.md M1 and M2: silence is yellow at first and red within two minutes,
// with a reason and a remedy, whatever it comes from.
func TestSilenceTurnsRedWithinTwoMinutes(t *testing.T) {
	for name, silence := range map[string]func(*rig){
		"server down":        func(r *rig) { r.s.Down() },
		"greets nobody":      func(r *rig) { r.s.FreezeConnects(1000); r.s.CutSockets() },
		"connects nobody":    func(r *rig) { r.s.RefuseConnects(1000, 503); r.s.CutSockets() },
		"no websocket there": func(r *rig) { r.s.RefuseConnects(1000, 404); r.s.CutSockets() },
		"lists no channels": func(r *rig) {
			r.s.Fault(fake.Fault{Kind: fake.Page, Route: fake.GetUserChannels, Status: 503, Times: -1})
			r.s.CutSockets()
		},
		"token revoked":    func(r *rig) { r.s.Revoke() },
		"account disabled": func(r *rig) { r.s.Disable(true) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, fake.Options{})
			var mu sync.Mutex
			skip := time.Duration(0)
			r.opts.Now = func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				return time.Now().Add(skip)
			}
			c, _ := r.start()
			silence(r)
			r.eventually("noticing", func() bool { return c.Health().State != channels.Green })
			mu.Lock()
			skip = 110 * time.Second
			mu.Unlock()
			h := c.Health()
			if h.State != channels.Red || h.Reason == "" || h.Remedy == "" {
				t.Errorf("after 110 s: %+v, want red with a reason and a remedy", h)
			}
		})
	}
}

// channels.md M2: an account that was disabled and enabled again has a
// connection that stays open and is not served; only the server can tell.
func TestEndedSessionIsFoundOut(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.opts.Ping = time.Hour
	_, events := r.start()
	r.s.Disable(true)
	r.s.Disable(false)
	r.s.Say(r.direct, r.ada, "hört mich jemand?")
	texts(t, events, "hört mich jemand?")
}

// channels.md M2: a disabled account ends Run with a remedy, and the next Run
// finds what was asked meanwhile.
func TestDisabledAccountIsToldAndComesBack(t *testing.T) {
	r := newRig(t, fake.Options{})
	c := r.open()
	events, result := run(t, c)
	r.s.Say(r.direct, r.ada, "vorher")
	texts(t, events, "vorher")
	r.s.Disable(true)
	if se := class(t, next(t, result), channels.Misconfigured); se.Remedy == "" {
		t.Error("no remedy")
	}
	if h := c.Health(); h.State != channels.Red {
		t.Errorf("health is %+v", h)
	}
	r.s.Say(r.direct, r.ada, "währenddessen")
	r.s.Disable(false)
	again, _ := run(t, c)
	texts(t, again, "währenddessen")
}

// channels.md M3: whatever is posted while nobody is connected comes: more than
// a page, several in one millisecond, in channels and direct chats that are
// new, in order, once.
func TestGapIsFilledWhole(t *testing.T) {
	r := newRig(t, fake.Options{})
	c := r.open()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	first := make(chan channels.Event, 10)
	go func() {
		done <- c.Run(ctx, func(_ context.Context, e channels.Event) error { first <- e; return nil })
	}()
	r.eventually("receiving", func() bool { return c.Health().State == channels.Green })
	r.s.Say(r.direct, r.ada, "vorher")
	texts(t, first, "vorher")
	cancel()
	<-done
	at := time.Now().UnixMilli()
	for i := range 450 {
		r.s.Post(fake.Line{Channel: r.direct, From: r.ada, Text: fmt.Sprint(i), At: at + int64(i/7)})
	}
	cem := r.s.AddUser(fake.User{Username: "cem"}).ID
	fresh := r.s.AddChannel(r.team, "neu", fake.Open, cem)
	r.s.Post(fake.Line{Channel: fresh, From: cem, Text: "neuer Kanal", At: at})
	r.s.Post(fake.Line{Channel: r.s.Direct(cem), From: cem, Text: "neuer Direktchat", At: at})
	second := r.s.AddTeam("Zweites", cem)
	other := r.s.AddChannel(second, "dort", fake.Open, cem)
	r.s.Post(fake.Line{Channel: other, From: cem, Text: "anderes Team", At: at})
	_, events := r.start()
	got := make(map[string]int)
	last := -1
	for range 453 {
		e := next(t, events)
		got[e.Text]++
		if e.Text == "anderes Team" && e.Space != second {
			t.Errorf("the team is %q, want %q", e.Space, second)
		}
		if e.Address.Chat() == r.direct {
			n := 0
			fmt.Sscan(e.Text, &n)
			if n/7 < last/7 {
				t.Fatalf("%d came after %d", n, last)
			}
			last = n
		}
	}
	for i := range 450 {
		if got[fmt.Sprint(i)] != 1 {
			t.Errorf("%d came %d times", i, got[fmt.Sprint(i)])
		}
	}
	if got["neuer Kanal"]+got["neuer Direktchat"]+got["anderes Team"] != 3 {
		t.Errorf("of what is new came %v", got)
	}
	r.s.Say(r.direct, r.ada, "danach")
	texts(t, events, "danach")
}

// channels.md M3: a gap in the count of events is filled at once.
func TestGapInTheCountIsFilled(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.opts.Probe = time.Hour
	_, events := r.start()
	r.s.Say(r.direct, r.ada, "eins")
	texts(t, events, "eins")
	r.s.Lose(2)
	r.s.Say(r.direct, r.ada, "zwei")
	r.s.Say(r.direct, r.ada, "drei")
	r.s.SkipSequence(2)
	r.s.Say(r.direct, r.ada, "vier")
	texts(t, events, "zwei", "drei", "vier")
	r.s.Repeat(3)
	r.s.Say(r.direct, r.ada, "fünf")
	texts(t, events, "fünf")
}

// channels.md M2 and M3: events that nothing tells to be missing are found by
// the probe.
func TestLostEventsAreFound(t *testing.T) {
	r := newRig(t, fake.Options{})
	_, events := r.start()
	r.s.Lose(2)
	r.s.Say(r.direct, r.ada, "zwei")
	r.s.Say(r.direct, r.ada, "drei")
	texts(t, events, "zwei", "drei")
}

// A last post that was deleted is no post that is missing.
func TestDeletedPostIsNotMissed(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.opts.Probe = 20 * time.Millisecond
	_, events := r.start()
	r.s.Lose(1)
	id := r.s.Say(r.direct, r.ada, "weg")
	r.s.Delete(id)
	before := r.s.Calls(fake.GetUserChannels)
	if err := r.s.AwaitCalls(t.Context(), fake.GetUserChannels, before+20); err != nil {
		t.Fatal(err)
	}
	if n := r.s.Sockets().Connects; n > 2 {
		t.Errorf("%d websockets were opened, want at most 2", n)
	}
	r.s.Say(r.direct, r.ada, "da")
	for e := next(t, events); e.Text != "da"; e = next(t, events) {
	}
}

// channels.md M3: a new connection counts its events anew; that is no gap.
func TestNewConnectionCountsAnew(t *testing.T) {
	r := newRig(t, fake.Options{})
	_, events := r.start()
	for i := range 5 {
		r.s.ForgetConnections()
		r.s.CutSockets()
		r.s.Say(r.direct, r.ada, fmt.Sprint(i))
		texts(t, events, fmt.Sprint(i))
	}
	if n := r.s.Calls(fake.GetUserChannels); n > 12 {
		t.Errorf("channels were listed %d times for 5 cuts", n)
	}
}

// channels.md M3: what is left out of a catch-up is told.
func TestCutShortCatchUpIsTold(t *testing.T) {
	r := newRig(t, fake.Options{})
	c := r.open()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, func(context.Context, channels.Event) error { return nil }) }()
	r.eventually("receiving", func() bool { return c.Health().State == channels.Green })
	r.s.Say(r.direct, r.ada, "vorher")
	r.eventually("saving", func() bool { return r.cursor.Saves() > 0 })
	cancel()
	<-done
	at := time.Now().UnixMilli()
	for i := range 1300 {
		r.s.Post(fake.Line{Channel: r.direct, From: r.ada, Text: fmt.Sprint(i), At: at + int64(i)})
	}
	c, events := r.start()
	texts(t, events, "300")
	for e := next(t, events); e.Text != "1299"; e = next(t, events) {
	}
	if h := c.Health(); h.State != channels.Yellow || h.Reason == "" {
		t.Errorf("health is %+v, want yellow with a reason", h)
	}
}

// channels.md M6: the root is the first post of the thread; who asks inside is
// answered inside, in direct chats too.
func TestAnswersStayInTheThread(t *testing.T) {
	r := newRig(t, fake.Options{})
	c, events := r.start()
	root := r.s.Say(r.group, r.ada, "@auskunft wann?")
	top := next(t, events)
	if got := top.Address.Thread(); got != root {
		t.Errorf("a question of the channel is answered in thread %q, want below itself, %q", got, root)
	}
	send(t, c, words(top.Address, "im Mai"))
	r.s.Reply(r.group, r.ada, root, "und 2027?")
	inside := next(t, events)
	if inside.Address != top.Address || !inside.Addressed {
		t.Errorf("the next question of the thread: %+v", inside)
	}
	ben := r.people[channeltest.Ben]
	r.s.Reply(r.group, ben, root, "weiß ich auch nicht")
	if e := next(t, events); e.Addressed || e.Quoted != "@auskunft wann?" {
		t.Errorf("somebody else in the thread: %+v", e)
	}
	start := r.s.Say(r.direct, r.ada, "Anfang")
	if e := next(t, events); e.Address.Thread() != "" {
		t.Errorf("a direct question is answered in thread %q", e.Address.Thread())
	}
	r.s.Reply(r.direct, r.ada, start, "im Thread")
	e := next(t, events)
	send(t, c, words(e.Address, "Antwort im Thread"))
	for _, p := range r.s.Sent("") {
		if want := map[string]string{"im Mai": root, "Antwort im Thread": start}[p.Text]; p.Root != want {
			t.Errorf("%q stands in thread %q, want %q", p.Text, p.Root, want)
		}
	}
	r.s.Delete(start)
	if se := class(t, func() error { _, err := c.Send(t.Context(), words(e.Address, "zu spät")); return err }(), channels.Gone); se.Remedy == "" {
		t.Error("no remedy")
	}
}

func TestFlatAnswersInTheChannel(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.opts.Flat = true
	_, events := r.start()
	root := r.s.Say(r.group, r.ada, "@auskunft wann?")
	if e := next(t, events); e.Address.Thread() != "" {
		t.Errorf("answered in thread %q", e.Address.Thread())
	}
	r.s.Reply(r.group, r.ada, root, "und im Thread?")
	if e := next(t, events); e.Address.Thread() != root {
		t.Errorf("answered in thread %q, want %q", e.Address.Thread(), root)
	}
}

// channels.md M8: an announcement to everybody is no question to us, although
// the server counts us among the mentioned.
func TestAnnouncementIsNoQuestion(t *testing.T) {
	r := newRig(t, fake.Options{})
	_, events := r.start()
	for text, want := range map[string]bool{"@all morgen zu": false, "@channel morgen zu": false, "@auskunft morgen zu?": true, "@auskunft.test wann?": false} {
		r.s.Say(r.group, r.ada, text)
		if e := next(t, events); e.Addressed != want {
			t.Errorf("%q: addressed %v, want %v", text, e.Addressed, want)
		}
	}
}

// channels.md M9: programs that write under the accounts of people are
// programs, the server's own words and ours are nothing.
func TestProgramsAreToldFromPeople(t *testing.T) {
	r := newRig(t, fake.Options{})
	c, events := r.start()
	for mark, want := range map[string]channels.ActorKind{"from_webhook": channels.Webhook, "from_bot": channels.Bot, "from_plugin": channels.Bot} {
		r.s.Post(fake.Line{Channel: r.group, From: r.ada, Text: "@auskunft Störung", Props: map[string]any{mark: "true"}})
		if e := next(t, events); e.Actor.Kind != want {
			t.Errorf("%s: %s, want %s", mark, e.Actor.Kind, want)
		}
	}
	r.s.Post(fake.Line{Channel: r.group, From: r.ada, Text: "ada joined", Type: "system_join_channel"})
	send(t, c, words(address(t, r.group, ""), "@auskunft ich selbst"))
	r.s.Say(r.group, r.ada, "weiter")
	texts(t, events, "weiter")
}

// channels.md M9: without knowing who we are nothing is received.
func TestNothingIsReceivedWithoutKnowingOurselves(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.s.Fault(fake.Fault{Kind: fake.Garbage, Route: fake.GetUser, Body: `{"id":""}`, Times: 5})
	c := r.open()
	events, _ := run(t, c)
	r.s.Say(r.group, r.ada, "hallo")
	texts(t, events, "hallo")
	if n := r.s.Sockets().Connects; n != 1 {
		t.Errorf("%d websockets were opened, want 1", n)
	}
}

// channels.md M10: a server that takes less says so; nothing vanishes.
func TestOldServersLimitIsKnown(t *testing.T) {
	r := newRig(t, fake.Options{MaxPost: 4000})
	c, _ := r.start()
	send(t, c, words(address(t, r.direct, ""), strings.Repeat("ü", 4000)))
	_, err := c.Send(t.Context(), words(address(t, r.direct, ""), strings.Repeat("ü", 4001)))
	class(t, err, channels.Refused)
	r.opts.MaxPost = 4000
	short := r.open()
	if got := short.Profile().Limit; got != 4000 {
		t.Errorf("the profile's limit is %d", got)
	}
	doc := formatting.Parse(strings.Repeat("Ein Absatz mit Wörtern.\n\n", 1000))
	for i, part := range formatting.Render(doc, short.Profile()) {
		send(t, short, channels.Post{To: address(t, r.direct, ""), Key: fmt.Sprint("teil", i), Body: part})
	}
}

// channels.md M11: a reaction is no edit, before and after a real one, and an
// edit under a reaction is one.
func TestReactionIsNoEdit(t *testing.T) {
	r := newRig(t, fake.Options{EditOnReaction: true})
	_, events := r.start()
	id := r.s.Say(r.direct, r.ada, "Wann ist Ostern?")
	texts(t, events, "Wann ist Ostern?")
	kinds := func(want ...channels.Kind) {
		t.Helper()
		for _, w := range want {
			if e := next(t, events); e.Kind != w {
				t.Fatalf("%+v, want %s", e, w)
			}
		}
	}
	r.s.React(r.ada, id, "+1")
	kinds(channels.KindReaction)
	r.s.Edit(id, "Wann ist Pfingsten?")
	kinds(channels.KindEdit)
	r.s.React(r.ada, id, "eyes")
	kinds(channels.KindReaction)
	r.s.Unreact(r.ada, id, "+1")
	kinds(channels.KindReaction)
	r.s.Say(r.direct, r.ada, "Ende")
	kinds(channels.KindMessage)
}

// An edit during a gap is not lost with it.
func TestEditDuringAGapComes(t *testing.T) {
	r := newRig(t, fake.Options{})
	_, events := r.start()
	id := r.s.Say(r.direct, r.ada, "Wann ist Ostern?")
	texts(t, events, "Wann ist Ostern?")
	r.s.HangConnects(1)
	r.s.ForgetConnections()
	r.s.CutSockets()
	r.s.Edit(id, "Wann ist Pfingsten?")
	if e := next(t, events); e.Kind != channels.KindEdit || e.Text != "Wann ist Pfingsten?" {
		t.Errorf("event %+v", e)
	}
}

// channels.md M12: an event that came before its files were joined to it is
// completed.
func TestFilesThatCameLateAreFetched(t *testing.T) {
	r := newRig(t, fake.Options{})
	_, events := r.start()
	r.s.HideFiles(1)
	r.s.Post(fake.Line{Channel: r.direct, From: r.ada, Files: []fake.File{{Name: "a.pdf", MIME: "application/pdf", Data: []byte("x")}}})
	if e := next(t, events); len(e.Files) != 1 || e.Files[0].Name != "a.pdf" {
		t.Errorf("event %+v", e)
	}
}

// Editing can be forbidden; the message then stays as it is.
func TestForbiddenEditIsRefused(t *testing.T) {
	r := newRig(t, fake.Options{NoEdits: time.Nanosecond})
	c, _ := r.start()
	id := send(t, c, words(address(t, r.direct, ""), "vorläufig"))
	var err error
	r.eventually("growing old", func() bool {
		err = c.Edit(t.Context(), words(address(t, r.direct, ""), "vorläufig"), id)
		return err != nil
	})
	class(t, err, channels.Refused)
	class(t, c.Edit(t.Context(), words(address(t, r.direct, ""), "endgültig"), id), channels.Refused)
	if got := r.s.Sent(r.direct)[0].Text; got != "vorläufig" {
		t.Errorf("the message is %q", got)
	}
}

// Nothing that we send calls everybody, whichever way it takes.
func TestNothingCallsEverybody(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	c, _ := r.start()
	r.eventually("the self-test", func() bool { return mattermost.SelfTested(c) })
	to := address(t, r.group, "")
	all := "@all @channel @here \\@all &#64;channel"
	for _, part := range []formatting.Part{
		{Text: all, Plain: all}, {Text: "**" + all + "**", Plain: all, Mode: "Markdown"},
		{Text: "x", Plain: "x", Buttons: []formatting.Button{{ID: "b", Label: all}}},
	} {
		p := channels.Post{To: to, Key: part.Text, Body: part}
		id := send(t, c, p)
		p.Body.Text, p.Body.Plain = all, all
		if err := c.Edit(t.Context(), p, id); err != nil {
			t.Fatal(err)
		}
	}
	full := strings.Repeat("@all ", 3276) + "@al" // not a rune more
	send(t, c, channels.Post{To: to, Key: "full", Body: formatting.Part{Text: full, Plain: "x", Mode: "Markdown"}})
	upload := channels.Upload{Name: "@all.txt", Size: 1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }}
	if _, err := c.SendFile(t.Context(), words(to, all), upload); err != nil {
		t.Fatal(err)
	}
	for _, p := range r.s.Sent(r.group) {
		if len(p.Pings)+len(p.EditPings) > 0 {
			t.Errorf("%q notified %v and %v", p.Text, p.Pings, p.EditPings)
		}
		for _, b := range p.Buttons {
			if callsEverybody.MatchString(b.Name) {
				t.Errorf("button %q", b.Name)
			}
		}
	}
}

// A repeat long after the server has forgotten pending ids finds what is there
// by the key in its props.
func TestRepeatAfterTheWindowFindsThePost(t *testing.T) {
	r := newRig(t, fake.Options{DedupeWindow: time.Nanosecond})
	c, _ := r.start()
	p := words(address(t, r.direct, ""), "einmal")
	r.s.Fault(fake.Fault{Kind: fake.CutAfter, Route: fake.CreatePost})
	_, err := c.Send(t.Context(), p)
	class(t, err, channels.Unsure)
	for i := range 420 { // further back than a page
		r.s.Say(r.direct, r.ada, fmt.Sprint(i))
	}
	p.Again = true
	if id := send(t, r.open(), p); id != r.s.Sent(r.direct)[0].ID {
		t.Errorf("receipt %s", id)
	}
	if n := len(r.s.Sent(r.direct)); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
	r.s.Fault(fake.Fault{Kind: fake.Page, Route: fake.GetPosts, Status: 503})
	_, err = c.Send(t.Context(), p)
	class(t, err, channels.NotSent)
}

// Direct makes the chat with a person when something is sent.
func TestDirectReachesAPerson(t *testing.T) {
	r := newRig(t, fake.Options{})
	c := r.open()
	cem := r.s.AddUser(fake.User{Username: "cem"}).ID
	to, err := c.Direct(cem)
	if err != nil {
		t.Fatal(err)
	}
	send(t, c, words(to, "Erinnerung"))
	if got := r.s.Sent(r.s.Direct(cem)); len(got) != 1 || got[0].Text != "Erinnerung" {
		t.Errorf("sent %+v", got)
	}
	if _, err := c.Direct("Cem"); err == nil {
		t.Error("a name is taken for an id")
	}
}

func TestNewRefusesBadOptions(t *testing.T) {
	token := func() string { return "x" }
	for name, o := range map[string]mattermost.Options{
		"no account":            {Token: token, URL: "https://chat.example.org"},
		"no token":              {Account: "a", URL: "https://chat.example.org"},
		"no url":                {Account: "a", Token: token},
		"public without TLS":    {Account: "a", Token: token, URL: "http://chat.example.org"},
		"other scheme":          {Account: "a", Token: token, URL: "ws://127.0.0.1"},
		"user":                  {Account: "a", Token: token, URL: "https://u:p@chat.example.org"},
		"negative":              {Account: "a", Token: token, URL: "https://chat.example.org", Ping: -1},
		"public url alone":      {Account: "a", Token: token, URL: "https://chat.example.org", PublicURL: "https://bot.example.org"},
		"public url is none":    {Account: "a", Token: token, URL: "https://chat.example.org", Listen: "127.0.0.1:1", PublicURL: "bot"},
		"listen without a port": {Account: "a", Token: token, URL: "https://chat.example.org", Listen: "127.0.0.1"},
	} {
		if _, err := mattermost.New(o); err == nil {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(err.Error(), "mattermost: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, ok := range []string{"https://chat.example.org/mattermost/", "http://127.0.0.1:8065", "http://mattermost:8065", "http://chat.lan"} {
		if _, err := mattermost.New(mattermost.Options{Account: "a", Token: token, URL: ok}); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
}

func TestBusyListenerAddressIsMisconfigured(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.opts.Listen = strings.TrimPrefix(r.s.URL(), "http://")
	_, result := run(t, r.open())
	if se := class(t, next(t, result), channels.Misconfigured); se.Remedy == "" {
		t.Error("no remedy")
	}
}

// Clients that were cut at the same moment do not come back at the same moment.
func TestReconnectsAreSpread(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.opts.Retry = channels.Backoff{Min: 400 * time.Millisecond, Max: time.Second}
	const clients = 12
	for range clients {
		r.opts.Cursor = nil
		r.start()
	}
	before := r.s.Calls(fake.GetUser)
	cut := time.Now()
	r.s.CutSockets()
	if err := r.s.AwaitCalls(t.Context(), fake.GetUser, before+clients); err != nil {
		t.Fatal(err)
	}
	slots := make(map[int]int)
	for _, req := range r.s.Requests(fake.GetUser)[before:] {
		slots[int(req.At.Sub(cut)/(50*time.Millisecond))]++
	}
	if len(slots) < 3 {
		t.Errorf("%d clients came back in the slots %v of 50 ms", clients, slots)
	}
}
