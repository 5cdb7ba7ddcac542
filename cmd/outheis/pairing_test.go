package main

import (
	"regexp"
	"strings"
	"testing"

	fake "outheis/channels/fakenet/telegram"
)

// A stranger writes, the owner lets them in on the command line and takes it back.
func TestPairingOnTheCommandLine(t *testing.T) {
	t.Parallel()
	const stranger = 4711
	s := newScene(t, 1)
	s.telegram["pairing"] = "window"
	s.configure(writeAlmanach(t))
	s.server.AddUser(fake.User{ID: stranger, FirstName: "Fremd", Language: "de"})
	s.start()
	cli := func(args ...string) string {
		t.Helper()
		c := startChild(t, s.human, 0, append([]string{"channels", "pair"}, args...)...)
		err := <-c.done
		out := c.output.String()
		if err != nil {
			out = "failed: " + out
		}
		return out
	}
	s.ask(stranger, 0) // nobody has allowed it yet
	s.ask(person(0), 0)
	s.got(person(0), 1)
	for _, wrong := range []string{"0m", "30", "99999h", "bald"} {
		for _, args := range [][]string{{"--open", wrong}, {"--open=" + wrong}} {
			if out := cli(args...); !strings.HasPrefix(out, "failed: ") {
				t.Errorf("pair %q: %s", args, out)
			}
		}
	}
	if out := cli("--open", "bald"); !strings.Contains(out, "30m") {
		t.Errorf("pair --open bald names no duration that counts: %s", out)
	}
	if out := cli("--open", "30m"); !strings.Contains(out, "Codes gibt es bis") {
		t.Errorf("pair --open 30m: %s", out)
	}
	if out := cli("--open"); !strings.Contains(out, "Codes gibt es bis") {
		t.Fatalf("pair --open: %s", out)
	}
	s.ask(stranger, 0)
	code := regexp.MustCompile(`[A-Z2-9]{4}-[A-Z2-9]{4}`).FindString(s.got(stranger, 1)[0].Text)
	if code == "" {
		t.Fatal("no code")
	}
	if out := cli("AAAA-AAAA"); !strings.HasPrefix(out, "failed: ") {
		t.Errorf("a wrong code: %s", out)
	}
	if out := cli("--list"); !strings.Contains(out, "4711") || strings.Contains(out, code) {
		t.Errorf("pair --list: %s", out)
	}
	if out := cli(code); !strings.Contains(out, "darf jetzt fragen") {
		t.Errorf("pair: %s", out)
	}
	s.got(stranger, 2)
	s.ask(stranger, 1)
	if got := s.got(stranger, 3); !strings.Contains(got[2].Text, claims(1)) {
		t.Errorf("seen %q, want the answer", got[2].Text)
	}
	if out := cli("--close"); strings.HasPrefix(out, "failed: ") {
		t.Errorf("pair --close: %s", out)
	}
	if out := cli("--list"); strings.Contains(out, "Codes gibt es bis") || !strings.Contains(out, "Zugelassen: 4711") {
		t.Errorf("pair --list behind --close: %s", out)
	}
	if out := cli("--revoke", "telegram/main/4711"); strings.HasPrefix(out, "failed: ") {
		t.Errorf("pair --revoke: %s", out)
	}
	s.ask(stranger, 2)
	s.ask(person(0), 1)
	s.got(person(0), 2)
	s.settled()
	if got := s.got(stranger, 3); len(got) != 3 {
		t.Errorf("behind --revoke: %d messages", len(got))
	}
}
