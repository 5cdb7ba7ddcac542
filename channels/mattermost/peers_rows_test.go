//go:build peers

package mattermost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/mattermost"
	"outheis/formatting"
)

// Rows that only the real server can answer, on one server.
func TestRealServer(t *testing.T) {
	r := startReal(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *realServer)
	}{
		{"RendersAsTheServerKeepsIt", rendersOnTheRealServer},
		{"MassMentionsCallNobody", massMentionsOnTheRealServer},
		{"DisabledAccountIsToldAndComesBack", disabledOnTheRealServer},
		{"RepeatAfterTheWindowFindsThePost", repeatOnTheRealServer},
		{"KilledServerLosesNothing", killedServer},
		{"StoppedServerIsFoundOut", stoppedServer},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, r) })
	}
}

// begin runs an adapter against the server, straight.
func (s *realSide) begin(cursor channels.Cursor, o func(*mattermost.Options)) (*mattermost.Channel, chan channels.Event, chan error) {
	s.t.Helper()
	opts := mattermost.Options{
		Account: account, Token: func() string { return s.me.token }, URL: s.url(), Cursor: cursor, Timeout: 5 * time.Second, Limits: &channels.Limits{},
		Retry: channels.Backoff{Min: 10 * time.Millisecond, Max: 300 * time.Millisecond}, Ping: 2 * time.Second, Probe: time.Second,
	}
	if o != nil {
		o(&opts)
	}
	c, err := mattermost.New(opts)
	if err != nil {
		s.t.Fatal(err)
	}
	mattermost.Hasten(c, 100*time.Millisecond)
	events, result := run(s.t, c)
	s.green(c)
	return c, events, result
}

// green waits until the channel receives.
func (s *realSide) green(c *mattermost.Channel) {
	s.t.Helper()
	end, tick := time.NewTimer(30*time.Second), time.NewTicker(10*time.Millisecond)
	defer end.Stop()
	defer tick.Stop()
	for c.Health().State != channels.Green {
		select {
		case <-end.C:
			s.t.Fatalf("health is %+v", c.Health())
		case <-tick.C: // nobody tells
		}
	}
}

func (s *realSide) last(channel string) shown {
	s.t.Helper()
	all := s.ours(channel)
	if len(all) == 0 {
		s.t.Fatal("nothing arrived")
	}
	return all[len(all)-1]
}

// A table, a long answer and a part of just the limit arrive as they were
// rendered.
func rendersOnTheRealServer(t *testing.T, r *realServer) {
	s := r.side(t)
	c, _, _ := s.begin(nil, nil)
	chat := s.at(channeltest.AdaDirect).channel
	to := address(t, chat, "")
	doc := formatting.Parse("# Fristen\n\n| Fall | Frist |\n|---|---:|\n| a\\|b | 3 Monate |\n| `x|y` | **2 Wochen** |\n\n1. eins\n2. zwei\n\n> Zitat\n\n```go\nif a < b {}\n```\n\n@all *wichtig* https://a.example/x_y")
	for range 400 {
		doc.Blocks = append(doc.Blocks, formatting.Paragraph{Inlines: []formatting.Inline{formatting.Text("Und noch ein Absatz mit Wörtern, die alle ankommen sollen. 😀")}})
	}
	parts := formatting.Render(doc, c.Profile())
	if len(parts) < 2 {
		t.Fatalf("%d parts, want several", len(parts))
	}
	var all strings.Builder
	for i, p := range parts {
		if _, err := c.Send(t.Context(), channels.Post{To: to, Key: fmt.Sprint("r", i), Body: p}); err != nil {
			t.Fatalf("part %d of %d: %v", i+1, len(parts), err)
		}
		got := s.last(chat).text
		if strings.ReplaceAll(got, "\u2060", "") != strings.ReplaceAll(p.Text, "\u2060", "") {
			t.Errorf("part %d is kept otherwise than it was sent", i+1)
		}
		all.WriteString(got)
	}
	if n := strings.Count(all.String(), "ankommen sollen"); n != 400 {
		t.Errorf("%d of 400 paragraphs arrived", n)
	}
	if !strings.Contains(all.String(), "| 3 Monate |") {
		t.Errorf("no native table: %.300s", all.String())
	}
	for _, unit := range []string{"a", "ü", "😀"} {
		if _, err := c.Send(t.Context(), words(to, strings.Repeat(unit, 16383))); err != nil {
			t.Errorf("16,383 times %s: %v", unit, err)
		}
		_, err := c.Send(t.Context(), words(to, strings.Repeat(unit, 16384)))
		class(t, err, channels.Refused)
	}
	t.Logf("%d parts", len(parts))
}

// What we send mentions nobody, by the server's own word: the websocket of Ada
// says whom a post mentions.
func massMentionsOnTheRealServer(t *testing.T, r *realServer) {
	s := r.side(t)
	c, _, _ := s.begin(nil, nil)
	group := s.at(channeltest.InGroup).channel
	ada := s.people[channeltest.Ada]
	mentions := func() int {
		var unread struct {
			Mentions int `json:"mention_count"`
		}
		s.must(ada, http.MethodGet, "/users/"+ada.id+"/channels/"+group+"/unread", nil, &unread)
		return unread.Mentions
	}
	before := mentions()
	texts := []string{"@all", "@channel!", "x:@HERE", "_@all_", "**@here**", "\\@all", "&#64;all", "&commat;channel", "@&#97;ll", "[x](http://a.example)@all", "`a`@here", "http://a.example/@all", "@al&#108;", "a.@all"}
	for i, text := range texts {
		p := channels.Post{To: address(t, group, ""), Key: fmt.Sprint("m", i), Body: formatting.Part{Text: text, Plain: "anders", Mode: "Markdown"}}
		if _, err := c.Send(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if n := mentions() - before; n != 0 {
		t.Errorf("%d of %d posts mention Ada", n, len(texts))
	}
	// The check can fail: unbroken, some of them do mention.
	control := 0
	for _, text := range texts {
		was := mentions()
		s.must(s.people[channeltest.Ben], http.MethodPost, "/posts", map[string]string{"channel_id": group, "message": text}, nil)
		control += mentions() - was
	}
	if control == 0 {
		t.Error("nobody is mentioned by the unbroken texts either")
	}
	t.Logf("of %d texts of ours none mentions Ada, of the same ones unbroken %d do", len(texts), control)
}

// channels.md M2, by the server's own doing.
func disabledOnTheRealServer(t *testing.T, r *realServer) {
	s := r.side(t)
	var cursor channeltest.Cursor
	c, events, result := s.begin(&cursor, nil)
	at := s.at(channeltest.AdaDirect)
	s.post(channeltest.Ada, at, "vorher", nil)
	next(t, events)
	s.must(s.admin, http.MethodPost, "/bots/"+s.me.id+"/disable", nil, nil)
	class(t, next(t, result), channels.Misconfigured)
	if h := c.Health(); h.State != channels.Red || h.Remedy == "" {
		t.Errorf("health is %+v", h)
	}
	s.post(channeltest.Ada, at, "währenddessen", nil)
	s.must(s.admin, http.MethodPost, "/bots/"+s.me.id+"/enable", nil, nil)
	again, _ := run(t, c)
	if e := next(t, again); e.Text != "währenddessen" {
		t.Errorf("%q came", e.Text)
	}
	// Disabled and enabled between two probes: the connection is dead and open.
	quick, events2, _ := s.begin(&cursor, func(o *mattermost.Options) { o.Probe = time.Hour })
	s.must(s.admin, http.MethodPost, "/bots/"+s.me.id+"/disable", nil, nil)
	s.must(s.admin, http.MethodPost, "/bots/"+s.me.id+"/enable", nil, nil)
	s.post(channeltest.Ada, at, "hört mich jemand?", nil)
	for {
		if e := next(t, events2); e.Text == "hört mich jemand?" {
			break
		}
	}
	if h := quick.Health(); h.State == channels.Red {
		t.Errorf("health is %+v", h)
	}
}

// The server keeps pending ids for 30 s and forgets them when it is started
// anew; the key in the props stays.
func repeatOnTheRealServer(t *testing.T, r *realServer) {
	s := r.side(t)
	n := newNetwork(t, s)
	opened, err := n.Open(quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer opened.(channels.Closer).Close()
	chat := s.at(channeltest.AdaDirect).channel
	p := words(address(t, chat, ""), "einmal")
	n.BreakSend(channeltest.CutAfter, 1)
	_, err = opened.Send(t.Context(), p)
	class(t, err, channels.Unsure)
	r.m.Kill()
	r.m.Up(t)
	p.Again = true
	if _, err := opened.Send(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if all := s.ours(chat); len(all) != 1 {
		t.Errorf("%d posts, want 1", len(all))
	}
}

// killedServer kills and restarts the server while questions come and answers
// go out: each question that the server took is heard once, each answer stands
// there once.
func killedServer(t *testing.T, r *realServer) {
	s := r.side(t)
	var cursor channeltest.Cursor
	c, events, _ := s.begin(&cursor, nil)
	at := s.at(channeltest.AdaDirect)
	const questions, kills = 150, 3
	asked := make(map[string]bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		ada := s.people[channeltest.Ada]
		for i := range questions {
			text := fmt.Sprint("Frage ", i)
			for {
				var made struct{ ID string }
				err := ada.do(http.MethodPost, "/posts", map[string]string{"channel_id": at.channel, "message": text, "pending_post_id": ada.id + ":" + text}, &made)
				if err == nil {
					break
				}
				select {
				case <-t.Context().Done():
					return
				case <-time.After(50 * time.Millisecond): // until the server is back
				}
				// It may have been taken before the cut.
				if s.has(at.channel, text) {
					break
				}
			}
		}
	})
	wg.Go(func() {
		for range kills {
			select {
			case <-time.After(700 * time.Millisecond): // some questions later
			case <-t.Context().Done():
				return
			}
			r.m.Kill()
			r.m.Up(t)
		}
	})
	keys := make(map[string]int)
	for len(asked) < questions {
		e := next(t, events)
		keys[e.Key]++
		if e.Text != "" && !asked[e.Text] {
			asked[e.Text] = true
			p := words(e.Address, "Antwort auf "+e.Text)
			for {
				_, err := c.Send(t.Context(), p)
				if err == nil {
					break
				}
				if se := channels.AsSendError(err); se.Class == channels.Unsure {
					p.Again = true
				} else if se.Class != channels.NotSent {
					t.Fatal(err)
				}
				select {
				case <-time.After(20 * time.Millisecond):
				case <-t.Context().Done():
					t.Fatal("too late")
				}
			}
		}
	}
	wg.Wait()
	answers := make(map[string]int)
	for _, p := range s.ours(at.channel) {
		answers[p.text]++
	}
	doubled := 0
	for i := range questions {
		if n := answers[fmt.Sprint("Antwort auf Frage ", i)]; n != 1 {
			t.Errorf("answer %d stands there %d times", i, n)
		}
	}
	for _, n := range keys {
		if n > 1 {
			doubled++
		}
	}
	if doubled > 0 {
		t.Errorf("%d events came twice", doubled)
	}
	t.Logf("%d questions over %d kills: %d heard, %d events twice, %d answers", questions, kills, len(asked), doubled, len(answers))
}

// has reports whether a person's post is there.
func (s *realSide) has(channel, text string) bool {
	var list struct {
		Posts map[string]struct{ Message string }
	}
	for {
		if s.admin.do(http.MethodGet, "/channels/"+channel+"/posts?per_page=60", nil, &list) == nil {
			break
		}
		select {
		case <-s.t.Context().Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	for _, p := range list.Posts {
		if p.Message == text {
			return true
		}
	}
	return false
}

// channels.md M1 with a real server that stops answering and keeps its
// connections.
func stoppedServer(t *testing.T, r *realServer) {
	s := r.side(t)
	c, events, _ := s.begin(nil, func(o *mattermost.Options) { o.Timeout = time.Second })
	at := s.at(channeltest.AdaDirect)
	s.post(channeltest.Ada, at, "vorher", nil)
	next(t, events)
	if err := r.m.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for c.Health().State == channels.Green {
		select {
		case <-ctx.Done():
			t.Fatal("a server that stands still looks well")
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := r.m.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.post(channeltest.Ada, at, "nachher", nil)
	if e := next(t, events); e.Text != "nachher" {
		raw, _ := json.Marshal(e)
		t.Errorf("came %s", raw)
	}
}
