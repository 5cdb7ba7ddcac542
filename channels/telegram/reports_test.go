package telegram_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/formatting"
)

// The tests of this file, and those that name a row elsewhere, hold against the
// reports of channels.md 2.1.

// channels.md T1.
func TestRefusedMarkupGoesOutOnceWithoutMarks(t *testing.T) {
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	c := open(t, n.options(quiet()))
	p := words(address(t, "1001", "", ""), "")
	p.Body = formatting.Part{Text: "<b>fett *und* _schief", Plain: "fett *und* _schief", Mode: "HTML"}
	_, err := c.Send(soon(t), p)
	if se := channels.AsSendError(err); se == nil || se.Class != channels.Refused || !se.Markup {
		t.Fatalf("got %v, want refused for its markup", err)
	}
	p.Plain = true
	if _, err := c.Send(soon(t), p); err != nil {
		t.Fatal(err)
	}
	sent := n.fake.Sent(ada)
	if len(sent) != 1 || sent[0].Text != p.Body.Plain || sent[0].ParseMode != "" || len(sent[0].Entities) != 0 {
		t.Errorf("arrived: %+v", sent)
	}
	if calls := n.fake.Calls("sendMessage"); calls != 2 {
		t.Errorf("%d requests, want 2", calls)
	}
}

// render sends a document and returns what arrives.
func render(t *testing.T, n *network, text string) []fake.Sent {
	t.Helper()
	n.fake.Say(ada, ada, "hallo")
	c := open(t, n.options(quiet()))
	for i, part := range formatting.Render(formatting.Parse(text), c.Profile()) {
		p := channels.Post{To: address(t, "1001", "", ""), Key: fmt.Sprint(i), Body: part}
		if _, err := c.Send(soon(t), p); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	return n.fake.Sent(ada)
}

// channels.md T2.
func TestNothingIsCutByMarkupThatTakesRoom(t *testing.T) {
	n := newNetwork(t)
	var b strings.Builder
	const sentences = 1500
	for i := range sentences {
		fmt.Fprintf(&b, "**w%dx** & `a<b` _c > d_ && \"%d\".\n\n", i, i)
	}
	var all strings.Builder
	for _, m := range render(t, n, b.String()) {
		if len(m.Raw) > 32<<10 {
			t.Errorf("a part has %d bytes", len(m.Raw))
		}
		all.WriteString(m.Text + "\n")
	}
	for i := range sentences {
		if got := strings.Count(all.String(), fmt.Sprintf("w%dx", i)); got != 1 {
			t.Fatalf("w%dx arrived %d times", i, got)
		}
	}
}

// channels.md T3 and T4.
func TestEmojiFitWhateverTelegramCounts(t *testing.T) {
	const family = "👨‍👩‍👧‍👦"
	for _, count16 := range []bool{false, true} {
		n := newNetworkOf(t, fake.Options{CountUTF16: count16})
		got := render(t, n, strings.Repeat(strings.Repeat(family, 3)+" 🇩🇪😀 ", 700))
		all := ""
		for _, m := range got {
			for word := range strings.FieldsSeq(m.Text) {
				if strings.Trim(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(word, family, ""), "🇩🇪", ""), "😀", ""), "()0123456789/") != "" {
					t.Fatalf("half an emoji in %q", word)
				}
			}
			all += m.Text
		}
		if families := strings.Count(all, family); families != 2100 {
			t.Errorf("%d families arrived, want 2100", families)
		}
	}
}

// channels.md T7.
func TestEverythingStaysInGeneralWithoutItsId(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Post(fake.Line{Chat: forum, From: ada, Text: "allgemein"})
	to := next(t, events).Address
	p := words(to, "mit Knopf")
	p.Body.Buttons = []formatting.Button{{ID: "beleg:1", Label: "Beleg"}}
	receipt, err := c.Send(soon(t), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Edit(soon(t), words(to, "geändert"), receipt.Remote); err != nil {
		t.Fatal(err)
	}
	f := channels.Upload{Name: "a.txt", Size: 1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }}
	if _, err := c.SendFile(soon(t), words(to, ""), f); err != nil {
		t.Fatal(err)
	}
	c.Typing(t.Context(), to)
	if err := n.fake.AwaitActions(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	for _, r := range n.fake.Requests("") {
		thread, named := r.Params["message_thread_id"]
		switch r.Method {
		case "sendMessage", "sendDocument", "editMessageText":
			if named {
				t.Errorf("%s names the topic %s", r.Method, thread)
			}
		case "sendChatAction":
			if thread != "1" {
				t.Errorf("typing is shown in topic %q, want 1", thread)
			}
		}
	}
}

// channels.md T8: there is one layer that retries, and it is not this one.
func TestNothingIsSentTwiceByTheAdapter(t *testing.T) {
	for _, kind := range []fake.FaultKind{fake.CutAfter, fake.Late, fake.Garbage, fake.TooMany, fake.CutBefore} {
		n := newNetwork(t)
		n.fake.Say(ada, ada, "hallo")
		c := open(t, n.options(quiet()))
		n.fake.Fault(fake.Fault{Kind: kind, Method: "sendMessage", Delay: slowness * time.Second, Body: "?", RetryAfter: 1})
		if _, err := c.Send(soon(t), words(address(t, "1001", "", ""), "einmal")); err == nil {
			t.Errorf("fault %d: no error", kind)
		}
		if calls := n.fake.Calls("sendMessage"); calls != 1 {
			t.Errorf("fault %d: %d requests, want 1", kind, calls)
		}
	}
}

// channels.md T9.
func TestWaitingMessagesAreNeverDropped(t *testing.T) {
	h := newHooked(t)
	for _, o := range []func() (channels.Channel, error){
		func() (channels.Channel, error) { return h.Open(quiet()) },
		func() (channels.Channel, error) { return h.network.Open(quiet()) },
	} {
		h.fake.Say(ada, ada, "wartet")
		ch, err := o()
		if err != nil {
			t.Fatal(err)
		}
		events, done := make(chan channels.Event, 100), make(chan struct{})
		ctx, cancel := context.WithCancel(soon(t))
		go func() {
			defer close(done)
			_ = ch.Run(ctx, deliverTo(events))
		}()
		if e := next(t, events); e.Text != "wartet" {
			t.Errorf("got %+v", e)
		}
		if err := h.fake.AwaitConfirmed(soon(t)); err != nil {
			t.Error(err)
		}
		cancel()
		<-done
		ch.(channels.Closer).Close()
	}
	for _, r := range h.fake.Requests("") {
		if _, named := r.Params["drop_pending_updates"]; named {
			t.Errorf("%s drops what waits", r.Method)
		}
	}
}

// channels.md T11.
func TestEditsCountAgainstTheRate(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	o := n.options(quiet())
	o.Limits = &channels.Limits{Chat: channels.Rate{Every: 100 * time.Millisecond, Burst: 1}}
	c := open(t, o)
	to := address(t, "1001", "", "")
	start := time.Now()
	receipt, err := c.Send(soon(t), words(to, "0"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if err := c.Edit(soon(t), words(to, fmt.Sprint(i+1)), receipt.Remote); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(start); d < 400*time.Millisecond {
		t.Errorf("a post and four edits took %s, want 400 ms at least", d)
	}
	n.fake.Fault(fake.Fault{Kind: fake.TooMany, Method: "editMessageText", RetryAfter: 1})
	if se := channels.AsSendError(c.Edit(soon(t), words(to, "zu oft"), receipt.Remote)); se == nil || se.Class != channels.RetryAfter {
		t.Errorf("got %v", se)
	}
	start = time.Now()
	if _, err := c.Send(soon(t), words(to, "danach")); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d < 800*time.Millisecond {
		t.Errorf("the chat was written to %s after it was asked to wait for a second", d)
	}
}

// channels.md T12.
func TestOnlyAChangedTextIsAnEdit(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	id := n.fake.Say(ada, ada, "/tresor Frist")
	if e := next(t, events); e.Kind != channels.KindCommand {
		t.Fatalf("got %+v", e)
	}
	n.fake.Touch(ada, id) // a link preview, a reaction, a pin
	n.fake.Edit(ada, id, "/tresor Fristen", 0)
	edit := next(t, events)
	if edit.Kind != channels.KindEdit || edit.Command != "tresor" || edit.Text != "Fristen" {
		t.Errorf("got %+v, want the edit of a command", edit)
	}
	n.fake.Touch(ada, id)
	if again := next(t, events); again.Key != edit.Key {
		t.Errorf("an edit that changed nothing has the key %s, want %s", again.Key, edit.Key)
	}
}

// Also in channels.md 2.1: files above 20 MB block the update loop.
func TestLargeFileHoldsUpNothing(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Post(fake.Line{Chat: ada, From: ada, Media: "document", File: []byte("x"), FileName: "film.mkv", Text: "zu groß"})
	e := next(t, events)
	n.fake.Inflate(e.Files[0].Ref, 30<<20)
	n.fake.Say(ada, ada, "weiter")
	if next := next(t, events); next.Text != "weiter" {
		t.Errorf("got %+v", next)
	}
	_, err := c.Fetch(soon(t), e.Files[0], 1<<30)
	if se := channels.AsSendError(err); se == nil || se.Class != channels.Refused {
		t.Errorf("Fetch: %v, want refused", err)
	}
	e.Files[0].Size = 30 << 20
	calls := n.fake.Calls("getFile")
	if _, err := c.Fetch(soon(t), e.Files[0], 1<<30); err == nil || n.fake.Calls("getFile") != calls {
		t.Errorf("a file that says that it is too large was asked for: %v", err)
	}
}

// Also in channels.md 2.1: menu and messages in mixed languages.
func TestMenuIsSetForEachLanguageAndPlace(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	de := []channels.Command{{Name: "tresor", About: "Frage", Everywhere: true}, {Name: "sprache", About: "Sprache wählen"}}
	en := []channels.Command{{Name: "tresor", About: "Question", Everywhere: true}, {Name: "sprache", About: "Choose a language"}}
	for lang, list := range map[string][]channels.Command{"": en, "de": de, "en-GB": en} {
		if err := c.SetCommands(soon(t), lang, list); err != nil {
			t.Fatal(err)
		}
	}
	for lang, about := range map[string]string{"": "Question", "de": "Frage", "en": "Question"} {
		for scope, count := range map[string]int{"all_private_chats": 2, "all_group_chats": 1, "default": 1} {
			if got := n.fake.MenuIn(scope, lang); len(got) != count || got[0].Description != about {
				t.Errorf("%s in %q: %+v", scope, lang, got)
			}
		}
	}
	n.violations()
}

// A voice message is named as unsupported, and a transcriber can read it.
func TestVoiceMessageCanBeRead(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Post(fake.Line{Chat: ada, From: ada, Media: "voice", File: []byte("OggS…"), FileName: ""})
	e := next(t, events)
	if e.Unsupported != "voice" || len(e.Files) != 1 || e.Files[0].MIME != "audio/ogg" {
		t.Fatalf("got %+v", e)
	}
	r, err := c.Fetch(soon(t), e.Files[0], 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "OggS…" {
		t.Errorf("read %q, %v", b, err)
	}
}

// Of a photo the largest size is the file.
func TestPhotoIsItsLargestSize(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Post(fake.Line{Chat: ada, From: ada, Media: "photo", File: []byte(strings.Repeat("jpeg", 100)), Text: "Was ist das?"})
	e := next(t, events)
	if len(e.Files) != 1 || e.Files[0].Size != 400 || e.Files[0].MIME != "image/jpeg" || e.Text != "Was ist das?" {
		t.Errorf("got %+v", e)
	}
}

// Pictures go out as photos, and a caption that is too long stays away.
func TestPicturesGoOutAsPhotos(t *testing.T) {
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	c := open(t, n.options(quiet()))
	for _, tt := range []struct {
		mime, caption, kind, arrives string
		size                         int64
	}{
		{"image/png", "Bild 1", "photo", "Bild 1", 100},
		{"image/svg+xml", "Bild 2", "document", "Bild 2", 100},
		{"image/png", strings.Repeat("x", 1025), "photo", "", 100},
		{"image/jpeg", strings.Repeat("😀", 512), "photo", strings.Repeat("😀", 512), 100},
		{"image/jpeg", "", "document", "", 11 << 20},
	} {
		f := channels.Upload{Name: "bild", MIME: tt.mime, Size: tt.size, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(&endless{}, tt.size)), nil
		}}
		if _, err := c.SendFile(soon(t), words(address(t, "1001", "", ""), tt.caption), f); err != nil {
			t.Fatal(err)
		}
		sent := n.fake.Sent(ada)
		if last := sent[len(sent)-1]; last.FileKind != tt.kind || last.Text != tt.arrives || int64(len(last.File)) != tt.size {
			t.Errorf("%s: arrived as %s with %d bytes and %q", tt.mime, last.FileKind, len(last.File), last.Text)
		}
	}
	n.violations()
}
