package telegram_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
	"outheis/formatting"
	"outheis/formatting/formattest"
)

const tableAnswer = "# Fristen\n\nSie gelten **ab Zugang**.\n\n| Frist | Betrag |\n|---|---|\n| 14 Tage | 3,50 € |\n\n> Zitat <b>\n\n- eins\n  - zwei\n"

var (
	tags  = regexp.MustCompile(`<[^>]*>`)
	aWord = regexp.MustCompile(`[\pL\pN]+`)
)

// shown returns the words that people see of HTML.
func shown(s string) []string {
	return aWord.FindAllString(html.UnescapeString(tags.ReplaceAllString(s, " ")), -1)
}

// sendAll renders a text for c and sends it to a chat.
func sendAll(t *testing.T, c *telegram.Channel, to channels.Address, text string) {
	t.Helper()
	for _, part := range formatting.Render(formatting.Parse(text), c.Profile()) {
		if _, err := c.Send(soon(t), channels.Post{To: to, Key: "k", Body: part}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRichMessagesShowTitlesAndTables(t *testing.T) {
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	o := n.options(quiet())
	o.Rich = true
	c := open(t, o)
	sendAll(t, c, address(t, "1001", "", ""), tableAnswer)
	sendAll(t, c, address(t, "1001", "", ""), "Ein Satz mit **Betonung**.")
	sent := n.fake.Sent(ada)
	if len(sent) != 2 || sent[1].Rich != "" || sent[1].ParseMode != "HTML" {
		t.Fatalf("arrived: %+v", sent)
	}
	for _, want := range []string{"<h4>Fristen</h4>", "<th>Frist</th><th>Betrag</th>", "<td>14 Tage</td><td>3,50 €</td>", "<blockquote>Zitat &lt;b&gt;</blockquote>", "<p>• eins<br>"} {
		if !strings.Contains(sent[0].Rich, want) {
			t.Errorf("%q is not in %s", want, sent[0].Rich)
		}
	}
	n.violations()
}

// No word is lost, and no other mark than ours is in a rich message, whatever
// the document.
func TestRichMessagesKeepEveryWord(t *testing.T) {
	p := formatting.TelegramHTML()
	made := 0
	for _, d := range formattest.Corpus(7, 300) {
		for _, part := range formatting.Render(formatting.Parse(d.Markdown), p) {
			rich, ok := telegram.Rich(part.Text)
			if !ok {
				continue
			}
			made++
			if got, want := shown(rich), shown(part.Text); !slices.Equal(got, want) {
				t.Fatalf("%s: words differ\n%s\n%s", d.ID, part.Text, rich)
			}
		}
	}
	if made < 50 {
		t.Errorf("only %d rich messages were made", made)
	}
}

// Also in channels.md 2.1: the risks of rich messages.
func TestRefusedRichMessageLosesNoText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		empty bool
		fault *fake.Fault
	}{
		{"refused", false, &fake.Fault{Kind: fake.Refuse, Status: 400, Description: "Bad Request: RICH_MESSAGE_INVALID"}},
		{"an older server", false, &fake.Fault{Kind: fake.Refuse, Status: 404, Description: "Not Found: method not found"}},
		{"an empty bubble", true, nil},
	} {
		n := newNetworkOf(t, fake.Options{EmptyRich: tt.empty})
		n.fake.Say(ada, ada, "hallo")
		if tt.fault != nil {
			tt.fault.Method = "sendRichMessage"
			n.fake.Fault(*tt.fault)
		}
		o := n.options(quiet())
		o.Rich = true
		c := open(t, o)
		to := address(t, "1001", "", "")
		sendAll(t, c, to, tableAnswer)
		sent := n.fake.Sent(ada)
		if len(sent) != 1 || !strings.Contains(sent[0].Text, "14 Tage") || len(sent[0].Entities) == 0 {
			t.Errorf("%s: arrived %+v", tt.name, sent)
		}
		sendAll(t, c, to, tableAnswer)
		if calls := n.fake.Calls("sendRichMessage"); calls != 1 {
			t.Errorf("%s: %d rich messages were tried, want 1", tt.name, calls)
		}
	}
	// Where nobody knows whether it arrived, nobody sends it again.
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	n.fake.Fault(fake.Fault{Kind: fake.CutAfter, Method: "sendRichMessage"})
	o := n.options(quiet())
	o.Rich = true
	c := open(t, o)
	part := formatting.Render(formatting.Parse(tableAnswer), c.Profile())[0]
	p := channels.Post{To: address(t, "1001", "", ""), Key: "k", Body: part}
	if se := channels.AsSendError(func() error { _, err := c.Send(soon(t), p); return err }()); se == nil || se.Class != channels.Unsure {
		t.Errorf("got %v, want unsure", se)
	}
	if n.fake.Calls("sendMessage") != 0 {
		t.Error("what may have arrived was sent again")
	}
	p.Again = true // the gateway repeats it in the way that all clients know
	if _, err := c.Send(soon(t), p); err != nil {
		t.Fatal(err)
	}
}

func TestPressedButtonIsAnsweredForItsPersonAlone(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		n := newNetwork(t)
		o := n.options(quiet())
		o.Ephemeral = true
		c := open(t, o)
		events, _ := run(t, c)
		n.fake.Say(group, ben, "zeig")
		question := next(t, events)
		p := words(question.Address, "Antwort")
		p.Body.Buttons = []formatting.Button{{ID: "beleg:1", Label: "Beleg"}}
		receipt, err := c.Send(soon(t), p)
		if err != nil {
			t.Fatal(err)
		}
		n.fake.Press(group, ada, number(t, receipt.Remote), "beleg:1")
		pressed := next(t, events)
		if refuse {
			n.fake.Fault(fake.Fault{Kind: fake.Refuse, Status: 400, Description: "Bad Request: USER_NOT_FOUND", Method: "sendMessage"})
		}
		if _, err := c.Send(soon(t), words(pressed.Address, "der Beleg")); err != nil {
			t.Fatal(err)
		}
		sent := n.fake.Sent(group)
		last, want := sent[len(sent)-1], int64(ada)
		if refuse {
			want = 0
		}
		if len(sent) != 2 || last.Text != "der Beleg" || last.Receiver != want || last.ReplyTo == 0 {
			t.Errorf("refused %v: arrived %+v", refuse, last)
		}
		if sent[0].Receiver != 0 {
			t.Error("the answer to a question was for one person alone")
		}
		n.violations()
	}
}
