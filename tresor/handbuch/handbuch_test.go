package handbuch_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/handbuch"
)

// open opens the embedded handbook.
func open(t testing.TB) *tresor.Snapshot {
	t.Helper()
	s, err := tresor.OpenFS(handbuch.FS(), handbuch.Name, tresor.Options{})
	var invalid *tresor.InvalidError
	if errors.As(err, &invalid) {
		for _, f := range invalid.Findings {
			t.Error(f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// unpack writes the handbook into a folder of its own.
func unpack(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), handbuch.Name)
	if err := os.CopyFS(dir, handbuch.FS()); err != nil {
		t.Fatal(err)
	}
	// Embedded files are read-only.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheHandbookIsACompleteRelease(t *testing.T) {
	s := open(t)
	for _, w := range s.Warnings() {
		t.Errorf("warning: %v", w)
	}
	if got := s.Claims(); got < 60 {
		t.Errorf("%d claims, want at least 60", got)
	}
	if s.Version() == "" || s.Manifest() == "" {
		t.Errorf("release %q, manifest %q", s.Version(), s.Manifest())
	}
}

func TestTheHandbookValidates(t *testing.T) {
	r := tresor.Validate(unpack(t), tresor.Options{})
	for _, f := range r.Errors {
		t.Errorf("error: %v", f)
	}
	for _, f := range r.Warnings {
		t.Errorf("warning: %v", f)
	}
	if r.Pages == 0 || r.Claims == 0 || r.Sources == 0 {
		t.Errorf("%d pages, %d claims, %d sources", r.Pages, r.Claims, r.Sources)
	}
}

// What is derived is what the writers derive now.
func TestArtefactsAreUpToDate(t *testing.T) {
	dir := unpack(t)
	if _, err := tresor.WriteIndex(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tresor.WriteGraph(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := tresor.WriteManifest(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"INDEX.md", "graph/graph.json", "MANIFEST.sha256"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(handbuch.FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: not what the writer writes; release the handbook anew", name)
		}
	}
}

// A claim in Wortlaut is, word for word, the paragraph of its source that its
// Fundstelle names.
func TestWortlautIsTheWordingOfTheSource(t *testing.T) {
	s := open(t)
	for _, p := range s.Pages() {
		for _, c := range p.Claims {
			if c.Art != "Wortlaut" {
				continue
			}
			source, ok := s.Source(c.Source)
			if !ok {
				t.Errorf("%s: no source %s", c.ID, c.Source)
				continue
			}
			text, err := fs.ReadFile(handbuch.FS(), source.Path)
			if err != nil {
				t.Fatal(err)
			}
			number, ok := strings.CutPrefix(c.Fundstelle, "Abschnitt ")
			if !ok {
				t.Errorf("%s: Fundstelle %q, want \"Abschnitt n.n\"", c.ID, c.Fundstelle)
			}
			if want := "\n" + number + " " + c.Text + "\n"; !bytes.Contains(text, []byte(want)) {
				t.Errorf("%s: %s does not say %q", c.ID, source.Path, strings.TrimSpace(want))
			}
		}
	}
}

// The claims say no more and no less than the sources: every numbered
// paragraph is a claim.
func TestNoParagraphIsForgotten(t *testing.T) {
	s := open(t)
	said := make(map[string]bool)
	for _, p := range s.Pages() {
		for _, c := range p.Claims {
			said[c.Source+" "+c.Fundstelle] = true
		}
	}
	for _, source := range s.Sources() {
		text, err := fs.ReadFile(handbuch.FS(), source.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range paragraph.FindAllSubmatch(text, -1) {
			if key := source.ID + " Abschnitt " + string(m[1]); !said[key] {
				t.Errorf("%s is no claim", key)
			}
		}
	}
}

var paragraph = regexp.MustCompile(`(?m)^(\d+\.\d+) `)

// A claim is read as an answer: it is short, finished, and points at nothing
// outside itself.
func TestClaimsReadAsAnswers(t *testing.T) {
	seen := make(map[string]string)
	for _, p := range open(t).Pages() {
		for _, c := range p.Claims {
			text := c.Text
			if n := len([]rune(text)); n > 340 {
				t.Errorf("%s: %d characters", c.ID, n)
			}
			if !strings.ContainsAny(text[len(text)-1:], ".?!") {
				t.Errorf("%s: no full stop: %q", c.ID, text)
			}
			if strings.Count(text, "`")%2 != 0 || strings.Count(text, "„") != strings.Count(text, "“") {
				t.Errorf("%s: lone backtick or quotation mark: %q", c.ID, text)
			}
			if m := dangling.FindString(text); m != "" && !strings.HasPrefix(text, "Es gibt ") {
				t.Errorf("%s: begins with %q, which points outside: %q", c.ID, m, text)
			}
			if other := seen[text]; other != "" {
				t.Errorf("%s: same text as %s", c.ID, other)
			}
			seen[text] = c.ID
		}
		for _, text := range append([]string{p.Title, p.Summary}, texts(p)...) {
			for _, w := range words.FindAllString(inCode.ReplaceAllString(text, " "), -1) {
				if spelt.MatchString(w) && !german.MatchString(w) {
					t.Errorf("%s: umlaut spelt out in %q", p.Path, w)
				}
			}
		}
		if n := len(sentence.FindAllString(p.Summary+" ", -1)); n < 2 || n > 6 {
			t.Errorf("%s: Kurzfassung of %d sentences: %q", p.Path, n, p.Summary)
		}
	}
}

func texts(p tresor.Page) []string {
	var all []string
	for _, c := range p.Claims {
		all = append(all, c.Text)
	}
	return all
}

var (
	dangling = regexp.MustCompile(`^(Das|Er|Sie|Es|Diese[rsmn]?) \p{Ll}|^(Dies|Dann|Danach|Dort|Hier|Damit|Dabei|Dazu|Dafür|Auch|Außerdem|Ebenso|Aber|Und|Oder|Sonst|Solche[rsmn]?|Jene[rsmn]?) `)
	words    = regexp.MustCompile(`\pL+`)
	inCode   = regexp.MustCompile("`[^`]*`")
	spelt    = regexp.MustCompile(`(?i)ae|oe|(^|[^aeq])ue`)
	german   = regexp.MustCompile(`(?i)aktuell|manuell|zuerst|soeben`)
	sentence = regexp.MustCompile(`[.!?]“? `)
)
