package formatting_test

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// A reporter is what checkParts needs of a testing.T or rapid.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkParts checks what holds of all parts of every document: limits, valid
// markup, no control characters, nothing empty.
func checkParts(t reporter, p formatting.Profile, parts []formatting.Part) {
	t.Helper()
	for i, part := range parts {
		if strings.TrimSpace(part.Plain) == "" || strings.TrimSpace(part.Text) == "" {
			t.Errorf("%s: part %d is empty", p.Name, i+1)
		}
		if !utf8.ValidString(part.Text) || !utf8.ValidString(part.Plain) {
			t.Errorf("%s: part %d is not UTF-8", p.Name, i+1)
		}
		seen := part.Text
		switch part.Mode {
		case "HTML":
			text, entities, err := formattest.ParseHTML(part.Text)
			if err != nil {
				t.Errorf("%s: part %d: %v in %.200q", p.Name, i+1, err, part.Text)
			}
			if max := p.Entities; max > 0 && len(entities) > max {
				t.Errorf("%s: part %d has %d entities, at most %d are shown", p.Name, i+1, len(entities), max)
			}
			if got := formattest.Plain(text, entities, shownURL(p)); got != part.Plain {
				t.Errorf("%s: part %d: plain text\n got %q\nwant %q", p.Name, i+1, part.Plain, got)
			}
			seen = text
		case "Markdown":
			parse := formattest.ParseMattermost
			if p.Dialect == formatting.DiscordDialect() {
				parse = formattest.ParseDiscord
			}
			text, entities, err := parse(part.Text)
			if err != nil {
				t.Errorf("%s: part %d: %v in %.200q", p.Name, i+1, err, part.Text)
			}
			if got, want := shown(formattest.Plain(text, entities, shownURL(p))), shown(part.Plain); got != want {
				t.Errorf("%s: part %d: what is shown\n got %q\nwant %q\nfor %q", p.Name, i+1, got, want, part.Text)
			}
		case "ANSI":
			seen = sgr.ReplaceAllString(part.Text, "")
			if seen != part.Plain {
				t.Errorf("%s: part %d: plain text\n got %q\nwant %q", p.Name, i+1, part.Plain, seen)
			}
		default:
			if part.Text != part.Plain {
				t.Errorf("%s: part %d: text and plain text differ", p.Name, i+1)
			}
		}
		for _, s := range []string{seen, part.Plain} {
			if n := p.Measure.Of(s); p.Limit > 0 && n > p.Limit {
				t.Errorf("%s: part %d takes %d %s of %d", p.Name, i+1, n, p.Measure, p.Limit)
			}
			if j := strings.IndexFunc(strings.ReplaceAll(s, formatting.Gap, ""), deceives); j >= 0 {
				t.Errorf("%s: part %d holds %U", p.Name, i+1, []rune(s[j:])[0])
			}
		}
		if p.RawLimit > 0 && len(part.Text) > p.RawLimit {
			t.Errorf("%s: part %d takes %d raw bytes of %d", p.Name, i+1, len(part.Text), p.RawLimit)
		}
	}
}

// shown reduces what a reader of Markdown sees to what does not depend on how
// lines and quotes are laid out.
func shown(s string) string {
	return strings.Join(strings.FieldsFunc(urlEscapes.Replace(s), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(formatting.Gap+">»~", r)
	}), "")
}

var urlEscapes = strings.NewReplacer("%28", "(", "%29", ")", "%3C", "<", "%3E", ">", "%22", `"`, "%27", "'", "%5C", `\`, "%7C", "|", "%60", "`", "%5B", "[", "%5D", "]",
	"|:---:", "|---", "|:---", "|---", "|---:", "|---", "| :---: ", "|---", "| :--- ", "|---", "| ---: ", "|---", "| --- ", "|---")

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// deceives reports whether r must not reach a reader.
func deceives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return true
	case r == 0x200B, r == 0xFEFF, r == 0xAD, r >= 0x2060 && r <= 0x206F, r == 0x3164, r == 0x115F, r == 0x1160, r == 0xFFA0:
		return true
	}
	return false
}

// shownURL reports which URLs of links Part.Plain shows.
func shownURL(p formatting.Profile) func(string) bool {
	return func(url string) bool { return p.Limit == 0 || p.Measure.Of(url) <= p.Limit/4 }
}

func joinPlain(parts []formatting.Part) string {
	var s []string
	for _, part := range parts {
		s = append(s, part.Plain)
	}
	return strings.Join(s, "\n")
}

// markless removes the marks of Markdown that may stand inside a word, so
// that fe**tt** is one word as it is for a reader.
func markless(md string) string {
	return strings.NewReplacer("*", "", "_", "", "~", "", "`", "", "[", " ", "]", " ").Replace(formatting.Clean(md))
}
