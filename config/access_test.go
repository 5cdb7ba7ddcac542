package config_test

import (
	"fmt"
	"strings"
	"testing"

	"outheis/config"
	"outheis/config/texts"
)

func TestDescribe(t *testing.T) {
	person := func(id, role string) config.Person { return config.Person{ID: id, Role: role} }
	for _, tt := range []struct {
		name string
		t    config.Common
		want string
	}{
		{"off", config.Common{Name: "main", Allowed: []config.Person{person("5", "admin")}}, "Konto telegram/main ist ausgeschaltet."},
		{"nobody", config.Common{Name: "main", Enabled: true, Allowed: []config.Person{person("5", "blocked")}},
			"Konto telegram/main: Eine Person ist gesperrt. Im direkten Gespräch darf niemand fragen. In Gruppen antwortet der Bot nicht."},
		{"one administrator", config.Common{Name: "main", Enabled: true, Allowed: []config.Person{person("5", "admin")}},
			"Konto telegram/main: Im direkten Gespräch darf eine Person fragen. Darunter ist ein Administrator. In Gruppen antwortet der Bot nicht."},
		{"everybody", config.Common{Name: "main", Enabled: true, Allowed: []config.Person{person("*", "user"), person("5", "admin"), person("6", "blocked")}},
			"Konto telegram/main: Im direkten Gespräch darf jeder fragen, der den Bot findet. Darunter ist ein Administrator. Eine Person ist gesperrt. " +
				"In Gruppen antwortet der Bot nicht."},
		{"groups", config.Common{
			Name: "main", Enabled: true, Allowed: []config.Person{person("5", "user"), person("6", "user"), person("*", "user")}, Bots: []string{"9"},
			Groups: []config.Group{
				{ID: "-1", Name: "Vorstand", Mention: "required", Allowed: []config.Person{person("7", "user"), person("6", "blocked")}},
				{ID: "-2", Mention: "always", Allowed: []config.Person{person("*", "user")}, Anonymous: true},
			},
		}, "Konto telegram/main: Im direkten Gespräch darf jeder fragen, der den Bot findet. " +
			"In der Gruppe Vorstand dürfen 2 Personen fragen. Eine Person ist gesperrt. In der Gruppe Vorstand antwortet der Bot nur, wenn er angesprochen ist. " +
			"In der Gruppe -2 dürfen alle Mitglieder fragen. In der Gruppe -2 antwortet der Bot auf jede Nachricht. " +
			"In der Gruppe -2 dürfen auch anonyme Administratoren der Gruppe fragen. Ein anderer Bot bekommt Antworten."},
		{"pairing", config.Common{Name: "main", Enabled: true, Pairing: "always"}, "Konto telegram/main: Im direkten Gespräch darf niemand fragen. " +
			"Wer sonst direkt schreibt, bekommt einen Code, mit dem Sie ihn zulassen können (`outheis channels pair`). In Gruppen antwortet der Bot nicht."},
		{"group for nobody", config.Common{Name: "main", Enabled: true, Groups: []config.Group{{ID: "-1"}}},
			"Konto telegram/main: Im direkten Gespräch darf niemand fragen. In der Gruppe -1 darf niemand fragen."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Config{Channels: config.Channels{Telegram: []config.Telegram{{Common: tt.t}}}}
			for _, lang := range []string{"en", "de"} {
				var said []string
				for _, s := range c.Accounts()[0].Describe() {
					said = append(said, texts.For(lang).Say(s.Key, s.Args...))
				}
				got := strings.Join(said, " ")
				if strings.Contains(got, "%!") || lang == "de" && got != tt.want {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
			}
		})
	}
}

// Accounts of all networks are there, in one order.
func TestAccountsOfAllNetworks(t *testing.T) {
	c := config.Config{Channels: config.Channels{
		Mattermost: []config.Mattermost{{Common: config.Common{Name: "m"}}},
		Discord:    []config.Discord{{Common: config.Common{Name: "d", Pairing: "window"}}, {Common: config.Common{Name: "e"}}},
		Telegram:   []config.Telegram{{Common: config.Common{Name: "t"}}},
	}}
	var got []string
	for _, a := range c.Accounts() {
		got = append(got, fmt.Sprintf("%s/%s %s", a.Channel, a.Name, a.Pairing))
	}
	if want := "telegram/t , discord/d window, discord/e , mattermost/m "; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

// Nothing but an entry lets anybody in.
func TestEmptyListsAdmitNobody(t *testing.T) {
	for _, allowed := range []string{"", "allowed:", "allowed: []", "allowed: ~"} {
		c, problems := loadFile(t, "config.yaml", "channels:\n  telegram:\n    enabled: true\n    token_env: T\n    "+allowed+"\n", environ("T", goodToken))
		if len(problems) != 1 || problems[0].Code != "config.nobody_allowed" || problems[0].Severity != config.Warning {
			t.Errorf("%q: %v", allowed, lines(problems))
		}
		if a := c.Accounts(); len(a) != 1 || len(a[0].People) != 0 || !a[0].Enabled {
			t.Errorf("%q: %+v", allowed, a)
		}
	}
}
