package gateway

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
