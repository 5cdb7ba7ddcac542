package config_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"outheis/config"
)

func TestStarterHasNoProblems(t *testing.T) {
	env := environ("OUTHEIS_TELEGRAM_TOKEN", goodToken)
	for _, lang := range []string{"de", "en", "fr", ""} {
		for name, o := range map[string]config.StarterOptions{
			"zero": {},
			"all": {
				Name: "Ole \"Quote\" Ünal\t", Timezone: "Europe/Vienna", Vaults: []string{"/usr", "/bin"}, Tresors: []string{"/usr/share"},
				Telegram: true, TelegramID: "778812",
			},
		} {
			c, problems := loadFile(t, "config.yaml", string(config.Starter(lang, o)), env)
			if len(problems) > 0 {
				t.Errorf("%s, %s: %v", lang, name, lines(problems))
			}
			want := config.Default()
			if lang != "de" {
				want.Human.Language = "en"
			}
			want.Channels.Telegram = c.Channels.Telegram
			if name == "zero" && string(c.Masked()) != string(want.Masked()) {
				t.Errorf("%s: the values are not the defaults:\n%s", lang, c.Masked())
			}
			if name == "all" {
				if got := fmt.Sprintf("%q %s %s %v %v", c.Human.Name, c.Human.Timezone, c.Human.Vaults, c.Tresor, c.Accounts()[0].People); got !=
					`"Ole \"Quote\" Ünal\t" Europe/Vienna [/usr /bin] {[{ /usr/share  []}] {[] }} [{Ole "Quote" Ünal	 778812 admin}]` {
					t.Errorf("%s: got %s", lang, got)
				}
			}
		}
	}
}

// Whoever takes the # away from the examples has a good file too.
func TestStarterExamples(t *testing.T) {
	example := regexp.MustCompile(`(?m)^( *)#  - `)
	for _, lang := range []string{"de", "en"} {
		file := string(config.Starter(lang, config.StarterOptions{}))
		if n := len(example.FindAllString(file, -1)); n != 4 {
			t.Errorf("%s: %d examples", lang, n)
		}
		_, problems := loadFile(t, "config.yaml", example.ReplaceAllString(file, "$1  - "), environ())
		for _, p := range problems {
			if !strings.HasSuffix(string(p.Code), "path_not_there") {
				t.Errorf("%s: %v", lang, p)
			}
		}
	}
}

// Every network is shown; its section holds once the signs before it are taken
// away.
func TestStarterShowsEveryNetwork(t *testing.T) {
	shown := regexp.MustCompile(`(?m)^  #(discord:|mattermost:|  )`)
	env := environ("OUTHEIS_DISCORD_TOKEN", discordToken, "OUTHEIS_MATTERMOST_TOKEN", mattermostToken)
	for _, lang := range []string{"de", "en"} {
		file := shown.ReplaceAllString(string(config.Starter(lang, config.StarterOptions{})), "  $1")
		c, problems := loadFile(t, "config.yaml", file, env)
		for _, p := range problems {
			if !strings.HasSuffix(string(p.Code), "path_not_there") {
				t.Errorf("%s: %v", lang, p)
			}
		}
		if d := c.Channels.Discord; len(d) != 1 || !d[0].Enabled || len(d[0].Allowed) != 1 || len(d[0].Groups) != 1 {
			t.Errorf("%s: Discord: %+v", lang, d)
		}
		if m := c.Channels.Mattermost; len(m) != 1 || !m[0].Enabled || m[0].URL == "" || len(m[0].Allowed) != 1 || len(m[0].Groups) != 1 {
			t.Errorf("%s: Mattermost: %+v", lang, m)
		}
	}
}
