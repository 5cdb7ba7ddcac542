package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"outheis/tresor/cli"
)

// ticking returns a clock that goes on by step each time that it is read.
func ticking(step time.Duration) func() time.Time {
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name     string
		step     time.Duration
		terminal bool
		args     []string
		lines    []string // that are among those shown; nil if nothing is
	}{
		{"slow", 30 * time.Millisecond, true, []string{"validate"}, []string{"prüft … 20 von 29 Seiten"}},
		{"manifest", 30 * time.Millisecond, true, []string{"checksum", "--verify"}, []string{"bildet Prüfsummen … 61 von 72 Dateien"}},
		{"fast", time.Millisecond, true, []string{"validate"}, nil},
		{"pipe", time.Second, false, []string{"validate"}, nil},
		{"json", time.Second, true, []string{"validate", "--json"}, nil},
		{"document", time.Second, true, []string{"query", "Nachtruhe"}, nil},
		{"nothing to do", time.Hour, true, []string{"validate", "--help"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, err bytes.Buffer
			code := cli.Main(t.Context(), tt.args, &out, &err, cli.Options{Root: base, Terminal: tt.terminal, Now: ticking(tt.step)})
			if code != 0 || out.Len() == 0 {
				t.Errorf("exit %d, stdout %s", code, out.String())
			}
			if tt.lines == nil {
				if err.Len() > 0 {
					t.Errorf("stderr %q", err.String())
				}
				return
			}
			shown, ok := strings.CutSuffix(err.String(), "\r\x1b[K")
			if !ok || strings.Contains(shown, "\n") {
				t.Errorf("the line is not gone: %q", err.String())
			}
			var lines []string
			for line := range strings.SplitSeq(shown, "\r") {
				lines = append(lines, strings.TrimSuffix(line, "\x1b[K"))
			}
			for _, want := range tt.lines {
				if !slices.Contains(lines, want) {
					t.Errorf("%q is not among %q", want, lines)
				}
			}
		})
	}
}

// The line is written ten times a second at most.
func TestProgressIsSeldom(t *testing.T) {
	var out, slow, fast bytes.Buffer
	cli.Main(t.Context(), []string{"validate"}, &out, &slow, cli.Options{Root: base, Terminal: true, Now: ticking(100 * time.Millisecond)})
	cli.Main(t.Context(), []string{"validate"}, &out, &fast, cli.Options{Root: base, Terminal: true, Now: ticking(25 * time.Millisecond)})
	s, f := strings.Count(slow.String(), "Seiten"), strings.Count(fast.String(), "Seiten")
	if s < 20 || f < 1 || f > s/3 {
		t.Errorf("%d lines at one step in 100 ms, %d at four", s, f)
	}
}
