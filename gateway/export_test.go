package gateway

import (
	"strconv"
	"strings"

	"outheis/channels"
)

// RouteText routes text among agents, as intake does.
func RouteText(r Routing, text string, people bool, agents ...string) (agent, scope, rest, missing string) {
	got := r.route(text, people, func(name string) bool {
		for _, a := range agents {
			if a == name {
				return true
			}
		}
		return false
	})
	return got.Agent, got.Scope, got.text, got.missing
}

// AsideOf describes what e says about an answer; "" for nothing.
func AsideOf(e channels.Event) string {
	a, ok := asideOf(e)
	if !ok {
		return ""
	}
	words := []string{a.intent}
	add := func(word string, is bool) {
		if is {
			words = append(words, word)
		}
	}
	add(string(a.mark), a.mark != "")
	add(a.why, a.why != "")
	add(strconv.Itoa(a.number), a.number != 0)
	add(a.beleg, a.beleg != "")
	add("sure", a.sure)
	add("later", a.later)
	return strings.Join(words, " ")
}
