package config_test

import (
	"strings"
	"testing"

	"outheis/config"
)

// All shapes of spec/outheis.md §10.1 load to the same.
func TestShapesLoadToTheSame(t *testing.T) {
	const canonical = `
human: {name: Ole, language: de, timezone: Europe/Vienna, vault: [/srv/notizen], phone: ["+4930123456"]}
agents: {data: {model: fast, name: Zettel}, relay: {model: capable}}
llm: {models: {fast: {provider: anthropic, name: klein}, capable: {name: gross}}}
updates: {auto_migrate: true, schedule: "04:00"}
channels: {signal: {enabled: false, bot_name: Ou, allowed: [{phone: "+4930123457"}]}}
`
	want, problems := loadFile(t, "config.yaml", canonical, environ())
	if config.HasErrors(problems) {
		t.Fatal(lines(problems))
	}
	for name, file := range map[string]string{
		"flat.json": `{"name":"Ole","language":"de","timezone":"Europe/Vienna","vault":"/srv/notizen","phone":"+4930123456",
 "agents":{"instances":[{"role":"data","name":"Zettel"},{"role":"relay"}],"models":{"data":"fast","relay":"capable",
 "fast":{"provider":"anthropic","name":"klein"},"capable":{"name":"gross"}}},
 "system":{"auto_migrate":true,"migrate_schedule":"04:00"},
 "signal":{"enabled":false,"bot_name":"Ou","allowed":["+4930123457"]}}`,
		"user.yaml": `
user: {name: Ole, language: de, timezone: Europe/Vienna, vault: /srv/notizen, phone: +4930123456}
agents: {zeno: {name: Zettel, model: fast}, instances: {ou: {model: capable}}}
llm: {models: {fast: {provider: anthropic, name: klein}, capable: {name: gross}}}
updates: {schedule: "04:00"}
system: {auto_migrate: true}
channels: {signal: {bot_name: Ou}}
signal: {enabled: false, allowed: {phone: "+4930123457"}}
`,
		"mixed.yaml": `
name: Ole
user: {language: de}
human: {timezone: Europe/Vienna, vault: /srv/notizen, phone: "+4930123456"}
agents: {data: {model: fast}, instances: {data: {name: Zettel}}, relay: {model: capable}}
llm: {models: {fast: {provider: anthropic, name: klein}, capable: {name: gross}}}
updates: {auto_migrate: true, schedule: "04:00"}
channels: {signal: {enabled: false, bot_name: Ou, allowed: +4930123457}}
`,
	} {
		t.Run(name, func(t *testing.T) {
			file, as := file, "config.yaml"
			if strings.HasSuffix(name, ".json") {
				as = "config.json"
			}
			got, problems := loadFile(t, as, file, environ())
			if config.HasErrors(problems) {
				t.Fatal(lines(problems))
			}
			if string(got.Masked()) != string(want.Masked()) {
				t.Errorf("got\n%s\nwant\n%s", got.Masked(), want.Masked())
			}
		})
	}
}

func TestShapesThatContradict(t *testing.T) {
	_, problems := loadFile(t, "config.yaml", `name: Ole
human:
  name: Ada
user: {name: Eva, language: 7}
system: {auto_migrate: true, wrong: 1}
updates: {auto_migrate: false}
agents: {zeno: {enabled: true}, data: {enabled: true}, instances: 5}
signal: []
`, environ())
	wantLines(t, problems,
		"~ 0  not_used_yet [updates]",
		"! 1 name said_twice [human.name]",
		"! 4 user.name said_twice [human.name]",
		"! 4 user.language want_language [7]",
		"! 5 system.auto_migrate said_twice [updates.auto_migrate]",
		"! 5 system.wrong unknown_key",
		"! 7 agents.zeno.enabled said_twice [agents.data.enabled]",
		"! 7 agents.instances want_object [5]",
		"! 8 signal want_object [[…]]",
	)
}
