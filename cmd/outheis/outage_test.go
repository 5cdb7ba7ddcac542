package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/config/texts"
)

// TestOutages shows what becomes of questions, and what the administrator sees,
// while the network, the token or the clock is not as it should be.
func TestOutages(t *testing.T) {
	t.Parallel()
	together(t, map[string]func(*testing.T){
		"unreachable at the start":      unreachableAtStart,
		"unreachable in the middle":     unreachableInTheMiddle,
		"server out of order":           outOfOrder,
		"answers that are none":         noAnswers,
		"killed during a long poll":     killedWhilePolling,
		"killed while taking questions": killedWhileTaking,
		"two instances":                 twoInstances,
		"wrong token":                   wrongToken,
		"token revoked":                 tokenRevoked,
		"token refused once":            tokenRefusedOnce,
		"clock behind":                  func(t *testing.T) { wrongClock(t, -time.Hour) },
		"clock ahead":                   func(t *testing.T) { wrongClock(t, 3*time.Minute) },
		"clock set back":                clockSetBack,
	})
}

// awaitHealth waits until the account stands as wanted.
func (s *scene) awaitHealth(want ...channels.State) channels.Health {
	s.t.Helper()
	var h channels.Health
	s.until(fmt.Sprint("health ", want), func() bool {
		h = s.account().Health
		for _, w := range want {
			if h.State == w {
				return true
			}
		}
		return false
	})
	if (h.State == channels.Red || h.State == channels.Yellow) && (h.Reason == "" || h.Remedy == "") {
		s.t.Errorf("%s without a reason or a remedy: %+v", h.State, h)
	}
	return h
}

func (s *scene) down() {
	s.t.Helper()
	if err := s.server.Down(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) up() {
	s.t.Helper()
	if err := s.server.Up(); err != nil {
		s.t.Fatal(err)
	}
}

func unreachableAtStart(t *testing.T) {
	s := newScene(t, 1)
	s.down()
	s.start()
	s.awaitHealth(channels.Yellow)
	s.ask(person(0), 0)
	s.up()
	s.got(person(0), 1)
	s.awaitHealth(channels.Green)
	s.settled()
	s.answered(person(0), claims(0))
}

// Questions are written and answers wait while Telegram cannot be reached.
func unreachableInTheMiddle(t *testing.T) {
	s := newScene(t, 3)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(0), RetryAfter: 1})
	s.ask(person(0), 0)
	s.until("an answer that waits", func() bool { return s.status().Gateway.Failures["retry_after"] == 1 })
	s.down()
	s.ask(person(1), 1)
	s.ask(person(2), 2)
	s.ask(person(0), 1)
	s.awaitHealth(channels.Yellow)
	s.until("a try without a network", func() bool { // the first may be under way when the network goes
		f := s.status().Gateway.Failures
		return f[channels.NotSent]+f[channels.Unsure] > 0
	})
	s.up()
	s.got(person(0), 2)
	s.got(person(1), 1)
	s.got(person(2), 1)
	s.awaitHealth(channels.Green)
	s.settled()
	marked := s.answeredAfterDeath(person(0), 0, 1)
	s.answered(person(1), claims(1))
	s.answered(person(2), claims(2))
	if unsure := s.status().Gateway.Failures[channels.Unsure]; uint64(marked) != unsure {
		t.Errorf("%d answers are marked, %d may have arrived before", marked, unsure)
	}
}

// The server, or one in front of it, answers with errors for a while.
func outOfOrder(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.Refuse, Method: "getUpdates", Times: 2, Status: http.StatusInternalServerError, Description: "Internal Server Error"})
	s.server.Fault(fake.Fault{Kind: fake.Page, Method: "getUpdates", Status: http.StatusBadGateway, Body: "<html>Bad Gateway</html>"})
	s.server.Fault(fake.Fault{Kind: fake.Page, Method: "sendMessage", Chat: person(0), Status: http.StatusBadGateway, Body: "<html>Bad Gateway</html>"})
	s.ask(person(0), 0)
	s.ask(person(1), 1)
	s.got(person(0), 1)
	s.got(person(1), 1)
	s.settled()
	s.answered(person(0), claims(0)+"!") // whether it arrived was not to be known
	s.answered(person(1), claims(1))
}

// Somebody answers who is not Telegram: a login page, another server.
func noAnswers(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.Redirect, Method: "sendMessage", Chat: person(0), Location: "http://127.0.0.1:9/login"})
	s.server.Fault(fake.Fault{Kind: fake.Garbage, Method: "sendMessage", Chat: person(1), Body: "<html>Willkommen</html>"})
	s.ask(person(0), 0)
	s.ask(person(1), 1)
	s.got(person(0), 1)
	s.got(person(1), 2)
	s.settled()
	s.answered(person(0), claims(0))
	s.answered(person(1), claims(1)+" "+claims(1)+"!")
}

// Nobody loses what is written while a poll waits, or between two processes.
func killedWhilePolling(t *testing.T) {
	s := newScene(t, 1)
	for n := range 3 {
		s.start()
		if err := s.server.AwaitPolling(s.wait()); err != nil {
			t.Fatal(err)
		}
		s.kill()
		s.ask(person(0), n)
		s.start()
		s.got(person(0), n+1)
		s.settled()
		s.kill()
	}
	s.answered(person(0), claims(0, 1, 2))
}

// Twenty questions are on their way in when the process dies: each is taken
// once, whether it was confirmed or comes again.
func killedWhileTaking(t *testing.T) {
	s := newScene(t, 20)
	for n := range 20 {
		s.ask(person(n), n)
	}
	s.start()
	s.until("the first of them", func() bool { return s.status().Queue.Lines > 0 })
	s.kill()
	unsure := s.unsureTries()
	s.start()
	for n := range 20 {
		s.got(person(n), 1)
	}
	s.settled()
	r := readLog(t, s.human)
	if len(r.requests) != 20 || len(r.ends) != 20 || len(r.bad) > 0 {
		t.Errorf("%d requests and %d ends, want 20 of each; %v", len(r.requests), len(r.ends), r.bad)
	}
	marked := 0
	for n := range 20 {
		marked += s.answeredAfterDeath(person(n), n)
	}
	if marked > unsure {
		t.Errorf("%d answers are marked, of %d nobody could know", marked, unsure)
	}
	t.Logf("%d of 20 answers were on their way when the process died, %d are marked", unsure, marked)
}

// Two instances have one token. Both back off, the administrators of both see
// what is wrong, and the one that stays recovers.
func twoInstances(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	other := &scene{
		t: t, human: filepath.Join(t.TempDir(), "human"), token: s.token, server: s.server, telegram: s.telegram, unsure: s.unsure, patience: s.patience,
	}
	makeHuman(other)
	if err := s.server.AwaitPolling(s.wait()); err != nil {
		t.Fatal(err)
	}
	polls, began := s.server.Calls("getUpdates"), time.Now()
	other.start()
	de := texts.For("de")
	s.until("a line in the log", func() bool { return strings.Contains(s.said(), de.Say("telegram.conflict_remedy")) })
	for _, one := range []*scene{s, other} {
		h := one.awaitHealth(channels.Red)
		if h.Reason != de.Say("telegram.conflict") || h.Remedy != de.Say("telegram.conflict_remedy") {
			t.Errorf("health is %+v, want the conflict named", h)
		}
	}
	if n, most := s.server.Calls("getUpdates")-polls, 6+4*int(time.Since(began)/time.Second); n > most {
		t.Errorf("%d polls within %s, want no more than %d", n, time.Since(began), most)
	}
	other.stop()
	s.ask(person(0), 0)
	s.got(person(0), 1)
	s.settled()
	s.answered(person(0), claims(0))
	if thorough { // a conflict is remembered for the length of a long poll
		s.patience = 80 * time.Second
		s.awaitHealth(channels.Green)
	}
}

// With a wrong token the program runs on: other channels are not concerned, and
// the right token can be put in while it runs.
func wrongToken(t *testing.T) {
	s := newScene(t, 1)
	s.setToken(fmt.Sprintf("%d:FAKE-token-that-nobody-has-given-out-000", sceneBot))
	s.start()
	h := s.awaitHealth(channels.Red)
	de := texts.For("de")
	remedy := de.Say("telegram.token_wrong_remedy")
	if h.Reason != de.Say("telegram.token_wrong") || h.Remedy != remedy {
		t.Errorf("health is %+v, want the wrong token named", h)
	}
	s.until("a line in the log", func() bool { return strings.Contains(s.said(), remedy) })
	if n := s.server.Calls("getUpdates"); n > 0 {
		t.Errorf("%d polls with a wrong token", n)
	}
	s.ask(person(0), 0)
	s.setToken(s.server.Token())
	s.reload()
	s.got(person(0), 1)
	s.awaitHealth(channels.Green)
	s.settled()
	s.answered(person(0), claims(0))
}

// A single refusal of the token, as servers give it by mistake, ends nothing.
func tokenRefusedOnce(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.Refuse, Status: 401, Description: "Unauthorized", Method: "getUpdates", Times: 1})
	s.ask(person(0), 0) // ends a long poll; the next one is refused
	s.got(person(0), 1)
	s.until("a line in the log", func() bool { return strings.Contains(s.said(), texts.For("de").Say("telegram.token_wrong_remedy")) })
	s.ask(person(0), 1)
	s.got(person(0), 2)
	s.awaitHealth(channels.Green)
	s.settled()
	s.answered(person(0), claims(0, 1))
}

// The token is revoked while an answer waits. With the new one it goes out.
func tokenRevoked(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(0), RetryAfter: 1})
	s.ask(person(0), 0)
	s.until("an answer that waits", func() bool { return s.status().Gateway.Failures["retry_after"] == 1 })
	s.server.Revoke()
	s.awaitHealth(channels.Red)
	s.until("a try with the old token", func() bool { return s.status().Gateway.Failures["misconfigured"] > 0 })
	bot, token := s.server.Bot(), fmt.Sprintf("%d:FAKE-token-of-these-tests-only-22222222", sceneBot)
	s.server.ReplaceBot(bot, token, 5)
	s.setToken(token)
	s.reload()
	s.got(person(0), 1)
	s.ask(person(1), 1)
	s.got(person(1), 1)
	s.awaitHealth(channels.Green)
	s.settled()
	s.answered(person(0), claims(0))
	s.answered(person(1), claims(1))
}

// A clock that is somewhat wrong changes nothing that people see.
func wrongClock(t *testing.T, by time.Duration) {
	s := newScene(t, 1)
	s.shift = by
	s.start()
	s.ask(person(0), 0)
	sent := s.got(person(0), 1)
	s.settled()
	s.answered(person(0), claims(0))
	if strings.Contains(sent[0].Text, "Verspätung") {
		t.Errorf("with a clock that is wrong by %s the answer is %q", by, sent[0].Text)
	}
}

// The clock was two days ahead and is put right: the log goes on in order, and
// what waited is answered.
func clockSetBack(t *testing.T) {
	s := newScene(t, 1)
	s.shift = 48 * time.Hour
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(0), RetryAfter: 2})
	s.post(fake.Line{Chat: person(0), From: person(0), Text: almanachQuestions[0], At: time.Now().Add(s.shift).Unix()})
	s.until("an answer that waits", func() bool { return s.status().Gateway.Failures["retry_after"] == 1 })
	s.kill()
	unsure := s.unsureTries() // none, unless all this took longer than Telegram's wait
	s.shift = 0
	s.start()
	s.ask(person(0), 1)
	s.got(person(0), 2)
	s.settled()
	if marked := s.answeredAfterDeath(person(0), 0, 1); marked > unsure {
		t.Errorf("%d answers are marked, of %d nobody could know", marked, unsure)
	}
	if r := readLog(t, s.human); len(r.bad) > 0 {
		t.Errorf("the log is not in order: %v", r.bad)
	}
}
