package gateway_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"outheis/channels"
	"outheis/gateway"
)

// What is said about an answer, in the ways people say it.
func TestWordsAboutAnAnswer(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"👍", "feedback up sure"},
		{"👍🏽", "feedback up sure"},
		{"+1", "feedback up sure"},
		{"👍 danke!", "feedback up sure"},
		{"👍 Danke, sehr hilfreich 🙏", "feedback up sure"},
		{"👍 thank you, great answer", "feedback up sure"},
		{"👍 danke, sehr hilfreich, aber gilt das auch für Halle drei?", ""},
		{"👍 und in Halle drei", ""},
		{"👍 danke?", ""},
		{"👎 gilt das auch für Halle drei?", ""},
		{"gut", "feedback up"},
		{"Gut!", "feedback up"},
		{"helpful", "feedback up"},
		{"👎", "feedback down sure"},
		{"👎 veraltet", "feedback down outdated sure"},
		{"👎: Das gilt seit Mai nicht mehr", "feedback down Das gilt seit Mai nicht mehr sure"},
		{"falsch", "feedback down wrong"},
		{"Wrong.", "feedback down wrong"},
		{"unvollständig", "feedback down incomplete later"},
		{"passt nicht", "feedback down off_topic later"},
		{"Belege", "evidence sure"},
		{"Beleg 2", "evidence 2 sure"},
		{"/belege 2", "evidence 2 sure"},
		{"Beleg 2 zeigen", "evidence 2 sure"},
		{"beleg nr. 12 anzeigen bitte", "evidence 12 sure"},
		{"Zeig mir die Belege", "evidence sure"},
		{"zeige bitte den Beleg 3", "evidence 3 sure"},
		{"show source 2", "evidence 2 sure"},
		{"show me the sources", "evidence"},
		{"Quellen", "evidence"},
		{"Quelle?", "evidence"},
		{"Belege ?", "evidence sure"},
		{"Beleg 1?", "evidence 1 sure"},
		{"Gut?", ""},
		{"Falsch?", ""},
		{"Beleg 0", "evidence -1 sure"},
		{"evidence", "evidence"},
		{"Beleg C-0004", "evidence C-0004 sure"},
		{"beleg hb/c-0004", "evidence hb/C-0004 sure"},
		{"Wann ist die Sitzung?", ""},
		{"Wie gut ist das belegt?", ""},
		{"Belege für die Steuer", ""},
		{"Welche Quellen gibt es?", ""},
		{"Beleg 2000", ""},
		{"+10 Grad?", ""},
		{"-1 Grad, ist das zu kalt?", ""},
		{"Gut, und wann?", ""},
		{"", ""},
	} {
		if got := gateway.AsideOf(channels.Event{Kind: channels.KindMessage, Text: c.text}); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
	for command, want := range map[string]string{"": "evidence sure", "2": "evidence 2 sure", "C-0001": "evidence C-0001 sure", "x y": ""} {
		if got := gateway.AsideOf(channels.Event{Kind: channels.KindCommand, Command: "evidence", Text: command}); got != want {
			t.Errorf("/belege %s is %q, want %q", command, got, want)
		}
	}
}

func TestButtonsAndReactions(t *testing.T) {
	for button, want := range map[string]string{
		"up:0440764559995719680": "feedback up sure", "down:7": "feedback down sure", "why:7:outdated": "feedback down outdated sure",
		"ev:7": "evidence sure", "ev:7:2": "evidence 2 sure",
		"up:7:2": "", "up:": "", "up:x": "", "why:7": "", "why:7:weather": "", "ev:7:0": "", "ev:7:02": "", "ev:7:x": "", "ev:7:99999999": "", "other:7": "",
		"up:" + strings.Repeat("7", 25): "", "": "",
	} {
		if got := gateway.AsideOf(channels.Event{Kind: channels.KindButton, Button: button}); got != want {
			t.Errorf("button %q is %q, want %q", button, got, want)
		}
	}
	for emoji, want := range map[string]string{
		"👍": "feedback up sure", "👎🏿": "feedback down sure", "+1": "feedback up sure", ":thumbsdown:": "feedback down sure", "": "feedback none sure", "❤️": "",
	} {
		if got := gateway.AsideOf(channels.Event{Kind: channels.KindReaction, Text: emoji}); got != want {
			t.Errorf("reaction %q is %q, want %q", emoji, got, want)
		}
	}
}

// Foreign bytes: whatever is written, only bounded and valid text is kept.
func FuzzAside(f *testing.F) {
	for _, s := range []string{"👎 veraltet", "Beleg 2 zeigen", "ev:7:2", "+1", "\xff👎\xfe", "👎" + strings.Repeat("ü", 700), "beleg a/b/c-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = gateway.Clean(s)
		for _, e := range []channels.Event{
			{Kind: channels.KindMessage, Text: s}, {Kind: channels.KindButton, Button: s}, {Kind: channels.KindReaction, Text: s},
			{Kind: channels.KindCommand, Command: "evidence", Text: s},
		} {
			got := gateway.AsideOf(e)
			if utf8.RuneCountInString(got) > 600 || !utf8.ValidString(got) {
				t.Errorf("%q gives %q", s, got)
			}
		}
	})
}

// Words that say where to look (channels.md §4, scope words).
func TestScopeWords(t *testing.T) {
	r := gateway.Routing{Default: "agenda", Mentions: map[string]gateway.Route{
		"handbuch": {Agent: "tresor", Scope: "handbuch"}, "cato": {},
	}}
	for _, c := range []struct{ text, agent, scope, rest, missing string }{
		{"nur im Handbuch: Wie fange ich an?", "tresor", "handbuch", "Wie fange ich an?", ""},
		{"Nur im Handbuch wie fange ich an?", "tresor", "handbuch", "wie fange ich an?", ""},
		{"nur aus dem @Handbuch, wie fange ich an?", "tresor", "handbuch", "wie fange ich an?", ""},
		{"only in the handbook: how do I begin?", "tresor", "handbuch", "how do I begin?", ""},
		{"handbuch: Wie?", "tresor", "handbuch", "Wie?", ""},
		{"Tresor: Wie?", "tresor", "", "Wie?", ""},
		{"tresor : Wie?", "tresor", "", "Wie?", ""},
		{"nur im Tresor: Wie?", "tresor", "", "Wie?", ""},
		{"vault: Was habe ich notiert?", "", "", "Was habe ich notiert?", "vault"},
		{"@handbuch Wie?", "tresor", "handbuch", "Wie?", ""},
		{"cato: Wie?", "agenda", "", "cato: Wie?", ""},
		{"Frage: Wie?", "agenda", "", "Frage: Wie?", ""},
		{"nur im Mai: Wie?", "agenda", "", "nur im Mai: Wie?", ""},
		{"Wie steht es im Handbuch: gut?", "agenda", "", "Wie steht es im Handbuch: gut?", ""},
	} {
		agent, scope, rest, missing := gateway.RouteText(r, c.text, false, "tresor", "agenda")
		if agent != c.agent || scope != c.scope || rest != c.rest || missing != c.missing {
			t.Errorf("%q goes to %q (%q) as %q, missing %q; want %q (%q) %q %q", c.text, agent, scope, rest, missing, c.agent, c.scope, c.rest, c.missing)
		}
	}
	if agent, _, rest, _ := gateway.RouteText(r, "vault: Was?", false, "data", "agenda"); agent != "data" || rest != "Was?" {
		t.Errorf("with a data agent vault: goes to %q as %q", agent, rest)
	}
}
