package channels_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"outheis/channels"
)

func TestScrub(t *testing.T) {
	const secret = "invented:se cret/with+signs"
	b64 := base64.StdEncoding.EncodeToString([]byte(secret))
	for name, c := range map[string]struct {
		in, want string
		secrets  []string
	}{
		"plain words stay":      {in: "connection refused", want: "connection refused"},
		"secret":                {in: "no " + secret + " here", want: "no … here", secrets: []string{secret}},
		"short secret":          {in: "key zq7", want: "key …", secrets: []string{"zq7"}},
		"escaped":               {in: "GET /" + url.QueryEscape(secret), want: "GET /…", secrets: []string{secret}},
		"base64":                {in: "Basic " + b64, want: "Basic …", secrets: []string{secret}},
		"hex":                   {in: "x=" + hex.EncodeToString([]byte(secret)), want: "x=…", secrets: []string{secret}},
		"half behind the colon": {in: "bad se cret/with+signs", want: "bad …", secrets: []string{secret}},
		"one within another":    {in: "abcdef", want: "…", secrets: []string{"abc", "abcdef"}},
		"across a line":         {in: "a se\ncret", want: "a …", secrets: []string{"se cret"}},
		"a bot's token":         {in: "/bot12345:" + strings.Repeat("Q", 30) + "/getMe", want: "/bot…/getMe"},
		"three parts":           {in: "Bot " + strings.Repeat("M", 24) + ".GhIjKl." + strings.Repeat("x", 27), want: "Bot …"},
		"one long word":         {in: "hook " + strings.Repeat("w", 68), want: "hook …"},
		"quoted":                {in: `invalid "my message" and "more`, want: `invalid "…" and "…"`},
		"lines and controls":    {in: "a\r\nb\x1b[31mc\u2028d", want: "a  b [31mc d"},
		"turned and hidden":     {in: "a\u202eb\u2066c\u200bd\u061ce", want: "a b c d e"},
		"too long":              {in: strings.Repeat("ü ", 100), want: strings.Repeat("ü ", 66) + "ü…"},
		"nothing":               {in: "", want: "no reason given"},
		"blanks":                {in: "\n\t", want: "no reason given"},
		"no secret":             {in: "a", want: "a", secrets: []string{"", ""}},
		"invalid bytes":         {in: "a\xffb", want: "a\ufffdb"},
	} {
		if got := channels.Scrub(c.in, c.secrets...); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// FuzzScrub: whatever a server says, the secret is not in it, in any form, and
// it is one line that a log can hold.
func FuzzScrub(f *testing.F) {
	f.Add("the token is ", "invented-token-0123456789", " and wrong")
	f.Add("\x00\u202e\"", "12345:AAAAAAAAAAAAAAAAAAAAAAAAA", "\"")
	f.Add(strings.Repeat("ä", 120), "se\ncret", "")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		for _, form := range []string{
			secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			got := channels.Scrub(before+form+after, secret)
			switch {
			case got == "" || !utf8.ValidString(got) || len(got) > 210:
				t.Errorf("%q is empty, no text, or has %d bytes", got, len(got))
			case strings.ContainsFunc(got, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
				t.Errorf("%q holds control characters", got)
			}
			// What is as short as our own marks may be in them.
			if len(secret) >= 8 && !strings.ContainsAny(secret, "…\"") && !strings.Contains("no reason given", secret) &&
				strings.TrimSpace(secret) != "" && utf8.ValidString(secret) && strings.Contains(got, form) {
				t.Errorf("%q holds the secret %q", got, secret)
			}
		}
	})
}
