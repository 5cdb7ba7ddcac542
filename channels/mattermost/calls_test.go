package mattermost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// listening makes the server reach us.
func (r *rig) listening() {
	n := newNetwork(r.t, r.fakeSide)
	r.opts.Listen, r.opts.PublicURL = n.listen, "http://"+n.listen+"/mm"
	r.opts.CommandToken = func() string { return "" }
}

var choice = []formatting.Button{{ID: "beleg:1", Label: "Beleg 1", Words: "Beleg 1 zeigen"}, {ID: "gut", Label: "👍"}}

// channels.md M7: buttons are shown only when one has found its way back; words
// stand in for them elsewhere, and administrators learn why.
func TestButtonsThatFindNoWayBackAreWords(t *testing.T) {
	r := newRig(t, fake.Options{NoLoopback: true})
	r.listening()
	c, _ := r.start()
	r.eventually("the self-test", func() bool { return c.Health().State == channels.Yellow })
	if h := c.Health(); !strings.Contains(h.Remedy, "interne Verbindungen") {
		t.Errorf("health is %+v", h)
	}
	p := words(address(t, r.direct, ""), "Im Mai.")
	p.Body.Buttons = choice
	send(t, c, p)
	got := r.s.Sent(r.direct)[0]
	if len(got.Buttons) != 0 || !strings.Contains(got.Text, "Beleg 1 zeigen") || strings.Contains(got.Text, "👍") {
		t.Errorf("sent %+v", got)
	}
}

// channels.md M7: what is pressed is believed only with our signature, for the
// chat that it was made for, while the button stands there.
func TestForgedAndStalePressesAreRefused(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	c, events := r.start()
	r.eventually("the self-test", func() bool { return mattermost.SelfTested(c) })
	p := words(address(t, r.direct, ""), "Im Mai.")
	p.Body.Buttons = choice
	id := send(t, c, p)
	hash := mattermost.Hash(c, p)
	press := func(post, chat string, with any) string {
		raw, _ := json.Marshal(map[string]any{"user_id": r.ada, "channel_id": chat, "post_id": post, "trigger_id": "x", "context": with})
		return posting(t, "http://"+r.opts.Listen+"/mm/action", "application/json", string(raw))
	}
	other, err := mattermost.New(func() mattermost.Options { o := r.opts; o.Secret = func() string { return "another secret" }; return o }())
	if err != nil {
		t.Fatal(err)
	}
	foreign := send(t, c, words(address(t, r.group, ""), "ohne Knöpfe"))
	for name, answer := range map[string]string{
		"nothing":        press(id, r.direct, map[string]string{}),
		"not signed":     press(id, r.direct, map[string]string{"k": hash, "b": "beleg:1", "s": strings.Repeat("0", 64)}),
		"another key":    press(id, r.direct, mattermost.Sign(other, r.direct, hash, "beleg:1")),
		"another button": press(id, r.direct, map[string]string{"k": hash, "b": "vergiss", "s": "x"}),
		"never shown":    press(id, r.direct, mattermost.Sign(c, r.direct, hash, "vergiss")),
		"another chat":   press(foreign, r.group, mattermost.Sign(c, r.direct, hash, "beleg:1")),
		"another post":   press(foreign, r.group, mattermost.Sign(c, r.group, hash, "beleg:1")),
	} {
		if !strings.Contains(answer, "gilt nicht mehr") {
			t.Errorf("%s: answered %q", name, answer)
		}
	}
	if got := press(id, r.direct, mattermost.Sign(c, r.direct, hash, "beleg:1")); got != "{}" {
		t.Errorf("a genuine press: answered %q", got)
	}
	if e := next(t, events); e.Kind != channels.KindButton || e.Button != "beleg:1" || e.Actor.ID != r.ada {
		t.Errorf("event %+v", e)
	}
	p.Body.Buttons = choice[1:]
	if err := c.Edit(t.Context(), p, id); err != nil {
		t.Fatal(err)
	}
	if got := press(id, r.direct, mattermost.Sign(c, r.direct, hash, "beleg:1")); !strings.Contains(got, "gilt nicht mehr") {
		t.Errorf("a button that is gone: answered %q", got)
	}
	if len(events) != 0 {
		t.Errorf("event %+v", <-events)
	}
}

// posting posts and returns the answer's body.
func posting(t *testing.T, to, kind, body string) string {
	t.Helper()
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}).Post(to, kind, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Sprint(resp.StatusCode, " ", string(raw))
	}
	return string(raw)
}

// A token that was taken out of the configuration counts no longer at once, and
// a wrong one is not told from none.
func TestCommandTokensRotateAtOnce(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	cmd := r.s.AddCommand(r.team, "tresor", r.opts.PublicURL+"/command")
	var mu sync.Mutex
	known := cmd.Token + " another-token"
	r.opts.CommandToken = func() string {
		mu.Lock()
		defer mu.Unlock()
		return known
	}
	_, events := r.start()
	ran := r.s.Run(r.team, r.group, "", r.ada, "/tresor Wie @all lange?")
	if ran.Status != http.StatusOK || !ran.Ephemeral || !strings.Contains(ran.Answer, "Wie @\u2060all lange?") {
		t.Fatalf("answered %+v", ran)
	}
	e := next(t, events)
	if e.Kind != channels.KindCommand || e.Command != "tresor" || e.Text != "Wie @all lange?" || e.Actor.ID != r.ada || e.Address.Chat() != r.group || e.Audience != channels.Group {
		t.Errorf("event %+v", e)
	}
	mu.Lock()
	known = "another-token"
	mu.Unlock()
	if ran := r.s.Run(r.team, r.group, "", r.ada, "/tresor noch einmal"); ran.Status == http.StatusOK {
		t.Errorf("a token that was taken out still counts: %+v", ran)
	}
	form := url.Values{"command": {"/tresor"}, "channel_id": {r.group}, "user_id": {r.ada}, "trigger_id": {"x"}}
	for _, token := range []string{"", "x", known + "x", " "} {
		form.Set("token", token)
		if got := posting(t, r.opts.PublicURL+"/command", "application/x-www-form-urlencoded", form.Encode()); !strings.HasPrefix(got, "401") {
			t.Errorf("token %q: answered %s", token, got)
		}
	}
	if len(events) != 0 {
		t.Errorf("event %+v", <-events)
	}
}

// A command in a channel in which we are not is answered by the way that the
// server offers, and who gave it alone reads the answer.
func TestCommandWhereWeAreNotIsAnswered(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	cmd := r.s.AddCommand(r.team, "tresor", r.opts.PublicURL+"/command")
	r.opts.CommandToken = func() string { return cmd.Token }
	c, events := r.start()
	bot, _, _ := r.bot()
	r.s.Kick(r.group, bot, r.people[channeltest.Ben])
	if e := next(t, events); e.Kind != channels.KindMembership || e.Change != channels.ChangeRemoved {
		t.Fatalf("event %+v", e)
	}
	r.s.Run(r.team, r.group, "", r.ada, "/tresor Frist?")
	e := next(t, events)
	if e.Audience != channels.Direct {
		t.Errorf("audience %s, want direct: nobody else reads it", e.Audience)
	}
	raw, _ := json.Marshal(e)
	if strings.Contains(string(raw), "hooks") {
		t.Errorf("the way to answer is in the event: %s", raw)
	}
	send(t, c, words(e.Address, "Im Mai."))
	seen := r.s.Seen(r.ada)
	if len(seen) == 0 || seen[len(seen)-1].Text != "Im Mai." {
		t.Errorf("Ada sees %+v", seen)
	}
}

// What is meant for one person's eyes never shows in the chat, also when the
// server takes no more answers to the command: after its five, and after a
// restart.
func TestAnswerForOneNeverShowsInTheChat(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	cmd := r.s.AddCommand(r.team, "tresor", r.opts.PublicURL+"/command")
	r.opts.CommandToken = func() string { return cmd.Token }
	c, events := r.start()
	bot, _, _ := r.bot()
	r.s.Kick(r.group, bot, r.people[channeltest.Ben])
	next(t, events)
	r.s.Run(r.team, r.group, "", r.ada, "/tresor Frist?")
	e := next(t, events)
	r.s.Join(r.group, bot, r.ada) // invited meanwhile
	before, direct := len(r.s.Sent(r.group)), len(r.s.Sent(r.direct))
	for i := range 7 {
		send(t, c, words(e.Address, fmt.Sprint("Teil ", i)))
	}
	again := r.open()
	defer again.Close()
	send(t, again, words(e.Address, "Teil 7"))
	upload := channels.Upload{Name: "x.txt", Size: 1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }}
	if _, err := again.SendFile(t.Context(), words(e.Address, "Anlage"), upload); err != nil {
		t.Error(err)
	}
	if got := len(r.s.Sent(r.group)); got != before {
		t.Errorf("%d posts of ours are open in the chat, want %d", got, before)
	}
	if got := len(r.s.Sent(r.direct)) - direct; got != 4 {
		t.Errorf("%d posts are in the direct chat, want 4", got)
	}
	old, err := channels.NewAddress(mattermost.Kind, account, r.group, "", "c:0123456789abcdef0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Send(t.Context(), words(old, "Teil 8")); channels.AsSendError(err).Class != channels.Refused {
		t.Errorf("an address that names nobody: %v, want a refusal", err)
	}
}
