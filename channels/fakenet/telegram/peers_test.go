//go:build peers

package telegram

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TDLib is the library inside the real Bot API server. The environment
// variable TDJSON names its shared object; see the test's skip message.
func TestHTMLAgreesWithTDLib(t *testing.T) {
	if os.Getenv("TDJSON") == "" {
		t.Skip("TDJSON is not set: npm install --ignore-scripts @prebuilt-tdlib/linux-x64-glibc@0.1008067.0, then name its libtdjson.so")
	}
	cmd := exec.Command("python3", "testdata/tdlib.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	texts := htmlSamples()
	random := rand.New(rand.NewPCG(7, 7))
	for range 20000 {
		texts = append(texts, randomHTML(random))
	}
	differ := 0
	for _, text := range texts {
		want := askTDLib(t, in, lines, text)
		got := describe(text)
		if got != want && differ < 20 {
			differ++
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
	t.Logf("%d texts compared", len(texts))
}

// htmlSamples are texts that random ones hardly reach.
func htmlSamples() []string {
	return []string{
		`<blockquote expandable>x</blockquote>`, `<i aba>x</i>`, `<i aba`, `<i aba=`, `<i`, `<i x="a"`, `<b>x`, `<`, `</`, `<>`,
		`<blockquote><blockquote>x</blockquote>y</blockquote>`, `<pre><code class="language-go">x</code></pre>`,
		`<code class="language-go"><pre>x</pre></code>`, `<code><b>z</b></code>`, `  <b> x </b>  `, `&#x41;&#65;&#0;&lt&gtx&quot;&apos;&nbsp;`,
		`&#xD83D;`, `<h1>x</h1>`, `<b></b>a</>`, `<b>a</>`, `</b>`, `<B>x</B>`, `<!-- x -->`, `<span class="tg-spoiler">x</span>`,
		`<span>y</span>`, `<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>`, `<tg-emoji>x</tg-emoji>`, `🏟 🏟&lt;<i   =aba>`,
		`🏟 🏟&lt;<i    aba  =  190azAz-.,`, `🏟<i>a</i   `, `🏟<i>a</em   >`, `<a href="tg://user?id=5">z</a>`, `<a href="http://a.b/c?d=e&amp;f">y</a>`,
		`<a href="a.de">k</a>`, `<a href="javascript:1">j</a>`, `<a>www.foo.org</a>`, `<a href="https://Beispiel.DE">x</a>`,
		`<tg-time unix="5">x</tg-time>`, `<tg-time>x</tg-time>`,
	}
}

var htmlPieces = []string{
	"<b>", "</b>", "<i>", "</i>", "<u>", "</u>", "<s>", "</s>", "<code>", "</code>", "<pre>", "</pre>", `<code class="language-go">`,
	"<blockquote>", "</blockquote>", "<blockquote expandable>", `<a href="http://a.de/x">`, "</a>", `<span class="tg-spoiler">`, "</span>",
	"<tg-spoiler>", "</tg-spoiler>", "<strong>", "</strong>", "<em>", "</em>", "<del>", "</del>", "<x>", "</>", "<", ">", "&lt;", "&gt;",
	"&amp;", "&quot;", "&apos;", "&", "&#65;", "&#x1F600;", "&#", "&#x", "&lt", " ", "\n", "a", "Straße", "😀", "👨‍👩‍👧", "=", "\"", "'", "/",
}

func randomHTML(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(12) {
		b.WriteString(htmlPieces[random.IntN(len(htmlPieces))])
	}
	return b.String()
}

var typeNames = map[string]string{
	"textEntityTypeBold": "bold", "textEntityTypeItalic": "italic", "textEntityTypeUnderline": "underline",
	"textEntityTypeStrikethrough": "strikethrough", "textEntityTypeSpoiler": "spoiler", "textEntityTypeCode": "code",
	"textEntityTypePre": "pre", "textEntityTypePreCode": "pre", "textEntityTypeTextUrl": "text_link",
	"textEntityTypeMentionName": "text_mention", "textEntityTypeBlockQuote": "blockquote",
	"textEntityTypeExpandableBlockQuote": "expandable_blockquote", "textEntityTypeCustomEmoji": "custom_emoji",
	"textEntityTypeDateTime": "date_time",
}

func askTDLib(t *testing.T, in io.Writer, out *bufio.Reader, text string) string {
	t.Helper()
	q, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(append(q, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Error    string
		Text     string
		Entities []struct {
			Type           string `json:"@type"`
			Offset, Length int
			URL, Language  string
			UserID         int64 `json:"user_id"`
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error != "" {
		return answer.Error
	}
	s := fmt.Sprintf("%q", answer.Text)
	for _, e := range answer.Entities {
		s += fmt.Sprintf(" %s[%d+%d]%s%s", typeNames[e.Type], e.Offset, e.Length, e.Language, e.URL)
	}
	return s
}

// A bot on a library of strangers finds a Bot API server here.
func TestGrammY(t *testing.T) {
	modules := os.Getenv("GRAMMY")
	if modules == "" {
		t.Skip("GRAMMY is not set: npm install --ignore-scripts grammy@1.36.3, then name the folder node_modules")
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.AddUser(User{ID: 11, FirstName: "Ada"})
	forum := s.AddGroup(Chat{Type: "supergroup", IsForum: true}, 11)
	topic := s.AddTopic(forum.ID, 11, "Eins")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "testdata/grammy.js")
	cmd.Env = append(os.Environ(), "TOKEN="+s.Token(), "API="+s.URL())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n := 0
	answer := func(chat int64, say func()) string {
		t.Helper()
		n++
		say()
		sent, err := s.AwaitSent(ctx, 0, n)
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if last := sent[len(sent)-1]; last.Chat != chat {
			t.Errorf("the answer went to %d, want %d", last.Chat, chat)
		}
		return sent[len(sent)-1].Text
	}
	for _, tt := range []struct{ say, want string }{
		{"/start Ada", "Hallo Ada"},
		{"hallo", "in 0: hallo"},
		{"kaputt", `400 Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`},
		{"tippen", "getippt"},
		{"knopf", "wähle"},
	} {
		if got := answer(11, func() { s.Say(11, 11, tt.say) }); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.say, got, tt.want)
		}
	}
	sent := s.Sent(11)
	query := s.Press(11, 11, sent[len(sent)-1].MessageID, "a")
	if err := s.await(ctx, "the edit", func() bool { return s.sent[len(s.sent)-1].Text == "gedrückt: a" && s.queries[query] }); err != nil {
		t.Error(err)
	}
	id := s.Say(11, 11, "vorher")
	if got := answer(11, func() {}); got != "in 0: vorher" {
		t.Errorf("got %q", got)
	}
	if got := answer(11, func() { s.Edit(11, id, "nachher", 0) }); got != "geändert: nachher" {
		t.Errorf("got %q", got)
	}
	s.Fault(Fault{Kind: CutBefore, Method: "getUpdates"})
	if got := answer(forum.ID, func() { s.Post(Line{Chat: forum.ID, From: 11, Thread: topic, Text: "im Thema"}) }); got != fmt.Sprintf("in %d: im Thema", topic) {
		t.Errorf("got %q", got)
	}
	if last := s.Sent(forum.ID)[0]; last.Thread != topic || last.ReplyTo == 0 {
		t.Errorf("got %+v", last)
	}
	answer(11, func() { s.Say(11, 11, "ende") })
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if got := s.Menu("de"); len(got) != 1 || got[0].Command != "start" {
		t.Errorf("menu %+v", got)
	}
	if v := s.Violations(); len(v) != 0 {
		t.Errorf("violations: %v", v)
	}
}
