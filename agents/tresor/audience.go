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

// admits reports whether r may be answered from the Tresor. Where others read
// along, it is they who have to be admitted, not only the one who asks: all of
// them, as everybody is, or by the name of the place.
func (t Tresor) admits(r agents.Request) bool {
	switch {
	case !t.Restricted():
		return true
	case slices.ContainsFunc(r.Audience, func(place string) bool { return isPlace(place) && slices.Contains(t.Audience, place) }):
		return true
	}
	return !r.Public && r.Role == agents.RoleAdmin
}

// isPlace keeps a place whose name is a role from getting what is the role's.
func isPlace(name string) bool {
	switch name {
	case "", "all", string(agents.RoleUser), string(agents.RoleAdmin):
		return false
	}
	return true
}

// readableBy returns the Tresore from which r may be answered: what somebody may
// not read is not looked up, and not named.
func readableBy(all []Tresor, r agents.Request) []Tresor {
	var out []Tresor
	for _, t := range all {
		if t.admits(r) {
			out = append(out, t)
		}
	}
	return out
}
