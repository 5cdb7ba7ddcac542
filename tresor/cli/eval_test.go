package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor/cli"
)

// questions writes a file of questions and returns its path.
func questions(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fragen.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	right   = `{"id":"recht","frage":"Wann beginnt die Nachtruhe?","claims":["C-0001"]}`
	wrong   = `{"id":"falsch","frage":"Wann beginnt die Nachtruhe?","claims":["C-0148"]}`
	outside = `{"id":"fern","frage":"Wie hoch ist der Eiffelturm?","claims":[]}`
)

func TestEvalForPeople(t *testing.T) {
	file := questions(t, right, wrong, outside)
	for _, tt := range []struct {
		o     cli.Options
		args  []string
		parts []string
		not   string
	}{
		{cli.Options{Root: base}, nil, []string{"eval: 2 beantwortbare und 1 nicht beantwortbare Fragen\n", "(R@1)        0,500\n", "richtig beantwortet           0,500\n"}, "falsch:"},
		{cli.Options{Root: base, Lang: "en"}, nil, []string{"eval: 2 answerable and 1 unanswerable", "0.500"}, "falsch:"},
		{cli.Options{Root: base}, []string{"--misses"}, []string{"🟡 falsch: Wann beginnt die Nachtruhe? falsch beantwortet: C-0001 statt C-0148 "}, "fern:"},
		{cli.Options{Root: base}, []string{"--each"}, []string{"recht: Rang 1, Entscheidung ", "falsch: Rang 0, ", "fern: Rang 0, "}, "🟡"},
	} {
		code, stdout, stderr := run(tt.o, append([]string{"eval", file}, tt.args...)...)
		if code != 0 || stderr != "" || strings.Contains(stdout, tt.not) {
			t.Errorf("%q: exit %d, %s%s", tt.args, code, stdout, stderr)
		}
		for _, part := range tt.parts {
			if !strings.Contains(stdout, part) {
				t.Errorf("%q: %q is missing in %s", tt.args, part, stdout)
			}
		}
	}
}

// The document is read by other programs: these keys, one line, nothing else.
func TestEvalDocument(t *testing.T) {
	code, stdout, stderr := run(cli.Options{Root: base}, "eval", questions(t, right, wrong, outside), "--json")
	const want = `{"answerable":2,"unanswerable":1,"r_at_1":0.5,"r_at_3":0.5,"r_at_8":0.5,"answered_correct":0.5,"answered_wrong":0.5,"false_answers":0,"wrongly_abstained":0}` + "\n"
	if code != 0 || stdout != want || stderr != "" {
		t.Errorf("exit %d, got %s%s, want %s", code, stdout, stderr, want)
	}
	_, each, _ := run(cli.Options{Root: base}, "eval", "--json", "--each", questions(t, right, wrong, outside))
	lines := strings.Split(strings.TrimSuffix(each, "\n"), "\n")
	if len(lines) != 4 || lines[3]+"\n" != want {
		t.Fatalf("got %s", each)
	}
	for i, id := range []string{"recht", "falsch", "fern"} {
		var r struct {
			ID       string
			Rank     int
			Decision float64
			Status   string
		}
		if err := json.Unmarshal([]byte(lines[i]), &r); err != nil || r.ID != id || r.Decision < 0 || r.Decision > 1 {
			t.Errorf("line %d: %s: %v", i+1, lines[i], err)
		}
		if status := []string{"ok", "ok", "not_found"}[i]; r.Status != status || r.Rank != []int{1, 0, 0}[i] {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
}

func TestEvalKeepsToBounds(t *testing.T) {
	file := questions(t, right, wrong, outside)
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--min-r1", "0.5", "--min-r3", "0.5", "--min-r8=0.5", "--min-correct", ".5", "--max-wrong", "0.5", "--max-abstained", "0", "--max-false", "0"}, 0, ""},
		{[]string{"--min-r1", "0.51"}, 1, "--min-r1: gemessen 0,500, verlangt mindestens 0,510"},
		{[]string{"--min-r3", "1"}, 1, "--min-r3"},
		{[]string{"--min-r8", "1"}, 1, "--min-r8"},
		{[]string{"--min-correct", "1"}, 1, "--min-correct"},
		{[]string{"--max-wrong", "0.4"}, 1, "--max-wrong: gemessen 0,500, erlaubt höchstens 0,400"},
		{[]string{"--profile", "v1"}, 0, ""},
	} {
		code, stdout, stderr := run(cli.Options{Root: base}, append([]string{"eval", file}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout, tt.says) || stderr != "" {
			t.Errorf("%q: exit %d, %s%s", tt.args, code, stdout, stderr)
		}
		code, stdout, stderr = run(cli.Options{Root: base}, append([]string{"eval", file, "--json"}, tt.args...)...)
		if code != tt.code || strings.Count(stdout, "\n") != 1 || !strings.Contains(stderr, tt.says) {
			t.Errorf("%q with --json: exit %d, %s%s", tt.args, code, stdout, stderr)
		}
	}
	code, stdout, _ := run(cli.Options{Root: base}, "eval", questions(t, right), "--max-false", "0.1")
	if code != 1 || !strings.Contains(stdout, "--max-false") {
		t.Errorf("a bound on no question: exit %d, %s", code, stdout)
	}
}

func TestEvalRefuses(t *testing.T) {
	inside := t.TempDir()
	if err := os.CopyFS(inside, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(inside, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "notes", "fragen.jsonl"), []byte(right), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(inside, "notes"), link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		root string
		args []string
		code int
		says string
	}{
		{base, []string{"fehlt.jsonl"}, 1, "fehlt.jsonl ist nicht lesbar"},
		{base, []string{t.TempDir()}, 1, "ist nicht lesbar"},
		{inside, []string{filepath.Join(inside, "notes", "fragen.jsonl")}, 1, "liegt im Tresor"},
		{inside, []string{filepath.Join(link, "fragen.jsonl")}, 1, "liegt im Tresor"},
		{base, []string{questions(t, right, right)}, 1, "fragen.jsonl:2: die Kennung „recht“ steht schon in Zeile 1"},
		{base, []string{questions(t, `{"id":"x","frage":"?","claims":["C-9999"]}`)}, 1, "fragen.jsonl:1: den Claim C-9999 gibt es"},
		{inside, []string{questions(t, right)}, 1, "NEU notes/fragen.jsonl"},
		{base, []string{questions(t, right), "--profile", "v2"}, 2, "v2"},
		{base, []string{questions(t, right), "--min-r1", "90%"}, 2, "90%"},
		{base, []string{questions(t, right), "--min-r1", "NaN"}, 2, "NaN"},
		{base, []string{questions(t, right), "--misses", "--json"}, 2, "--misses"},
	} {
		code, stdout, stderr := run(cli.Options{Root: tt.root}, append([]string{"eval"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.says) {
			t.Errorf("%q: exit %d, %s%s", tt.args, code, stdout, stderr)
		}
	}
	code, stdout, _ := run(cli.Options{Root: base}, "eval", "--json", questions(t, "x"))
	var doc struct {
		Exit     int
		Errors   []string
		Findings []struct{ Line int }
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 1 || doc.Exit != 1 || len(doc.Errors) != 1 || len(doc.Findings) != 1 || doc.Findings[0].Line != 1 {
		t.Errorf("exit %d, %v in %s", code, err, stdout)
	}
}

// A pipe that nobody writes to is not waited for; what somebody wrote is read, as
// of "eval <(…)" in a shell.
func TestEvalOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "fragen")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	code, stdout, _ := run(cli.Options{Root: base}, "eval", pipe)
	if code != 1 || !strings.Contains(stdout, "ist nicht lesbar — es ist keine reguläre Datei") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(right + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ = run(cli.Options{Root: base}, "eval", "/dev/fd/"+strconv.Itoa(int(r.Fd())))
	if code != 0 || !strings.Contains(stdout, "eval: 1 beantwortbare") {
		t.Errorf("exit %d, %s", code, stdout)
	}
}
