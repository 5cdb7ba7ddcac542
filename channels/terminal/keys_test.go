package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outheis/channels/terminal"
)

var sgrPattern = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestKeys(t *testing.T) {
	const empties = "\x05\x15" // what empties the line of the editor
	for _, c := range []struct {
		name            string
		input           []string
		edit            string
		interrupt, quit bool
	}{
		{"letters", []string{"Grüße\r"}, "Grüße\r", false, false},
		{"character in pieces", []string{"Gr\xc3", "\xbc\xc3\x9fe\r"}, "Grüße\r", false, false},
		{"Latin-1", []string{"Gr\xfc\xdfe\r"}, "Gr??e\r", false, false},
		{"replacement character", []string{"a\ufffdb"}, "a?b", false, false},
		{"arrow", []string{"\x1b[A"}, "\x1b[A", false, false},
		{"escape alone is held", []string{"\x1b", "x"}, "\x1bx", false, false},
		{"escape twice", []string{"\x1b\x1b[A"}, "\x1b\x1b[A", false, false},
		{"Ctrl-C", []string{"abc\x03"}, "abc" + empties, true, false},
		{"Ctrl-C twice", []string{"\x03", "\x03"}, empties + empties, true, true},
		{"Ctrl-C, a letter, Ctrl-C", []string{"\x03a\x03"}, empties + "a" + empties, true, false},
		{"paste", []string{"\x1b[200~eins\r\n\tzwei\x1b[201~\r"}, "eins zwei\r", false, false},
		{"paste in pieces", []string{"\x1b[20", "0~eins\n", "zwei\x1b[2", "01~"}, "eins zwei", false, false},
		{"Ctrl-C in a paste is text", []string{"\x1b[200~a\x03b\x1b[201~"}, "a b", false, false},
		{"escape in a paste is text", []string{"\x1b[200~a\x1b[2Jb\x1b[201~"}, "a [2Jb", false, false},
		{"paste within a paste", []string{"\x1b[200~a\x1b[200~b\x1b[201~c"}, "a [200~bc", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k terminal.Keys
			var edit string
			var interrupt, quit bool
			for _, in := range c.input {
				e, i, q := k.Feed(in)
				edit, interrupt, quit = edit+e, interrupt || i, quit || q
			}
			if edit != c.edit || interrupt != c.interrupt || quit != c.quit {
				t.Errorf("got %q interrupt=%v quit=%v, want %q interrupt=%v quit=%v", edit, interrupt, quit, c.edit, c.interrupt, c.quit)
			}
		})
	}
}

// However the input is cut into pieces, the same keys come out, and pasting
// never presses Enter.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"abc\r", "\x1b[200~a\nb\x1b[201~\r", "\x03\x03", "\x1b[200~\x1b[201~", "\x1b[20\x1b[200~\r\x1b[201~", "\x1b[200~\x1b[20\x1b[201~"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		var whole, parts terminal.Keys
		want, wantI, wantQ := whole.Feed(s)
		cut = min(max(cut, 0), len(s))
		a, i1, q1 := parts.Feed(s[:cut])
		b, i2, q2 := parts.Feed(s[cut:])
		if a+b != want || (i1 || i2) != wantI || (q1 || q2) != wantQ {
			t.Fatalf("%q cut at %d: %q and %q, whole %q", s, cut, a, b, want)
		}
		if paste := strings.NewReplacer("\x1b[201~", "").Replace(s); strings.ContainsAny(paste, "\r\n") {
			var k terminal.Keys
			if got, _, _ := k.Feed("\x1b[200~" + paste); strings.ContainsAny(got, "\r\n") {
				t.Fatalf("paste of %q presses Enter: %q", paste, got)
			}
		}
	})
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h, err := terminal.OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"eins", "eins", "", " geheim", "zwei\x1b[2J", "drei"} {
		h.Add(line)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %o, want 600", got)
	}
	again, err := terminal.OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range again.Len() {
		got = append(got, again.At(i))
	}
	if want := []string{"drei", "zwei␛[2J", "eins"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("newest first: %q, want %q", got, want)
	}
}

func TestHistoryStaysShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h, err := terminal.OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * terminal.MaxHistory {
		h.Add(fmt.Sprint("Zeile ", i))
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "\n"); n > 2*terminal.MaxHistory {
		t.Errorf("file of %d lines, want at most %d", n, 2*terminal.MaxHistory)
	}
	again, err := terminal.OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.Len() != terminal.MaxHistory || again.At(0) != fmt.Sprint("Zeile ", 3*terminal.MaxHistory-1) {
		t.Errorf("%d lines, newest %q", again.Len(), again.At(0))
	}
}

func TestHistoryThatCannotBeKept(t *testing.T) {
	h, err := terminal.OpenHistory(filepath.Join(t.TempDir(), "missing", "history"))
	if err == nil {
		t.Error("no error for a folder that is not there")
	}
	h.Add("eins")
	if h.Len() != 1 || h.At(0) != "eins" {
		t.Errorf("the line is not there for the arrow keys: %d lines", h.Len())
	}
}
