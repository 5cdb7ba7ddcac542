package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/config"
	"outheis/config/texts"
)

// environ returns an environment of a few variables.
func environ(pairs ...string) func(string) string {
	m := map[string]string{"HOME": "/home/ole"}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// loadFile loads a configuration file of that name and content.
func loadFile(t testing.TB, name, content string, env func(string) string) (config.Config, []config.Problem) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c, problems, err := config.Load(dir, env)
	if err != nil {
		t.Fatal(err)
	}
	return c, problems
}

// lines shows problems as the table tests want them: line, path, code and
// arguments.
func lines(problems []config.Problem) []string {
	var all []string
	for _, p := range problems {
		kind := "!"
		if p.Severity == config.Warning {
			kind = "~"
		}
		s := fmt.Sprintf("%s %d %s %s", kind, p.Line, p.Path, strings.TrimPrefix(string(p.Code), "config."))
		for _, a := range p.Args {
			s += fmt.Sprintf(" [%v]", a)
		}
		all = append(all, s)
	}
	return all
}

func wantLines(t *testing.T, problems []config.Problem, want ...string) {
	t.Helper()
	got := lines(problems)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	for _, p := range problems {
		for _, lang := range []string{"de", "en"} {
			if s := p.Say(texts.For(lang).Say); strings.Contains(s, "%!") || !strings.Contains(s, p.Where()) {
				t.Errorf("%s in %s: %q", p.Code, lang, s)
			}
		}
	}
}

func TestWithoutAFileTheDefaultsHold(t *testing.T) {
	c, problems, err := config.Load(t.TempDir(), environ())
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if got, want := string(c.Masked()), string(config.Default().Masked()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if c.File != "" || len(c.Accounts()) != 0 || c.Human.Language != "de" {
		t.Errorf("got %+v", c)
	}
	if _, _, err := config.Load(filepath.Join(t.TempDir(), "nowhere"), environ()); err != nil {
		t.Errorf("a directory that does not exist yet: %v", err)
	}
}

const full = `
mode: domain_expert
human:
  name: Ole
  language: en
  timezone: America/New_York
  vault: [~/Notizen, /srv/wiki]
log: {level: debug}
queue: {allow_network_fs: true}
dispatcher:
  max_parallel: 3
  request_timeout_s: 60
  backlog_max_age_h: 12
  max_message_chars: 2000
  routing: {threshold: 0.5, data: [suche, "notiz*"], tresor: tresor}
limits:
  per_user: {burst: 5, window_s: 60, daily: 50}
  per_bot: {burst: 2, window_s: 30, mute_h: 1}
  waiting: 3
  open: 100
tresor:
  vaults:
    - {id: hb, path: ~/Tresor/Handbuch, scope: projekt, audience: [all]}
    - /srv/tresor/Werkstatt
  network: {hosts: wiki.example.org, proxy: "http://proxy:3128"}
agents:
  data: {name: Bibliothek, enabled: false}
channels:
  telegram:
    - name: haus
      enabled: true
      token: ${env:TG_HAUS}
      allowed: [778812, {name: Ada, id: "990011", role: admin}]
      groups:
        - {id: -1001234, name: Vorstand, mention: always, allowed: ["*"], anonymous: true, commands: [status]}
        - -77
      bots: [555]
    - name: werkstatt
      token_env: TG_WERKSTATT
  discord:
    enabled: true
    token_env: DC
    pairing: always
    commands: 223456789012345678
    known_links: [wiki.example.org]
    groups: [{name: Gilde, id: 223456789012345678, space: true, allowed: ["*"]}]
  mattermost:
    enabled: true
    url: https://chat.example.org/
    token_env: MM
    thread: when_threaded
    listen: 127.0.0.1:8066
    public_url: https://bot.example.org/mm
    command_token_env: MMCMD
    allowed: [{name: Ole, id: ow8ye3q4mjnkfxt7i5a6b9c1de, role: admin}]
transcriber: {command: [/usr/bin/transkript, --datei], timeout_s: 30}
`

// fullEnvironment has the variables that full names.
func fullEnvironment(more ...string) func(string) string {
	return environ(append(more, "TG_HAUS", goodToken, "DC", discordToken, "MM", mattermostToken, "MMCMD", mattermostToken+"x")...)
}

func TestFullFile(t *testing.T) {
	c, problems := loadFile(t, "config.yaml", full, fullEnvironment())
	if config.HasErrors(problems) {
		t.Fatal(lines(problems))
	}
	t0, t1 := c.Channels.Telegram[0], c.Channels.Telegram[1]
	for _, v := range []struct{ name, got, want string }{
		{"human", fmt.Sprint(c.Human), "{Ole en America/New_York [/home/ole/Notizen /srv/wiki]}"},
		{"location", c.Human.Location().String(), "America/New_York"},
		{"dispatcher", fmt.Sprint(c.Dispatcher), "{3 1m0s 12h0m0s 2000 {0.5 map[data:[suche notiz*] tresor:[tresor]]}}"},
		{"limits", fmt.Sprint(c.Limits), "{{5 1m0s 50} {2 30s 1h0m0s} 3 100}"},
		{"tresor", fmt.Sprint(c.Tresor), "{[{hb /home/ole/Tresor/Handbuch projekt [all]} { /srv/tresor/Werkstatt  []}] {[wiki.example.org] http://proxy:3128}}"},
		{"agent", fmt.Sprint(c.Agents["data"], c.Agents["agenda"]), "{Bibliothek false} {cato true}"},
		{"rest", fmt.Sprint(c.Mode, c.Log, c.Queue), "domain_expert{debug} {true}"},
		{"first account", fmt.Sprintf("%+v", t0), "{Common:{Name:haus Enabled:true Token:${env:TG_HAUS} " +
			"Allowed:[{Name: ID:778812 Role:user} {Name:Ada ID:990011 Role:admin}] " +
			"Groups:[{ID:-1001234 Name:Vorstand Space:false Mention:always Allowed:[{Name: ID:* Role:user}] Anonymous:true Commands:[status]} " +
			"{ID:-77 Name: Space:false Mention:required Allowed:[] Anonymous:false Commands:[]}] Bots:[555] Pairing:off} APIURL: Mode:poll Webhook:{URL: Listen: Secret:} Rich:false Ephemeral:false}"},
		{"Discord", fmt.Sprintf("%+v", c.Channels.Discord[0]), "{Common:{Name:main Enabled:true Token:${env:DC} Allowed:[] " +
			"Groups:[{ID:223456789012345678 Name:Gilde Space:true Mention:required Allowed:[{Name: ID:* Role:user}] Anonymous:false Commands:[]}] " +
			"Bots:[] Pairing:always} APIURL: Commands:[223456789012345678] KnownLinks:[wiki.example.org]}"},
		{"Mattermost", fmt.Sprintf("%+v", c.Channels.Mattermost[0]), "{Common:{Name:main Enabled:true Token:${env:MM} Allowed:[{Name:Ole ID:ow8ye3q4mjnkfxt7i5a6b9c1de Role:admin}] " +
			"Groups:[] Bots:[] Pairing:off} URL:https://chat.example.org Thread:when_threaded Listen:127.0.0.1:8066 PublicURL:https://bot.example.org/mm " +
			"CommandToken:${env:MMCMD} ButtonSecret:}"},
		{"its token", c.Channels.Mattermost[0].CommandToken.Reveal(), mattermostToken + "x"},
		{"transcriber", fmt.Sprint(c.Transcriber), "{[/usr/bin/transkript --datei] 30s}"},
		{"secrets", fmt.Sprint(c.Secrets()), "[${env:TG_HAUS}  ${env:TG_WERKSTATT}  ${env:DC} ${env:MM} ${env:MMCMD} ]"},
		{"token", t0.Token.Reveal(), "123456789:abcdefghijklmnopqrstuvwxyz0123456789"},
		{"token of an account that is off", t1.Token.Reveal() + t1.Token.String(), "${env:TG_WERKSTATT}"},
	} {
		if v.got != v.want {
			t.Errorf("%s:\n got %s\nwant %s", v.name, v.got, v.want)
		}
	}
}

// What `config show` prints can be loaded again and is the same then.
func TestMaskedIsAConfiguration(t *testing.T) {
	env := fullEnvironment()
	later := strings.Replace(full, "  discord:\n", `    - {name: dritter, token: "987654321:ZYXWVUTSRQPONMLKJIHGFEDCBA"}
  discord:
`, 1) + `
llm:
  providers: {anthropic: {api_key: geheim-eins, env_vars: {B: x, A: y, OLLAMA_API_KEY: geheim-drei}}, ollama: {local: {base_url: "http://localhost:11434"}}}
  models: {fast: {provider: anthropic, name: klein}}
  provider_aliases: {anthropic: {fast: klein}}
schedule: {agenda_review: {time: ["04:55", "05:55"]}}
webui: {password: geheim-zwei}
`
	c, problems := loadFile(t, "config.yaml", later, env)
	if config.HasErrors(problems) {
		t.Fatal(lines(problems))
	}
	shown := string(c.Masked())
	for _, secret := range []string{"987654321", discordToken, mattermostToken, "geheim-eins", "geheim-zwei", "geheim-drei", "abcdefghijkl"} {
		if strings.Contains(shown, secret) {
			t.Errorf("shown: %s", secret)
		}
	}
	for _, part := range []string{"v: 1", "token: ${env:TG_HAUS}", `token: '***'`, "command_token: ${env:MMCMD}", "api_key: '***'", "password: '***'", "base_url: http://localhost:11434",
		"time: [\"04:55\", \"05:55\"]", "commands: [\"223456789012345678\"]", "command: [/usr/bin/transkript, --datei]", "per_user:"} {
		if !strings.Contains(shown, part) {
			t.Errorf("not shown: %s in\n%s", part, shown)
		}
	}
	again, problems := loadFile(t, "config.yaml", strings.ReplaceAll(shown, "'***'", "${env:X}"), fullEnvironment("X", "ein-langes-geheimnis"))
	if config.HasErrors(problems) {
		t.Fatal(lines(problems))
	}
	if got, want := string(again.Masked()), strings.ReplaceAll(shown, "'***'", "${env:X}"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEnvironmentOverFile(t *testing.T) {
	const file = "human: {language: en, vault: [/srv/a, /srv/b]}\n"
	c, problems := loadFile(t, "config.yaml", file, config.WithFlags(
		environ("OUTHEIS_LANG", "de_DE.UTF-8", "OUTHEIS_VAULT", "/srv/environment"),
		map[string]string{config.EnvVault: "~/flag", config.EnvLanguage: ""}))
	if config.HasErrors(problems) {
		t.Fatal(lines(problems))
	}
	if got := fmt.Sprint(c.Human.Language, c.Human.Vaults); got != "de[/home/ole/flag]" {
		t.Errorf("got %s", got)
	}
	_, problems = loadFile(t, "config.yaml", "{}", environ("OUTHEIS_LANG", "deutsch", "OUTHEIS_VAULT", "rel/ativ"))
	wantLines(t, problems, "! 0 OUTHEIS_VAULT want_path [\"rel/ativ\"]", "! 0 OUTHEIS_LANG want_language [deutsch]")
	if where := problems[0].Where(); where != "OUTHEIS_VAULT" {
		t.Errorf("the place is %q", where)
	}
	dir := t.TempDir()
	_, problems, err := config.Load(dir, environ("OUTHEIS_VAULT", dir))
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, problems, "! 0 OUTHEIS_VAULT path_in_human ["+dir+"]")
}

func TestAnErrorAdmitsNobody(t *testing.T) {
	c, problems := loadFile(t, "config.yaml", "human: {language: en}\ncanals: {}\nchannels: {telegram: {enabled: true, token: '123456789:abcdefghijklmnopqrstuvwxyz', allowed: ['*']}}\n", environ())
	if !config.HasErrors(problems) {
		t.Fatal("no error")
	}
	if len(c.Channels.Telegram) != 0 || c.Human.Language != "en" {
		t.Errorf("got %+v", c)
	}
}

func TestDir(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		flag string
		env  func(string) string
		want string
	}{
		{"", environ(), "/home/ole/.outheis/human"},
		{"", environ("OUTHEIS_HUMAN_DIR", "~/b"), "/home/ole/b"},
		{"", environ("OUTHEIS_HUMAN", "/a/", "OUTHEIS_HUMAN_DIR", "~/b"), "/a"},
		{"~/c", environ("OUTHEIS_HUMAN", "/a"), "/home/ole/c"},
		{"d", environ(), filepath.Join(here, "d")},
		{"~", environ(), "/home/ole"},
	} {
		if got, err := config.Dir(tt.flag, tt.env); err != nil || got != tt.want {
			t.Errorf("Dir(%q) = %q, %v; want %q", tt.flag, got, err, tt.want)
		}
	}
	for _, flag := range []string{"~anna/x", ""} {
		if got, err := config.Dir(flag, environ("HOME", "")); err == nil {
			t.Errorf("Dir(%q) without a home = %q", flag, got)
		}
	}
}
