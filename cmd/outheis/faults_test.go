package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	fake "outheis/channels/fakenet/telegram"
)

// TestFaultList shows every row of the fault list of spec/channels.md §3.2 as in
// its column "wanted", through the whole program.
func TestFaultList(t *testing.T) {
	t.Parallel()
	together(t, map[string]func(*testing.T){
		"429":                  tooMany,
		"reply lost":           replyLost,
		"request lost":         requestLost,
		"lost twice":           lostTwice,
		"400 for ever":         refusedForEver,
		"emoji before mention": emojiBeforeMention,
		"topics":               topics,
		"other bot":            otherBot,
		"3990 emoji":           manyEmoji,
		"kill -9, 20 waiting":  func(t *testing.T) { twentyWaiting(t, (*scene).kill) },
		"SIGTERM, 20 waiting":  func(t *testing.T) { twentyWaiting(t, (*scene).stop) },
		"kill -9 three times":  killedThrice,
		"kill -9 while pacing": func(t *testing.T) { endedWhilePacing(t, (*scene).kill) },
		"SIGTERM while pacing": func(t *testing.T) { endedWhilePacing(t, (*scene).stop) },
		"another bot, low ids": anotherBot,
		"ids begin at random":  randomIDs,
	})
}

func tooMany(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(0), RetryAfter: 3})
	s.ask(person(0), 0)
	s.ask(person(0), 1)
	s.until("refusal", func() bool { return len(s.tries(person(0))) > 0 })
	s.ask(person(1), 2)
	other := s.got(person(1), 1)[0]
	sent := s.got(person(0), 2)
	s.settled()
	tries := s.tries(person(0))
	if d := sent[0].At.Sub(tries[0].At); d < 3*time.Second || d > 6*time.Second {
		t.Errorf("the message came %s after the refusal, want 3 s", d)
	}
	if tries[0].Params["text"] != tries[1].Params["text"] || sent[0].ParseMode != "HTML" {
		t.Errorf("first %q, then %q in %s; want the same, in HTML", tries[0].Params["text"], tries[1].Params["text"], sent[0].ParseMode)
	}
	if other.At.After(sent[0].At) {
		t.Error("another chat had to wait as well")
	}
	s.answered(person(0), claims(0, 1))
	s.answered(person(1), claims(2))
	if len(tries) != 3 {
		t.Errorf("%d tries, want 3", len(tries))
	}
}

// The message arrives and its receipt does not: the second one is marked.
func replyLost(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.CutAfter, Method: "sendMessage", Chat: person(0)})
	s.ask(person(0), 0)
	sent := s.got(person(0), 2)
	s.ask(person(0), 1)
	s.got(person(0), 3)
	s.settled()
	s.answered(person(0), claims(0)+" "+claims(0)+"! "+claims(1))
	if _, text, _ := strings.Cut(sent[1].Text, "\n"); !strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(sent[0].Text)) {
		t.Errorf("the second message is %q, want the first behind the mark", sent[1].Text)
	}
}

// The request does not arrive, which cannot be known: the one message is marked.
func requestLost(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.CutBefore, Method: "sendMessage", Chat: person(0)})
	s.ask(person(0), 0)
	s.ask(person(0), 1)
	s.got(person(0), 2)
	s.settled()
	s.answered(person(0), claims(0)+"! "+claims(1))
}

// A message that stays unsure twice is parked, and the administrator is told.
func lostTwice(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.greet()
	s.server.Fault(fake.Fault{Kind: fake.CutBefore, Method: "sendMessage", Chat: person(0), Times: 2})
	s.ask(person(0), 0)
	s.ask(person(0), 1)
	s.got(person(0), 1)
	told := s.got(sceneAdmin, 2)[1].Text
	s.settled()
	s.answered(person(0), claims(1))
	if !strings.Contains(told, "zurückgelegt") || len(s.tries(person(0))) != 3 {
		t.Errorf("%d tries, and the administrator reads %q", len(s.tries(person(0))), told)
	}
}

func refusedForEver(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.greet()
	s.server.Fault(fake.Fault{
		Kind: fake.Refuse, Method: "sendMessage", Chat: person(0), Times: -1,
		Status: 400, Description: "Bad Request: can't parse entities: Unsupported start tag",
	})
	s.ask(person(0), 0)
	told := s.got(sceneAdmin, 2)[1].Text
	s.ask(person(1), 1)
	s.got(person(1), 1)
	s.settled()
	tries := s.tries(person(0))
	if len(tries) != 2 || tries[0].Params["parse_mode"] != "HTML" || tries[1].Params["parse_mode"] != "" {
		t.Errorf("%d tries, want one with markup and one without", len(tries))
	}
	if !strings.Contains(told, "zurückgelegt") {
		t.Errorf("the administrator reads %q", told)
	}
	if n := s.status().Gateway.Ends["parked"]; n != 1 {
		t.Errorf("%d requests are parked, want 1", n)
	}
	s.server.ClearFaults()
	s.ask(person(0), 2)
	s.got(person(0), 1)
	s.answered(person(0), claims(2))
}

const (
	sceneGroup   = -2001
	sceneForum   = -1002002
	sceneRobot   = 1500
	foreignGroup = -2002
)

// newGroupScene is a scene with a group and a forum of two people and a robot,
// in which everybody may ask, and a group that is not configured.
func newGroupScene(t *testing.T) (s *scene, topic int64) {
	t.Helper()
	s = newScene(t, 2)
	s.server.AddUser(fake.User{ID: sceneRobot, FirstName: "Robot", Username: "other_bot", IsBot: true})
	members := []int64{person(0), person(1), sceneRobot}
	s.server.AddGroup(fake.Chat{ID: sceneGroup, Type: "group", Title: "Runde"}, members...)
	s.server.AddGroup(fake.Chat{ID: foreignGroup, Type: "group", Title: "Fremde"}, members...)
	s.server.AddGroup(fake.Chat{ID: sceneForum, Type: "supergroup", Title: "Forum", IsForum: true}, members...)
	everybody := []any{map[string]any{"id": "*"}}
	s.telegram["groups"] = []any{map[string]any{"id": sceneGroup, "allowed": everybody}, map[string]any{"id": sceneForum, "allowed": everybody}}
	s.configure(writeAlmanach(t))
	return s, s.server.AddTopic(sceneForum, person(0), "Sieben")
}

func emojiBeforeMention(t *testing.T) {
	s, _ := newGroupScene(t)
	s.start()
	s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "😀😀 @other_bot " + almanachQuestions[0]})
	asked := s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "😀😀 @auskunft_bot " + almanachQuestions[1]})
	sent := s.got(sceneGroup, 1)
	s.settled()
	s.answered(sceneGroup, claims(1))
	if sent[0].ReplyTo != asked {
		t.Errorf("the answer belongs to message %d, want %d", sent[0].ReplyTo, asked)
	}
}

func topics(t *testing.T) {
	s, topic := newGroupScene(t)
	s.start()
	for n, thread := range []int64{topic, 1} {
		s.post(fake.Line{Chat: sceneForum, From: person(0), Thread: thread, Text: "@auskunft_bot " + almanachQuestions[n]})
		s.got(sceneForum, n+1)
	}
	s.settled()
	sent := s.server.Sent(sceneForum)
	s.answered(sceneForum, claims(0, 1))
	if sent[0].Thread != topic || sent[1].Thread > 1 || sent[1].Params["message_thread_id"] != "" {
		t.Errorf("answers in threads %d and %d (parameter %q), want %d and General", sent[0].Thread, sent[1].Thread, sent[1].Params["message_thread_id"], topic)
	}
}

func otherBot(t *testing.T) {
	s, _ := newGroupScene(t)
	s.start()
	s.post(fake.Line{Chat: sceneGroup, From: sceneRobot, Text: "@auskunft_bot " + almanachQuestions[0]})
	s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "/help@other_bot"})
	s.post(fake.Line{Chat: foreignGroup, From: person(0), Text: "@auskunft_bot " + almanachQuestions[1]})
	s.post(fake.Line{Chat: sceneGroup, From: person(1), Text: "Ich frage niemanden: " + almanachQuestions[2]})
	s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "/tresor@auskunft_bot " + almanachQuestions[3]})
	s.got(sceneGroup, 1)
	s.settled()
	s.answered(sceneGroup, claims(3))
	s.answered(foreignGroup, "")
	if got, want := s.status().Gateway.Taken, uint64(1); got != want {
		t.Errorf("%d requests were taken, want %d", got, want)
	}
	for _, n := range []int{0, 1, 2} {
		if where := s.find(almanachQuestions[n]); len(where) > 0 {
			t.Errorf("what was not meant for us is in %v", where)
		}
	}
}

func manyEmoji(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.say(person(0), emojiQuestion)
	s.until("all parts", func() bool { return s.status().Gateway.Ends["sent"] == 1 })
	single, families := 0, 0
	for _, m := range s.server.Sent(person(0)) {
		n := strings.Count(m.Text, family)
		if strings.ContainsRune(m.Text, utf8.RuneError) || strings.Count(m.Text, "👩") != n || strings.Count(m.Text, "\u200d") != 2*n {
			t.Errorf("a cluster is torn apart in %.80q…", m.Text)
		}
		if n := utf8.RuneCountInString(m.Text); n > 4096 {
			t.Errorf("a part of %d code points", n)
		}
		single, families = single+strings.Count(m.Text, "😀"), families+n
	}
	if single != emojiCount/2 || families != emojiCount/10 {
		t.Errorf("%d emoji and %d families arrived in %d parts, want %d and %d", single, families, len(s.server.Sent(person(0))), emojiCount/2, emojiCount/10)
	}
}

// Twenty answers wait, because Telegram wants it so, when outheis ends. The next
// one sends each of them once, and marks none.
func twentyWaiting(t *testing.T, end func(*scene)) {
	const waiting = 20
	s := newScene(t, waiting)
	for n := range waiting {
		s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(n), RetryAfter: 2})
	}
	s.start()
	for n := range waiting {
		s.ask(person(n), n)
		s.ask(person(n), (n+1)%waiting)
	}
	// Telegram wants everybody to wait when it has said so in two chats.
	last := 0
	s.until("twenty answers that wait", func() bool {
		r, tries := s.status(), s.events("delivery.try")
		quiet := r.Queue.Open == 2*waiting && tries > 1 && tries == s.events("delivery.fail") && tries == last
		last = tries
		return quiet
	})
	end(s)
	if n, unsure := len(s.server.Sent(0)), s.unsureTries(); n > 0 || unsure > 0 {
		t.Fatalf("%d answers did not wait, and %d may not have", n, unsure)
	}
	s.server.ClearFaults()
	s.start()
	for n := range waiting {
		s.got(person(n), 2)
	}
	s.settled()
	for n := range waiting {
		s.answered(person(n), claims(n, (n+1)%waiting))
	}
}

// Three times in a row the process dies while an answer waits. That is no reason
// to take the question for one that kills.
func killedThrice(t *testing.T) {
	s := newScene(t, 2)
	for n := range 2 {
		s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(n), RetryAfter: 3})
		s.ask(person(n), n)
		s.ask(person(n), n+2)
	}
	s.start()
	s.until("two answers that wait", func() bool { return s.events("delivery.fail") == 2 })
	for range 3 {
		s.kill()
		s.start()
	}
	s.kill()
	unsure := s.unsureTries() // none, unless starting took longer than Telegram's wait
	s.start()
	marked := 0
	for n := range 2 {
		s.got(person(n), 2)
	}
	s.settled()
	for n := range 2 {
		marked += s.answeredAfterDeath(person(n), n, n+2)
	}
	if marked > unsure {
		t.Errorf("%d answers are marked, of %d nobody could know", marked, unsure)
	}
}

// A chat's answers wait for the pace that Telegram asks for when outheis ends:
// they have not been tried, and are sent once.
func endedWhilePacing(t *testing.T, end func(*scene)) {
	const questions = 7
	s := newScene(t, 1)
	s.start()
	want := make([]int, questions)
	for n := range questions {
		s.ask(person(0), n)
		want[n] = n
	}
	s.got(person(0), 3)
	s.until("receipt", func() bool { return s.status().Gateway.Ends["sent"] >= 3 })
	end(s)
	unsure := s.unsureTries() // none, unless the next one's moment had just come
	s.start()
	s.got(person(0), questions)
	s.settled()
	if marked := s.answeredAfterDeath(person(0), want...); marked > unsure {
		t.Errorf("%d answers are marked, of %d nobody could know", marked, unsure)
	}
}

// The administrator puts another bot's token in. Its updates count from lower
// numbers; an offset of the old bot would hide them.
func anotherBot(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.ask(person(0), 0)
	s.got(person(0), 1)
	s.settled()
	const token = "7000000001:FAKE-token-of-these-tests-only-11111111"
	s.server.ReplaceBot(fake.User{ID: 7000000001, FirstName: "Neu", Username: "neu_bot", IsBot: true}, token, 7)
	s.setToken(token)
	s.stop()
	s.start()
	s.ask(person(0), 1)
	s.got(person(0), 2)
	s.settled()
	s.answered(person(0), claims(0, 1))
}

// After a week without updates Telegram goes on with any number. What it
// numbered while nobody asked is not hidden by what was confirmed before.
func randomIDs(t *testing.T) {
	s := newScene(t, 1)
	for n, next := range []int64{1 << 30, 12, 1 << 20} {
		s.server.SkipUpdates(next)
		s.ask(person(0), n)
		s.start()
		s.got(person(0), n+1)
		s.settled()
		s.stop()
	}
	s.answered(person(0), claims(0, 1, 2))
}
