package handbuch_test

import (
	"bytes"
	"fmt"
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

	"outheis/agents"
	"outheis/channels"
	"outheis/formatting"
	"outheis/gateway"
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
		if at+2 < len(words) && slices.Contains([]string{"channels", "config"}, words[at+1]) && !uses[words[at+2]] {
			t.Errorf("%v: no command %q in %q", claims, words[at+2], q)
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
		path, value, _ := strings.Cut(q, ":")
		for part := range strings.SplitSeq(path, ".") {
			if secret, ok := strings.CutSuffix(part, "_env"); ok && literals[secret] {
				continue // every secret has such a key beside it
			}
			if !literals[part] {
				t.Errorf("%v: %q: the configuration has no %q", claims, q, part)
			}
		}
		for _, word := range tokens.FindAllString(value, -1) {
			if word != "true" && !literals[word] {
				t.Errorf("%v: %q: the configuration has no value %q", claims, q, word)
			}
		}
	}
}

// A key stands for itself, or with the value that it is given; those of an
// account or a group may stand without what they are below.
var key = regexp.MustCompile(`^((human|channels|tresor|limits|dispatcher|log|queue|transcriber|webhook)(\.[a-z_]+)+(: \w+)?|` +
	`(mention|pairing|audience|anonymous|allowed): ["\[\]*\w]+|public_url)$`)

// Variables that the handbook names are read by the program, or are those of
// others.
func TestVariablesExist(t *testing.T) {
	sources := read(t, filepath.Join(root, "config", "*.go")) + read(t, filepath.Join(root, "cmd", "outheis", "*.go"))
	for q, claims := range quoted(open(t)) {
		for _, name := range variable.FindAllString(q, -1) {
			if !strings.Contains(sources, name) {
				t.Errorf("%v: %q: nothing reads %s", claims, q, name)
			}
		}
	}
}

var variable = regexp.MustCompile(`OUTHEIS_[A-Z_]+`)

// Commands that the handbook tells people to write in chats are understood there,
// but for those that other bots understand.
func TestChatCommandsAreUnderstood(t *testing.T) {
	others := []string{"newbot", "setprivacy", "token", "revoke"} // of @BotFather
	inTerminal := []string{"quit"}
	address, err := channels.NewAddress("telegram", "main", "7", "", "")
	if err != nil {
		t.Fatal(err)
	}
	policy := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{
		{Channel: "telegram", Account: "main"}: {People: map[string]agents.Role{"7": agents.RoleUser}},
	}}
	seen := 0
	for q, claims := range quoted(open(t)) {
		m := chatCommand.FindStringSubmatch(q)
		if m == nil || slices.Contains(others, m[1]) || slices.Contains(inTerminal, m[1]) || slices.Contains(paths, q) {
			continue
		}
		seen++
		e := channels.Event{
			Kind: channels.KindCommand, Command: m[1], Text: strings.TrimSpace(m[2]), Address: address,
			Audience: channels.Direct, Actor: channels.Actor{ID: "7", Kind: channels.Person},
		}
		e.Command = gateway.CommandOf(e)
		if v := gateway.Decide(e, policy, gateway.State{Agents: []string{"tresor"}}); v.Reason == gateway.ReasonCommand {
			t.Errorf("%v: nobody understands %q", claims, q)
		}
	}
	if seen < 8 {
		t.Errorf("%d commands were found", seen)
	}
}

var (
	chatCommand = regexp.MustCompile(`^[/!]([a-z_]+)( [a-z]+)?$`)
	paths       = []string{"/human", "/command"} // look like commands
)

// What a page about channels quotes is said by the program, or is written so in
// the document that leads through the portals and consoles of the networks.
func TestQuotedWordsAreTheProducts(t *testing.T) {
	said := read(t, filepath.Join(root, "config", "texts", "de", "*.yaml")) + read(t, filepath.Join(root, "docs", "channels.md"))
	said = strings.Join(strings.Fields(said), " ")
	// Words that lead a question to a Tresor are a pattern and stand nowhere.
	scopes := []string{"nur im Handbuch:"}
	for _, p := range open(t).Pages() {
		if p.Domain != "kanaele" {
			continue
		}
		for _, c := range p.Claims {
			if c.Source != "S-0008" {
				continue
			}
			for _, m := range quotation.FindAllStringSubmatch(c.Text, -1) {
				if !strings.Contains(said, m[1]) && !slices.Contains(scopes, m[1]) {
					t.Errorf("%s: nothing says „%s“", c.ID, m[1])
				}
			}
		}
	}
}

var quotation = regexp.MustCompile(`„([^“]+)“`)

// Numbers that the handbook gives are those of the program.
func TestNumbersAreTheProducts(t *testing.T) {
	l := gateway.DefaultLimits()
	words := map[int]string{1: "einer", 5: "fünf", 6: "sechs", 10: "zehn"}
	for _, c := range []struct{ claim, number string }{
		{"C-0245", fmt.Sprintf("höchstens %d Fragen in %s Minuten und %d Fragen am Tag", l.Burst, words[int(l.Window.Minutes())], l.Daily)},
		{"C-0246", fmt.Sprintf("höchstens %d Zeichen", l.MaxText)},
		{"C-0331", "innerhalb " + words[int(l.EditTime.Minutes())] + " Minute"},
		{"C-0620", fmt.Sprintf("älter als %d Stunden", int(l.MaxAge.Hours()))},
		{"C-1012", fmt.Sprintf("%d Zeichen", formatting.DiscordMarkdown().Limit)},
		{"C-1036", fmt.Sprintf("%d Zeichen", formatting.MattermostMarkdown(0).Limit)},
		{"C-1051", fmt.Sprintf("nach %s Antworten in %s Minuten einen Tag", words[l.PerPair], words[int(l.PairTime.Minutes())])},
		{"C-1076", "innerhalb " + words[int(l.EditTime.Minutes())] + " Minute"},
		{"C-1148", fmt.Sprintf("höchstens %d MiB", l.FileSize>>20)},
		{"C-1148", fmt.Sprintf("höchstens %s Dateien", words[l.Files])},
	} {
		if got, _, ok := open(t).Claim(c.claim); !ok || !strings.Contains(got.Text, c.number) {
			t.Errorf("%s: want %q in %q", c.claim, c.number, got.Text)
		}
	}
}

// read returns the texts of files, one after the other.
func read(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

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
