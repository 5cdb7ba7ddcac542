package tresor_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"outheis/tresor"
)

// D-69: what is there stays byte for byte; a line end is added only where one
// lacks.
func TestLogKeepsWhatIsThere(t *testing.T) {
	for before, want := range map[string]string{
		"-":                          "",
		"":                           "",
		"## [2026-01-01] note | a\n": "## [2026-01-01] note | a\n",
		"# Log\r\n\r\na\r\n":         "# Log\r\n\r\na\r\n",
		"ohne Ende":                  "ohne Ende\n",
		"a\r":                        "a\r\n",
		"\ufeffBOM\n\n\n":            "\ufeffBOM\n\n\n",
	} {
		dir := unreleased(t)
		if before != "-" {
			put(t, dir, "log.md", before)
		}
		entry, err := tresor.Log(t.Context(), dir, "note", "Rücksprache | offen", day)
		if err != nil || entry != "## [2026-05-06] note | Rücksprache | offen" {
			t.Errorf("after %q: %q, %v", before, entry, err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "log.md"))
		if err != nil || string(b) != want+entry+"\n" {
			t.Errorf("after %q: %q, %v", before, b, err)
		}
	}
}

// Logging is none of the manifest's business.
func TestLogLeavesTheRelease(t *testing.T) {
	dir := halle3(t)
	if _, err := tresor.Log(t.Context(), dir, "extern", "", day); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestLogRefuses(t *testing.T) {
	tests := []struct{ name, action, text, log, want string }{
		{"action", "löschen", "x", "", "löschen"},
		{"line break", "note", "eins\nzwei", "", "control characters"},
		{"delete", "note", "a\x7f", "", "control characters"},
		{"D-04 text", "note", "a\xff", "", "not valid UTF-8"},
		{"D-04 log", "note", "x", strings.Repeat("ä", 40000) + "\xc3", "not valid UTF-8 (byte 80000)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := unreleased(t)
			put(t, dir, "log.md", tt.log)
			before := content(t, dir)
			_, err := tresor.Log(t.Context(), dir, tt.action, tt.text, tresor.Options{Lang: "en"})
			var refused *tresor.WriteError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			if d := difference(before, content(t, dir)); d != "" {
				t.Errorf("%s changed", d)
			}
		})
	}
}

// D-09: a log of any size goes through, and never through memory.
func TestLogStreams(t *testing.T) {
	const size = 64 << 20
	dir := unreleased(t)
	f, err := os.Create(filepath.Join(dir, "log.md"))
	must(t, err)
	line := []byte(strings.Repeat("## [2026-01-01] note | ä", 40) + "\n")
	written := 0
	for block := []byte(strings.Repeat(string(line), 100)); written < size; written += len(block) {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	must(t, f.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := tresor.Log(t.Context(), dir, "note", "Ende", day); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > size/8 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
	info, err := os.Stat(filepath.Join(dir, "log.md"))
	if want := int64(written + len("## [2026-05-06] note | Ende\n")); err != nil || info.Size() != want {
		t.Errorf("%d bytes, want %d, %v", info.Size(), want, err)
	}
}
