package handbuch_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/cli"
)

// root is the folder of the module.
const root = "../.."

// quoted yields what the handbook quotes in backticks, with the claims that do.
func quoted(s *tresor.Snapshot) map[string][]string {
	all := make(map[string][]string)
	for _, p := range s.Pages() {
		for _, c := range p.Claims {
			for _, q := range inCode.FindAllString(c.Text, -1) {
				q = strings.Trim(q, "`")
				all[q] = append(all[q], c.ID)
			}
		}
	}
	return all
}

// Commands and flags that the handbook names are those of the command line.
func TestCommandsExist(t *testing.T) {
	literals, uses := literalsOf(t, filepath.Join(root, "cmd", "outheis"))
	if !uses["ask"] {
		t.Fatal("the commands were not found")
	}
	for q, claims := range quoted(open(t)) {
		words := strings.Fields(q)
		at := slices.Index(words, "outheis")
		if at < 0 || words[0] == "go" || words[0] == "docker" && !slices.Contains(words, "run") {
			continue
		}
		if at+1 < len(words) && !strings.HasPrefix(words[at+1], "-") && words[at+1] != "BEFEHL" && words[at+1] != "help" {
			if !uses[words[at+1]] {
				t.Errorf("%v: no command %q in %q", claims, words[at+1], q)
			}
		}
		if at+1 < len(words) && words[at+1] == "tresor" {
			checkTresor(t, claims, words[at+2:])
			continue
		}
		if words[0] == "docker" {
			continue
		}
		for _, w := range words[at+1:] {
			if name, ok := strings.CutPrefix(w, "--"); ok && name != "help" && !literals[name] {
				t.Errorf("%v: no flag %q in %q", claims, w, q)
			}
		}
	}
}

// checkTresor checks a command of a Tresor, from the word behind "tresor", against
// the help of the engine.
func checkTresor(t *testing.T, claims, words []string) {
	t.Helper()
	if len(words) > 1 && words[0] == "--root" {
		words = words[2:]
	}
	args := []string{"--help"}
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		args = []string{words[0], "--help"}
	}
	var help, problem bytes.Buffer
	if code := cli.Main(t.Context(), args, &help, &problem, cli.Options{}); code != 0 {
		t.Errorf("%v: outheis tresor %q: %s", claims, words, &problem)
		return
	}
	for i, w := range words {
		isOption := strings.HasPrefix(w, "--") && w != "--help"
		isKind := i == 1 && slices.Contains([]string{"new", "extern"}, words[0])
		if (isOption || isKind) && !strings.Contains(help.String(), w) {
			t.Errorf("%v: outheis tresor %q: the help has no %s", claims, words, w)
		}
	}
}

// Keys that the handbook names are keys of the configuration.
func TestKeysExist(t *testing.T) {
	literals, _ := literalsOf(t, filepath.Join(root, "config"))
	if !literals["allowed"] {
		t.Fatal("the keys were not found")
	}
	for q, claims := range quoted(open(t)) {
		if !key.MatchString(q) {
			continue
		}
		path, _, _ := strings.Cut(q, ":")
		for part := range strings.SplitSeq(path, ".") {
			if !literals[part] {
				t.Errorf("%v: %q: the configuration has no %q", claims, q, part)
			}
		}
	}
}

var key = regexp.MustCompile(`^(human|channels|tresor|limits|dispatcher|log|queue)(\.[a-z_]+)+(: \w+)?$`)

// literalsOf returns the string literals of the package in dir, with the parts
// of keys and tags, and the names of its cobra commands.
func literalsOf(t *testing.T, dir string) (literals, uses map[string]bool) {
	t.Helper()
	literals, uses = make(map[string]bool), make(map[string]bool)
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				for _, w := range tokens.FindAllString(text(n), -1) {
					literals[w] = true
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Use" {
					if words := strings.Fields(first(n.Value)); len(words) > 0 {
						uses[words[0]] = true
					}
				}
			}
			return true
		})
	}
	return literals, uses
}

var tokens = regexp.MustCompile(`[a-z][a-z0-9_-]*`)

func text(e ast.Expr) string {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(b.Value)
	if err != nil {
		return ""
	}
	return s
}

// first returns the string that e begins with.
func first(e ast.Expr) string {
	if b, ok := e.(*ast.BinaryExpr); ok {
		return first(b.X)
	}
	return text(e)
}
