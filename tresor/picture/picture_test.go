package picture_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"outheis/tresor"
	"outheis/tresor/picture"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hostile are titles that mean something in DOT, Mermaid, Markdown, HTML or SVG.
var hostile = []string{
	`"`, `\`, `\"`, `a\`, `\n`, `\N \G \L`, `]`, `"]; evil [x="`, "-->", `</svg><script>alert(1)</script>`, "<b>fett</b>", "<<b>x</b>>",
	"&lt; &amp; &#65;", "&", "#quot; #35;", "\u202eabc\u2066", "a\u2028b\u0085c", "a\x00b\x1bc\tx", "1. Punkt", "- Liste", "# Titel", "`code`", "**x** _y_",
	"end", "subgraph", "%%{init: {}}%%", "style a:#35;", "classDef x:#1;", "fa:fa-car", "$$x$$", "click n1 href", "|x|", "{{x}}", "((x))", "@{shape: x}", "~~~", ":::c1",
	"", " ", "Größe – 5 €", "😀", "ﬂ°°34¶ß", strings.Repeat("lang ", 60), strings.Repeat("ü", 200),
}

func page(path, title string, relations ...string) tresor.Page {
	p := tresor.Page{Path: "knowledge/" + path, Title: title, Domain: strings.Split(path, "/")[0], Status: "aktiv", Confidence: "hoch"}
	for i := 0; i+1 < len(relations); i += 2 {
		p.Relations = append(p.Relations, tresor.Relation{Type: relations[i], Target: "knowledge/" + relations[i+1]})
	}
	return p
}

// sample has every status, confidence and special relation.
func sample() []tresor.Page {
	pages := []tresor.Page{
		page("labor/a.md", "Regeln des Labors und alles, was man vor dem ersten Betreten wissen sollte", "ersetzt", "labor/b.md", "ersetzt", "labor/b.md"),
		page("labor/b.md", "Alte Regeln"),
		page("archiv/c.md", `Der "Plan" \ <B>`, "widerspricht", "labor/a.md", "verweist_auf", "archiv/c.md", "verweist_auf", "fehlt/d.md"),
	}
	pages[1].Status, pages[1].Confidence = "veraltet", "mittel"
	pages[2].Status, pages[2].Confidence = "in-pruefung", "niedrig"
	return pages
}

func TestPicturesKeepTheirBytes(t *testing.T) {
	for name, got := range map[string][]byte{"sample.dot": picture.DOT(sample()), "sample.mmd": picture.Mermaid(sample())} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

func TestAnEmptyTresorIsAPicture(t *testing.T) {
	if got := string(picture.DOT(nil)); !strings.HasPrefix(got, "digraph tresor {\n") || !strings.HasSuffix(got, "}\n") {
		t.Errorf("got %s", got)
	}
	if got := string(picture.Mermaid(nil)); got != "flowchart LR\n" {
		t.Errorf("got %s", got)
	}
}

// titles draws hostile titles and any others.
func titles() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom(hostile).Draw(t, "a") + rapid.SampledFrom(hostile).Draw(t, "b")
	}))
}

// pages draws a Tresor whose pages have such titles and relate to each other.
func pages() *rapid.Generator[[]tresor.Page] {
	return rapid.Custom(func(t *rapid.T) []tresor.Page {
		n := rapid.IntRange(1, 6).Draw(t, "pages")
		all := make([]tresor.Page, n)
		for i := range all {
			all[i] = tresor.Page{
				Path:       fmt.Sprintf("knowledge/d/%d.md", i),
				Title:      titles().Draw(t, "title"),
				Domain:     titles().Draw(t, "domain"),
				Status:     rapid.SampledFrom([]string{"aktiv", "veraltet", "in-pruefung"}).Draw(t, "status"),
				Confidence: rapid.SampledFrom([]string{"hoch", "mittel", "niedrig"}).Draw(t, "confidence"),
			}
			for range rapid.IntRange(0, 2).Draw(t, "relations") {
				target := fmt.Sprintf("knowledge/d/%d.md", rapid.IntRange(0, n).Draw(t, "target"))
				all[i].Relations = append(all[i].Relations, tresor.Relation{Type: titles().Draw(t, "type"), Target: target})
			}
		}
		return all
	})
}

// shown is what must be read of a title: its letters and digits, in order. What
// cannot be printed is written out.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r < 0x80 && r > ' ' {
			return r
		}
		return -1
	}, s)
}

// printable reports whether the title has nothing that is written out, and is
// short enough to stand whole.
func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return len([]rune(s)) <= 100
}

var (
	dotLine = regexp.MustCompile(`^(digraph tresor \{|  (charset|rankdir|fontname)="[\w-]+"|  (node|edge) \[[^\\]*\]|  subgraph cluster_\d+ \{|    label=Q|    style="rounded"|    color="#aaaaaa"|    n\d+ \[label=Q, tooltip=Q, style="filled,(solid|dashed|dotted)", fillcolor="#\w{6}"\]|  \}|  n\d+ -> n\d+ \[label=Q, color="#\w{6}", fontcolor="#\w{6}"\]|\})$`)
	// dotString is a string of DOT: no quotation mark or backslash stands alone.
	dotString    = regexp.MustCompile(`(label|tooltip)=("(?:[^"\\]|\\["\\n])*")`)
	mermaidLine  = regexp.MustCompile(`^(flowchart LR|  subgraph d\d+\[T\]|    n\d+\[T\]|  end|  n\d+ -->\|T\| n\d+|  linkStyle \d+ stroke:#\w{6}|  classDef c\d+ fill:#\w{6},stroke:#555555,color:#000000(,stroke-dasharray:\d \d)?|  class n\d+(,n\d+)* c\d+)$`)
	mermaidText  = regexp.MustCompile(`"((?:[A-Za-z0-9 ,]|[^\x00-\x7f]|#\d+;|<br/>)+)"`)
	mermaidDigit = regexp.MustCompile(`#(\d+);`)
)

// dotLabels returns the strings of a DOT file, read back, and fails where
// something else stands in it than what the writer writes.
func dotLabels(t interface{ Fatalf(string, ...any) }, dot string) (labels []string) {
	for line := range strings.Lines(dot) {
		rest := dotString.ReplaceAllStringFunc(strings.TrimSuffix(line, "\n"), func(s string) string {
			name, value, _ := strings.Cut(s, "=")
			if name == "label" {
				value = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, " ", `&amp;`, "&").Replace(value[1 : len(value)-1])
				labels = append(labels, value)
			}
			return name + "=Q"
		})
		if !dotLine.MatchString(rest) {
			t.Fatalf("line %q", line)
		}
	}
	return labels
}

func mermaidLabels(t interface{ Fatalf(string, ...any) }, source string) (labels []string) {
	for line := range strings.Lines(source) {
		rest := mermaidText.ReplaceAllStringFunc(strings.TrimSuffix(line, "\n"), func(s string) string {
			s = strings.ReplaceAll(s[1:len(s)-1], "<br/>", " ")
			labels = append(labels, mermaidDigit.ReplaceAllStringFunc(s, func(d string) string {
				n, err := strconv.Atoi(d[1 : len(d)-1])
				if err != nil {
					t.Fatalf("%q: %v", d, err)
				}
				return string(rune(n))
			}))
			return "T"
		})
		if !mermaidLine.MatchString(rest) {
			t.Fatalf("line %q", line)
		}
	}
	return labels
}

// No text leaves its label, in either language, and each is read back.
func TestTextStaysText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := pages().Draw(t, "tresor")
		for _, labels := range [][]string{dotLabels(t, string(picture.DOT(all))), mermaidLabels(t, string(picture.Mermaid(all)))} {
			for _, p := range all {
				if !printable(p.Title) {
					continue
				}
				want := shown(p.Title)
				if !slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(shown(l), want) }) {
					t.Fatalf("title %q is none of %q", p.Title, labels)
				}
			}
			for _, l := range labels {
				for _, r := range l {
					if !unicode.IsPrint(r) {
						t.Fatalf("label %q shows %U", l, r)
					}
				}
			}
		}
	})
}

// fakeDot puts a program dot in front of all others.
func fakeDot(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dot"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+"/bin"+string(os.PathListSeparator)+"/usr/bin")
}

func TestSVGIsMadeByGraphviz(t *testing.T) {
	dot := picture.DOT(sample())
	t.Run("none", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := picture.SVG(t.Context(), dot); !errors.Is(err, picture.ErrNoGraphviz) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one", func(t *testing.T) {
		fakeDot(t, `echo "<svg>$1 $(wc -c)</svg>"`)
		svg, err := picture.SVG(t.Context(), dot)
		if got := strings.Join(strings.Fields(string(svg)), " "); err != nil || got != fmt.Sprintf("<svg>-Tsvg %d</svg>", len(dot)) {
			t.Errorf("got %s, %v", svg, err)
		}
	})
	t.Run("one that fails", func(t *testing.T) {
		fakeDot(t, "cat >/dev/null\necho syntax error >&2\necho more >&2\nexit 3")
		if _, err := picture.SVG(t.Context(), dot); err == nil || !strings.HasSuffix(err.Error(), "exit status 3: syntax error") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one that says nothing", func(t *testing.T) {
		fakeDot(t, "cat >/dev/null")
		if svg, err := picture.SVG(t.Context(), dot); err == nil {
			t.Errorf("got %s", svg)
		}
	})
}
