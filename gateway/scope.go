package gateway

import (
	"regexp"
	"strings"
)

// scopeVault is what people call their own notes: the data agent's, where there
// is one.
const (
	scopeVault = "vault"
	agentData  = "data"
)

// Words that say where to look, at the beginning of a question: "nur im Handbuch:
// Wie …", "tresor: …" (spec/channels.md §4, issue on channels).
var (
	onlyIn = regexp.MustCompile(`^(?i:nur (?:im|in|aus dem|in der|aus der)|only (?:in|from)(?: the)?) @?([\pL\pN_][\pL\pN_-]{0,63})(?::|,| -| –)?\s`)
	nameAt = regexp.MustCompile(`^@?([\pL\pN_][\pL\pN_-]{0,63}) ?:\s*`)
)

// scoped follows words that say where to look. A name that nobody has is part of
// the question, but for that of the notes.
func (r Routing) scoped(text string, has func(string) bool) (routed, bool) {
	for _, words := range []*regexp.Regexp{onlyIn, nameAt} {
		m := words.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		route, ok := r.named(strings.ToLower(text[m[2]:m[3]]), has)
		switch rest := strings.TrimSpace(text[m[1]:]); {
		case ok:
			return routed{Route: route, text: rest}, true
		case strings.EqualFold(text[m[2]:m[3]], scopeVault):
			return routed{text: rest, missing: scopeVault}, true
		}
	}
	return routed{}, false
}

// named returns where a name leads that may be a mention, an agent, or the
// English word for one of our own.
func (r Routing) named(name string, has func(string) bool) (Route, bool) {
	if route, listed := r.Mentions[name]; listed {
		return route, has(route.Agent)
	}
	switch name {
	case "handbook":
		route, listed := r.Mentions["handbuch"]
		return route, listed && has(route.Agent)
	case scopeVault:
		name = agentData
	}
	return Route{Agent: name}, has(name)
}
