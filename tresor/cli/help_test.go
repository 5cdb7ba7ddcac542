package cli_test

import (
	"slices"
	"strings"
	"testing"

	"outheis/tresor/cli"
)

// The help shows every command in exactly one group.
func TestTheHelpShowsEveryCommand(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		_, help, _ := run(cli.Options{Lang: lang}, "--help")
		for _, c := range cli.Commands() {
			if n := strings.Count(help, "\n  "+c.Name+" "); n != 1 {
				t.Errorf("%s: %s is there %d times", lang, c.Name, n)
			}
			_, own, _ := run(cli.Options{Lang: lang}, c.Name, "--help")
			if _, again, _ := run(cli.Options{Lang: lang}, "help", c.Name); again != own || !strings.Contains(own, "outheis tresor "+c.Name) {
				t.Errorf("%s: help of %s: %s, by help: %s", lang, c.Name, own, again)
			}
		}
		if _, again, _ := run(cli.Options{Lang: lang}, "help"); again != help {
			t.Errorf("%s: help is %s", lang, again)
		}
	}
}

func TestUsageErrorsNameWhatIsNear(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"valdate", "„validate“"},
		{"VALIDATE", "„validate“"},
		{"val", "„validate“"},
		{"check-sum", "„checksum“"},
		{"serch", "„search“"},
		{"orchestrator", "„orchestrator-template“"},
		{"doktor", "„doctor“"},
		{"lgo", "„log“"},
		{"lig", "„log“"},
		{"lix", "gibt es nicht.\n"},
		{"xyz", "gibt es nicht.\n"},
		{"x", "gibt es nicht.\n"},
		{"", "gibt es nicht.\n"},
		{"--jsn", "vor dem Befehl"},
		{"checksum --verfy", "--verify"},
		{"validate --jason", "--json"},
		{"query x --worl BW-0001", "--world"},
		{"validate --schnell", "gibt es hier nicht.\n"},
		{"help valdate", "„validate“"},
	} {
		code, stdout, stderr := run(cli.Options{}, strings.Split(tt.args, " ")...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", tt.args, code, stdout, stderr)
		}
	}
}

// A wrong call of a command is shown the right one.
func TestUsageErrorsShowTheCall(t *testing.T) {
	for args, want := range map[string]string{
		"release huge": "\nAufruf: outheis tresor release [major|minor|patch]\nHilfe: outheis tresor release --help\n",
		"log x":        "\nAufruf: outheis tresor log AKTION TEXT\nHilfe: outheis tresor log --help\n",
		"frobnicate":   "\nHilfe: outheis tresor --help\n",
	} {
		if code, _, stderr := run(cli.Options{Root: base}, strings.Fields(args)...); code != 2 || !strings.HasSuffix(stderr, want) || strings.Count(stderr, "\n") != strings.Count(want, "\n") {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
}

// Without a command the help is at hand, on stderr as any usage error.
func TestNoCommand(t *testing.T) {
	_, help, _ := run(cli.Options{}, "--help")
	code, stdout, stderr := run(cli.Options{})
	if code != 2 || stdout != "" || !strings.HasPrefix(stderr, help) {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestRootMayStandBehindTheCommand(t *testing.T) {
	_, want, _ := run(cli.Options{Root: base}, "stats")
	for _, args := range [][]string{{"stats", "--root", base}, {"stats", "--root=" + base}, {"--root", "fehlt", "stats", "--root", base}} {
		if code, got, stderr := run(cli.Options{}, args...); code != 0 || got != want {
			t.Errorf("%q: exit %d, %s%s", args, code, got, stderr)
		}
	}
	if code, _, stderr := run(cli.Options{}, "stats", "--root"); code != 2 || stderr == "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		line  string // the last word is the one to complete
		want  string
		files bool
	}{
		{"val", "validate", false},
		{"--root x che", "checksum", false},
		{"--root=x che", "checksum", false},
		{"--root x", "", true},
		{"--ro", "--root", false},
		{"checksum --", "--json --verify", false},
		{"query --li", "--limit", false},
		{"query --j", "", false},
		{"query --world B", "", true},
		{"release m", "major minor", false},
		{"release major m", "", true},
		{"extern --json u", "unbind", false},
		{"log no", "note", false},
		{"source x", "", true},
		{"search -- -", "", true},
		{"fehlt x", "", false},
	} {
		words := strings.Split(tt.line, " ")
		list, files := cli.Complete("de", words[:len(words)-1], words[len(words)-1])
		var got []string
		for _, s := range list {
			name, _, _ := strings.Cut(s, "\t")
			got = append(got, name)
		}
		if strings.Join(got, " ") != tt.want || files != tt.files {
			t.Errorf("%s: %q, files %v", tt.line, got, files)
		}
	}
	all, _ := cli.Complete("en", nil, "")
	for _, c := range cli.Commands() {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, c.Name+"\t") }) {
			t.Errorf("%s is not among %q", c.Name, all)
		}
	}
}
