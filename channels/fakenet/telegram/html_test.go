package telegram

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseHTML(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"eins", `"eins"`},
		{"<b>eins</b> <i>zwei</i>", `"eins zwei" bold[0+4] italic[5+4]`},
		{"😀<b>x</b>", `"😀x" bold[2+1]`},
		{"<b><i>x</i>y</b>", `"xy" bold[0+2] italic[0+1]`},
		{"&lt;b&gt; &amp; &quot; &apos; &nbsp; &#65; &#x1F600;", `"<b> & \" &apos; &nbsp; A 😀"`},
		{`<pre><code class="language-go">x</code></pre>`, `"x" pre[0+1]go`},
		{`<code class="language-go">x</code>`, `"x" code[0+1]`},
		{`<pre>x</pre>`, `"x" pre[0+1]`},
		{`<a href="http://b.example/?a=1&amp;b">x</a>`, `"x" text_link[0+1]http://b.example/?a=1&b`},
		{`<a href="b.example">x</a>`, `"x" text_link[0+1]http://b.example/`},
		{`<a href="nirgendwo">x</a>`, `"x"`},
		{`<a href="tg://user?id=5">x</a>`, `"x" text_mention[0+1]`},
		{`<blockquote expandable>x</blockquote>`, `"x" expandable_blockquote[0+1]`},
		{`<span class="tg-spoiler">x</span>`, `"x" spoiler[0+1]`},
		{`<b></b>`, `""`},
		{`<B>x</b >`, `"x" bold[0+1]`},
		{`<b>x</>`, `"x" bold[0+1]`},
		{`<b>x`, `Can't parse entities: Can't find end tag corresponding to start tag "b"`},
		{`a < b`, `Can't parse entities: Unsupported start tag "" at byte offset 2`},
		{`<div>x</div>`, `Can't parse entities: Unsupported start tag "div" at byte offset 0`},
		{`<b>bo<i>ld</b></i>`, `Can't parse entities: Unmatched end tag at byte offset 10, expected "</i>", found "</b>"`},
		{`</b>`, `Can't parse entities: Unexpected end tag at byte offset 0`},
		{`<b`, `Can't parse entities: Unclosed start tag at byte offset 0`},
		{`<b>x</b`, `Can't parse entities: Unclosed end tag at byte offset 4`},
		{`<b x=>y`, `Can't parse entities: Can't find end tag corresponding to start tag "b"`},
		{`<b x=ü>`, `Can't parse entities: Unexpected end of name token at byte offset 5`},
		{`<b =x>`, `Can't parse entities: Empty attribute name in the tag "b" at byte offset 0`},
		{`<span>x</span>`, `Can't parse entities: Tag "span" must have class "tg-spoiler" at byte offset 0`},
		{`<tg-emoji emoji-id="x">x</tg-emoji>`, `Can't parse entities: Invalid custom emoji identifier specified`},
		{`&#xD83D;`, `Can't parse entities: Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units`},
	} {
		if got := describe(tt.in); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

// describe writes down what the parser makes of a text.
func describe(text string) string {
	plain, entities, err := parseHTML(text)
	if err != nil {
		return "Can't parse entities: " + err.Error()
	}
	s := fmt.Sprintf("%q", plain)
	for _, e := range entities {
		s += fmt.Sprintf(" %s[%d+%d]%s%s", e.Type, e.Offset, e.Length, e.Language, e.URL)
	}
	return s
}

func TestClean(t *testing.T) {
	for _, tt := range []struct {
		in   string
		e    Entity
		want string
	}{
		{"  eins  ", Entity{Offset: 2, Length: 4}, `"eins" [0+4]`},
		{"  eins  ", Entity{Offset: 0, Length: 8}, `"eins" [0+4]`},
		{"😀 \r\nx", Entity{Offset: 5, Length: 1}, `"😀 \nx" [4+1]`},
		{"a\x01b", Entity{Offset: 1, Length: 1}, `"a b" [1+1]`},
		{"a\u202eb", Entity{Offset: 2, Length: 1}, `"ab" [1+1]`},
		{"   ", Entity{Offset: 0, Length: 3}, `""`},
	} {
		text, entities := clean(tt.in, []Entity{tt.e})
		got := fmt.Sprintf("%q", text)
		for _, e := range entities {
			got += fmt.Sprintf(" [%d+%d]", e.Offset, e.Length)
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestFindEntities(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"@auskunft_bot hallo", "mention@auskunft_bot"},
		{"😀😀 @auskunft_bot", "mention@auskunft_bot"},
		{"mail@auskunft_bot", ""},
		{"/start und /help@auskunft_bot", "bot_command/start bot_command/help@auskunft_bot"},
		{"a/start http://b.example/start", "urlhttp://b.example/start"},
		{"siehe https://b.example/x, ja", "urlhttps://b.example/x"},
		{"#Tag und #größe", "hashtag#Tag hashtag#größe"},
		{"/pfad/zu", ""},
	} {
		var got []string
		for _, e := range findEntities(tt.in) {
			got = append(got, e.Type+slice16(tt.in, e.Offset, e.Length))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Whatever is parsed, the entities lie inside the text and the text is valid.
func FuzzParseHTML(f *testing.F) {
	for _, s := range []string{
		`<b>x</b>`, `<a href="http://b.example">x</a>`, `<pre><code class="language-go">x</code></pre>`, `&#x1F600;`, `<b x='&lt;`, `</`, `<i a = b>😀</i>`,
		`<blockquote expandable>x</blockquote>`, `<tg-emoji emoji-id="5">x</tg-emoji>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			return // the server refuses it before
		}
		text, entities, err := parseHTML(in)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		check(t, in, text, entities)
		cleaned, kept := clean(text, entities)
		check(t, in, cleaned, kept)
		check(t, in, cleaned, withFound(cleaned, kept))
	})
}

func check(t *testing.T, in, text string, entities []Entity) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("%q gives an invalid text %q", in, text)
	}
	for _, e := range entities {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > utf16Len(text) {
			t.Fatalf("%q: entity %+v lies outside of %q", in, e, text)
		}
	}
}
