package discord_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
	"outheis/formatting"
)

func TestNonceFitsAndIsEnforced(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	to := s.say("hallo").Address
	p := words(to, "outbox/2026/11/30/"+strings.Repeat("x", 100), "einmal")
	if first, again := s.send(p), s.send(p); first != again {
		t.Errorf("the same post has the ids %s and %s", first, again)
	}
	for _, r := range n.fake.Requests(fake.CreateMessage) {
		var b struct {
			Nonce   string `json:"nonce"`
			Enforce bool   `json:"enforce_nonce"`
		}
		if err := json.Unmarshal(r.Body, &b); err != nil || len(b.Nonce) == 0 || len(b.Nonce) > 25 || !b.Enforce {
			t.Errorf("request %s", r.Body)
		}
	}
	other := p
	other.Key = "another"
	if discord.Nonce(p) == discord.Nonce(other) {
		t.Error("two posts have one nonce")
	}
}

// After the time for which Discord remembers nonces a post that may have arrived
// is looked for; an equal answer to another question is not it.
func TestOldPostIsLookedForBeforeItIsRepeated(t *testing.T) {
	n := newNetwork(t, fake.Options{NonceWindow: time.Nanosecond})
	s := run(t, n, nil, nil).connected()
	first, second := s.say("eins"), s.say("zwei")
	p := words(first.Address, "k1", "Nicht im Bestand")
	p.Again = true
	id := s.send(p)
	if again := s.send(p); again != id {
		t.Errorf("the post came again as %s, want %s", again, id)
	}
	q := words(second.Address, "k2", "Nicht im Bestand")
	q.Again = true
	if other := s.send(q); other == id {
		t.Error("the answer to another question counts as arrived")
	}
	for i := range 2 {
		n.fake.Say(n.at(channeltest.AdaDirect), ada, "direkt")
		d := words(s.next().Address, fmt.Sprint("d", i), "Nicht im Bestand")
		d.Again = true
		if one, two := s.send(d), s.send(d); one != two {
			t.Errorf("direct post %d came twice", i)
		}
	}
	if got := len(n.fake.Sent("")); got != 4 {
		t.Errorf("%d messages, want 4", got)
	}
}

// An equal answer to another command is not the one that may have arrived, also
// after a restart.
func TestEqualAnswerToAnotherCommandIsNotTheOne(t *testing.T) {
	n := newNetwork(t, fake.Options{NonceWindow: time.Nanosecond})
	s := run(t, n, nil, nil).connected()
	group := n.at(channeltest.InGroup)
	asks := func(who string) channels.Address {
		n.fake.Slash(group, who, "frage", "frage", "wie")
		return s.next().Address
	}
	adas := asks(ada)
	bens := asks(ben)
	first := s.send(words(adas, "k1", "Antwort"))
	s.stop()
	s = run(t, n, nil, nil).connected()
	p := words(bens, "k2", "Antwort")
	p.Again = true
	second := s.send(p)
	if second == first {
		t.Error("the answer to another command counts as arrived")
	}
	if again := s.send(p); again != second {
		t.Errorf("the answer came again as %s, want %s", again, second)
	}
	s.stop()
	s = run(t, n, nil, nil).connected()
	p = words(adas, "k1", "Antwort")
	p.Again = true
	if again := s.send(p); again != first {
		t.Errorf("the answer that arrived came again as %s, want %s", again, first)
	}
}

// A notice that says the same as one before is sent, also when its first try is
// unsure; and one that arrived is not sent twice.
func TestEqualNoticesAreAllSent(t *testing.T) {
	n := newNetwork(t, fake.Options{NonceWindow: time.Nanosecond})
	s := run(t, n, nil, nil).connected()
	to, err := s.c.Direct(ada)
	if err != nil {
		t.Fatal(err)
	}
	first := s.send(words(to, "n1", "Störung"))
	p := words(to, "n2", "Störung")
	p.Again = true
	second := s.send(p)
	if second == first {
		t.Error("a notice counts as arrived because an equal one did")
	}
	q := words(to, "n3", "Störung")
	n.fake.Fault(fake.Fault{Kind: fake.CutAfter, Route: fake.CreateMessage})
	if _, err := s.c.Send(t.Context(), q); channels.AsSendError(err).Class != channels.Unsure {
		t.Fatalf("got %v, want unsure", err)
	}
	q.Again = true
	s.send(q)
	if got := len(n.fake.Sent(n.at(channeltest.AdaDirect))); got != 3 {
		t.Errorf("%d notices, want 3", got)
	}
}

// While it cannot be looked for, a post that may have arrived is not sent; where
// it never can be, it is.
func TestUnsurePostWaitsUntilItCanBeLookedFor(t *testing.T) {
	n := newNetwork(t, fake.Options{NonceWindow: time.Nanosecond})
	s := run(t, n, nil, nil).connected()
	p := words(s.say("eins").Address, "k1", "Antwort")
	id := s.send(p)
	p.Again = true
	n.fake.Fault(fake.Fault{Kind: fake.Page, Status: 503, Body: "<html>", Route: fake.GetMessages})
	if _, err := s.c.Send(t.Context(), p); channels.AsSendError(err).Class != channels.NotSent {
		t.Errorf("got %v, want not sent", err)
	}
	if again := s.send(p); again != id {
		t.Errorf("the post came again as %s, want %s", again, id)
	}
	n.fake.Fault(fake.Fault{Kind: fake.Refuse, Status: 403, Code: 50001, Message: "Missing Access", Route: fake.GetMessages})
	if again := s.send(p); again == id {
		t.Error("the post was found though nothing can be read")
	}
}

func TestPreviewsOfKnownHostsOnly(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, func(o *discord.Options) { o.KnownHosts = []string{"docs.example.org"} }, nil).connected()
	to := s.say("links").Address
	for i, tt := range []struct {
		text       string
		suppressed bool
	}{
		{"kein Link", false},
		{"https://docs.example.org/a und https://x.docs.example.org", false},
		{"<https://DOCS.example.org.>", false},
		{"https://docs.example.org/a und https://böse.example", true},
		{"[Text](https://evil-docs.example.org)", true},
		{"https://docs.example.org@evil.example/", true},
		{"HTTP://evil.example", true},
	} {
		s.send(words(to, fmt.Sprint(i), tt.text))
		sent := n.fake.Sent("")
		if got := sent[len(sent)-1].Flags&fake.FlagSuppressEmbeds != 0; got != tt.suppressed {
			t.Errorf("%q: suppressed %v, want %v", tt.text, got, tt.suppressed)
		}
	}
}

// What Discord says of its limits is kept before it refuses.
func TestLimitsInHeadersAreKept(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	n.fake.Limit(fake.CreateMessage, 3, 300*time.Millisecond)
	s := run(t, n, nil, nil).connected()
	to := s.say("viel").Address
	start := time.Now()
	for i := range 8 {
		s.send(words(to, fmt.Sprint("k", i), fmt.Sprint(i)))
	}
	for _, r := range n.fake.Requests(fake.CreateMessage) {
		if r.Status == 429 {
			t.Fatal("a limit was hit that Discord had told")
		}
	}
	if d := time.Since(start); d < 500*time.Millisecond {
		t.Errorf("8 messages took %s, want two waits of 300 ms", d)
	}
}

func TestWhatCannotBeSentIsNamed(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	group := n.at(channeltest.InGroup)
	first := s.say("hallo")
	thread := n.fake.OpenThread(group, first.Message, ada, "Frage")
	n.fake.Say(thread, ada, "im Thread")
	inThread := s.next()
	n.fake.Archive(thread, true)
	direct, err := s.c.Direct(ben)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := s.c.Direct("1009999999999999999")
	if err != nil {
		t.Fatal(err)
	}
	n.fake.CloseDM(ben, true)
	for _, tt := range []struct {
		name string
		post channels.Post
		want channels.Class
	}{
		{"closed thread", words(inThread.Address, "k1", "x"), channels.Gone},
		{"closed direct channel", words(direct, "k2", "x"), channels.Gone},
		{"nobody", words(unknown, "k3", "x"), channels.Gone},
		{"nothing", words(first.Address, "k4", ""), channels.Refused},
	} {
		_, err := s.c.Send(t.Context(), tt.post)
		se := channels.AsSendError(err)
		if se == nil || se.Class != tt.want || tt.want == channels.Gone && se.Remedy == "" {
			t.Errorf("%s: %v, want %s with a remedy", tt.name, err, tt.want)
		}
	}
}

func TestPersonIsAddressedByID(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	to, err := s.c.Direct(ada)
	if err != nil {
		t.Fatal(err)
	}
	s.send(words(to, "k1", "Erinnerung"))
	s.send(words(to, "k2", "Erinnerung"))
	if got := len(n.fake.Sent(n.at(channeltest.AdaDirect))); got != 2 {
		t.Errorf("%d messages reached Ada, want 2", got)
	}
	for _, bad := range []string{"", "ada", "-5", "@5"} {
		if _, err := s.c.Direct(bad); err == nil {
			t.Errorf("Direct(%q) succeeded", bad)
		}
	}
}

func TestReplyRefersToItsQuestion(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	e := s.say("Frage")
	s.send(words(e.Address, "k1", "Antwort"))
	n.fake.Delete(n.at(channeltest.InGroup), e.Message)
	if gone := s.next(); gone.Kind != channels.KindDeletion || gone.Message != e.Message {
		t.Errorf("the deletion became %+v", gone)
	}
	s.send(words(e.Address, "k2", "noch eine"))
	sent := n.fake.Sent("")
	if sent[0].ReplyTo != e.Message || len(sent) != 2 {
		t.Errorf("sent %+v", sent)
	}
}

func TestTypingIsRefreshed(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	discord.TypeEvery(s.c, 20*time.Millisecond)
	stop := s.c.Typing(t.Context(), s.say("hallo").Address)
	defer stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := n.fake.AwaitCalls(ctx, fake.TriggerTyping, 3); err != nil {
		t.Fatal(err)
	}
}

func TestCheckLooksAtEverything(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	shut := n.fake.AddChannel(guild, "", "intern", fake.GuildText)
	n.fake.Permit(shut, guild, 0, fake.SendMessages)
	s := run(t, n, func(o *discord.Options) {
		o.Watch = []string{guild, n.at(channeltest.InGroup), n.at(channeltest.TopicOne), shut, "1009999999999999999"}
	}, nil)
	var levels []string
	for _, f := range s.c.Check(t.Context()) {
		levels = append(levels, string(f.Level))
		if f.Text == "" || f.Level != channels.Green && f.Remedy == "" {
			t.Errorf("finding %+v", f)
		}
		t.Log(f.Level, f.Text)
	}
	if got := strings.Join(levels, " "); got != "green green green green green green green red red" {
		t.Errorf("levels %s", got)
	}
	withheld := newNetwork(t, fake.Options{WithoutContent: true})
	red := 0
	c := run(t, withheld, nil, nil)
	for _, f := range c.c.Check(t.Context()) {
		if f.Level == channels.Red && strings.Contains(f.Remedy, "/bot") {
			red++
		}
	}
	if red != 1 {
		t.Errorf("%d findings name the missing intent, want 1", red)
	}
}

func TestExpiredAddressesOfFilesAreAskedForAgain(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	n.fake.Post(fake.Line{Channel: n.at(channeltest.InGroup), From: ada, Files: []fake.File{{Name: "a.pdf", MIME: "application/pdf", Data: []byte("%PDF")}}})
	e := s.next()
	n.fake.ExpireAttachments()
	if len(e.Files) != 1 || strings.Contains(e.Files[0].Ref, "http") || e.Files[0].MIME != "application/pdf" {
		t.Fatalf("files %+v", e.Files)
	}
	r, err := s.c.Fetch(t.Context(), e.Files[0], 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkSend(b *testing.B) {
	f, err := fake.New(fake.Options{Token: secret})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	f.AddUser(fake.User{ID: ada, Username: "ada"})
	f.AddGuild(guild, "Runde", ada)
	c, err := discord.New(discord.Options{Account: account, Token: f.Token, URL: f.URL(), Limits: &channels.Limits{}})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	to, err := channels.NewAddress(discord.Kind, account, f.AddChannel(guild, "", "allgemein", fake.GuildText), "", "")
	if err != nil {
		b.Fatal(err)
	}
	p := channels.Post{To: to, Body: formatting.Part{Text: "Die **Frist** endet am 2. Mai.", Plain: "Die Frist endet am 2. Mai.", Mode: "markdown"}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Key = fmt.Sprint(i)
		if _, err := c.Send(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}

// A look at the setup that is not answered says why, as health does.
func TestCheckSaysWhyItIsNotAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		fault fake.Fault
		token string
		want  string
	}{
		"a foreign page": {fake.Fault{Kind: fake.Page, Status: 404, Body: "<html>Anmelden</html>"}, secret, "antwortet etwas anderes"},
		"an outage":      {fake.Fault{Kind: fake.Page, Status: 502, Body: "<html>"}, secret, "arbeitet nicht richtig"},
		"cut":            {fake.Fault{Kind: fake.CutBefore}, secret, "nicht erreichbar"},
		"a wrong token":  {fake.Fault{Kind: fake.Refuse, Status: 401, Message: "401: Unauthorized"}, secret, "kennt das Bot-Token nicht"},
		"with the word":  {fake.Fault{}, "Bot " + secret, "nicht die Form"},
		"in quotes":      {fake.Fault{}, `"` + secret + `"`, "nicht die Form"},
	} {
		n := newNetwork(t, fake.Options{})
		for _, route := range []string{"", fake.GetMyGuilds, fake.GetChannel} {
			o := n.options(nil)
			o.Token = func() string { return c.token }
			o.Watch = []string{n.at(channeltest.InGroup)}
			ch, err := discord.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if c.fault.Kind != 0 && (route == "" || c.fault.Kind != fake.Refuse) {
				c.fault.Route, c.fault.Times = route, -1
				n.fake.Fault(c.fault)
			} else if route != "" {
				continue
			}
			found := false
			for _, f := range ch.Check(t.Context()) {
				found = found || f.Level == channels.Red && strings.Contains(f.Text, c.want) && f.Remedy != ""
			}
			if !found {
				t.Errorf("%s, %q: found %+v, want %q", name, route, ch.Check(t.Context()), c.want)
			}
			n.fake.ClearFaults()
			if err := ch.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// When more interactions wait than are kept, the oldest is forgotten.
func TestOldestInteractionIsForgotten(t *testing.T) {
	const most = discord.MostActions
	if first, kept := discord.KeptActions(t.Context(), most+10, time.Now()); first != 10 || kept != most {
		t.Errorf("%d are kept, from the %dth on, want %d from the 10th", kept, first, most)
	}
}
