package gateway_test

import (
	"testing"

	"outheis/gateway"
)

func TestRouteMentions(t *testing.T) {
	routing := gateway.Routing{
		Default: "tresor",
		Mentions: map[string]gateway.Route{
			"handbuch": {Agent: "tresor", Scope: "handbuch"},
			"zeno":     {Agent: "data"},
			"cato":     {},
		},
	}
	for _, c := range []struct {
		name, text                 string
		people                     bool
		agent, scope, rest, absent string
	}{
		{name: "none", text: "Wann?", agent: "tresor", rest: "Wann?"},
		{name: "agent's name", text: "@data wo liegt das?", agent: "data", rest: "wo liegt das?"},
		{name: "listed name", text: "@zeno wo?", agent: "data", rest: "wo?"},
		{name: "any case", text: "@ZENO wo?", agent: "data", rest: "wo?"},
		{name: "scope", text: "@handbuch wie?", agent: "tresor", scope: "handbuch", rest: "wie?"},
		{name: "in the middle", text: "Sag mir, @data, wo das liegt", agent: "data", rest: "Sag mir, , wo das liegt"},
		{name: "at the end", text: "wo liegt das @data", agent: "data", rest: "wo liegt das"},
		{name: "with a colon", text: "@data: wo?", agent: "data", rest: "wo?"},
		{name: "behind punctuation", text: "Hallo.@data wo?", agent: "data", rest: "Hallo.wo?"},
		{name: "in brackets", text: "(@data) wo?", agent: "data", rest: "() wo?"},
		{name: "longer word", text: "@database wo?", agent: "", rest: "wo?", absent: "database"},
		{name: "longer word inside", text: "was macht @database?", agent: "tresor", rest: "was macht @database?"},
		{name: "mail address", text: "schreib an x@data bitte", agent: "tresor", rest: "schreib an x@data bitte"},
		{name: "fediverse address", text: "wer ist @data@example.org", agent: "tresor", rest: "wer ist @data@example.org"},
		{name: "first in the text", text: "erst @data dann @handbuch", agent: "data", rest: "erst dann @handbuch"},
		{name: "known, not available", text: "ist @cato da?", absent: "cato", rest: "ist da?"},
		{name: "nobody's name first", text: "@nobody wer?", absent: "nobody", rest: "wer?"},
		{name: "nobody's name later", text: "wer ist @nobody", agent: "tresor", rest: "wer ist @nobody"},
		{name: "a person in a group", text: "@anna sieh mal", people: true, agent: "tresor", rest: "@anna sieh mal"},
		{name: "a person, then an agent", text: "@anna und @data", people: true, agent: "data", rest: "@anna und"},
		{name: "not available in a group", text: "@cato?", people: true, absent: "cato", rest: "?"},
		{name: "umlaut", text: "@öffnung wann?", absent: "öffnung", rest: "wann?"},
		{name: "sign alone", text: "@ heute", agent: "tresor", rest: "@ heute"},
		{name: "empty", text: "", agent: "tresor"},
	} {
		agent, scope, rest, missing := gateway.RouteText(routing, c.text, c.people, "tresor", "data")
		if agent != c.agent || scope != c.scope || rest != c.rest || missing != c.absent {
			t.Errorf("%s: %q goes to (%q, %q, %q, missing %q), want (%q, %q, %q, missing %q)",
				c.name, c.text, agent, scope, rest, missing, c.agent, c.scope, c.rest, c.absent)
		}
	}
}

func TestRouteKeywords(t *testing.T) {
	lists := map[string][]string{
		"data":   {"suche", "finde", "notiz*"},
		"agenda": {"termin*", "kalender", "heute", "add", "was steht an"},
		"action": {"sende", "schicke"},
		"single": {"strasse"},
	}
	for _, c := range []struct {
		name, text string
		threshold  float64
		lists      map[string][]string
		want       string
	}{
		{"one of three", "suche das", 0.3, lists, "data"},
		{"below the threshold", "suche das", 0.4, lists, "relay"},
		{"two of three", "suche und finde", 0.6, lists, "data"},
		{"a long list does not weaken", "im kalender", 0.33, lists, "agenda"},
		{"prefix", "meine Notizen", 0.3, lists, "data"},
		{"no prefix without a star", "die Suchender", 0.3, lists, "relay"},
		{"never inside words", "my address", 0.3, lists, "relay"},
		{"inner hyphen is one word", "termin-add", 0.3, lists, "agenda"},
		{"sequence", "Was steht an?", 0.3, lists, "agenda"},
		{"sequence in another order", "an steht was", 0.3, lists, "relay"},
		{"case and folding", "STRASSE", 0.3, lists, "single"},
		{"ß folds", "Straße", 0.3, lists, "single"},
		{"compatibility forms", "ｓｕｃｈｅ", 0.3, lists, "data"},
		{"one of two", "sende es", 0.5, lists, "action"},
		{"a tie", "suche einen termin", 0.3, lists, "relay"},
		{"the same entry twice counts once", "suche suche", 0.5, lists, "relay"},
		{"empty lists, no threshold", "suche", 0, map[string][]string{"data": nil, "agenda": {}}, "relay"},
		{"disabled agents", "heute", 0.3, map[string][]string{"agenda2": {"heute"}}, "relay"},
		{"a disabled one makes no tie", "heute", 0.3, map[string][]string{"agenda": {"heute"}, "agenda2": {"heute"}}, "agenda"},
		{"duplicates in a list", "suche", 0.5, map[string][]string{"data": {"suche", "Suche", "finde"}}, "data"},
		{"blank entries", "x", 0, map[string][]string{"data": {"", "*", " "}}, "relay"},
	} {
		r := gateway.Routing{Default: "relay", Threshold: c.threshold, Keywords: c.lists}
		got, _, rest, _ := gateway.RouteText(r, c.text, false, "relay", "data", "agenda", "action", "single")
		if got != c.want || rest != c.text {
			t.Errorf("%s: %q goes to %q with %q, want %q with the whole text", c.name, c.text, got, rest, c.want)
		}
	}
}
