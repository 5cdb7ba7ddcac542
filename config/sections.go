package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// roles are the agents, in the order in which they are shown.
func roles() []string {
	return []string{"relay", "data", "agenda", "action", "pattern", "code", "tresor"}
}

// everything declares the keys of the file.
func everything(f *form, c *Config) {
	schemaVersion(f)
	field(f, "mode", &c.Mode, oneOf(Personal, Expert))
	sub(f, "human", func(f *form) { readHuman(f, &c.Human) })
	sub(f, "log", func(f *form) {
		field(f, "level", &c.Log.Level, oneOf("debug", "info", "warn", "error"))
		laterLog(f)
	})
	sub(f, "queue", func(f *form) {
		field(f, "allow_network_fs", &c.Queue.AllowNetworkFS, flag())
		laterQueue(f)
	})
	sub(f, "dispatcher", func(f *form) { readDispatcher(f, &c.Dispatcher) })
	sub(f, "limits", func(f *form) { readLimits(f, &c.Limits) })
	sub(f, "tresor", func(f *form) { readTresor(f, &c.Tresor) })
	sub(f, "agents", func(f *form) { readAgents(f, c.Agents) })
	sub(f, "channels", func(f *form) {
		readChannels(f, &c.Channels)
		laterChannels(f)
	})
	sub(f, "transcriber", func(f *form) {
		items(f, "command", &c.Transcriber.Command, text(4096))
		field(f, "timeout_s", &c.Transcriber.Timeout, period(time.Second, 1, 3600))
	})
	laterSections(f)
}

// schemaVersion refuses a file that a later outheis wrote.
func schemaVersion(f *form) {
	v := Version
	n := f.get("v")
	field(f, "v", &v, whole(0, 1<<30))
	if f.is(reading) && v > Version {
		f.w.fail(n, f.at("v"), newerVersion, v, Version)
	}
}

func readHuman(f *form, h *Human) {
	field(f, "name", &h.Name, text(100))
	field(f, "language", &h.Language, language())
	if f.is(reading) && f.has("language") && h.Language != "de" && h.Language != "en" {
		f.warn("language", notSpoken, h.Language)
	}
	field(f, "timezone", &h.Timezone, zone())
	items(f, "vault", &h.Vaults, f.w.path())
	if f.is(reading) && f.has("vault") {
		f.w.checkVaults(h.Vaults, vaultsOf(f, h.Vaults))
	}
	laterHuman(f)
}

func readDispatcher(f *form, d *Dispatcher) {
	field(f, "max_parallel", &d.MaxParallel, whole(1, 256))
	field(f, "request_timeout_s", &d.RequestTimeout, period(time.Second, 5, 3600))
	field(f, "backlog_max_age_h", &d.BacklogMaxAge, period(time.Hour, 1, 24*31))
	field(f, "max_message_chars", &d.MaxMessageChars, whole(100, 100_000))
	sub(f, "routing", func(f *form) {
		field(f, "threshold", &d.Routing.Threshold, number(0, 1))
		for _, agent := range []string{"data", "agenda", "action", "tresor", "pattern"} {
			words := d.Routing.Keywords[agent]
			items(f, agent, &words, text(60))
			if f.is(reading) && f.has(agent) {
				d.Routing.Keywords[agent] = words
			}
		}
	})
}

func readLimits(f *form, l *Limits) {
	sub(f, "per_user", func(f *form) {
		field(f, "burst", &l.PerUser.Burst, whole(1, 10_000))
		field(f, "window_s", &l.PerUser.Window, period(time.Second, 1, 86_400))
		field(f, "daily", &l.PerUser.Daily, whole(1, 1_000_000))
	})
	sub(f, "per_bot", func(f *form) {
		field(f, "burst", &l.PerBot.Burst, whole(1, 1000))
		field(f, "window_s", &l.PerBot.Window, period(time.Second, 1, 86_400))
		field(f, "mute_h", &l.PerBot.Mute, period(time.Hour, 1, 24*365))
	})
	field(f, "waiting", &l.Waiting, whole(1, 1000))
	field(f, "open", &l.Open, whole(1, 1_000_000))
}

// audiencePlace is the name of a place whose members may be answered from a
// Tresor: ‹network›/‹account›/‹chat›, or ‹network›/‹account›/space:‹guild or team›.
var audiencePlace = regexp.MustCompile(`^(telegram|discord|mattermost)/[^/\s]+/(space:)?[^/\s:]+$`)

func readTresor(f *form, t *Tresor) {
	var folders []string
	forms(f, "vaults", &t.Vaults, "path", func(f *form, v *TresorVault) {
		field(f, "id", &v.ID, optional(name()))
		field(f, "path", &v.Path, f.w.path())
		field(f, "scope", &v.Scope, optional(oneOf(scopes()...)))
		items(f, "audience", &v.Audience, text(120))
		if !f.is(reading) {
			return
		}
		if !f.has("path") {
			f.fail("path", missingKey, "path")
		}
		f.w.checkThere(f, "path", v.Path)
		if v.Path != "" && slices.ContainsFunc(folders, func(o string) bool { return SameFolder(o, v.Path) }) {
			f.fail("path", pathTwice, v.Path)
		}
		folders = append(folders, v.Path)
		f.w.tresorNames = append(f.w.tresorNames, reference{f.place("id"), f.at("id"), v.Name()})
		for _, who := range v.Audience {
			if !slices.Contains([]string{"all", "user", "admin"}, who) && !audiencePlace.MatchString(who) {
				f.warn("audience", unknownAudience, who)
			}
		}
	})
	if f.is(reading) {
		unique(f, "vaults", "id", t.Vaults, TresorVault.Name)
	}
	sub(f, "network", func(f *form) {
		items(f, "hosts", &t.Network.Hosts, text(253))
		field(f, "proxy", &t.Network.Proxy, optional(address()))
	})
	laterTresor(f)
}

// scopes are the areas of validity of Tresore, widest first.
func scopes() []string { return []string{"organisation", "fachbereich", "projekt", "persoenlich"} }

// Name returns what the vault is asked and cited by: its ID, or without one the
// name of its folder in lower case, made a name that can stand behind an @. A
// folder that is called like an agent or the handbook is named with the one
// around it.
func (v TresorVault) Name() string {
	if v.ID != "" || v.Path == "" {
		return v.ID
	}
	name := nameFrom(filepath.Base(v.Path))
	if name == "" || slices.Contains(reserved(), name) {
		return v.LongName()
	}
	return name
}

// LongName returns a name made of the folder and the one around it, for a
// folder whose own is taken.
func (v TresorVault) LongName() string {
	name := nameFrom(filepath.Base(filepath.Dir(v.Path)) + "-" + filepath.Base(v.Path))
	if name == "" || slices.Contains(reserved(), name) {
		return "folder"
	}
	return name
}

// reserved are the names that a Tresor cannot have, as they stand for an agent
// or for the embedded handbook.
func reserved() []string { return append(roles(), "handbuch", "dispatcher", "transport") }

// nameFrom makes a name as [namePattern] has it out of that of a folder; or "".
func nameFrom(folder string) string {
	const longest = 32
	plain := strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "\u0308", "e").Replace(strings.ToLower(folder))
	words := strings.FieldsFunc(plain, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	name := strings.TrimLeft(strings.Join(words, "-"), "-_")
	return strings.TrimRight(name[:min(len(name), longest)], "-_")
}

func readAgents(f *form, agents map[string]Agent) {
	for _, role := range roles() {
		sub(f, role, func(f *form) {
			a := agents[role]
			field(f, "name", &a.Name, text(40))
			field(f, "enabled", &a.Enabled, flag())
			if f.is(reading) {
				agents[role] = a
			}
			laterAgent(f, role)
		})
	}
}

// unique reports items of a list that say the same as one before.
func unique[T any](f *form, list, key string, values []T, of func(T) string) {
	n := f.get(list)
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != len(values) {
		return
	}
	first := make(map[string]int)
	for i, v := range values {
		id := of(v)
		switch before, twice := first[id]; {
		case id == "":
		case twice:
			f.w.fail(n.Content[i], join(index(f.at(list), i), key), duplicateValue, strconv.Quote(id), before)
		default:
			first[id] = n.Content[i].Line
		}
	}
}
