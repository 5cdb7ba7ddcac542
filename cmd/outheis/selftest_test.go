package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outheis/config/texts"
)

// asChild has a command that starts its own binary start this test's as outheis.
func asChild() []string { return []string{childVar + "=1", shiftVar + "=0"} }

// What an administrator rehearses holds, on every network, and leaves nothing
// behind.
func TestSelftest(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	var out, errs bytes.Buffer
	env := func(name string) string { return map[string]string{"TMPDIR": temp}[name] }
	p := &program{in: strings.NewReader(""), out: &out, err: &errs, env: env, now: time.Now, childEnv: asChild(), t: texts.For("de")}
	if err := p.selftest(context.Background(), selftestSize{people: 2, kills: 2, flood: 20}, true); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errs.String())
	}
	var r selftestReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rehearsals) != len(rehearsals()) || len(r.Networks) != len(networks()) || !r.OK || r.Kept != "" {
		t.Errorf("got %d rehearsals on %v: %+v", len(r.Rehearsals), r.Networks, r)
	}
	for _, one := range r.Rehearsals {
		if one.Name != "stop" && (one.Asked == 0 || one.Answered != one.Asked) {
			t.Errorf("%+v", one)
		}
		p.printRehearsal(one)
	}
	if strings.Contains(out.String(), "%!") {
		t.Errorf("printed %s", out.String())
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// heard is a network on which people got what a test says.
type heard struct {
	standIn
	texts []string
	twice bool
}

func (h heard) got(int) []string { return h.texts }
func (h heard) repeats() bool    { return h.twice }

// A rehearsal that nothing could fail would show nothing.
func TestRehearsalsAreJudged(t *testing.T) {
	const mark = "Vielleicht schon einmal"
	s := &stage{mark: mark}
	for _, tt := range []struct {
		name  string
		texts []string
		twice bool
		want  string // answered, lost, doubled, marked
	}{
		{"nothing", nil, true, "0 1 0 0"},
		{"something else", []string{"Guten Tag."}, true, "0 1 0 0"},
		{"one", []string{"Ein Claim ist: …"}, true, "1 0 0 0"},
		{"two", []string{"Ein Claim ist: …", "Guten Tag.", "Ein Claim ist: …"}, true, "1 0 1 0"},
		{"one marked", []string{"Ein Claim ist: …", mark + "\nEin Claim ist: …"}, true, "1 0 0 1"},
		{"marked where nothing may come twice", []string{"Ein Claim ist: …", mark + "\nEin Claim ist: …"}, false, "1 0 1 0"},
		{"only marked", []string{mark + "\nEin Claim ist: …"}, false, "1 0 0 0"},
	} {
		var r rehearsalReport
		a := audience{s: s, asked: []*asking{{net: heard{texts: tt.texts, twice: tt.twice}, probe: probe{answer: "Ein Claim ist"}, times: 1}}}
		a.judge(&r)
		if got := fmt.Sprint(r.Answered, r.Lost, r.Doubled, r.Marked); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	failing := rehearsal{"x", func(context.Context, *stage, selftestSize, *rehearsalReport) error { return errors.New("lost") }}
	if r := s.rehearse(context.Background(), failing, usualSize()); r.OK || r.Error != "lost" {
		t.Errorf("got %+v", r)
	}
}

// Who rehearses is connected to this machine alone.
func TestRehearsingStaysHere(t *testing.T) {
	for _, address := range []string{"", "https://api.telegram.org", "http://10.0.0.7:80", "https://localhost.example.org"} {
		dir := t.TempDir()
		file := fmt.Sprintf(`{"channels": {"telegram": {"enabled": true, "token": "env:T", "api_url": %q, "allowed": [5]}}}`, address)
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		env := func(name string) string {
			return map[string]string{"T": "123456789:abcdefghijklmnopqrstuvwxyz0123456789"}[name]
		}
		p := &program{in: strings.NewReader(""), out: &out, err: &errs, env: env, now: time.Now}
		if code := p.run(context.Background(), []string{"--human", dir, "--lang", "de", "selftest", standInVerb}); code != exitUsage {
			t.Errorf("%s: exit code %d\n%s", address, code, errs.String())
		}
	}
}
