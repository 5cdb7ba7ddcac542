package config

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// The keys in this file are those of the specification that no part of outheis
// reads yet (spec/outheis.md §10.2 and §10.4). They are known, so that a file
// of the predecessor is no list of errors, checked, and kept for `outheis
// config show`; one warning names what of them a file has. When a part comes
// to read a key, its declaration moves to sections.go or channels.go.

// later declares a scalar.
func later[T any](f *form, key string, k kind[T]) {
	var v T
	declareLater(f, key, func(to *form) { field(to, key, &v, k) })
}

// laterItems declares a list of scalars.
func laterItems[T any](f *form, key string, k kind[T]) {
	var v []T
	declareLater(f, key, func(to *form) { items(to, key, &v, k) })
}

// declareLater lets do read the key, and keeps what it would write.
func declareLater(f *form, key string, do func(*form)) {
	path := join(f.path, key)
	switch f.w.mode {
	case listing:
		do(f)
		f.w.keys[len(f.w.keys)-1].later = true
	case writing:
		if n, ok := f.w.later[path].(*yaml.Node); ok {
			f.put(key, n)
		}
	case reading:
		before := len(f.w.problems)
		do(f)
		if !f.has(key) {
			return
		}
		f.w.unused = append(f.w.unused, section(f, path, key))
		if !HasErrors(f.w.problems[before:]) {
			g := &form{w: &walk{mode: writing}, path: f.path, out: newMapping()}
			do(g)
			if len(g.out.Content) > 0 {
				f.w.later[path] = g.out.Content[1]
			}
		}
	}
}

// section names what is unused: a whole section where nothing of it is read,
// else the key.
func section(f *form, path, key string) string {
	top, rest, _ := strings.Cut(path, ".")
	switch top {
	case "human", "log", "queue", "tresor", "agents":
		return f.at(key)
	case "channels":
		kind, _, _ := strings.Cut(rest, ".")
		kind, _, _ = strings.Cut(kind, "[")
		return top + "." + kind
	}
	return top
}

// laterForms declares a list of mappings.
func laterForms(f *form, key, plain string, item func(*form)) {
	path := join(f.path, key)
	list, _ := f.w.later[path].([]struct{})
	if f.is(writing) && list == nil {
		return
	}
	forms(f, key, &list, plain, func(f *form, _ *struct{}) { item(f) })
	if f.is(reading) && list != nil {
		f.w.later[path] = list
	}
}

// laterNames declares a mapping of mappings under free names.
func laterNames(f *form, key string, item func(f *form, name string)) {
	path := join(f.path, key)
	all, _ := f.w.later[path].(map[string]struct{})
	names(f, key, &all, func(f *form, name string, _ *struct{}) { item(f, name) })
	if f.is(reading) && all != nil {
		f.w.later[path] = all
	}
}

func laterHuman(f *form) {
	later(f, "email", text(200))
	laterItems(f, "phone", phone())
	later(f, "date_order", oneOf("dmy", "mdy", "ymd"))
	sub(f, "holidays", func(f *form) {
		later(f, "country", optional(pattern("country", countryPattern, wantText)))
		later(f, "state", optional(text(10)))
	})
}

func laterLog(f *form) {
	later(f, "file_mb", whole(1, 10_000))
	later(f, "files", whole(1, 1000))
	later(f, "redact", flag())
}

func laterQueue(f *form) {
	later(f, "rotate_mb", whole(1, 100_000))
	later(f, "keep_messages", whole(1, 1_000_000))
	later(f, "keep_days", whole(1, 10_000))
	later(f, "fsync", oneOf("always", "interval", "never"))
}

func laterTresor(f *form) { later(f, "extern", flag()) }

func laterAgent(f *form, role string) {
	later(f, "model", text(100))
	f.w.noteModel(f, "model")
	later(f, "run_mode", oneOf("daemon", "on-demand", "scheduled"))
	switch role {
	case "agenda":
		later(f, "retention", whole(1, 100_000))
	case "pattern":
		sub(f, "schedule", func(f *form) {
			laterItems(f, "times", clock())
			later(f, "timezone", text(60))
		})
	case "action":
		laterForms(f, "servers", "", func(f *form) {
			later(f, "name", text(100))
			later(f, "command", text(1000))
			laterItems(f, "args", text(1000))
		})
	}
}

func laterChannels(f *form) {
	laterChannel(f, "signal", func(f *form) {
		later(f, "bot_phone", phone())
		later(f, "bot_name", text(100))
		later(f, "cli_path", text(4096))
		laterForms(f, "allowed", "phone", func(f *form) {
			later(f, "name", text(100))
			later(f, "phone", phone())
		})
		if f.is(reading) && f.isTrue("enabled") && !f.has("bot_phone") {
			f.fail("bot_phone", missingKey, "bot_phone")
		}
	})
	laterChannel(f, "web", func(*form) {})
}

// laterChannel declares the section of a channel. One that is not enabled is
// not worth a warning.
func laterChannel(f *form, kind string, do func(*form)) {
	before := len(f.w.unused)
	on := false
	sub(f, kind, func(f *form) {
		later(f, "enabled", flag())
		do(f)
		on = f.isTrue("enabled")
	})
	if !on {
		f.w.unused = f.w.unused[:before]
	}
}

func (f *form) isTrue(key string) bool {
	n := f.get(key)
	return n != nil && n.Tag == "!!bool" && strings.EqualFold(n.Value, "true")
}

func laterSections(f *form) {
	sub(f, "llm", laterLLM)
	sub(f, "schedule", laterSchedule)
	sub(f, "updates", func(f *form) {
		later(f, "auto_migrate", flag())
		later(f, "schedule", clock())
	})
	sub(f, "webui", func(f *form) {
		later(f, "enabled", flag())
		later(f, "host", optional(text(253)))
		later(f, "port", whole(1, 65535))
		later(f, "password", f.secret("password", false))
		later(f, "session_hours", whole(1, 24*365))
		if n := f.get("host"); f.is(reading) && n != nil && !isLoopback(n.Value) && !f.has("password") {
			f.fail("host", hostPassword, excerpt(n))
		}
	})
	sub(f, "index", func(f *form) {
		later(f, "text_mb", whole(1, 10_000))
		later(f, "partial_mb", whole(1, 100_000))
		later(f, "ocr", flag())
		later(f, "pdf", oneOf("auto", "on", "off"))
	})
	sub(f, "learning", func(f *form) {
		later(f, "enabled", flag())
		later(f, "apply", flag())
		later(f, "flag_below", number(0, 1))
	})
	sub(f, "agenda", func(f *form) {
		later(f, "layout", text(60))
		sub(f, "notify", func(f *form) {
			later(f, "urgent", text(200))
			later(f, "normal", text(200))
			later(f, "digest", oneOf("daily", "weekly", "off"))
		})
		laterItems(f, "quiet", span())
	})
	sub(f, "domain", func(f *form) {
		later(f, "open", flag())
		later(f, "privacy_text", text(4096))
	})
}

func laterLLM(f *form) {
	laterNames(f, "providers", func(f *form, name string) {
		laterProvider(f)
		if name == "ollama" || f.is(listing) {
			sub(f, "local", laterProvider)
			sub(f, "cloud", laterProvider)
		}
		f.w.providers = append(f.w.providers, name)
	})
	laterNames(f, "models", func(f *form, name string) {
		later(f, "provider", text(100))
		f.w.noteProvider(f, "provider")
		later(f, "name", text(200))
		later(f, "run_mode", oneOf("on-demand", "persistent"))
		f.w.models = append(f.w.models, reference{f.node, f.shown, name})
	})
	laterNames(f, "provider_aliases", func(f *form, _ string) {
		laterVariables(f, func(alias string) { later(f, alias, text(200)) })
	})
	laterItems(f, "fallback_order", text(100))
	later(f, "local_fallback", text(100))
	f.w.noteModel(f, "local_fallback")
}

func laterProvider(f *form) {
	later(f, "api_key", f.secret("api_key", false))
	later(f, "base_url", address())
	sub(f, "env_vars", func(f *form) {
		laterVariables(f, func(name string) {
			if secretName.MatchString(name) {
				later(f, name, f.secret(name, false))
			} else {
				later(f, name, text(4096))
			}
		})
	})
}

// laterVariables declares a mapping of free names to what declare reads under
// each of them.
func laterVariables(f *form, declare func(name string)) {
	if f.is(listing) {
		declare("<name>")
		return
	}
	if f.is(reading) && f.node != nil {
		for k := range pairs(f.node) {
			declare(k.Value)
		}
		f.w.later[f.path+".*"] = append([]string(nil), f.seen...)
	}
	if f.is(writing) {
		all, _ := f.w.later[f.path+".*"].([]string)
		for _, k := range all {
			declare(k)
		}
	}
}

// secretName fits the names of variables that hold secrets.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential`)

// tasks are the tasks of the schedule and the agent whose work they are.
func tasks() []struct{ name, agent string } {
	return []struct{ name, agent string }{
		{"vault_scan", "data"}, {"shadow_scan", "data"}, {"pattern_infer", "pattern"}, {"pattern_nightly", "pattern"},
		{"memory_migrate", "pattern"}, {"index_rebuild", "data"}, {"archive_rotation", ""}, {"agenda_review", "agenda"},
		{"agenda_midnight", "agenda"}, {"action_tasks", "action"}, {"session_summary", "pattern"}, {"billing_probe", ""},
		{"tag_scan", "data"}, {"data_migrate", "data"}, {"code_review", "code"}, {"reminder_tick", "agenda"}, {"retention", ""},
	}
}

func laterSchedule(f *form) {
	for _, t := range tasks() {
		sub(f, t.name, func(f *form) {
			later(f, "enabled", flag())
			laterItems(f, "time", clock())
			laterItems(f, "times", clock())
			later(f, "interval_minutes", whole(1, 60*24*31))
			later(f, "hour", whole(0, 23))
			later(f, "minute", whole(0, 59))
			later(f, "hourly_at_minute", whole(0, 59))
			later(f, "start_hour", whole(0, 23))
			later(f, "end_hour", whole(0, 23))
			if f.is(reading) && f.isTrue("enabled") && t.agent != "" {
				f.w.tasks = append(f.w.tasks, reference{f.get("enabled"), f.at("enabled"), t.name})
			}
		})
	}
}
