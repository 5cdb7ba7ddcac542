//go:build unix

package test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// firstCommands are what README.md promises to somebody who has nothing but Go.
var firstCommands = []string{
	`go run ./cmd/outheis ask "Wie verbinde ich Telegram?"`,
	`go test ./...`,
}

func TestREADMEBeginsWithTwoCommands(t *testing.T) {
	lookAtSources(t)
	got := sessions(t, "README.md")
	if len(got) < 2 || !slices.Equal(got[:2], firstCommands) {
		t.Fatalf("README.md begins with %q, want %q", got, firstCommands)
	}
	cmd := exec.Command("sh", "-c", firstCommands[0])
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "OUTHEIS_HUMAN="+filepath.Join(t.TempDir(), "human"), "OUTHEIS_LANG=", "LANG=", "LC_ALL=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", firstCommands[0], err)
	}
	if text := string(out); !strings.HasPrefix(text, "Telegram verbinden") || !strings.Contains(text, "Belege:") {
		t.Errorf("%s: %s", firstCommands[0], text)
	}
}

// Whatever people are told to type exists: commands, options and files.
func TestDocumentedCommandsExist(t *testing.T) {
	lookAtSources(t)
	for _, name := range documents(t) {
		for _, line := range append(sessions(t, name), spans(t, name)...) {
			for _, words := range calls(line) {
				checkCall(t, name, line, words)
			}
		}
	}
}

// Links within the tree lead somewhere.
func TestDocumentedFilesExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, name := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, name), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
	for _, name := range []string{"docs/channels.md", "docs/configuration.md", "docs/reliability.md", "docs/tresor.md", "CONTRIBUTING.md", "LICENSE", "Dockerfile"} {
		if !strings.Contains(read(t, "README.md"), "("+name+")") {
			t.Errorf("README.md does not link to %s", name)
		}
	}
}

// documents are the texts for people, relative to root.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"README.md", "CONTRIBUTING.md"}
	for _, d := range docs {
		all = append(all, filepath.Join("docs", filepath.Base(d)))
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sessions returns the commands behind the prompts in the code blocks of a text,
// without their comments.
func sessions(t *testing.T, name string) []string {
	t.Helper()
	var all []string
	inside := false
	for s := bufio.NewScanner(strings.NewReader(read(t, name))); s.Scan(); {
		line := s.Text()
		if strings.HasPrefix(line, "```") {
			inside = !inside
			continue
		}
		if command, ok := strings.CutPrefix(line, "$ "); ok && inside {
			command, _, _ = strings.Cut(command, "  #")
			all = append(all, strings.TrimSpace(command))
		}
	}
	return all
}

// spans returns what stands in backticks in the running text.
func spans(t *testing.T, name string) []string {
	t.Helper()
	var all []string
	blocks := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(read(t, name), "")
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(blocks, -1) {
		all = append(all, m[1])
	}
	return all
}

// calls returns the words of each call of outheis in a line, from the first
// word behind its name.
func calls(line string) [][]string {
	var all [][]string
	line = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(line, "TEXT")
	for part := range strings.SplitSeq(line, "|") {
		words := strings.Fields(part)
		for i, w := range words {
			if base := filepath.Base(w); base == "outheis" && i+1 < len(words) && !strings.Contains(part, "build") {
				all = append(all, words[i+1:])
				break
			}
		}
	}
	return all
}

// checkCall asks the program about a call that a document shows.
func checkCall(t *testing.T, name, line string, words []string) {
	t.Helper()
	command := words[:1]
	if (command[0] == "config" || command[0] == "channels") && len(words) > 1 {
		command = words[:2]
	}
	if command[0] == "tresor" { // --root DIR stands before its command
		for i, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && words[i] != "--root" {
				command = []string{"tresor", w}
				words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--root" })
				break
			}
		}
	}
	if strings.HasPrefix(command[0], "-") {
		command = nil
	}
	code, help, stderr := outheis(t, append(slices.Clone(command), "--help")...)
	if code != 0 {
		t.Errorf("%s: `%s`: %s", name, line, stderr)
		return
	}
	for _, w := range words {
		if option, ok := strings.CutPrefix(w, "--"); ok && option != "help" && !strings.Contains(help, "--"+option) {
			t.Errorf("%s: `%s`: there is no option %s", name, line, w)
		}
	}
}

func TestCalls(t *testing.T) {
	for line, want := range map[string]string{
		`go run ./cmd/outheis ask "Wie?"`:                      "ask TEXT",
		`./outheis version`:                                    "version",
		`outheis ask --json "Was?" | jq .citations`:            "ask --json TEXT",
		`go build -o outheis ./cmd/outheis`:                    "",
		`docker run --rm outheis doctor`:                       "doctor",
		`OUTHEIS_HUMAN=x outheis config show | outheis render`: "config show; render",
		`outheis`: "",
	} {
		var got []string
		for _, words := range calls(line) {
			got = append(got, strings.Join(words, " "))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("calls(%q) = %q, want %q", line, got, want)
		}
	}
}
