package tresor_test

import (
	"strings"
	"testing"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/okf"
)

// Any log is exported, and any entry that is written is an entry of its day.
func FuzzLog(f *testing.F) {
	f.Add("## [2026-05-06] release | v1.0.0\n## [2026-05-07] note | a | b\n", "note", "Öffnungszeiten | neu")
	f.Add("# Log\n## [\n## [2026-05-0", "extern", " ")
	now := func() time.Time { return time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC) }
	f.Fuzz(func(t *testing.T, log, action, text string) {
		before := exported(log)
		line, err := tresor.LogLine(action, text, tresor.Options{Now: now})
		if err != nil {
			return
		}
		if strings.Contains(line, "\n") {
			t.Fatalf("an entry of two lines: %q", line)
		}
		after := exported(log + "\n" + line + "\n")
		if grown := len(after) - len(before); text != "" && grown < len(text) || text == "" && grown != 0 {
			t.Fatalf("%q in %q: exported %q, then %q", line, log, before, after)
		}
	})
}

func exported(log string) string {
	for _, f := range okf.Build(&bestand.Bestand{}, okf.Options{Log: log}).Files {
		if f.Path == "log.md" {
			return string(f.Content)
		}
	}
	return ""
}
