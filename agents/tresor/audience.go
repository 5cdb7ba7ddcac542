package tresor

import (
	"errors"
	"slices"

	"outheis/agents"
)

// errNoAudience means that no Tresor may be shown to whoever asks.
var errNoAudience = errors.New("no Tresor for this audience")

// Restricted reports whether some of those who may ask may not be answered from
// the Tresor; then it is named to nobody who did not ask for it.
func (t Tresor) Restricted() bool {
	return len(t.Audience) > 0 && !slices.Contains(t.Audience, "all") && !slices.Contains(t.Audience, string(agents.RoleUser))
}

// readableBy returns the Tresore from which r may be answered: what somebody may
// not read is not looked up, and not named. Where others read along, only what
// everybody may read counts.
func readableBy(all []Tresor, r agents.Request) []Tresor {
	var out []Tresor
	for _, t := range all {
		if !t.Restricted() || !r.Public && r.Role == agents.RoleAdmin {
			out = append(out, t)
		}
	}
	return out
}
