package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outheis/tresor/cli"
)

// watching runs watch until the test ends it, and yields its lines.
func watching(t *testing.T, o cli.Options, args ...string) (lines func() string, end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	all := make(chan string, 1000)
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		defer close(all)
		for s := bufio.NewScanner(r); s.Scan(); {
			all <- s.Text()
		}
	}()
	go func() {
		got := cli.Main(ctx, args, w, &stderr, o)
		w.Close()
		code <- got
	}()
	lines = func() string {
		select {
		case line := <-all:
			return line
		case <-time.After(time.Minute):
			t.Fatal("no line")
		}
		return ""
	}
	end = func() int {
		cancel()
		select {
		case got := <-code:
			for range all { // to the end of the pipe
			}
			if stderr.Len() > 0 {
				t.Errorf("stderr %s", &stderr)
			}
			return got
		case <-time.After(time.Minute):
			t.Fatal("it does not end")
		}
		return -1
	}
	return lines, end
}

func TestWatchPrintsWhatChanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../testdata/halle3")); err != nil {
		t.Fatal(err)
	}
	held := false
	o := cli.Options{Root: dir, Now: func() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC) },
		Hold: func(ctx context.Context) (context.Context, func()) { held = true; return ctx, func() {} }}
	line, end := watching(t, o, "watch")
	if got := line(); !strings.HasPrefix(got, "watch: "+dir) {
		t.Errorf("first line %q", got)
	}
	got := line()
	for ; !strings.HasPrefix(got, "🟢 07:08:09  0 Fehler, "); got = line() {
		if !strings.HasPrefix(got, "🟡 WARNUNG  ") && !strings.HasPrefix(got, "ℹ️") {
			t.Errorf("line %q", got)
		}
	}
	bad := filepath.Join(dir, "a.exe")
	if err := os.WriteFile(bad, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := line(); !strings.HasPrefix(got, "NEU 🔴 FEHLER   a.exe: ") {
		t.Errorf("line %q", got)
	}
	if got := line(); !strings.HasPrefix(got, "🔴 07:08:09  1 Fehler, ") {
		t.Errorf("line %q", got)
	}
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	if got := line(); !strings.HasPrefix(got, "ERLEDIGT 🔴 FEHLER   a.exe: ") {
		t.Errorf("line %q", got)
	}
	if got := line(); !strings.HasPrefix(got, "🟢 07:08:09  0 Fehler, ") {
		t.Errorf("line %q", got)
	}
	if code := end(); code != 0 || !held {
		t.Errorf("exit %d, held %v", code, held)
	}
}

func TestWatchAsJSONLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "später")
	line, end := watching(t, cli.Options{Root: dir}, "watch", "--json")
	type change struct {
		At            time.Time
		Missing       bool
		Errors, Pages int
		New, Gone     []struct{ Path, Severity, Text string }
	}
	read := func() (c change) {
		t.Helper()
		text := line()
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.At.IsZero() || c.New == nil || c.Gone == nil {
			t.Fatalf("%v in %s", err, text)
		}
		return c
	}
	if c := read(); !c.Missing || len(c.New) != 1 {
		t.Errorf("got %+v", c)
	}
	if err := os.CopyFS(dir, os.DirFS("../testdata/halle3")); err != nil {
		t.Fatal(err)
	}
	c := read()
	for c.Errors > 0 { // half copied
		c = read()
	}
	if c.Missing || c.Pages == 0 {
		t.Errorf("got %+v", c)
	}
	if code := end(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// Whoever read what watch prints has gone: there is nobody to watch for.
func TestWatchEndsWithItsReader(t *testing.T) {
	for _, args := range [][]string{{"watch"}, {"watch", "--json"}} {
		if code := cli.Main(t.Context(), args, closed{}, closed{}, cli.Options{Root: base}); code != 0 {
			t.Errorf("%q: exit %d", args, code)
		}
	}
}
