package channels

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	// anyToken finds what may be a token of any account, webhook or interaction
	// of the networks whose tokens have a form of their own.
	anyToken = regexp.MustCompile(`[0-9]{5,}:[A-Za-z0-9_-]{20,}` +
		`|[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{20,}` +
		`|[A-Za-z0-9_-]{60,}`)
	// inQuotes finds what a server quotes of a message.
	inQuotes = regexp.MustCompile(`"[^"]*"?`)
)

// maxScrubbed bounds, in bytes, what is taken over of a text from outside.
const maxScrubbed = 200

// Scrub makes a text from outside, such as the error of a server, fit for logs,
// health and people: without the secrets in any form in which they may be
// written, without what looks like a token, without the parts of messages that
// servers quote, on one line of valid UTF-8 and not too long. It never returns
// an empty string. Empty secrets are ignored; all others are removed however
// short they are.
func Scrub(s string, secrets ...string) string {
	forms := secretForms(secrets)
	s = without(s, forms)
	// Joined again, its parts must not be a secret that was not there before.
	s = without(strings.Map(plainRune, s), forms)
	s = anyToken.ReplaceAllString(s, "…")
	s = inQuotes.ReplaceAllString(s, `"…"`)
	if len(s) > maxScrubbed {
		s = strings.ToValidUTF8(s[:maxScrubbed], "") + "…"
	}
	if strings.TrimSpace(s) == "" {
		return "no reason given"
	}
	return s
}

// plainRune replaces what would break a line, or turn or hide a part of it.
func plainRune(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
		return ' '
	}
	return r
}

// secretForms returns the forms in which secrets may be written, the longest
// first: one may be a part of another. The part of a secret behind a colon is a
// secret too where it is not a mere word.
func secretForms(secrets []string) []string {
	var forms []string
	add := func(secret string) {
		forms = append(forms,
			secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)),
			base64.URLEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
			strings.Map(plainRune, secret),
		)
	}
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		add(secret)
		if _, part, ok := strings.Cut(secret, ":"); ok && len(part) >= 8 {
			add(part)
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(forms)
}

func without(s string, forms []string) string {
	for _, form := range forms {
		if strings.TrimSpace(form) != "" {
			s = strings.ReplaceAll(s, form, "…")
		}
	}
	return s
}
