package wording_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor/internal/wording"
)

var place = regexp.MustCompile(`\{([0-9]+)(\|[^|{}]+\|[^|{}]+)?\}`)

func places(s string) []string {
	return slices.Compact(slices.Sorted(slices.Values(place.FindAllString(place.ReplaceAllString(s, "{$1}"), -1))))
}

func TestSayCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0 Abweichungen", 1: "1 Abweichung", 2: "2 Abweichungen"} {
		if got := wording.Say("de", "cli.verify.red", n); got != "verify: "+want+" — der Stand entspricht nicht dem Manifest." {
			t.Errorf("got %q", got)
		}
	}
}

func TestLanguagesAgree(t *testing.T) {
	german, english := wording.Keys("de"), wording.Keys("en")
	for _, key := range slices.Sorted(maps.Keys(german)) {
		if _, ok := english[key]; !ok {
			t.Errorf("%s has no English sentence", key)
		} else if g, e := places(german[key]), places(english[key]); !slices.Equal(g, e) {
			t.Errorf("%s: places %v in German, %v in English", key, g, e)
		}
		for i, p := range places(german[key]) {
			if p != "{"+strconv.Itoa(i+1)+"}" {
				t.Errorf("%s: places %v are not counted from 1", key, places(german[key]))
			}
		}
	}
	for key := range english {
		if _, ok := german[key]; !ok {
			t.Errorf("%s has no German sentence", key)
		}
	}
}

// Every key that the engine uses exists, every sentence is used, and a call
// that names its key passes as many arguments as the sentence has places.
func TestTheEngineUsesTheCatalogue(t *testing.T) {
	sentences := wording.Keys("de")
	key := regexp.MustCompile(`^([A-Z]{2}-[0-9]+[a-z]?|(cli|path|url|link|json|net|os)\.[a-z0-9.]+)$`)
	used := map[string]bool{}
	for _, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && key.MatchString(s) {
					used[s] = true
				}
			case *ast.CallExpr:
				checkCall(t, n, sentences)
			}
			return true
		})
	}
	for _, kind := range []string{"syntax", "utf8", "duplicate", "constant", "depth", "surrogate"} {
		used["json."+kind] = true
	}
	for k := range used {
		if _, ok := sentences[k]; !ok && !strings.HasPrefix(k, "BW-") {
			t.Errorf("there is no sentence for %s", k)
		}
	}
	for k := range sentences {
		if !used[k] && !strings.HasPrefix(k, "help.") { // cli says the help of its commands
			t.Errorf("nobody says %s", k)
		}
	}
}

// checkCall checks calls like f.Error(where, "CL-1", a) and c.say("cli.x", a).
func checkCall(t *testing.T, call *ast.CallExpr, sentences map[string]string) {
	for i, arg := range call.Args {
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		k, err := strconv.Unquote(lit.Value)
		sentence, ok := sentences[k]
		if err != nil || !ok || call.Ellipsis.IsValid() {
			continue
		}
		got, want := len(call.Args)-i-1, len(places(sentence))
		switch name := funcName(call.Fun); name {
		case "Error", "Warn", "Hint", "Reason", "Say", "say", "usage", "file":
			if got != want {
				t.Errorf("%s(…, %s) passes %d arguments, the sentence has %d places", name, k, got, want)
			}
		}
	}
}

func funcName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// sources parses the engine's own code, tests excepted.
func sources(t *testing.T) []*ast.File {
	t.Helper()
	var files []*ast.File
	set := token.NewFileSet()
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, p, nil, 0)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSay(t *testing.T) {
	got := wording.Say("en", "CO-24", "a\x1b[2J\u202e\xff", wording.Sentence{Key: "path.empty"}, 3, []string{"x", "y"})
	if want := `the label “a\x1b[2J\u202e\xff” belongs in the path is empty to both 3 and x, y. Change one of them.`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	err := &fs.PathError{Op: "open", Path: "/geheim", Err: errors.New("no such file")}
	if got := wording.Say("", "RD-5", err); got != "nicht lesbar — no such file" {
		t.Errorf("got %q", got)
	}
}

// What the system says is said in the person's language, where it is known.
func TestSayCauses(t *testing.T) {
	_, missing := os.Stat(filepath.Join(t.TempDir(), "fehlt"))
	for _, tt := range []struct {
		err    error
		de, en string
	}{
		{missing, "es ist nicht da", "no such file or folder"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV}, "es liegt auf einem anderen Dateisystem", "it lies on another file system"},
		{os.NewSyscallError("fsync", syscall.EIO), "das Speichermedium meldet einen Fehler", "the storage reports an error"},
		{syscall.ENOTDIR, "es ist kein Ordner", "not a folder"},
		{fs.ErrPermission, "die Berechtigung fehlt", "permission denied"},
		{fmt.Errorf("second name: %w", fs.ErrExist), "second name: file already exists", "second name: file already exists"},
		{errors.Join(nil, &fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}), "es ist kein Platz mehr", "no space left"},
		{errors.Join(syscall.ENOSPC, errors.Join(syscall.ENOSPC, syscall.EACCES)), "es ist kein Platz mehr; die Berechtigung fehlt", "no space left; permission denied"},
		{wording.NewFault("os.large", 5), "größer als 5 Bytes", "larger than 5 bytes"},
		{&fs.PathError{Op: "read", Path: "a", Err: wording.NewFault("os.changed")}, "es wurde beim Lesen verändert", "changed while it was read"},
		{errors.New("a\x1b[2J"), `a\x1b[2J`, `a\x1b[2J`},
	} {
		for lang, want := range map[string]string{"de": "nicht lesbar — " + tt.de, "en": "cannot be read — " + tt.en} {
			if got := wording.Say(lang, "RD-5", tt.err); got != want {
				t.Errorf("%s: got %q, want %q", lang, got, want)
			}
		}
	}
}

// What helps depends on what went wrong.
func TestRemedy(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC: "Platz schaffen", syscall.EDQUOT: "Platz schaffen", syscall.ENAMETOOLONG: "kürzeren Namen",
		syscall.EACCES: "Schreibrecht", syscall.EROFS: "Schreibrecht", fs.ErrPermission: "Schreibrecht", syscall.ENOENT: "Ort",
		errors.Join(&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.ENAMETOOLONG}): "kürzeren Namen", errors.New("anders"): "Ort, Platz",
	} {
		if got := wording.Remedy(err).In("de"); !strings.Contains(got, want) {
			t.Errorf("%v: got %q", err, got)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "a": "a", "../höfe/tor-1.0_x": "../höfe/tor-1.0_x", "a b": "'a b'", "~": "'~'", "a$b": "'a$b'", "a'b": `'a'\''b'`, "*": "'*'", "a\nb": "'a\nb'", "#": "'#'",
	} {
		if got := wording.ShellWord(word); got != want {
			t.Errorf("%q: got %s", word, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"Größe – 5 €": "Größe – 5 €", "a\u00a0b": `a\u00a0b`, "a\nb": `a\nb`, "\u200bx": `\u200bx`, "\xc3(": `\xc3(`, "it's": "it's", "\ufffd": "\ufffd",
	} {
		if got := wording.Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}
