package config

import (
	"reflect"
	"slices"
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
		{"dispatcher.max_parallel", old.Dispatcher.MaxParallel == next.Dispatcher.MaxParallel},
	}
	for _, p := range process {
		if !p.same {
			c.Process = append(c.Process, p.path)
		}
	}
	c.Tresors = !reflect.DeepEqual(old.Tresor, next.Tresor)
	c.telegram(old.Channels.Telegram, next.Channels.Telegram)
	return c
}

// telegram compares the accounts by name. An account that is switched off
// counts as one that is not there.
func (c *Changes) telegram(old, next []Telegram) {
	before, after := enabled(old), enabled(next)
	names := sortedKeys(before)
	for _, name := range sortedKeys(after) {
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		was, had := before[name]
		is, has := after[name]
		change := ChannelChange{Channel: "telegram", Account: name}
		switch {
		case !has:
			change.Action = Stop
		case !had:
			change.Action = Start
		case !was.Token.Equal(is.Token) || was.APIURL != is.APIURL || was.Mode != is.Mode:
			change.Action = Restart
		case !reflect.DeepEqual(was.access(), is.access()):
			c.Live = append(c.Live, "channels.telegram."+name)
			continue
		default:
			continue
		}
		c.Channels = append(c.Channels, change)
	}
}

// access returns t without what its connection is made of.
func (t Telegram) access() Telegram {
	t.Token = Secret{}
	return t
}

func enabled(all []Telegram) map[string]Telegram {
	on := make(map[string]Telegram)
	for _, t := range all {
		if t.Enabled {
			on[t.Name] = t
		}
	}
	return on
}
