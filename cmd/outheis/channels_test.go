package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// outheis runs a command of somebody at the same machine.
func (s *stage) outheis(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var said, errs bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &said, err: &errs, env: os.Getenv, now: time.Now}
	code = p.run(context.Background(), append([]string{"--human", s.human, "--lang", "de"}, args...))
	if slices.Contains(args, "--json") {
		return code, said.String()
	}
	return code, said.String() + errs.String()
}

// newTestStage makes a stage of all networks whose configuration edit changes.
func newTestStage(t *testing.T, edit func(kind string, section map[string]any)) *stage {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	p := &program{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer), env: os.Getenv, now: time.Now, childEnv: asChild(), t: texts.For("de")}
	s, err := p.newStage(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	name := filepath.Join(s.human, "config.json")
	var c struct {
		Human    map[string]any            `json:"human"`
		Channels map[string]map[string]any `json:"channels"`
	}
	if err := json.Unmarshal([]byte(read(t, name)), &c); err != nil {
		t.Fatal(err)
	}
	for kind, section := range c.Channels {
		edit(kind, section)
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// What an administrator does with people who are not let in yet, on every network:
// find out their ids, and let them in by their codes.
func TestLettingPeopleIn(t *testing.T) {
	s := newTestStage(t, func(kind string, section map[string]any) {
		section["allowed"] = []any{}
		if kind != "telegram" {
			section["pairing"] = "always"
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if code, out := s.outheis(t, "channels", "whoami"); code != exitUnavailable {
		t.Errorf("whoami without a gateway: %d %s", code, out)
	}
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	if code, out := s.outheis(t, "channels", "whoami"); code != exitOK || !strings.Contains(out, "niemand") {
		t.Errorf("whoami before anybody: %d %s", code, out)
	}
	for _, n := range s.nets {
		n.say(1, "Was ist ein Claim?")
	}
	var out string
	if err := s.until(ctx, "the stranger", func() (bool, error) {
		_, out = s.outheis(t, "channels", "whoami")
		return strings.Contains(out, "telegram/main"), nil
	}); err != nil {
		t.Fatal(err, out)
	}
	if !regexp.MustCompile(`telegram/main: die Person (\d+) im direkten Gespräch, vor \d+s\. Zulassen mit .- \{id: "\d+"\}. unter .allowed.`).MatchString(out) ||
		strings.Contains(out, "Person 1") || strings.Contains(out, "Claim") {
		t.Errorf("whoami says %s", out)
	}

	code := regexp.MustCompile(`[A-Z2-9]{4}-[A-Z2-9]{4}`)
	for _, n := range s.nets {
		if n.kind() == "telegram" {
			continue
		}
		var got []string
		if err := s.until(ctx, "the code", func() (bool, error) {
			got = n.got(1)
			return len(got) > 0, nil
		}); err != nil {
			t.Fatal(err)
		}
		typed := code.FindString(got[0])
		if typed == "" {
			t.Fatalf("%s: no code in %q", n.kind(), got[0])
		}
		if _, out := s.outheis(t, "channels", "pair", "--list"); !strings.Contains(out, "Wartet: ") || strings.Contains(out, typed) {
			t.Errorf("list: %s", out)
		}
		exit, out := s.outheis(t, "channels", "pair", strings.ToLower(typed))
		if exit != exitOK || !strings.Contains(out, n.kind()+"/main") {
			t.Errorf("pair: %d %s", exit, out)
		}
		if exit, out := s.outheis(t, "channels", "pair", typed); exit != exitNotFound {
			t.Errorf("the same code again: %d %s", exit, out)
		}
		before := s.answers(n, 1, s.probes[0])
		n.say(1, s.probes[0].question)
		if err := s.until(ctx, "the answer", func() (bool, error) { return s.answers(n, 1, s.probes[0]).all() > before.all(), nil }); err != nil {
			t.Error(n.kind(), err)
		}
	}
	if _, err := s.stop(ctx); err != nil {
		t.Fatal(err)
	}

	// Without a running gateway the same is in the files.
	exit, out := s.outheis(t, "channels", "pair", "--json")
	var listed struct {
		Paired []struct{ Channel, Account, Person string }
	}
	if err := json.Unmarshal([]byte(out), &listed); exit != exitOK || err != nil || len(listed.Paired) != 2 {
		t.Fatalf("list: %d %v %s", exit, err, out)
	}
	for _, who := range listed.Paired {
		id := who.Channel + "/" + who.Account + "/" + who.Person
		if exit, out := s.outheis(t, "channels", "pair", "--revoke", id); exit != exitOK {
			t.Errorf("revoke: %d %s", exit, out)
		}
		if exit, out := s.outheis(t, "channels", "pair", "--revoke", id); exit != exitNotFound {
			t.Errorf("revoke again: %d %s", exit, out)
		}
	}
	for _, args := range [][]string{{"--revoke", "ole"}, {"--open=0s"}, {"--open", "--close"}, {"ABCD-2345", "--list"}, {"a", "b"}} {
		if exit, out := s.outheis(t, append([]string{"channels", "pair"}, args...)...); exit != exitUsage {
			t.Errorf("pair %v: %d %s", args, exit, out)
		}
	}
}

// The accounts are listed and tested with a gateway and without one, in the same
// words.
func TestChannelsListAndTest(t *testing.T) {
	s := newTestStage(t, func(kind string, section map[string]any) {
		if kind == "discord" {
			section["enabled"] = false
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	check := func(when string) {
		t.Helper()
		for _, tt := range []struct {
			args []string
			code int
			want string
		}{
			{[]string{"test", "telegram"}, exitOK, "Konto telegram/main\n  🟢 Das Token gehört zu "},
			{[]string{"test", "mattermost/main"}, exitOK, "Konto mattermost/main\n  🟢 Das Token gehört zum Konto @"},
			{[]string{"test", "discord"}, exitUnavailable, "outheis: Das Konto discord/main ist ausgeschaltet."},
			{[]string{"test", "main"}, exitAmbiguous, "outheis: Der Name „main“ passt auf mehrere Konten."},
			{[]string{"test", "mattermots"}, exitNotFound, "outheis: Das Konto „mattermots“ ist nicht eingerichtet. Ist „mattermost“ gemeint?"},
			{[]string{"test", "signal"}, exitNotFound, "outheis: Das Konto „signal“ ist nicht eingerichtet;"},
			{[]string{"test", "a", "b"}, exitUsage, "outheis: "},
			{[]string{"list"}, exitOK, ""},
		} {
			code, out := s.outheis(t, append([]string{"channels"}, tt.args...)...)
			if code != tt.code || !strings.HasPrefix(out, tt.want) {
				t.Errorf("%s, %v: got %d\n%s\nwant %d\n%s", when, tt.args, code, out, tt.code, tt.want)
			}
		}
	}
	check("without a gateway")
	if _, out := s.outheis(t, "channels", "list"); !strings.Contains(out, "läuft kein outheis") ||
		!strings.Contains(out, "⚪ Kanal telegram/main ist eingeschaltet") || !strings.Contains(out, "⚪ Kanal discord/main ist ausgeschaltet") {
		t.Errorf("list says %s", out)
	}
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	check("with a gateway")
	_, out := s.outheis(t, "channels", "list", "--json")
	var all channelsReport
	if err := json.Unmarshal([]byte(out), &all); err != nil || !all.Running || len(all.Channels) != 3 {
		t.Fatalf("list: %v %s", err, out)
	}
	for _, one := range all.Channels {
		switch {
		case one.Kind == "discord":
			if one.Enabled || one.Account != nil {
				t.Errorf("%+v", one)
			}
		case one.Account == nil || one.Account.Health.State != channels.Green || one.Account.Health.Received.IsZero():
			t.Errorf("%+v %+v", one, one.Account)
		}
	}

	// A network that refuses the token is red everywhere, in the same words.
	for _, n := range s.nets {
		if m, ok := n.(*mattermostStandIn); ok {
			m.server.Revoke()
		}
	}
	de := texts.For("de")
	cause, remedy := de.Say("mattermost.token_wrong"), de.Say("mattermost.token_wrong_remedy")
	code, out := s.outheis(t, "channels", "test", "mattermost")
	if code != exitFailed || !strings.Contains(out, "🔴 "+cause+"\n     "+remedy) {
		t.Errorf("test: %d %s", code, out)
	}
	for _, n := range s.nets {
		if m, ok := n.(*mattermostStandIn); ok {
			m.server.CutSockets()
		}
	}
	if err := s.until(ctx, "red", func() (bool, error) {
		_, out = s.outheis(t, "channels", "list")
		return strings.Contains(out, "🔴 Kanal mattermost/main"), nil
	}); err != nil {
		t.Fatal(err, out)
	}
	if !strings.Contains(out, "  "+cause+"\n  "+remedy) {
		t.Errorf("list: %s", out)
	}
	if code, out := s.outheis(t, "doctor"); code != exitFailed || !strings.Contains(out, cause+" "+remedy) {
		t.Errorf("doctor: %d %s", code, out)
	}
	if code, out := s.outheis(t, "status"); code != exitOK || !strings.Contains(out, "  "+cause+"\n  "+remedy) {
		t.Errorf("status: %d %s", code, out)
	}
}
