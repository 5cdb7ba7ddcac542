package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/cli"
	"outheis/tresor/internal/pjson"
)

// workspace returns a folder with a copy of the Tresor, "tresor", and a file,
// "datei.md", beside it.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "tresor"), os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "datei.md"), []byte("# Text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// document runs a command and checks that it prints one P-JSON document and
// nothing else, which says its exit code.
func document(ctx context.Context, t *testing.T, o cli.Options, args ...string) (code int, doc pjson.Object) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Main(ctx, args, &out, &err, o)
	if code == 2 && out.Len() == 0 && err.Len() > 0 {
		return code, nil
	}
	v, parseErr := pjson.Parse(out.Bytes())
	doc, ok := v.(pjson.Object)
	if parseErr != nil || !ok || !bytes.Equal(pjson.Encode(doc), out.Bytes()) {
		t.Errorf("%q: no P-JSON object (%v): %s", args, parseErr, out.String())
		return code, nil
	}
	if err.Len() > 0 && code != 2 {
		t.Errorf("%q: stderr %s", args, err.String())
	}
	return code, doc
}

// Every command that prints for people answers --json with one document, in
// success and refusal. The document of these is another one.
func TestEveryCommandAnswersWithADocument(t *testing.T) {
	own := []string{"eval", "watch"} // JSON in a form that is tested where they are
	ctx, cancel := context.WithCancel(t.Context())
	cancel()               // ends what waits
	shared := workspace(t) // nothing is written where there is no Tresor
	for _, c := range cli.Commands() {
		if slices.Contains(own, c.Name) {
			continue
		}
		words := slices.Repeat([]string{"x"}, c.Min)
		for _, root := range []string{"tresor", "fehlt", "datei.md"} {
			dir := shared
			if root == "tresor" || c.Anywhere {
				dir = workspace(t)
			}
			for _, json := range [][]string{{"--json"}, nil} {
				if json == nil && !c.Document {
					continue
				}
				args := slices.Concat([]string{"--root", root, c.Name}, words, json)
				code, doc := document(ctx, t, cli.Options{Dir: dir}, args...)
				if c.Document || doc == nil {
					continue
				}
				n, _ := doc["exit"].(pjson.Number)
				exit, ok := n.Int()
				if !ok || int(exit) != code || doc["command"] != c.Name || root != "tresor" && !c.Anywhere && (code != 1 || len(doc["errors"].([]any)) != 1) {
					t.Errorf("%q: exit %d, %v", args, code, doc)
				}
			}
		}
	}
}

// The keys that the help of a command names are those of its document.
func TestTheKeysOfACommand(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		keys string
	}{
		{[]string{"validate"}, 0, "claims external pages sources"},
		{[]string{"index"}, 0, "pages"},
		{[]string{"graph"}, 0, "edges nodes"},
		{[]string{"checksum"}, 0, "files"},
		{[]string{"checksum", "--verify"}, 0, "verify"},
		{[]string{"search", "Nachtruhe"}, 0, "files hits"},
		{[]string{"search", "kommtnichtvor"}, 1, "files hits"},
		{[]string{"route", "Nachtruhe"}, 0, "routes"},
		{[]string{"route", "kommtnichtvor"}, 1, "routes"},
		{[]string{"stats"}, 0, "anchors catalogues claims concepts domains edges external media pages sources status trust_tiers types validation_errors validation_warnings worlds"},
		{[]string{"doctor"}, 0, "claims external pages sources verify"},
		{[]string{"source", "datei.md"}, 0, "bytes file id path row sha256"},
		{[]string{"log", "note", "Rücksprache"}, 0, "entry"},
		{[]string{"release"}, 0, "edges entry files nodes pages version"},
		{[]string{"extern", "list"}, 0, "offline sources"},
		{[]string{"extern", "unbind", "X-0001"}, 0, "changed"},
	} {
		args := slices.Concat([]string{"--root", "tresor", tt.args[0], "--json"}, tt.args[1:])
		code, doc := document(t.Context(), t, cli.Options{Dir: workspace(t)}, args...)
		var keys []string
		for key := range doc {
			if !slices.Contains([]string{"command", "exit", "errors", "findings"}, key) {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); code != tt.code || got != tt.keys {
			t.Errorf("%q: exit %d, keys %q, want %q", args, code, got, tt.keys)
		}
		var help bytes.Buffer
		cli.Main(t.Context(), []string{tt.args[0], "--help"}, &help, &help, cli.Options{})
		for _, key := range keys {
			if !strings.Contains(help.String(), key) {
				t.Errorf("%s: the help does not name %s", tt.args[0], key)
			}
		}
	}
}

func TestTheDifferencesOfVerify(t *testing.T) {
	dir := workspace(t)
	for path, content := range map[string]string{"neu.md": "x", "VERSION": "9.9.9\n"} {
		if err := os.WriteFile(filepath.Join(dir, "tresor", path), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "tresor/INDEX.md")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"checksum", "--verify", "--json"}, {"doctor", "--json"}} {
		code, doc := document(t.Context(), t, cli.Options{Dir: dir, Root: "tresor"}, args...)
		got := string(pjson.Encode(doc["verify"]))
		want := string(pjson.Encode(pjson.Object{"compared": true, "files": 0, "new": []string{"neu.md"}, "missing": []string{"INDEX.md"},
			"changed": []string{"VERSION"}, "problems": []string{}}))
		if strings.Replace(got, `"files": 59`, `"files": 0`, 1) != want {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
		if errors, _ := doc["errors"].([]any); code != 1 || len(errors) == 0 {
			t.Errorf("%q: exit %d, errors %v", args, code, errors)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "tresor/MANIFEST.sha256"), []byte("Unsinn\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, doc := document(t.Context(), t, cli.Options{Dir: dir, Root: "tresor"}, "checksum", "--verify", "--json")
	if problems := doc["verify"].(pjson.Object)["problems"].([]any); len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
}

// A file name that is no UTF-8 does not spoil the document.
func TestADocumentIsUTF8(t *testing.T) {
	dir := workspace(t)
	if err := os.WriteFile(filepath.Join(dir, "tresor", "a\xff.md"), nil, 0o644); err != nil {
		t.Skip(err) // the file system wants UTF-8
	}
	if code, doc := document(t.Context(), t, cli.Options{Dir: dir, Root: "tresor"}, "doctor", "--json"); code != 1 || !strings.Contains(string(pjson.Encode(doc)), `a\\xff.md`) {
		t.Errorf("exit %d, %s", code, pjson.Encode(doc))
	}
}

// D-02: a mistake of the program ends a command with its own document as well.
func TestAPanicIsADocument(t *testing.T) {
	for _, c := range cli.Commands() {
		if !c.Document {
			continue
		}
		out := cli.Panic(c.Name, "index out of range")
		v, err := pjson.Parse(out)
		doc, ok := v.(pjson.Object)
		if err != nil || !ok || doc["state"] != "invalid_source" && doc["state"] != "invalid_vault" {
			t.Fatalf("%s: %v, %s", c.Name, err, out)
		}
		if errors, ok := doc["errors"].([]any); !ok || len(errors) != 1 || !strings.Contains(errors[0].(string), "index out of range") {
			t.Errorf("%s: %s", c.Name, out)
		}
	}
}

// D-75: values that are no text are printed in the form of the format, and the
// keys of the document are the same.
func TestStatsOfValuesThatAreNoText(t *testing.T) {
	dir := workspace(t)
	page := filepath.Join(dir, "tresor/knowledge/verein/satzung.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(strings.Replace(string(b), "domain: verein", "domain: [verein, it's]", 1), "status: aktiv", "status:", 1)
	if err := os.WriteFile(page, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := run(cli.Options{Dir: dir, Root: "tresor"}, "stats")
	for _, want := range []string{"\n  Domänen: ['verein', \"it's\"]=1, betrieb=6, labor=6, verein=4, wohnen=8\n", "\n  Status: []=1, aktiv=22, in-pruefung=1, veraltet=1\n"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, %s, want %s", code, stdout, want)
		}
	}
	_, doc := document(t.Context(), t, cli.Options{Dir: dir, Root: "tresor"}, "stats", "--json")
	if n := doc["domains"].(pjson.Object)[`['verein', "it's"]`]; n != pjson.Number("1") {
		t.Errorf("domains %v", doc["domains"])
	}
}
