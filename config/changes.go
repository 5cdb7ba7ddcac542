package config

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Changes says what a new configuration changes and how that can be taken.
type Changes struct {
	// Live are the paths of changed values that are taken while running:
	// access lists, limits, routing, language, level of the log, names.
	Live []string
	// Channels are the accounts to start, stop or restart, each alone.
	Channels []ChannelChange
	// Tresors says that the list of Tresore changed: load the new ones beside
	// the old and swap.
	Tresors bool
	// Process are the paths of changed values that hold only after a restart of
	// the whole.
	Process []string
}

// None reports whether nothing changed.
func (c Changes) None() bool {
	return len(c.Live) == 0 && len(c.Channels) == 0 && !c.Tresors && len(c.Process) == 0
}

// An Action is what to do with an account.
type Action string

// The actions.
const (
	Start   Action = "start"
	Stop    Action = "stop"
	Restart Action = "restart"
)

// A ChannelChange is what to do with one account of a channel.
type ChannelChange struct {
	Channel, Account string
	Action           Action
}

// Diff compares the running configuration with a new one.
func Diff(old, next Config) Changes {
	var c Changes
	live := []struct {
		path string
		same bool
	}{
		{"human.name", old.Human.Name == next.Human.Name},
		{"human.language", old.Human.Language == next.Human.Language},
		{"human.timezone", old.Human.Timezone == next.Human.Timezone},
		{"log.level", old.Log == next.Log},
		{"dispatcher.request_timeout_s", old.Dispatcher.RequestTimeout == next.Dispatcher.RequestTimeout},
		{"dispatcher.backlog_max_age_h", old.Dispatcher.BacklogMaxAge == next.Dispatcher.BacklogMaxAge},
		{"dispatcher.max_message_chars", old.Dispatcher.MaxMessageChars == next.Dispatcher.MaxMessageChars},
		{"dispatcher.routing", reflect.DeepEqual(old.Dispatcher.Routing, next.Dispatcher.Routing)},
		{"limits", old.Limits == next.Limits},
		{"agents", reflect.DeepEqual(old.Agents, next.Agents)},
	}
	for _, l := range live {
		if !l.same {
			c.Live = append(c.Live, l.path)
		}
	}
	process := []struct {
		path string
		same bool
	}{
		{"mode", old.Mode == next.Mode},
		{"human.vault", slices.Equal(old.Human.Vaults, next.Human.Vaults)},
		{"queue", old.Queue == next.Queue},
		{"transcriber", reflect.DeepEqual(old.Transcriber, next.Transcriber)},
		{"dispatcher.max_parallel", old.Dispatcher.MaxParallel == next.Dispatcher.MaxParallel},
	}
	for _, p := range process {
		if !p.same {
			c.Process = append(c.Process, p.path)
		}
	}
	c.Tresors = !reflect.DeepEqual(old.Tresor, next.Tresor)
	c.accounts(old.Channels.bots(), next.Channels.bots())
	return c
}

// accounts compares the accounts by kind and name. One that is switched off
// counts as one that is not there.
func (c *Changes) accounts(old, next []bot) {
	before, after := enabled(old), enabled(next)
	for _, id := range slices.SortedFunc(maps.Keys(before), accountID.compare) {
		if _, ok := after[id]; !ok {
			c.Channels = append(c.Channels, ChannelChange{id.kind, id.name, Stop})
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(after), accountID.compare) {
		was, had := before[id]
		is := after[id]
		switch {
		case !had:
			c.Channels = append(c.Channels, ChannelChange{id.kind, id.name, Start})
		case !sameConnection(was, is):
			c.Channels = append(c.Channels, ChannelChange{id.kind, id.name, Restart})
		case !reflect.DeepEqual(access(was), access(is)):
			c.Live = append(c.Live, "channels."+id.kind+"."+id.name)
		}
	}
}

// sameConnection reports whether two accounts connect in the same way, whatever
// the places are that their secrets come from.
func sameConnection(a, b bot) bool {
	if !a.common().Token.Equal(b.common().Token) || !reflect.DeepEqual(a.connection(), b.connection()) {
		return false
	}
	return slices.EqualFunc(a.secrets(), b.secrets(), func(s, t *Secret) bool { return s.Equal(*t) })
}

// access returns what an account has that can change while it is connected.
func access(s bot) Common {
	c := *s.common()
	c.Token = Secret{}
	return c
}

// An accountID names an account.
type accountID struct{ kind, name string }

func (a accountID) compare(b accountID) int {
	return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name))
}

func enabled(all []bot) map[accountID]bot {
	on := make(map[accountID]bot)
	for _, s := range all {
		if s.common().Enabled {
			on[accountID{s.kind(), s.common().Name}] = s
		}
	}
	return on
}
