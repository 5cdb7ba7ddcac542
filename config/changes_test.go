package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"outheis/config"
)

func TestDiff(t *testing.T) {
	const base = `
human: {language: de}
dispatcher: {max_parallel: 4}
channels:
  telegram:
  - {name: a, enabled: true, token_env: A, allowed: [5]}
  - {name: b, enabled: true, token_env: B, allowed: [5]}
  - {name: c, token_env: C}
  discord: {enabled: true, token_env: D, commands: [global], pairing: always}
  mattermost: {enabled: true, url: "https://chat.example.org", token_env: MM, pairing: always, command_token_env: A}
`
	env := environ("A", goodToken+"a", "B", goodToken+"b", "C", goodToken+"c", "D", goodToken+"d", "A2", goodToken+"a", "MM", mattermostToken)
	load := func(file string) config.Config {
		t.Helper()
		c, problems := loadFile(t, "config.yaml", file, env)
		if config.HasErrors(problems) {
			t.Fatal(lines(problems))
		}
		return c
	}
	old := load(base)
	for _, tt := range []struct{ name, from, to, want string }{
		{"nothing", "", "", "{[] [] false []}"},
		{"language", "language: de", "language: en", "{[human.language] [] false []}"},
		{"limits and routing", "human:", "limits: {waiting: 3}\nlog: {level: warn}\nhuman:", "{[log.level limits] [] false []}"},
		{"person", "token_env: A, allowed: [5]", "token_env: A, allowed: [5, 6]", "{[channels.telegram.a] [] false []}"},
		{"role", "token_env: A, allowed: [5]", "token_env: A, allowed: [{id: 5, role: admin}]", "{[channels.telegram.a] [] false []}"},
		{"token", "token_env: A,", "token_env: D,", "{[] [{telegram a restart}] false []}"},
		{"the same token from elsewhere", "token_env: A,", "token_env: A2,", "{[] [] false []}"},
		{"server", "token_env: B,", "token_env: B, api_url: \"http://127.0.0.1:8081\",", "{[] [{telegram b restart}] false []}"},
		{"on", "{name: c,", "{name: c, enabled: true,", "{[] [{telegram c start}] false []}"},
		{"off", "{name: a, enabled: true,", "{name: a,", "{[] [{telegram a stop}] false []}"},
		{"renamed", "{name: a,", "{name: z,", "{[] [{telegram a stop} {telegram z start}] false []}"},
		{"Discord's commands", "commands: [global]", "commands: [123456789012345678]", "{[] [{discord main restart}] false []}"},
		{"Discord's people", "pairing: always", "pairing: off, allowed: [123456789012345678]", "{[channels.discord.main] [] false []}"},
		{"Mattermost's secret", "command_token_env: A", "command_token_env: B", "{[] [{mattermost main restart}] false []}"},
		{"Mattermost's secret from elsewhere", "command_token_env: A", "command_token_env: A2", "{[] [] false []}"},
		{"transcriber", "human:", "transcriber: {command: [/bin/x]}\nhuman:", "{[] [] false [transcriber]}"},
		{"Tresor", "human:", "tresor: {vaults: [/srv/x]}\nhuman:", "{[] [] true []}"},
		{"whole process", "max_parallel: 4", "max_parallel: 5", "{[] [] false [dispatcher.max_parallel]}"},
		{"an account that is off", "token_env: C", "token_env: D", "{[] [] false []}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(base, tt.from) {
				t.Fatalf("%q is not in the file", tt.from)
			}
			next := load(strings.Replace(base, tt.from, tt.to, 1))
			got := config.Diff(old, next)
			if fmt.Sprint(got) != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
			if got.None() != (tt.name == "nothing" || strings.HasSuffix(tt.name, "from elsewhere") || strings.HasPrefix(tt.name, "an account")) {
				t.Errorf("None() = %t", got.None())
			}
		})
	}
}

// Whatever a new file changes is told: a value that nobody compares would be
// taken up at the next start without a word.
func TestDiffSeesEveryValue(t *testing.T) {
	example := func() config.Config {
		c := config.Default()
		person := config.Person{Name: "Ole", ID: "5", Role: "user"}
		c.Human.Vaults = []string{"/srv/a"}
		c.Tresor.Vaults = []config.TresorVault{{ID: "hb", Path: "/srv/hb", Audience: []string{"all"}}}
		c.Tresor.Network.Hosts = []string{"wiki.example.org"}
		common := func() config.Common {
			return config.Common{
				Name: "main", Enabled: true, Token: config.NewSecret("a"), Allowed: []config.Person{person}, Bots: []string{"9"}, Pairing: "off",
				Groups: []config.Group{{ID: "-1", Name: "g", Space: true, Mention: "required", Allowed: []config.Person{person}, Commands: []string{"status"}}},
			}
		}
		c.Channels.Telegram = []config.Telegram{{
			Common: common(), APIURL: "http://127.0.0.1:1", Mode: "poll",
			Webhook: config.Webhook{URL: "https://example.org", Listen: ":1", Secret: config.NewSecret("b")},
		}}
		c.Channels.Discord = []config.Discord{{
			Common: common(), APIURL: "http://127.0.0.1:1", Commands: []string{"global"}, KnownLinks: []string{"example.org"},
		}}
		c.Channels.Mattermost = []config.Mattermost{{
			Common: common(), URL: "http://127.0.0.1:1", Thread: "always", Listen: ":2", PublicURL: "https://example.org",
			CommandToken: config.NewSecret("c"), ButtonSecret: config.NewSecret("d"),
		}}
		c.Transcriber.Command = []string{"/bin/x"}
		return c
	}
	old := example()
	paths := leaves(reflect.ValueOf(&old).Elem(), "")
	if len(paths) < 40 {
		t.Fatalf("%d values", len(paths))
	}
	for path := range paths {
		if path == ".File" {
			continue
		}
		next := example()
		leaves(reflect.ValueOf(&next).Elem(), "")[path]()
		if config.Diff(old, next).None() {
			t.Errorf("a change of %s is not told", path)
		}
	}
}

// leaves returns what changes each exported value in v, by its path.
func leaves(v reflect.Value, path string) map[string]func() {
	all := make(map[string]func())
	add := func(more map[string]func()) {
		for p, change := range more {
			all[p] = change
		}
	}
	switch {
	case v.Type() == reflect.TypeFor[config.Secret]():
		all[path] = func() { v.Set(reflect.ValueOf(config.NewSecret("another"))) }
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				add(leaves(v.Field(i), path+"."+f.Name))
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			add(leaves(v.Index(i), path+"[]"))
		}
		all[path] = func() { v.Set(v.Slice(0, 0)) }
	case v.Kind() == reflect.Map:
		all[path] = func() { v.Set(reflect.MakeMap(v.Type())) }
	case v.Kind() == reflect.String:
		all[path] = func() { v.SetString(v.String() + "x") }
	case v.Kind() == reflect.Bool:
		all[path] = func() { v.SetBool(!v.Bool()) }
	case v.Kind() == reflect.Float64:
		all[path] = func() { v.SetFloat(v.Float() + 0.1) }
	case v.Type() == reflect.TypeFor[time.Duration](), v.Kind() == reflect.Int:
		all[path] = func() { v.SetInt(v.Int() + 1) }
	default:
		panic("no change for " + v.Type().String())
	}
	return all
}
