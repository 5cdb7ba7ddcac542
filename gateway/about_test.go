package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

// editing is a network that can change messages: what stands in each of them now.
type editing struct {
	*network
	onEdit func(n int, p channels.Post) error // nil takes every edit
	slow   time.Duration                      // how long an edit takes

	mu    sync.Mutex
	edits int
	stand map[string]channels.Post // by the message
}

func (n *editing) Send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	r, err := n.network.Send(ctx, p)
	if err == nil {
		n.mu.Lock()
		n.stand[r.Remote] = p
		n.mu.Unlock()
	}
	return r, err
}

func (n *editing) Edit(_ context.Context, p channels.Post, remote string) error {
	time.Sleep(n.slow / 2)
	defer time.Sleep(n.slow / 2)
	n.mu.Lock()
	n.edits++
	count := n.edits
	n.mu.Unlock()
	if n.onEdit != nil {
		if err := n.onEdit(count, p); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stand[remote] = p
	return nil
}

func (n *editing) at(remote string) channels.Post {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stand[remote]
}

// labels returns what stands on the buttons under a message.
func (n *editing) labels(remote string) []string {
	var all []string
	for _, b := range n.at(remote).Body.Buttons {
		all = append(all, b.Label)
	}
	return all
}

func (n *editing) line(remote string) string {
	line, _, _ := strings.Cut(n.at(remote).Body.Plain, "\n")
	return line
}

// newEditing makes the network of w one that can change messages.
func newEditing(w *world) *editing {
	n := &editing{network: w.net, stand: make(map[string]channels.Post)}
	w.o.Accounts[0].Channel = n
	return n
}

// press presses a button under a message.
func (w *world) press(person, button, under string, edits ...func(*channels.Event)) channels.Event {
	return w.ask(person, "", append([]func(*channels.Event){func(e *channels.Event) {
		e.Kind, e.Button, e.Message, e.Addressed = channels.KindButton, button, under, true
	}}, edits...)...)
}

// react shows an emoji at a message.
func (w *world) react(person, emoji, at string, edits ...func(*channels.Event)) {
	w.ask(person, emoji, append([]func(*channels.Event){func(e *channels.Event) {
		e.Kind, e.Message, e.Addressed = channels.KindReaction, at, false
	}}, edits...)...)
}

func replyTo(message string) func(*channels.Event) {
	return func(e *channels.Event) { e.Replied = message }
}

// feedback returns what the log holds of what people think: mark, reason and how
// it was said.
func (m *memory) feedback() []string {
	var all []string
	for _, e := range m.envelopes() {
		if e.Intent == "feedback" && e.Type == gateway.TypeRequest {
			all = append(all, strings.TrimSpace(fmt.Sprint(e.Payload.Mark, " ", e.Payload.Why))+" "+string(e.Payload.By))
		}
	}
	return all
}

// firstID returns the id of the first request.
func (m *memory) firstID() string { return m.envelopes()[0].ID }

// An answer has buttons; what is pressed shows in the row, and nothing else is
// said. The same press twice counts once (channels.md §4 row 12).
func TestFeedbackByButton(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n := newEditing(w)
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		id := w.queue.firstID()
		equal(t, "buttons", n.labels("1"), []string{"👍", "👎", "Belege"})
		up := w.press("7", "up:"+id, "1")
		synctest.Wait()
		equal(t, "buttons after 👍", n.labels("1"), []string{"👍 ✓", "👎", "Belege"})
		w.net.in <- up              // delivered again
		w.press("7", "up:"+id, "1") // pressed again
		synctest.Wait()
		w.press("7", "down:"+id, "1")
		synctest.Wait()
		equal(t, "buttons after 👎", n.labels("1"), []string{"👎 ✓", "falsch", "unvollständig", "veraltet", "passt nicht", "Belege"})
		w.press("7", "why:"+id+":outdated", "1")
		synctest.Wait()
		equal(t, "buttons after the reason", n.labels("1"), []string{"👍", "👎 ✓", "Belege"})
		w.net.in <- up // delivered once more, long after
		synctest.Wait()
		equal(t, "feedback", w.queue.feedback(), []string{"up button", "down button", "down outdated button"})
		equal(t, "seen", n.seen("7"), []string{echoed("Wann?")})
		if got := n.line("1"); got != echoed("Wann?") {
			t.Errorf("the answer reads %q now", got)
		}
		w.end()
	})
}

// Where messages cannot be changed a short sentence answers, and where there are
// no buttons words do; a thumb down is asked back about.
func TestFeedbackByWords(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		say := func(text string, edits ...func(*channels.Event)) {
			w.ask("7", text, edits...)
			synctest.Wait()
		}
		say("👍")
		say("gut") // about nothing: a question
		say("falsch")
		say("Danke, gut.", replyTo("99"))
		say("👎")
		say("veraltet")
		say("veraltet")
		say("veraltet") // nobody asks for a reason any more: a question
		equal(t, "seen", w.net.seen("7"), []string{
			"Welche Antwort meinen Sie? Antworten Sie bitte direkt auf meine Nachricht.", echoed("gut"),
			"Danke, das ist vermerkt.", echoed("Danke, gut."),
			"Danke für den Hinweis. Was stimmt nicht? Schreiben Sie „falsch“, „unvollständig“, „veraltet“ oder „passt nicht“.",
			"Danke, das ist vermerkt.", echoed("veraltet"), echoed("veraltet"),
		})
		equal(t, "feedback", w.queue.feedback(), []string{"down wrong words", "down words", "down outdated words"})
	})
}

// Words below an old answer are about that one.
func TestFeedbackAboutAnOldAnswer(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		for _, q := range []string{"Eins?", "Zwei?", "Drei?"} {
			w.ask("7", q)
			synctest.Wait()
		}
		w.ask("7", "falsch", replyTo("1"))
		w.ask("8", "👎", replyTo("1")) // in a chat of their own there is no message 1
		synctest.Wait()
		all := w.queue.envelopes()
		var about []string
		for _, e := range all {
			if e.Intent == "feedback" {
				about = append(about, e.Payload.Ref)
			}
		}
		equal(t, "feedback is about", about, []string{all[0].ID})
	})
}

// Reactions are the same feedback, and taking one back takes it back; a button is
// not taken back by a reaction.
func TestFeedbackByReaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		n := newEditing(w)
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		for _, emoji := range []string{"👍", "👍", "❤", "", "", "👎", ""} {
			w.react("7", emoji, "1")
			synctest.Wait()
		}
		w.react("7", "👍", "12345") // at somebody else's message
		w.press("7", "up:"+w.queue.firstID(), "1")
		w.react("7", "", "1")
		synctest.Wait()
		equal(t, "feedback", w.queue.feedback(), []string{"up reaction", "none reaction", "down reaction", "none reaction", "up button"})
		equal(t, "buttons", n.labels("1"), []string{"👍 ✓", "👎", "Belege"})
		equal(t, "seen", n.seen("7"), []string{echoed("Wann?")})
		w.end()
	})
}

// In a group everybody who may ask there may press; nobody else, and nowhere
// else: a button that somebody carries into another chat shows nothing.
func TestWhoMayPress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		access := w.o.Settings.Policy.Access[gateway.AccountID{Channel: "net", Account: "main"}]
		access.People = map[string]agents.Role{"7": agents.RoleUser}
		access.Groups = map[string]gateway.Group{"-1": {People: map[string]agents.Role{"7": agents.RoleUser, "8": agents.RoleUser}}}
		w.o.Settings.Policy.Access[gateway.AccountID{Channel: "net", Account: "main"}] = access
		w.start()
		group := func(e *channels.Event) { e.Address, e.Audience = address(t, "-1", ""), channels.Group }
		w.ask("7", "Wann?", group)
		synctest.Wait()
		id := w.queue.firstID()
		w.press("8", "up:"+id, "1", group)
		w.press("9", "up:"+id, "1", group)
		w.press("9", "ev:"+id, "1", group)
		w.react("9", "👎", "1", group)
		w.press("7", "ev:"+id, "1") // in the direct chat
		synctest.Wait()
		equal(t, "feedback", w.queue.feedback(), []string{"up button"})
		equal(t, "seen in the group", w.net.seen("-1"), []string{echoed("Wann?"), "Danke."})
		equal(t, "seen in the direct chat", w.net.seen("7"), []string{"Diese Antwort kann ich nicht mehr nachschlagen, sie ist zu lange her. Bitte stellen Sie die Frage noch einmal."})
		if s := w.g.Status(); s.Refused[gateway.ReasonSender] != 3 {
			t.Errorf("refused %v", s.Refused)
		}
		w.end()
	})
}

// Presses have a quota of their own, and cost no questions.
func TestPressesCostNoQuestions(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		s := w.o.Settings
		s.Policy.Limits.Burst, s.Policy.Limits.Presses = 2, 3
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		w.ask("7", "Wann?")
		synctest.Wait()
		id := w.queue.firstID()
		for range 6 {
			w.press("7", "ev:"+id, "1")
			time.Sleep(11 * time.Second)
		}
		w.ask("7", "Wo?")
		synctest.Wait()
		got := w.net.seen("7")
		slices.Sort(got)
		if len(got) != 6 || !strings.HasPrefix(got[0], "<b>Beleg 1") || !strings.HasPrefix(got[3], "Das waren sehr viele Fragen") {
			t.Errorf("seen %q", got)
		}
		if !slices.Contains(got, echoed("Wo?")) {
			t.Errorf("presses use up the questions: %q", got)
		}
	})
}

// An edit of the row that the network refuses is said in words; one that may have
// been made is made again, without a mark.
func TestAcknowledgementThatCannotBeEdited(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(n int) error
		want []string
		row  string
	}{
		{"refused", func(int) error { return fails(channels.Refused) }, []string{echoed("Wann?"), "Danke."}, "👍"},
		{"unsure once", func(n int) error {
			if n == 1 {
				return fails(channels.Unsure)
			}
			return nil
		}, []string{echoed("Wann?")}, "👍 ✓"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, newMemory(), echo)
				n := newEditing(w)
				n.onEdit = func(i int, _ channels.Post) error { return c.fail(i) }
				w.start()
				w.ask("7", "Wann?")
				synctest.Wait()
				w.press("7", "up:"+w.queue.firstID(), "1")
				time.Sleep(time.Minute)
				equal(t, "seen", n.seen("7"), c.want)
				if got := n.labels("1"); got[0] != c.row {
					t.Errorf("buttons %q, want %q first", got, c.row)
				}
				if got := n.line("1"); got != echoed("Wann?") {
					t.Errorf("the answer reads %q now", got)
				}
				w.end()
			})
		})
	}
}

// proving is an agent that knows what became of its evidence.
type proving struct {
	answering
	proof func(b agents.Beleg, wording string) (agents.Proof, error)
}

func (p proving) Prove(_ context.Context, _ agents.Request, b agents.Beleg, wording string) (agents.Proof, error) {
	return p.proof(b, wording)
}

// two answers with two claims.
func two(_ context.Context, r agents.Request) (agents.Answer, error) {
	b := func(id string) agents.Beleg {
		return agents.Beleg{Kind: "claim", ID: id, Tresor: "werk", Version: "1.0.0", Manifest: "aa", Source: "S-0001", SourceTitle: "Ordnung", Fundstelle: "§ " + id, Art: "Wortlaut", Stand: "2026-05-02"}
	}
	return agents.Cite([]agents.Statement{
		{Text: "Zu: " + r.Text, Citations: []string{"C-0001"}}, {Text: "Der Laser ist gesperrt.", Citations: []string{"C-0002"}},
	}, []agents.Beleg{b("C-0001"), b("C-0002")})
}

// "Beleg 2 zeigen" by button and by words, below an answer and below an old one:
// exact wording, source, place, Stand and release, and whether it still holds
// (channels.md §4 row 2).
func TestEvidenceOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), two)
		w.o.Agents["tresor"] = proving{two, func(b agents.Beleg, wording string) (agents.Proof, error) {
			if b.ID == "C-0001" {
				return agents.Proof{}, &agents.Error{Status: agents.StatusUnavailable, Text: "Der Tresor wird gerade freigegeben."}
			}
			return agents.Proof{State: agents.ProofChanged, Wording: wording + " Ausnahmen nennt § 9.", Now: agents.Beleg{Version: "2.0.0", Manifest: "bb", Source: "S-0001", Fundstelle: "§ 8", Stand: "2027-01-01"}}, nil
		}}
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		w.ask("7", "Und dann?")
		synctest.Wait()
		id := w.queue.firstID()
		for i, say := range []func(){
			func() { w.press("7", "ev:"+id, "1") },
			func() { w.press("7", "ev:"+id+":2", "1") },
			func() { w.ask("7", "Beleg 2 zeigen", replyTo("1")) },
			func() { w.ask("7", "show source 2") },
			func() { w.ask("7", "Beleg C-0002") },
			func() { w.ask("7", "Beleg 3") },
			func() {
				w.ask("7", "2", func(e *channels.Event) { e.Kind, e.Command = channels.KindCommand, "belege" })
			},
		} {
			say()
			synctest.Wait()
			got := w.net.all()[2+i].text
			second := []string{
				"<b>Beleg 2: C-0002</b>", "Der Laser ist gesperrt.", "Quelle: S-0001 Ordnung, § C-0002", "Stand: 2026-05-02", "Fassung, aus der geantwortet wurde: 1.0.0 (Tresor „werk“)",
				"<code>aa</code>", "Die heutige Fassung 2.0.0 sagt es anders:", "Der Laser ist gesperrt. Ausnahmen nennt § 9.",
			}
			want := second
			switch i {
			case 0:
				want = append([]string{"<b>Beleg 1: C-0001</b>", "Zu: Wann?", "Der Tresor wird gerade freigegeben."}, second...)
			case 5:
				want = []string{"Einen Beleg 3 gibt es nicht: Diese Antwort hat 2 Belege."}
			}
			for _, s := range want {
				if !strings.Contains(got, s) {
					t.Errorf("%d: %q is missing in\n%s", i, s, got)
				}
			}
		}
		w.end()
	})
}

// A refusal has no evidence to show, and no button for it (channels.md §2.5,
// citations).
func TestNoEvidenceUnderARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), func(context.Context, agents.Request) (agents.Answer, error) { return agents.NichtImBestand(12), nil })
		n := newEditing(w)
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		equal(t, "buttons", n.labels("1"), []string{"👍", "👎"})
		w.ask("7", "Belege")
		synctest.Wait()
		if got := n.seen("7"); len(got) != 2 || got[1] != "Diese Antwort hat keine Belege: Zu der Frage ist nichts im Bestand." {
			t.Errorf("seen %q", got)
		}
		w.end()
	})
}

// A thousand old buttons work after a restart, each with its own answer
// (channels.md §4 row 2).
func TestOldButtonsAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.start()
		const answers = 1000
		for i := range answers {
			w.ask(fmt.Sprint("p", i%100), fmt.Sprint("Frage ", i))
			if i%15 == 14 {
				synctest.Wait()
				time.Sleep(5 * time.Minute)
			}
		}
		synctest.Wait()
		w.end()
		ids := make(map[string]gateway.Envelope)
		for _, e := range w.queue.envelopes() {
			if e.Type == gateway.TypeRequest && e.Intent == "" {
				ids[e.ID] = e
			}
		}
		time.Sleep(30 * 24 * time.Hour)

		w2 := newWorld(t, w.queue.crash(), echo)
		w2.o.Settings.Policy.Limits.Presses = 10_000
		w2.seq = w.seq
		w2.start()
		want := make(map[string]string)
		for id, e := range ids {
			who := e.From.User.Identity
			want[w2.press(who, "ev:"+id, "1").Key] = e.Payload.Text
		}
		synctest.Wait()
		w2.end()
		if len(want) != answers {
			t.Fatalf("%d answers, want %d", len(want), answers)
		}
		seen := make(map[string]int)
		for _, s := range w2.net.all() {
			for _, line := range strings.Split(s.text, "\n") {
				if _, q, ok := strings.Cut(line, "Zu: "); ok {
					seen[strings.TrimSuffix(strings.TrimSuffix(q, "</blockquote>"), "\n")]++
				}
			}
		}
		for _, q := range want {
			if seen[q] != 1 {
				t.Errorf("the evidence of %q is shown %d times", q, seen[q])
			}
		}
	})
}

// What the log does not know any more is said, and no invention (or another's) is
// shown.
func TestButtonsWhoseLogIsGone(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		w.press("7", "ev:0440764559995719680", "1")
		w.press("7", "up:0440764559995719680", "1")
		w.press("7", "remind:later", "1") // somebody else's, or of a later version
		synctest.Wait()
		const gone = "Diese Antwort kann ich nicht mehr nachschlagen, sie ist zu lange her. Bitte stellen Sie die Frage noch einmal."
		equal(t, "seen", w.net.seen("7"), []string{gone, gone})
		if s := w.g.Status(); s.Refused[gateway.ReasonKind] != 1 {
			t.Errorf("refused %v", s.Refused)
		}
	})
}
