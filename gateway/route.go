package gateway

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Routing says which agent answers which question (spec/outheis.md §3.2).
type Routing struct {
	// Default is the agent of questions that nothing else decides.
	Default string
	// Mentions are further names behind an @, in lower case: "handbuch" asks the
	// Tresor agent for the handbook only. The names of the agents themselves
	// need no entry. A Route without Agent stands for something that is known
	// and not available here.
	Mentions map[string]Route
	// Threshold and Keywords choose an agent by what the text is about.
	Threshold float64
	Keywords  map[string][]string // by agent
}

// A Route is where a question goes.
type Route struct {
	Agent string
	Scope string // restricts the sources, see agents.Request
}

// routed is where a text goes and what of it the agent gets to read.
type routed struct {
	Route
	text string
	// missing is the mention that names nobody who could answer.
	missing string
}

// Find returns where a text from one person goes, and what of it the agent gets
// to read: without the mention that decided. A Route without Agent is one that
// nobody here can answer. has says which agents there are.
func (r Routing) Find(text string, has func(string) bool) (Route, string) {
	m := r.route(text, false, has)
	return m.Route, m.text
}

// route finds the agent for text: an explicit mention, else the keywords, else
// the default. has says which agents there are; people says that a name at the
// beginning may be that of a person who reads along.
func (r Routing) route(text string, people bool, has func(string) bool) routed {
	if m, ok := r.scoped(text, has); ok {
		return m
	}
	if m, ok := r.mentioned(text, people, has); ok {
		return m
	}
	if best, ok := r.byKeywords(text, has); ok {
		return routed{Route: Route{Agent: best}, text: text}
	}
	return routed{Route: Route{Agent: r.Default}, text: text}
}

// mentioned follows the first @name in the text that names an agent, wherever
// it stands. A name that nobody has counts only at the beginning of the text:
// elsewhere it is a person's.
func (r Routing) mentioned(text string, people bool, has func(string) bool) (routed, bool) {
	for start, name := range mentions(text) {
		m := routed{text: without(text, start, len(name)+1)}
		key := strings.ToLower(name)
		route, listed := r.Mentions[key]
		switch {
		case listed && has(route.Agent):
			m.Route = route
			return m, true
		case !listed && has(key):
			m.Route = Route{Agent: key}
			return m, true
		case listed, !people && start == firstWord(text):
			m.missing = cut(name, 40)
			return m, true
		}
	}
	return routed{}, false
}

// mentions yields each @name that begins at the start of a word, with the
// place of its @. A name is made of letters, digits, _ and inner hyphens.
func mentions(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		prev := ' '
		for i, r := range text {
			before := prev
			prev = r
			if r != '@' || isWord(before) || before == '@' {
				continue
			}
			name := text[i+1:]
			end := strings.IndexFunc(name, func(r rune) bool { return !isWord(r) && r != '-' })
			if end >= 0 {
				name = name[:end]
			}
			name = strings.TrimRight(name, "-")
			if strings.HasPrefix(text[i+1+len(name):], "@") { // as in @user@host
				continue
			}
			if name != "" && !strings.HasPrefix(name, "-") && !yield(i, name) {
				return
			}
		}
	}
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// firstWord returns where the first word of text begins.
func firstWord(text string) int {
	return len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
}

// without cuts n bytes at i out of text, with the blanks and the colon or comma
// that followed an address.
func without(text string, i, n int) string {
	before, after := text[:i], text[i+n:]
	if strings.TrimSpace(before) == "" {
		after = strings.TrimLeft(after, ":,")
	}
	after = strings.TrimLeft(after, " ")
	if after == "" {
		before = strings.TrimRight(before, " ")
	}
	return strings.TrimSpace(before + after)
}

// byKeywords scores each agent's list (spec/outheis.md §3.2): m distinct
// entries of K that occur give min(1, m/min(|K|, 3)). The best agent wins when
// its score is above nothing, at the threshold or above, and nobody else's.
func (r Routing) byKeywords(text string, has func(string) bool) (string, bool) {
	words := tokens(text)
	var agent string
	var best float64
	tie := false
	for name, list := range r.Keywords {
		if !has(name) {
			continue
		}
		switch score := score(list, words); {
		case score > best:
			agent, best, tie = name, score, false
		case score == best:
			tie = true
		}
	}
	return agent, best > 0 && best >= r.Threshold && !tie
}

func score(list, words []string) float64 {
	seen := make(map[string]bool, len(list))
	size, m := 0, 0
	for _, entry := range list {
		prefix := strings.HasSuffix(entry, "*")
		want := tokens(strings.TrimSuffix(entry, "*"))
		id := strings.Join(want, " ")
		if prefix {
			id += "*"
		}
		if len(want) == 0 || seen[id] {
			continue
		}
		seen[id] = true
		size++
		if occurs(want, prefix, words) {
			m++
		}
	}
	if m == 0 {
		return 0
	}
	return min(1, float64(m)/float64(min(size, 3)))
}

// occurs reports that the words of want stand in a row in words; with prefix,
// the last of them may go on.
func occurs(want []string, prefix bool, words []string) bool {
	for i := 0; i+len(want) <= len(words); i++ {
		run := words[i : i+len(want)]
		last := len(want) - 1
		if slices.Equal(run[:last], want[:last]) &&
			(run[last] == want[last] || prefix && strings.HasPrefix(run[last], want[last])) {
			return true
		}
	}
	return false
}

// tokens returns the words of text, in NFKC and case-folded: letters, digits
// and _, with inner hyphens.
func tokens(text string) []string {
	folded := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
	words := strings.FieldsFunc(folded, func(r rune) bool { return !isWord(r) && r != '-' })
	all := words[:0]
	for _, w := range words {
		if w = strings.Trim(w, "-"); w != "" {
			all = append(all, w)
		}
	}
	return all
}
