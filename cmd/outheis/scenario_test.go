package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	fake "outheis/channels/fakenet/telegram"
	"outheis/config/texts"
)

// TestScenarios shows what people do on Telegram, and what others do to us.
func TestScenarios(t *testing.T) {
	t.Parallel()
	together(t, map[string]func(*testing.T){
		"asked while down":     askedWhileDown,
		"asked days ago":       askedDaysAgo,
		"edited while waiting": editedWhileWaiting,
		"edited afterwards":    editedAfterwards,
		"commands":             commandsInChat,
		"strangers":            strangers,
		"a message of 1 MB":    hugeMessage,
		"malformed updates":    malformedUpdates,
		"unwelcome characters": unwelcomeCharacters,
		"blocked and gone":     blockedAndGone,
		"group moves":          groupMoves,
		"not only text":        notOnlyText,
	})
}

// Questions of the time while outheis was down are answered in order, and those
// that waited long with an apology.
func askedWhileDown(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.ask(person(0), 0)
	s.got(person(0), 1)
	s.stop()
	asked := time.Now().Add(-90 * time.Minute).Truncate(time.Second)
	for n := 1; n <= 3; n++ {
		s.post(fake.Line{Chat: person(0), From: person(0), Text: almanachQuestions[n], At: asked.Unix()})
	}
	s.ask(person(1), 4)
	s.start()
	late := s.got(person(0), 4)[1].Text
	fresh := s.got(person(1), 1)[0].Text
	s.settled()
	s.answered(person(0), claims(0, 1, 2, 3))
	s.answered(person(1), claims(4))
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	de := texts.For("de")
	if sorry := de.Say("gateway.late", asked.In(berlin).Format(de.Say("gateway.late_time"))); !strings.Contains(late, sorry) {
		t.Errorf("the late answer is %q, want %q in it", late, sorry)
	}
	if strings.Contains(fresh, "Entschuldigen") {
		t.Errorf("the answer in time is %q", fresh)
	}
	apologies := 0
	for _, m := range s.server.Sent(person(0)) {
		apologies += strings.Count(m.Text, "Entschuldigen")
	}
	if apologies != 1 {
		t.Errorf("%d apologies for three late answers, want one", apologies)
	}
}

// What nobody waits for any more is not answered, and commands that wait are
// not carried out.
func askedDaysAgo(t *testing.T) {
	s := newScene(t, 1)
	for age, text := range map[time.Duration]string{25 * time.Hour: almanachQuestions[0], 90 * time.Minute: "/stop"} {
		s.post(fake.Line{Chat: person(0), From: person(0), Text: text, At: time.Now().Add(-age).Unix()})
	}
	s.start()
	if err := s.server.AwaitConfirmed(s.wait()); err != nil {
		t.Fatal(err)
	}
	s.ask(person(0), 1)
	s.got(person(0), 1)
	s.settled()
	s.answered(person(0), claims(1))
	if r := s.status().Gateway.Refused; r["expired"] != 1 || r["stale"] != 1 {
		t.Errorf("refused %v, want one that is expired and one that is stale", r)
	}
}

// An edited question that waits is answered as it stands then; a link preview
// or a reaction is no edit.
func editedWhileWaiting(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(0), RetryAfter: 2})
	s.ask(person(0), 0)
	second := s.ask(person(0), 1)
	third := s.ask(person(0), 2)
	s.until("three open requests", func() bool { return s.status().Queue.Open == 3 })
	s.server.Edit(person(0), second, almanachQuestions[5], 0)
	s.server.Touch(person(0), third)
	s.server.React(person(0), person(0), third, "👍")
	s.got(person(0), 3)
	s.settled()
	s.answered(person(0), claims(0, 5, 2))
}

// What happens to a message after its answer starts nothing anew, but for another
// text: that is answered in the place of the old answer.
func editedAfterwards(t *testing.T) {
	s, _ := newGroupScene(t)
	s.start()
	first := s.ask(person(0), 0)
	answer := s.got(person(0), 1)[0].MessageID
	s.server.Touch(person(0), first)
	s.server.Edit(person(0), first, almanachQuestions[1], 0)
	s.server.React(person(0), person(0), answer, "👍")
	command := s.say(person(0), "/help")
	s.got(person(0), 2)
	s.server.Edit(person(0), command, "/start", 0)
	s.ask(person(0), 2)
	s.got(person(0), 3)
	s.settled()
	s.answered(person(0), claims(1)+" ? "+claims(2)) // the edited question is answered in the old place
}

func commandsInChat(t *testing.T) {
	de, en := texts.For("de"), texts.For("en")
	steps := []struct {
		text, want string
	}{
		{"/start", de.Say("gateway.start")},
		{"/help", de.Say("gateway.help")},
		{"Hilfe", de.Say("gateway.help")},
		{"/tresor " + almanachQuestions[0], almanachFacts[0]},
		{"/tresor@auskunft_bot " + almanachQuestions[1], almanachFacts[1]},
		{"@almanach " + almanachQuestions[2], almanachFacts[2]},
		{"@handbuch Wie verbinde ich Telegram?", "Telegram"},
		{"/tresor", de.Say("gateway.refused_empty")},
		{"/stop", de.Say("gateway.nothing_to_stop")},
		{"/gibtesnicht", "/gibtesnicht"},
	}
	s := newScene(t, len(steps))
	s.start()
	for n, step := range steps {
		s.say(person(n), step.text)
	}
	for n, step := range steps {
		if got := s.got(person(n), 1)[0].Text; !strings.Contains(got, step.want) {
			t.Errorf("%s is answered with %q, want %q in it", step.text, got, step.want)
		}
	}
	s.settled()
	s.until("the menus", func() bool {
		return s.server.Menu("de") != nil && s.server.Menu("en") != nil && s.server.Menu("") != nil
	})
	if got, want := s.server.Menu("en")[0].Description, en.Say("gateway.menu_tresor"); got != want {
		t.Errorf("the English menu begins with %q, want %q", got, want)
	}
}

// Whoever is not listed gets no answer and leaves nothing on the disk: neither
// text nor name nor id, in a direct chat or in a group that is not configured.
func strangers(t *testing.T) {
	s, _ := newGroupScene(t)
	const stranger = 987654321
	s.server.AddUser(fake.User{ID: stranger, FirstName: "Unbekannte", Username: "unbekannte_person", Language: "de"})
	s.server.AddGroup(fake.Chat{ID: -987654322, Type: "group", Title: "Fremdengruppe"}, stranger, person(0))
	s.start()
	s.say(stranger, "Meine geheime Frage an den Automaten")
	s.say(stranger, "/start")
	s.say(stranger, "/tresor Meine geheime Frage")
	s.post(fake.Line{Chat: -987654322, From: stranger, Text: "@auskunft_bot Meine geheime Frage in der Gruppe"})
	s.post(fake.Line{Chat: -987654322, From: person(0), Text: "@auskunft_bot Meine geheime Frage als Bekannte"})
	s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "Meine geheime Bemerkung zu anderen"})
	s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "@auskunft_bot", Anonymous: true})
	id := s.say(stranger, "Ich ändere das gleich zweimal")
	s.server.Edit(stranger, id, "Meine geheime geänderte Frage", 0)
	s.server.React(stranger, stranger, id, "👍")
	s.server.Press(stranger, stranger, id, "geheim")
	s.server.Block(stranger)
	s.ask(person(0), 0)
	s.got(person(0), 1)
	s.settled()
	s.answered(person(0), claims(0))
	for _, chat := range []int64{stranger, -987654322, sceneGroup} {
		if n := len(s.tries(chat)); n > 0 {
			t.Errorf("chat %d got %d messages", chat, n)
		}
	}
	for _, trace := range []string{"geheim", "Unbekannte", "unbekannte_person", fmt.Sprint(stranger), "-987654322"} {
		if where := s.find(trace); len(where) > 0 {
			t.Errorf("%q is in %v", trace, where)
		}
		if strings.Contains(s.said(), trace) {
			t.Errorf("%q was printed", trace)
		}
	}
	if r := s.status().Gateway.Refused; r["sender"] == 0 || r["group"] != 2 {
		t.Errorf("refused %v, want the stranger and the group among them", r)
	}
}

func hugeMessage(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.ask(person(1), 0)
	s.got(person(1), 1)
	before := s.memory()
	for n := range 4 {
		text := strings.Repeat("Größe 😀 ", 1<<20/12)
		s.server.Inject(func(id int64) string {
			return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":%d,"chat":{"id":%d,"type":"private"},"from":{"id":%[4]d,"is_bot":false,"first_name":"P","language_code":"de"},"text":%q}}`,
				id, 5000+n, time.Now().Unix(), person(0), text)
		})
	}
	s.ask(person(1), 1)
	s.got(person(1), 2)
	if err := s.server.AwaitConfirmed(s.wait()); err != nil {
		t.Fatal(err)
	}
	s.settled()
	s.answered(person(1), claims(0, 1))
	if where := s.find("Größe 😀 Größe"); len(where) > 0 {
		t.Errorf("a message of 1 MB is in %v", where)
	}
	after := s.memory()
	t.Logf("four messages of 1 MB: resident memory %d MiB before, %d MiB after", before>>20, after>>20)
	if !raced && after > before+64<<20 {
		t.Errorf("resident memory grew from %d to %d MiB", before>>20, after>>20)
	}
}

// memory returns the resident memory of outheis in bytes, or 0 where it cannot
// be known.
func (s *scene) memory() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.child.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		s.t.Fatal(err)
	}
	return kib << 10
}

// A thousand updates that are none, or not as described, of people who may ask
// and of others, stop nothing; between them every question is answered.
func malformedUpdates(t *testing.T) {
	const updates = 1000
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := newScene(t, 1)
	s.start()
	s.ask(person(0), 0)
	s.got(person(0), 1)
	before, goroutines := s.memory(), s.status().Process.Goroutines
	for n := range updates {
		if n == updates/2 {
			s.ask(person(0), 1)
		}
		s.server.Inject(func(id int64) string { return malformed(random, n, id) })
	}
	if thorough { // each of these costs several tries, and a real server sends none
		s.server.Inject(func(id int64) string { return fmt.Sprintf(`{"update_id":%d,"message":{"text":"\ud83d`, id) })
	}
	s.ask(person(0), 2)
	s.got(person(0), 3)
	s.settled()
	var own []string // the malformed ones may be questions, too; ours are answered in order
	for _, claim := range strings.Fields(answers(s.server.Sent(person(0)))) {
		if claim != "?" {
			own = append(own, claim)
		}
	}
	if got := strings.Join(own, " "); got != claims(0, 1, 2) {
		t.Errorf("answered %s, want %s", got, claims(0, 1, 2))
	}
	r := s.status()
	t.Logf("%d malformed updates: resident memory %d and %d MiB, goroutines %d and %d, refused %v",
		updates, before>>20, s.memory()>>20, goroutines, r.Process.Goroutines, r.Gateway.Refused)
	if grown := s.memory() - before; !raced && grown > 64<<20 {
		t.Errorf("%d MiB more than before", grown>>20)
	}
	if r.Process.Goroutines > goroutines+5 {
		t.Errorf("%d goroutines, there were %d", r.Process.Goroutines, goroutines)
	}
}

// malformed returns the n-th update that is not as it should be: of an unknown
// kind, deep, huge, or with values of a wrong type in any place.
func malformed(random *rand.Rand, n int, id int64) string {
	switch {
	case n%100 == 40:
		return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":5,"date":1,"chat":{"id":1,"type":"private"},"text":{"x":%q}}}`, id, strings.Repeat("y", 1<<18))
	case n%5 == 0:
		return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":5,"from":%s7%s}}`, id, strings.Repeat(`{"a":`, 500), strings.Repeat("}", 500))
	case n%5 == 1:
		return fmt.Sprintf(`{"update_id":%d,"thing_%d":{"a":[1,2,{"b":null}]}}`, id, random.IntN(1000))
	}
	wrong := []string{`null`, `true`, `-1`, `0`, `1e99`, `"text"`, `""`, `[]`, `{}`, `[[1]]`, `"\u0000\u202e"`, `9223372036854775808`, `[null]`, `{"id":{}}`, `[{"type":"mention","offset":-5,"length":99}]`}
	kinds := []string{"message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "my_chat_member", "message_reaction"}
	body := map[string]string{
		"message_id": fmt.Sprint(n), "date": fmt.Sprint(time.Now().Unix()), "text": `"  "`,
		"chat": fmt.Sprintf(`{"id":%d,"type":"private"}`, person(0)), "from": fmt.Sprintf(`{"id":%d,"is_bot":false,"first_name":"P"}`, person(0)),
	}
	if random.IntN(20) > 0 { // what a person writes may be answered, at the pace of a chat
		body["chat"] = `{"id":-77,"type":"group"}`
	}
	fields := []string{
		"message_id", "from", "chat", "date", "text", "entities", "reply_to_message", "sender_chat", "caption", "edit_date", "message_thread_id",
		"is_topic_message", "forward_origin", "quote", "photo", "voice", "data", "old_reaction", "new_reaction", "new_chat_member", "migrate_to_chat_id",
	}
	for range 1 + random.IntN(3) {
		body[fields[random.IntN(len(fields))]] = wrong[random.IntN(len(wrong))]
	}
	var parts []string
	for k, v := range body {
		parts = append(parts, fmt.Sprintf("%q:%s", k, v))
	}
	return fmt.Sprintf(`{"update_id":%d,%q:{%s}}`, id, kinds[random.IntN(len(kinds))], strings.Join(parts, ","))
}

// Characters that steer terminals or deceive the eye do not come back, neither
// to the chat nor into the log of the program.
func unwelcomeCharacters(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	for n, text := range []string{
		"Wie ho\u200dch ist\u202e der\u202c Leucht\u00adturm?\x1b\x00", "<b>Wann</b> öffnet das <i>Freibad</i>?", "Wann *legt* _die_ [Fähre](http://b.example) ab?",
		"/tresor \u2066Wie viele Brunnen hat der Marktplatz?\u2069",
	} {
		s.say(person(0), text)
		s.got(person(0), n+1)
	}
	s.settled()
	s.answered(person(0), claims(0, 1, 2, 3))
	for _, m := range s.server.Sent(person(0)) {
		if strings.ContainsAny(m.Text, "\x1b\u202e\u2066\u00ad") {
			t.Errorf("%q came back", m.Text)
		}
	}
}

// Who blocks the bot gets nothing, is tried once and holds nobody up; who comes
// back is answered.
func blockedAndGone(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: person(0), RetryAfter: 1})
	s.ask(person(0), 0)
	s.until("an answer that waits", func() bool { return s.status().Gateway.Failures["retry_after"] == 1 })
	s.server.Block(person(0))
	s.until("the refusal", func() bool { return s.status().Gateway.Ends["gone"] == 1 })
	s.ask(person(1), 1)
	s.got(person(1), 1)
	s.ask(person(0), 2)
	s.got(person(0), 1)
	s.settled()
	s.answered(person(0), claims(2))
	if n := len(s.tries(person(0))); n != 3 {
		t.Errorf("%d tries, want 3", n)
	}
}

// A group becomes a supergroup, with another id, while an answer waits: it
// follows, and the administrator is told of the id that the configuration needs.
func groupMoves(t *testing.T) {
	s, _ := newGroupScene(t)
	s.start()
	s.greet()
	s.server.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: sceneGroup, RetryAfter: 1})
	s.post(fake.Line{Chat: sceneGroup, From: person(0), Text: "@auskunft_bot " + almanachQuestions[0]})
	s.until("an answer that waits", func() bool { return s.status().Gateway.Failures["retry_after"] == 1 })
	moved := s.server.Upgrade(sceneGroup, person(0))
	s.got(moved, 1)
	told := s.got(sceneAdmin, 2)[1].Text
	s.settled()
	s.answered(moved, claims(0))
	if !strings.Contains(told, fmt.Sprint(moved)) || !strings.Contains(told, fmt.Sprint(sceneGroup)) {
		t.Errorf("the administrator reads %q, want both ids", told)
	}
}

func notOnlyText(t *testing.T) {
	s := newScene(t, 1)
	s.start()
	de := texts.For("de")
	for n, step := range []struct {
		line fake.Line
		want string
	}{
		{fake.Line{Media: "voice"}, de.Say("gateway.refused_unsupported")},
		{fake.Line{Media: "sticker"}, de.Say("gateway.refused_unsupported")},
		{fake.Line{Media: "photo", Text: almanachQuestions[0]}, de.Say("gateway.unread")},
		{fake.Line{Text: almanachQuestions[1], Forward: true}, de.Say("gateway.refused_forward")},
		{fake.Line{Text: "   "}, de.Say("gateway.refused_empty")},
	} {
		step.line.Chat, step.line.From = person(0), person(0)
		s.post(step.line)
		if got := s.got(person(0), n+1)[n].Text; !strings.Contains(got, step.want) {
			t.Errorf("%+v is answered with %q, want %q in it", step.line, got, step.want)
		}
	}
	s.settled()
}
