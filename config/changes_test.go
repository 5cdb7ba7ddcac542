package config_test

import (
	"fmt"
	"strings"
	"testing"

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
`
	env := environ("A", goodToken+"a", "B", goodToken+"b", "C", goodToken+"c", "D", goodToken+"d", "A2", goodToken+"a")
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
			if got.None() != (tt.name == "nothing" || strings.HasPrefix(tt.name, "the same") || strings.HasPrefix(tt.name, "an account")) {
				t.Errorf("None() = %t", got.None())
			}
		})
	}
}
