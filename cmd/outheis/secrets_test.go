package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	fakediscord "outheis/channels/fakenet/discord"
	"outheis/config/texts"
)

// planted are the secrets of TestSecretsStaySecret beside those of the stand-ins.
// All are invented.
func planted() map[string]string {
	return map[string]string{
		"telegram token that is refused":   "7000000001:PLANTED-telegram-refused-0000000000",
		"webhook secret":                   "PLANTED-webhook-secret-00000000000",
		"discord token that is refused":    "UExBTlRFRC1kaXNjb3JkLXJlZnVzZWQ.AAAAAA.planted-discord-refused-000000000",
		"mattermost token that is refused": "plantedmattermostrefused00",
		"command token":                    "plantedcommandtoken0000000",
		"old command token":                "plantedcommandtokenold0000",
		"foreign command token":            "plantedforeigncommand00000",
		"button secret":                    "PLANTED-button-secret-0000000000000000",
		"another button secret":            "PLANTED-button-secret-1111111111111111",
	}
}

// Twelve secrets and more go through a whole run over all networks, with refused
// tokens, cut connections, throttling, an outage and a crash; and none of them is
// anywhere where somebody may look (spec/reliability.md T1).
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &program{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer), env: os.Getenv, now: time.Now, childEnv: asChild(), t: texts.For("de")}
	s, err := p.newStage(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	secrets := planted()
	for _, n := range s.nets {
		secrets["token of "+n.kind()] = n.token()
	}
	hook := freeAddress(t)
	plantConfiguration(t, s, dir, secrets, hook)
	defer func() {
		if printed := read(t, s.output.Name()); t.Failed() {
			t.Logf("outheis printed:\n%s", printed[max(0, len(printed)-8000):])
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.start(ctx); err != nil {
		t.Fatal(err, read(t, s.output.Name()))
	}

	var r rehearsalReport
	if err := s.play(ctx, &r, 1, nil); err != nil { // what adapters post at their start is over then
		t.Fatal(err)
	}
	for _, how := range []breakage{cutBefore, cutAfter, throttled} {
		if err := s.play(ctx, &r, 2, func(n standIn) { n.breakSends(how, 1) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, token := range []string{"command token", "old command token", "foreign command token"} {
		res, err := http.PostForm("http://"+hook+"/command", url.Values{
			"token": {secrets[token]}, "command": {"/tresor"}, "text": {"Was ist ein Claim?"},
			"user_id": {strings.Repeat("u", 26)}, "channel_id": {strings.Repeat("c", 26)}, "team_id": {strings.Repeat("t", 26)},
		})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if known := token != "foreign command token"; (res.StatusCode == http.StatusOK) != known {
			t.Errorf("%s: status %d", token, res.StatusCode)
		}
	}
	for _, n := range s.nets {
		if d, ok := n.(*discordStandIn); ok {
			who := d.people.get(1)
			action := d.server.Slash(d.server.Direct(who), who, "tresor", "frage", "Was ist ein Claim?")
			if _, err := d.server.AwaitAction(ctx, action); err != nil {
				t.Fatal(err)
			}
			for name, token := range interactionTokens(d.server) {
				secrets[name] = token
			}
		}
	}
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.process.Process.Pid))
	if err != nil {
		t.Logf("no list of processes to look at: %v", err)
	}
	shown := map[string]string{"command line": string(command)}
	look := func(when string) {
		for _, args := range [][]string{{"status", "--json"}, {"status"}, {"doctor"}, {"channels", "list", "--json"}, {"channels", "list"},
			{"channels", "test", "--json"}, {"channels", "whoami", "--json"}, {"channels", "pair", "--json"}, {"config", "show"}, {"config", "validate"}} {
			var out bytes.Buffer
			p := &program{in: strings.NewReader(""), out: &out, err: &out, env: os.Getenv, now: time.Now}
			p.run(ctx, append([]string{"--human", s.human, "--lang", "de"}, args...))
			if out.Len() == 0 {
				t.Errorf("%s: outheis %v says nothing", when, args)
			}
			shown[when+", outheis "+strings.Join(args, " ")] = out.String()
		}
	}
	look("running")
	for _, n := range s.nets {
		if err := n.down(); err != nil {
			t.Fatal(err)
		}
	}
	look("while the networks are away")
	if err := s.kill(); err != nil {
		t.Fatal(err)
	}
	look("after a crash")
	for _, n := range s.nets {
		if err := n.up(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.play(ctx, &r, 1, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.stop(ctx); err != nil {
		t.Fatal(err)
	}
	shown["standard output and error"] = read(t, s.output.Name())
	err = filepath.WalkDir(s.human, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			shown[path] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(secrets) < 12 {
		t.Errorf("only %d secrets: %v", len(secrets), sortedNames(secrets))
	}
	for where, text := range shown {
		for name, secret := range secrets {
			for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), fmt.Sprintf("%x", secret)} {
				if strings.Contains(text, form) {
					i := strings.Index(text, form)
					t.Errorf("%s is in %s: …%s…", name, where, text[max(0, i-100):min(len(text), i+len(form)+20)])
				}
			}
		}
	}
	t.Logf("%d secrets, %d places, %d asked", len(secrets), len(shown), r.Asked)
}

// plantConfiguration adds to each network an account that is refused, and to
// Mattermost a way back.
func plantConfiguration(t *testing.T, s *stage, dir string, secrets map[string]string, hook string) {
	t.Helper()
	file := func(name string) string {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		content := secrets[name]
		if name == "command token" {
			content += " " + secrets["old command token"]
		}
		if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return "${file:" + path + "}"
	}
	var c map[string]any
	if err := json.Unmarshal([]byte(read(t, filepath.Join(s.human, "config.json"))), &c); err != nil {
		t.Fatal(err)
	}
	c["log"] = map[string]any{"level": "debug"}
	sections := c["channels"].(map[string]any)
	with := func(kind string, more map[string]any) {
		main := sections[kind].(map[string]any)
		refused := map[string]any{"name": "refused", "enabled": true, "allowed": []any{}, "pairing": "always", "token": file(kind + " token that is refused")}
		for _, key := range []string{"api_url", "url"} {
			if v, ok := main[key]; ok {
				refused[key] = v
			}
		}
		for key, v := range more {
			refused[key] = v
		}
		sections[kind] = []any{main, refused}
	}
	with("discord", nil)
	with("telegram", map[string]any{"mode": "webhook", "webhook": map[string]any{
		"url": "https://bot.example.org/telegram", "listen": freeAddress(t), "secret": file("webhook secret")}})
	main := sections["mattermost"].(map[string]any)
	main["listen"], main["public_url"] = hook, "http://"+hook
	main["command_token"], main["button_secret"] = file("command token"), file("button secret")
	with("mattermost", map[string]any{"listen": freeAddress(t), "public_url": "https://bot.example.org/mattermost", "button_secret": file("another button secret")})
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.human, "config.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// interactionTokens are those with which interactions were answered.
func interactionTokens(server *fakediscord.Server) map[string]string {
	all := make(map[string]string)
	for _, r := range server.Requests("") {
		parts := strings.Split(r.Path, "/")
		if i := slices.Index(parts, "interactions"); i >= 0 && i+2 < len(parts) {
			all["interaction token"] = parts[i+2]
		}
		if i := slices.Index(parts, "webhooks"); i >= 0 && i+2 < len(parts) {
			all["followup token"] = parts[i+2]
		}
	}
	return all
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
