//go:build peers

package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"outheis/formatting"
)

// TestRendererBenchmark runs the benchmark of eval/render in the folder that
// OUTHEIS_SHARED names, with its own corpus and its own checker, on three
// seeds. It prints the checker's table.
func TestRendererBenchmark(t *testing.T) {
	shared := os.Getenv("OUTHEIS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	bench, err := filepath.Abs(filepath.Join(shared, "eval", "render"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bench, "check.py")); err != nil {
		t.Skipf("the shared benchmark is not here (%v); OUTHEIS_SHARED names its folder", err)
	}
	lib := library(t)
	for _, seed := range []string{"20261130", "1", "987654321"} {
		t.Run("seed "+seed, func(t *testing.T) {
			dir := t.TempDir()
			python(t, dir, lib, filepath.Join(bench, "corpus.py"), seed)
			renderCorpus(t, dir)
			table := python(t, dir, lib, filepath.Join(bench, "check.py"), "outheis")
			t.Logf("\n%s", table)
			for line := range strings.Lines(table) {
				if cells := strings.Split(line, "|"); cells[0] == "outheis" {
					checkRow(t, cells)
				}
			}
			checkWords(t, dir)
		})
	}
}

func python(t *testing.T, dir, lib string, args ...string) string {
	t.Helper()
	cmd := exec.Command("python3", append([]string{"-B"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TDJSON="+lib)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

func renderCorpus(t *testing.T, dir string) {
	t.Helper()
	in, err := os.Open(filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(dir, "out-outheis.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := formatting.Batch(in, out, formatting.TelegramHTML(), time.Now); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkRow checks a row of the checker's table: renderer, class, documents,
// messages, refused, kinds, over 4096, halves, documents that lose words,
// share of words lost, raw marks, raw fences, ms, over 32 KiB, over in UTF-16.
func checkRow(t *testing.T, cells []string) {
	t.Helper()
	class := cells[1]
	zero := map[string]int{"refused": 4, "over 4096": 6, "halved": 7, "over 32 KiB": 13}
	if class == "answer" || class == "long" {
		zero["documents that lose words"] = 8
		zero["raw **"] = 10
		zero["raw fences"] = 11
	}
	for what, column := range zero {
		if cells[column] != "0" && cells[column] != "" {
			t.Errorf("%s: %s %s", class, cells[column], what)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(cells[14]), "msgs 0") {
		t.Errorf("%s: %s", class, cells[14])
	}
}

var (
	benchWord    = regexp.MustCompile(`[\pL\pN\pM]{2,}`)
	comments     = regexp.MustCompile(`(?s)<!--.*?-->`)
	charRefs     = regexp.MustCompile(`&\w+;|&#x?\w+;`)
	longestToken = 500
)

// checkWords looks for each word of the corpus itself, in every class. Where
// the checker counts "fe**tt**" as two words that got lost, this looks for
// them inside a longer word beside which the marks stood.
func checkWords(t *testing.T, dir string) {
	t.Helper()
	sources := make(map[string]string)
	readLines(t, filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var d struct{ ID, MD string }
		err := json.Unmarshal(line, &d)
		sources[d.ID] = d.MD
		return err
	})
	td := startTDLib(t)
	words, joined := 0, 0
	readLines(t, filepath.Join(dir, "out-outheis.jsonl"), func(line []byte) error {
		var d struct {
			ID     string
			Chunks []string
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		have := make(map[string]int)
		var shown strings.Builder
		for _, a := range td.parse(d.Chunks) {
			shown.WriteString(a.Text + " ")
			for _, e := range a.Entities {
				shown.WriteString(e.Arg + " ")
			}
		}
		for _, w := range benchWord.FindAllString(shown.String(), -1) {
			have[w]++
		}
		source := html.UnescapeString(charRefs.ReplaceAllString(comments.ReplaceAllString(sources[d.ID], " "), " "))
		for _, at := range benchWord.FindAllStringIndex(source, -1) {
			w := source[at[0]:at[1]]
			words++
			if have[w]--; have[w] >= 0 || len(w) > longestToken {
				continue
			}
			if !besideMark(source, w) || !insideWord(have, w) {
				t.Errorf("%s lost %q", d.ID, w)
			}
			joined++
		}
		return nil
	})
	t.Logf("%d words, %d of them part of a longer one because a mark inside a word was resolved", words, joined)
}

// besideMark reports whether w stands somewhere in s with a mark beside it.
func besideMark(s, w string) bool {
	const marks = "*_~`\\[]"
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(w)
		if i > 0 && strings.ContainsAny(s[i-1:i], marks) || end < len(s) && strings.ContainsAny(s[end:end+1], marks) {
			return true
		}
		from = end
	}
}

func insideWord(words map[string]int, w string) bool {
	for word := range words {
		if len(word) > len(w) && strings.Contains(word, w) {
			return true
		}
	}
	return false
}

func readLines(t *testing.T, file string, f func([]byte) error) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		if err := f(line); err != nil {
			t.Fatal(fmt.Errorf("%s:%s: %w", file, strconv.Itoa(i+1), err))
		}
	}
}
