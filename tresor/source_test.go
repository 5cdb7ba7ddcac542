package tresor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"outheis/tresor"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
)

// rawFile writes a file in a new folder and returns its path.
func rawFile(t *testing.T, name, content string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func rulesOf(list []tresor.Finding) string {
	var rules []string
	for _, f := range list {
		rules = append(rules, f.Rule)
	}
	return strings.Join(rules, " ")
}

// D-30, and everything else that validation would hold against the file.
func TestDescribeSourceSaysWhatValidateWouldRefuse(t *testing.T) {
	for _, tt := range []struct{ name, content, rules string }{
		{"a.md", "# Text\n", ""},
		{"a.md", "BMW baut Autos.\n", "SO-5"},
		{"a.md", "\nBMW baut Autos.\n", ""},
		{"a.md", "<?php echo 1;", "RM-10a"},
		{"a.png", "\x89PNG\r\n\x1a\n", ""},
		{"a.png", "Text", "RM-11"},
		{"a.jpg", "\x89PNG\r\n\x1a\n", "RM-10"},
		{"a.svg", "<svg/>", "MD-24"},
		{"a.docx", "PK", "TR-3a"},
		{"bericht", "Text", "TR-3b"},
		{"leer.md", "", ""},
	} {
		s, err := tresor.DescribeSource("testdata/conformance/bases/genossenschaft", rawFile(t, tt.name, tt.content), tresor.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := rulesOf(s.Hints); got != tt.rules || s.ID != "S-0014" || s.Size != int64(len(tt.content)) {
			t.Errorf("%s %q: %s, %d bytes, hints %q, want %q", tt.name, tt.content, s.ID, s.Size, got, tt.rules)
		}
	}
}

func TestDescribeSourceKnowsWhatIsRegistered(t *testing.T) {
	dir := "testdata/conformance/bases/genossenschaft"
	list, err := filepath.Glob(dir + "/sources/raw/S-0001__*")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	s, err := tresor.DescribeSource(dir, list[0], tresor.Options{Lang: "en"})
	if err != nil || rulesOf(s.Hints) != "SO-6" || !strings.Contains(s.Hints[0].Text, "S-0001") {
		t.Errorf("%+v, %v", s.Hints, err)
	}
}

// D-76: the last ID, and names that the register cannot hold.
func TestDescribeSourceRefuses(t *testing.T) {
	full := t.TempDir()
	rows := "| S-9998 | a | b | c | T1 | e | f |\n| S-9999 | a | b | c | T1 | e | f |\n"
	if err := os.MkdirAll(filepath.Join(full, "sources"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, "sources/REGISTER.md"), []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	plain, link := rawFile(t, "a.md", "x"), filepath.Join(t.TempDir(), "link.md")
	if err := os.Symlink(plain, link); err != nil {
		t.Fatal(err)
	}
	parent := filepath.Join(t.TempDir(), "eltern")
	if err := os.Symlink(filepath.Dir(plain), parent); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ dir, file, want string }{
		{full, plain, "S-9999"},
		{t.TempDir(), rawFile(t, "a|b.md", "x"), "senkrechter Strich"},
		{t.TempDir(), rawFile(t, `a\b.md`, "x"), "umbenennen"},
		{t.TempDir(), rawFile(t, "a\x01.md", "x"), "umbenennen"},
		{t.TempDir(), rawFile(t, " a.md", "x"), "umbenennen"},
		{t.TempDir(), rawFile(t, "a.md\u00a0", "x"), "umbenennen"},
		{t.TempDir(), rawFile(t, "a\xff.md", "x"), "umbenennen"},
		{t.TempDir(), link, "ist ein Symlink"},
		{t.TempDir(), t.TempDir(), "keine reguläre Datei"},
		{t.TempDir(), "/dev/null", "keine reguläre Datei"},
		{t.TempDir(), "nicht-da.md", "nicht-da.md gibt es nicht"},
		{t.TempDir(), "", "gibt es nicht"},
	} {
		_, err := tresor.DescribeSource(tt.dir, tt.file, tresor.Options{})
		var refused *tresor.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Text, tt.want) {
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		}
	}
	// Parents may be links, and a Tresor without a register has S-0001 free.
	s, err := tresor.DescribeSource(t.TempDir(), filepath.Join(parent, "a.md"), tresor.Options{})
	if err != nil || s.ID != "S-0001" || s.Path != "sources/raw/S-0001__a.md" {
		t.Errorf("%+v, %v", s, err)
	}
	var invalid *tresor.InvalidError
	if _, err := tresor.DescribeSource("nicht-da", plain, tresor.Options{}); !errors.As(err, &invalid) {
		t.Errorf("no Tresor: %v", err)
	}
}

// Whatever the name, the row that is printed reads back, or there is none.
func TestTheRowOfASourceReadsBack(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom([]rune("a.|\\ \t\u00a0\u2028ä\x7f")), 1, 20, -1)).Draw(t, "name")
		if name == "" || name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\x00") || !utf8.ValidString(name) {
			t.Skip()
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Skip(err)
		}
		defer os.Remove(file)
		s, err := tresor.DescribeSource(empty, file, tresor.Options{})
		if refused := (*tresor.RefusedError)(nil); errors.As(err, &refused) && (strings.ContainsAny(name, `|\`) || text.HasControl(name) || text.Trim(name) != name) {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		var f check.Findings
		row := register.Parse(s.Row, &f)[s.ID]
		if row.Ablage != s.Path || row.SHA256 != s.SHA256 || s.Path != "sources/raw/S-0001__"+name {
			t.Errorf("%q: %+v from %s", name, row, s.Row)
		}
	})
}

// A file of any size streams, and says how far it is.
func TestDescribeSourceStreams(t *testing.T) {
	file := rawFile(t, "gross.md", "x")
	if err := os.Truncate(file, 5<<20); err != nil {
		t.Fatal(err)
	}
	var last string
	_, err := tresor.DescribeSource(t.TempDir(), file, tresor.Options{Progress: func(stage tresor.Stage, done, total int) {
		last = fmt.Sprint(stage, " ", done, " of ", total)
	}})
	if want := "bytes 5 of 5"; err != nil || last != want {
		t.Errorf("got %s, want %s, %v", last, want, err)
	}
}

func TestMediaTemplate(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/conformance/bases/genossenschaft")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "sources/REGISTER.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	good := string(b)
	ablage := "sources/raw/S-0013__"
	i := strings.Index(good, ablage)
	name := good[i : i+strings.IndexAny(good[i:], " |")]
	for _, tt := range []struct {
		id, from, to, want string
	}{
		{"S-0013", "", "", ""},
		{"S-13", "", "", "S-13"},
		{"", "", "", "nicht im Register"},
		{"X-0001", "", "", "X-0001"},
		{"S-0013", ablage, "../" + ablage, "REGISTER S-0013: "},
		{"S-0013", name, "sources/raw/S-0001__nichts.webp", "REGISTER S-0013: "},
		{"S-0013", name, "sources/raw/S-0001__nichts.svg", "SVG"},
		{"S-0013", "| S-0002 |", "| S-0001 |", "REGISTER.md:"}, // errors of the register refuse
		{"S-0013", "484d18b0", "484d18b1", "SHA-256"},
	} {
		if err := os.WriteFile(file, []byte(strings.Replace(good, tt.from, tt.to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		template := tresor.MediaTemplate(dir, tt.id, tresor.Options{})
		document, ok := template.JSON, template.OK
		var doc map[string]any
		if err := json.Unmarshal(document, &doc); err != nil {
			t.Fatal(err)
		}
		if ok != (tt.want == "") || !ok && (len(doc) != 3 || doc["schema"] != "skillsafe.media/v1" || doc["state"] != "invalid_source") || !strings.Contains(string(document), tt.want) {
			t.Errorf("%s, %s for %s: ok %v, %s", tt.id, tt.to, tt.from, ok, document)
		}
	}
	if template := tresor.MediaTemplate("nicht-da", "S-0001", tresor.Options{}); template.OK || !strings.Contains(string(template.JSON), `"invalid_source"`) {
		t.Errorf("no Tresor: %v %s", template.OK, template.JSON)
	}
}

// A template that is filled in passes validation; as printed it does not.
func TestAFilledMediaTemplateIsValid(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/conformance/bases/genossenschaft")); err != nil {
		t.Fatal(err)
	}
	template := tresor.MediaTemplate(dir, "S-0013", tresor.Options{})
	if !template.OK {
		t.Fatal(string(template.JSON))
	}
	document := string(template.JSON)
	file := filepath.Join(dir, "sources/derived/S-0013__media.json")
	for _, tt := range []struct {
		content string
		rules   string
	}{
		{document, "MD-18"},
		{strings.Replace(document, `"verified": false`, `"verified": true`, 1), ""},
	} {
		if err := os.WriteFile(file, []byte(tt.content), 0o644); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range tresor.Validate(dir, tresor.Options{}).Errors {
			if f.Path == "sources/derived/S-0013__media.json" {
				got = append(got, f.Rule)
			}
		}
		if strings.Join(got, " ") != tt.rules {
			t.Errorf("got %s, want %s", got, tt.rules)
		}
	}
}
