package discord_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
)

// Receive paths that die while the account looks alive (spec/channels.md 0.11,
// D9). Each is found by the channel itself.

// A socket that is open and dead is left, and the session resumed at the address
// that it named.
func TestHalfOpenSocketIsLeft(t *testing.T) {
	n := newNetwork(t, fake.Options{Heartbeat: 800 * time.Millisecond})
	s := run(t, n, nil, nil).connected()
	n.fake.Freeze()
	n.fake.Say(n.at(channeltest.InGroup), ada, "hört mich jemand?")
	if e := s.next(); e.Text != "hört mich jemand?" {
		t.Errorf("got %q", e.Text)
	}
	s.health(channels.Green)
	g := n.fake.Gateway()
	if g.Identifies != 1 || g.Resumed != 1 || g.ResumeURL != 1 || g.Goodbyes != 0 {
		t.Errorf("gateway %+v, want one session that was resumed", g)
	}
}

// A session that answers heartbeats and brings nothing is found out, and what it
// did not bring is fetched.
func TestSilentSessionIsFoundOut(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprint("lost=", lost), func(t *testing.T) {
			n := newNetwork(t, fake.Options{})
			n.settle = 100 * time.Millisecond
			s := run(t, n, nil, nil).connected()
			s.say("vorher")
			if lost {
				n.fake.Lose(1)
			} else {
				n.fake.Mute()
			}
			n.fake.Say(n.at(channeltest.InGroup), ada, "hört mich jemand?")
			if e := s.next(); e.Text != "hört mich jemand?" {
				t.Errorf("got %q", e.Text)
			}
			s.await("resuming", func() bool { return n.fake.Gateway().Resumed > 0 })
			s.health(channels.Green)
			if e := s.say("nachher"); e.Text != "nachher" {
				t.Errorf("got %q", e.Text)
			}
		})
	}
}

// However a connection ends, there is one after it, and a session is begun anew
// only when it has to be.
func TestEveryEndIsFollowedByAConnection(t *testing.T) {
	for _, tt := range []struct {
		name       string
		end        func(*fake.Server)
		identifies int
	}{
		{"cut", (*fake.Server).CutGateway, 1},
		{"asked to reconnect", (*fake.Server).Reconnect, 1},
		{"invalid but resumable", func(s *fake.Server) { s.Invalidate(true) }, 1},
		{"invalid", func(s *fake.Server) { s.Invalidate(false) }, 2},
		{"4000", func(s *fake.Server) { s.CloseGateway(4000, "unknown error") }, 1},
		{"4007", func(s *fake.Server) { s.CloseGateway(4007, "invalid seq") }, 2},
		{"4009", func(s *fake.Server) { s.CloseGateway(4009, "session timed out") }, 2},
		{"1000", func(s *fake.Server) { s.CloseGateway(1000, "") }, 2},
		{"1001", func(s *fake.Server) { s.CloseGateway(1001, "going away") }, 2},
		{"no session", func(s *fake.Server) { s.ForgetSessions(); s.CutGateway() }, 2},
		{"no hello", func(s *fake.Server) { s.GarbageConnects(2, `{"op":11}`); s.CutGateway() }, 1},
		{"no answer", func(s *fake.Server) { s.WithholdReady(1); s.CutGateway() }, 1},
		{"refused", func(s *fake.Server) { s.RefuseConnects(5, 503); s.CutGateway() }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newNetwork(t, fake.Options{})
			s := run(t, n, nil, nil).connected()
			s.say("vorher")
			tt.end(n.fake)
			n.fake.Say(n.at(channeltest.InGroup), ada, "nachher")
			if e := s.next(); e.Text != "nachher" {
				t.Errorf("got %q", e.Text)
			}
			s.await("the session", func() bool { return n.fake.Connected() == 1 })
			s.health(channels.Green)
			if got := n.fake.Gateway().Identifies; got != tt.identifies {
				t.Errorf("%d sessions were begun, want %d", got, tt.identifies)
			}
		})
	}
}

// The budget of sessions is kept: without one left nothing is tried, and health
// says until when.
func TestBudgetOfSessionsIsKept(t *testing.T) {
	n := newNetwork(t, fake.Options{Starts: 3})
	s := run(t, n, nil, nil)
	if h := s.health(channels.Yellow); !strings.Contains(h.Reason, "noch 3 ") {
		t.Errorf("health is %+v, want the sessions that were left", h)
	}
	s.await("a session", func() bool { return n.fake.Connected() == 1 })
	for i := range 3 {
		n.fake.Invalidate(false)
		s.await("the next session", func() bool { return n.fake.Gateway().Identifies == min(i+2, 3) && (i == 2 || n.fake.Connected() == 1) })
	}
	h := s.health(channels.Red)
	if !strings.Contains(h.Reason, "3") {
		t.Errorf("health is %+v, want the budget", h)
	}
	if got := n.fake.Gateway().Identifies; got != 3 {
		t.Errorf("%d sessions were begun, want 3", got)
	}
}

// A token that is revoked shows, also when the socket stays.
func TestRevokedTokenEndsRun(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	n.fake.Revoke()
	se := channels.AsSendError(<-s.ended)
	if se == nil || se.Class != channels.Misconfigured || se.Remedy == "" {
		t.Errorf("Run returned %v, want misconfigured", se)
	}
	s.health(channels.Red)
}

func TestTokenIsLookedAtWhileTheSocketIsSilent(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	n.fake.Fault(fake.Fault{Kind: fake.Refuse, Route: fake.GetApplication, Status: 401, Message: "401: Unauthorized", Times: -1})
	if se := channels.AsSendError(<-s.ended); se == nil || se.Class != channels.Misconfigured {
		t.Errorf("Run returned %v, want misconfigured", se)
	}
	s.health(channels.Red)
}

// Nobody can write to a bot without a guild.
func TestRemovedFromEveryGuildIsRed(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	s.say("hallo")
	n.fake.Kick(guild)
	if e := s.next(); e.Change != channels.ChangeRemoved || e.Address.Chat() != n.at(channeltest.InGroup) {
		t.Errorf("the removal became %+v", e)
	}
	if h := s.health(channels.Red); !strings.Contains(h.Remedy, "client_id="+botID) {
		t.Errorf("health is %+v, want an invitation", h)
	}
	n.fake.Invite(guild)
	if e := s.next(); e.Change != channels.ChangeJoined {
		t.Errorf("the invitation became %+v", e)
	}
	s.health(channels.Green)
}

// Silence turns yellow and then red by the clock, without any sign of an end.
func TestSilenceTurnsRedWithinTwoMinutes(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s := run(t, n, func(o *discord.Options) { o.Now = now }, nil).connected()
	n.fake.Freeze()
	ahead.Store(int64(70 * time.Second))
	s.health(channels.Yellow)
	ahead.Store(int64(119 * time.Second))
	s.health(channels.Red)
}

// A gateway that answers every attempt to begin or resume a session with a word
// of its own, and never with a session, is no sign of life, though each of these
// words is routine by itself.
func TestSessionsThatNeverBeginTurnRed(t *testing.T) {
	for _, word := range []string{`{"op":9,"d":false}`, `{"op":9,"d":true}`, `{"op":7,"d":null}`} {
		t.Run(word, func(t *testing.T) {
			n := newNetwork(t, fake.Options{})
			var ahead atomic.Int64
			now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
			s := run(t, n, func(o *discord.Options) { o.Now = now }, nil).connected()
			n.fake.RejectConnects(-1, word)
			n.fake.Reconnect()
			s.health(channels.Yellow)
			s.await("several attempts", func() bool { return n.fake.Gateway().Connects > 4 })
			ahead.Store(int64(119 * time.Second))
			if h := s.health(channels.Red); !strings.Contains(h.Reason, "session") && !strings.Contains(h.Reason, "reconnect") {
				t.Errorf("health is %+v, want what the gateway says", h)
			}
			if s.log.count("channel does not receive") != 1 {
				t.Errorf("logged %d times, want once", s.log.count("channel does not receive"))
			}
			n.fake.ClearFaults()
			s.health(channels.Green)
			if e := s.say("nachher"); e.Text != "nachher" {
				t.Errorf("got %q", e.Text)
			}
		})
	}
}

// A store that takes nothing is red, and green when it takes again.
func TestUnstoredEventsAreRed(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	var full atomic.Bool
	full.Store(true)
	s := run(t, n, nil, func(context.Context, channels.Event) error {
		if full.Load() {
			return errors.New("disk full")
		}
		return nil
	})
	n.fake.Say(n.at(channeltest.InGroup), ada, "wichtig")
	s.health(channels.Red)
	full.Store(false)
	if e := s.next(); e.Text != "wichtig" {
		t.Errorf("got %q", e.Text)
	}
	s.health(channels.Green)
}

// What is left out of the missed messages is told.
func TestLeftOutMessagesAreTold(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	s.say("vorher")
	s.stop()
	for i := range 30 {
		n.fake.Say(n.at(channeltest.InGroup), ada, fmt.Sprint(i))
	}
	s = run(t, n, func(o *discord.Options) { o.CatchUpMessages = 20 }, nil)
	for i := 10; i < 30; i++ { // the newest, for which somebody may still wait
		if e := s.next(); e.Text != fmt.Sprint(i) {
			t.Errorf("got %q, want %d", e.Text, i)
		}
	}
	if h := s.health(channels.Yellow); h.Reason == "" || s.log.count("missed messages are left out") != 1 {
		t.Errorf("health is %+v, logged %d times", h, s.log.count("missed messages are left out"))
	}
}

// What is too old is left out and told; what is not is delivered without a word.
func TestOldMessagesAreLeftOut(t *testing.T) {
	for _, age := range []time.Duration{time.Hour, 30 * time.Hour} {
		n := newNetwork(t, fake.Options{})
		floor := uint64(time.Now().Add(-35*time.Hour).UnixMilli()-1420070400000) << 22
		if err := n.cursor.Save(fmt.Appendf(nil, `{"v":1,"floor":"%d"}`, floor)); err != nil {
			t.Fatal(err)
		}
		group := n.at(channeltest.InGroup)
		n.past.Store(int64(age))
		n.fake.Say(group, ada, "verpasst")
		n.past.Store(0)
		n.fake.Say(group, ada, "neu")
		s := run(t, n, nil, nil)
		var texts []string
		for len(texts) == 0 || texts[len(texts)-1] != "neu" {
			if e := s.next(); e.Address.Chat() == group {
				texts = append(texts, e.Text)
			}
		}
		want, state := "verpasst|neu", channels.Green
		if age > 24*time.Hour {
			want, state = "neu", channels.Yellow
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("after %s came %q, want %q", age, got, want)
		}
		s.health(state)
	}
}

// A clock of ours that is wrong is told, and costs no message.
func TestWrongClockLosesNothing(t *testing.T) {
	for _, by := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour} {
		n := newNetwork(t, fake.Options{})
		wrong := func(o *discord.Options) { o.Now = func() time.Time { return time.Now().Add(by) } }
		s := run(t, n, wrong, nil).connected()
		s.say("vorher")
		if got := s.c.Health().Ahead; (got-by).Abs() > 5*time.Second || by == 0 && got != 0 {
			t.Errorf("clock wrong by %s: ahead %s", by, got)
		}
		s.stop()
		n.fake.Say(n.at(channeltest.InGroup), ada, "verpasst")
		s = run(t, n, wrong, nil)
		if e := s.next(); e.Text != "verpasst" {
			t.Errorf("clock wrong by %s: got %q", by, e.Text)
		}
	}
}

// A cursor that is not understood is told, kept, and costs no message: the
// channels are read again.
func TestCursorThatIsNotUnderstoodIsKept(t *testing.T) {
	for _, held := range []string{`{"v":1,"floor":"x"`, `{"v":1,"floor":"x"}`, `{"v":7,"marks":[1,2]}`, `[]`} {
		n := newNetwork(t, fake.Options{})
		if err := n.cursor.Save([]byte(held)); err != nil {
			t.Fatal(err)
		}
		n.fake.Say(n.at(channeltest.InGroup), ada, "verpasst")
		s := run(t, n, nil, nil)
		if h := s.health(channels.Yellow); h.Reason == "" || h.Remedy == "" {
			t.Errorf("%s: health is %+v", held, h)
		}
		if e := s.next(); e.Text != "verpasst" {
			t.Errorf("%s: got %q", held, e.Text)
		}
		if e := s.say("neu"); e.Text != "neu" {
			t.Errorf("%s: got %q", held, e.Text)
		}
		s.stop()
		for range 2 { // and after the next start as well
			raw, _ := n.cursor.Load()
			var kept struct{ Unread []byte }
			if err := json.Unmarshal(raw, &kept); err != nil || string(kept.Unread) != held {
				t.Errorf("%s: the cursor holds %q, %v", held, kept.Unread, err)
			}
			s = run(t, n, nil, nil).connected()
			s.say("später")
			s.stop()
		}
	}
}

// A brokenCursor cannot be read for a while.
type brokenCursor struct {
	channels.Cursor
	broken atomic.Bool
}

func (b *brokenCursor) Load() ([]byte, error) {
	if b.broken.Load() {
		return nil, errors.New("input/output error")
	}
	return b.Cursor.Load()
}

// An oddCursor holds what nobody understands.
type oddCursor struct{ channels.Cursor }

func (oddCursor) Load() ([]byte, error) { return nil, fmt.Errorf("damaged: %w", channels.ErrCursor) }

// Where the file itself is not understood, the channels are read again too.
func TestDamagedCursorFileLosesNothing(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	n.fake.Say(n.at(channeltest.InGroup), ada, "verpasst")
	s := run(t, n, func(o *discord.Options) { o.Cursor = oddCursor{&n.cursor} }, nil)
	if e := s.next(); e.Text != "verpasst" {
		t.Errorf("got %q", e.Text)
	}
	s.health(channels.Yellow)
}

// A cursor that cannot be read is waited for and not overwritten.
func TestUnreadableCursorIsWaitedFor(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	s.say("vorher")
	s.stop()
	n.fake.Say(n.at(channeltest.InGroup), ada, "verpasst")
	saves := n.cursor.Saves()
	c := &brokenCursor{Cursor: &n.cursor}
	c.broken.Store(true)
	s = run(t, n, func(o *discord.Options) { o.Cursor = c }, nil)
	if h := s.health(channels.Red); !strings.Contains(h.Reason, "input/output error") {
		t.Errorf("health is %+v", h)
	}
	if got := n.cursor.Saves(); got != saves {
		t.Errorf("the cursor was written %d times while it could not be read", got-saves)
	}
	c.broken.Store(false)
	if e := s.next(); e.Text != "verpasst" {
		t.Errorf("got %q", e.Text)
	}
	s.health(channels.Green)
}

// A server's clock that is wrong for a moment, or was when a mark was saved,
// costs no message.
func TestMarkInTheFutureLosesNothing(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	future := uint64(time.Now().Add(24*time.Hour).UnixMilli()-1420070400000) << 22
	if err := n.cursor.Save(fmt.Appendf(nil, `{"v":1,"floor":"%d"}`, future)); err != nil {
		t.Fatal(err)
	}
	n.fake.Say(n.at(channeltest.InGroup), ada, "verpasst")
	s := run(t, n, nil, nil)
	if e := s.next(); e.Text != "verpasst" {
		t.Errorf("got %q", e.Text)
	}
	s.stop()
	if got := discord.RaisedTo(time.Now().Add(24*time.Hour), 4711<<22); got != 4711<<22 {
		t.Errorf("the floor rose to %d, above all messages that came", got)
	}
}

// While somebody goes on writing, sessions are lost and resumed at random: every
// message comes once and in its order, whichever way it comes.
func TestOrderIsKeptThroughLostSessions(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	random := rand.New(rand.NewPCG(3, 5))
	group, direct := n.at(channeltest.InGroup), n.at(channeltest.AdaDirect)
	const messages = 900
	for i := range messages {
		n.fake.Say([]string{group, direct}[i%2], ada, fmt.Sprint(i))
		switch random.IntN(40) {
		case 0:
			n.fake.CutGateway()
		case 1:
			n.fake.ForgetSessions()
			n.fake.CutGateway()
		case 2:
			n.fake.Invalidate(false)
		case 3:
			n.fake.Repeat(20)
		case 4: // let it take a breath
			s.await("a session", func() bool { return n.fake.Connected() == 1 })
		}
	}
	next := map[string]int{group: 0, direct: 1}
	for range messages {
		e := s.next()
		chat := e.Address.Chat()
		if want := fmt.Sprint(next[chat]); e.Text != want {
			t.Fatalf("in %s came %s, want %s; gateway %+v", chat, e.Text, want, n.fake.Gateway())
		}
		next[chat] += 2
	}
	t.Logf("%+v", n.fake.Gateway())
}

// Several accounts of one process have addresses of their own.
func TestAccountsHaveAddressesOfTheirOwn(t *testing.T) {
	one, two := newNetwork(t, fake.Options{}), newNetwork(t, fake.Options{})
	a, b := run(t, one, nil, nil).connected(), run(t, two, nil, nil).connected()
	if e := a.say("eins"); e.Text != "eins" {
		t.Errorf("got %q", e.Text)
	}
	if e := b.say("zwei"); e.Text != "zwei" {
		t.Errorf("got %q", e.Text)
	}
}
