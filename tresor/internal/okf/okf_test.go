package okf_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"outheis/tresor/internal/begriffe"
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/okf"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
)

// one returns a Bestand with one page.
func one(p *bestand.Page) *bestand.Bestand {
	p.Path, p.Domain = "knowledge/ort/seite.md", "ort"
	if p.Name == "" {
		p.Name = "seite.md"
	}
	return &bestand.Bestand{Pages: []*bestand.Page{p}}
}

func front(fields map[string]any) profil.FrontMatter {
	m := profil.FrontMatter{"domain": {Text: "ort"}}
	for name, v := range fields {
		switch v := v.(type) {
		case string:
			m[name] = profil.Value{Text: v}
		case []string:
			m[name] = profil.Value{IsList: true, List: v}
		}
	}
	return m
}

func file(t testing.TB, b *okf.Bundle, path string) string {
	t.Helper()
	for _, f := range b.Files {
		if f.Path == path {
			return f.Content
		}
	}
	t.Fatalf("no file %s", path)
	return ""
}

// fields returns the lines of the page's front matter by the name before the
// colon.
func fields(t testing.TB, page string) map[string]string {
	t.Helper()
	head, _, ok := strings.Cut(strings.TrimPrefix(page, "---\n"), "\n---\n")
	if !ok {
		t.Fatalf("no front matter: %q", page)
	}
	m := map[string]string{}
	for line := range strings.SplitSeq(head, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		m[name] = value
	}
	return m
}

// D-82: what stays bare and what is quoted.
func TestScalars(t *testing.T) {
	tests := map[string]string{
		"Halle 3": `Halle 3`, "a:b": `a:b`, "a#b": `a#b`, "C#": `C#`, "v1.2.3": `v1.2.3`, "3D": `3D`, "1,5": `1,5`, "nein": `nein`, "tRue": `tRue`,
		"a, b": `a, b`, "x [y]": `x [y]`, "0b2": `0b2`, "1:60": `1:60`, "2026-05-0a": `2026-05-0a`, ".": `.`, "Null Fehler": `Null Fehler`, `a"b\c`: `a"b\c`,
		"a: b": `"a: b"`, "a:": `"a:"`, "a #b": `"a #b"`, "- x": `"- x"`, "?": `"?"`, ":x": `":x"`, ",x": `",x"`, "[x": `"[x"`, "]x": `"]x"`, "{x": `"{x"`, "}x": `"}x"`,
		"#x": `"#x"`, "&x": `"&x"`, "*x": `"*x"`, "!x": `"!x"`, "|x": `"|x"`, ">x": `">x"`, "'x": `"'x"`, `"x`: `"\"x"`, "%x": `"%x"`, "@x": `"@x"`, "`x": "\"`x\"",
		" x": `" x"`, "x\u00a0": "\"x\u00a0\"", `- a\b`: `"- a\\b"`,
		"true": `"true"`, "False": `"False"`, "NULL": `"NULL"`, "~": `"~"`, "yes": `"yes"`, "Off": `"Off"`, "n": `"n"`, "=": `"="`, "<<": `"<<"`,
		"3": `"3"`, "+3": `"+3"`, "1_000": `"1_000"`, "0x1F": `"0x1F"`, "0o17": `"0o17"`, "017": `"017"`, "0b1": `"0b1"`, "1.5": `"1.5"`, ".5": `".5"`, "5.": `"5."`,
		"1e3": `"1e3"`, ".inf": `".inf"`, ".NaN": `".NaN"`, "12:30": `"12:30"`, "2026-05-06": `"2026-05-06"`, "2026-5-6": `"2026-5-6"`, "2026-13-45": `"2026-13-45"`,
		"2026-05-06T10:00:00Z": `"2026-05-06T10:00:00Z"`, "2026-05-06 10:00:00": `"2026-05-06 10:00:00"`,
		"a\tb": `"a\tb"`, "a\x1bb": `"a\x1bb"`, "a\x7fb": `"a\x7fb"`, "a\u0085b": `"a\x85b"`, "a\u2028b": `"a\u2028b"`, "a\ufeffb": `"a\ufeffb"`,
	}
	for value, want := range tests {
		page := file(t, okf.Build(one(&bestand.Page{Front: front(map[string]any{"type": "regel", "title": value})}), okf.Options{}), "ort/seite.md")
		if got := fields(t, page)["title"]; got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}

// In a list, commas and brackets are quoted too.
func TestScalarsInLists(t *testing.T) {
	b := one(&bestand.Page{Front: front(map[string]any{"type": "regel", "tags": []string{"a, b", "a{b", "was?", "true", "ä ö"}, "concepts": []string{"B-0001", "B-0009", "B-0002"}})})
	b.Concepts.Concepts = map[string]*begriffe.Concept{"B-0001": {Preferred: "Brille [Schutz]"}, "B-0002": {Preferred: "2026"}}
	got := fields(t, file(t, okf.Build(b, okf.Options{}), "ort/seite.md"))
	for name, want := range map[string]string{
		"tags": `["a, b", "a{b", "was?", "true", ä ö]`, "oksv_concepts": "[B-0001, B-0009, B-0002]", "oksv_concept_labels": `["Brille [Schutz]", "2026"]`,
	} {
		if got[name] != want {
			t.Errorf("%s: got %s, want %s", name, got[name], want)
		}
	}
}

// values draws texts that a YAML reader could take for something else.
func values() *rapid.Generator[string] {
	nasty := rapid.SampledFrom([]string{"true", "No", "null", "~", "1_0", "0x1", "1e5", ".inf", "12:30", "2026-05-06", "2026-05-06 10:00:00", "2026-05-06t1:2:3 +1",
		": ", " #", "- ", "? ", "[", "]", "{", "}", ",", "&a", "*a", "!!int 3", "|", ">", "'", `"`, "%", "@", "`", "\\", "\t", "\x00", "\x1b", "\u0085", "\u00a0", "\u2028", "\ufeff", "\uffff",
		"---", "...", "<<", "=", "\U0001f600", "Halle", " ", ":"})
	part := rapid.OneOf(nasty, rapid.StringMatching(`[-+.0-9_:eExobTZ]{1,8}`), rapid.String())
	return rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "")
		return strings.NewReplacer("\n", "", "\r", "").Replace(s)
	})
}

// D-82: every front matter parses to the values that it was written from.
func TestFrontMatterParsesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checkFrontMatter(t, values().Draw(rt, "type"), values().Draw(rt, "title"), values().Draw(rt, "summary"),
			rapid.SliceOfN(values(), 0, 3).Draw(rt, "tags"), values().Draw(rt, "source"))
	})
}

func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"true", "a: b", "0x1_", "12:30", "2026-05-06 1:2:3", "\u2028", "- x", "{a}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && !strings.ContainsAny(s, "\r\n") {
			checkFrontMatter(t, s, s, s, []string{s, s}, s)
		}
	})
}

func checkFrontMatter(t *testing.T, typ, title, summary string, tags []string, source string) {
	t.Helper()
	p := &bestand.Page{Body: "## Kurzfassung\n" + summary, Front: front(map[string]any{"type": typ, "title": title, "tags": tags, "concepts": []string{"B-0001"},
		"sources": []string{"S-0001"}, "externe_quellen": []string{"X-0001"}, "geprueft_von": "mensch:halle", "geprueft_am": "2026-05-04",
		"stand": "2026-05-02", "version": "1.0.0", "confidence": "hoch", "status": "aktiv"})}
	b := one(p)
	b.Sources = map[string]register.Source{"S-0001": {Title: source, Stand: "2026-03-01", Trust: "T1", Ablage: "sources/raw/S-0001__" + source}}
	b.Externals = map[string]register.External{"X-0001": {ID: "X-0001", Title: source, Ziel: "-", Trust: "T2", Art: "markdown-tree"}}
	b.Concepts.Concepts = map[string]*begriffe.Concept{"B-0001": {Preferred: title}}
	bundle := okf.Build(b, okf.Options{Sources: true})
	page := file(t, bundle, "ort/seite.md")
	head, _, ok := strings.Cut(strings.TrimPrefix(page, "---\n"), "\n---\n")
	if !ok {
		t.Fatalf("no front matter: %q", page)
	}
	var got struct {
		Type, Title, Description yaml.Node
		Tags                     []yaml.Node
		Labels                   []yaml.Node `yaml:"oksv_concept_labels"`
		Status                   string
		Verified                 struct{ By, At yaml.Node }
		Sources                  []struct{ ID, Resource, Title yaml.Node }
		Stand                    yaml.Node `yaml:"oksv_stand"`
	}
	if err := yaml.Unmarshal([]byte(head), &got); err != nil {
		t.Fatalf("%v\n%s", err, head)
	}
	same := func(what string, n yaml.Node, want string) {
		t.Helper()
		if n.Value != want || n.ShortTag() != "!!str" && want != "" {
			t.Errorf("%s: got %s %q, want %q\n%s", what, n.ShortTag(), n.Value, want, head)
		}
		var v any
		if err := n.Decode(&v); err != nil || want != "" && v != any(want) {
			t.Errorf("%s: decodes to %#v, %v, want %q", what, v, err, want)
		}
	}
	same("type", got.Type, typ)
	same("title", got.Title, title)
	_, description, _ := strings.Cut(file(t, bundle, "ort/index.md"), "](seite.md) - ")
	if description = strings.TrimSuffix(description, "\n"); description == "Wissensseite." && got.Description.Value == "" {
		description = ""
	}
	same("description", got.Description, description)
	if len(got.Tags) != len(tags) || len(got.Labels) != 1 || len(got.Sources) != 2 {
		t.Fatalf("%d tags, %d labels, %d sources\n%s", len(got.Tags), len(got.Labels), len(got.Sources), head)
	}
	for i, tag := range tags {
		same("tag", got.Tags[i], tag)
	}
	same("label", got.Labels[0], title)
	same("resource", got.Sources[0].Resource, "/sources/raw/S-0001__"+source)
	same("source title", got.Sources[0].Title, source)
	name := source
	if name == "" {
		name = "X-0001"
	}
	same("external resource", got.Sources[1].Resource, "external reference X-0001, "+name+", not exported")
	same("by", got.Verified.By, "human:halle")
	if got.Verified.At.Value != "2026-05-04" || got.Stand.Value != "2026-05-02" || got.Status != "stable" {
		t.Errorf("at %q, stand %q, status %q", got.Verified.At.Value, got.Stand.Value, got.Status)
	}
}

// D-83: the sentence rule is frozen; headings and claims are no description.
func TestDescriptions(t *testing.T) {
	long := strings.Repeat("wort ", 100)
	for body, want := range map[string]string{
		"## Kurzfassung\nErster Satz. Zweiter Satz.\n":                             "Erster Satz.",
		"## Kurzfassung\n\n\nZ. B. im Jahr 2024. Danach\nmehr? Ja.\n":              "Z. B. im Jahr 2024. Danach mehr?",
		"## KURZFASSUNG \nohne Ende\n\nzweiter Absatz.\n":                          "ohne Ende",
		"## Kurzfassung\n" + long + "\n":                                           strings.TrimSpace(long[:400]) + " …",
		"## Kurzfassung\n" + strings.Repeat("ü", 400) + "\n":                       strings.Repeat("ü", 400),
		"## Kurzfassung\n" + strings.Repeat("ü", 401) + "\n":                       strings.Repeat("ü", 400) + " …",
		"## Kurzfassung\n- **C-0001** [S-0001 | a | Wortlaut] x\n# Titel\nText.\n": "Text.",
		"## Kurzfassung\n- **C-0001** [S-0001 | a | Wortlaut] x\n### Titel\n":      "",
		"## Kurzfassung\n## Claims\nText.\n":                                       "",
		"# Kurzfassung\nText.\n":                                                   "",
	} {
		bundle := okf.Build(one(&bestand.Page{Body: body, Front: front(map[string]any{"type": "regel"})}), okf.Options{})
		got := fields(t, file(t, bundle, "ort/seite.md"))["description"]
		if got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
		inIndex := want
		if want == "" {
			inIndex = "Wissensseite."
		}
		if index, want := file(t, bundle, "ort/index.md"), "# ort\n\n* [seite](seite.md) - "+inIndex+"\n"; index != want {
			t.Errorf("%q: index %q, want %q", body, index, want)
		}
	}
}

// D-85: the newest day first, inside a day the oldest first.
func TestLog(t *testing.T) {
	log := "# Protokoll\n## [2026-05-06] release | v1.0.0\n## [2026-05-07] note | eins | zwei\n## [2026-05-06] ingest | danach\n" +
		"## [2026-05-08] note | \n## [2026-05-08] Note | x\n## [2026-5-08] note | x\n## [2026-05-08] note |x\n ## [2026-05-08] note | x\n## [2026-99-99] note | x\n## [٢026-05-08] note | x\n## [2026-05-08] | x\n## ["
	want := "# Directory Update Log\n\n## 2026-99-99\n* **Note**: x\n\n## 2026-05-07\n* **Note**: eins | zwei\n\n## 2026-05-06\n* **Release**: v1.0.0\n* **Ingest**: danach\n"
	b := one(&bestand.Page{Front: front(nil)})
	if got := file(t, okf.Build(b, okf.Options{Log: log}), "log.md"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, f := range okf.Build(b, okf.Options{Log: "nichts\n"}).Files {
		if f.Path == "log.md" {
			t.Errorf("a log without entries: %q", f.Content)
		}
	}
}

// D-84: a domain must not take the place of a file of the bundle.
func TestCollision(t *testing.T) {
	for domain, want := range map[string][2]bool{"ort": {}, "index.md": {true, true}, "LOG.md": {true, true}, "Sources": {false, true}, "sources": {false, true}, "log": {}} {
		b := one(&bestand.Page{Front: profil.FrontMatter{"domain": {Text: domain}}})
		for i, withSources := range []bool{false, true} {
			if got := okf.Collision(b, withSources); (got == domain) != want[i] || got != "" && got != domain {
				t.Errorf("%s, with sources %v: got %q", domain, withSources, got)
			}
		}
	}
}

// D-87: bullets and footnotes take descriptions and titles as they are; the text
// of links is escaped.
func TestMarkup(t *testing.T) {
	p := &bestand.Page{Body: "\n# A\n\n## Kurzfassung\nEin [Verweis](x) *hier*.\n\n\n", Name: "a[b].md", Front: front(map[string]any{"type": "regel", "title": `A [1] \ B`})}
	p.Relations = []bestand.Relation{{Type: "ersetzt", Target: `knowledge/ort/a[b].md`}}
	bundle := okf.Build(one(p), okf.Options{Version: "1.2.3"})
	if got, want := file(t, bundle, "ort/index.md"), `* [A \[1\] \\ B](a[b].md) - Ein [Verweis](x) *hier*.`; !strings.Contains(got, want) {
		t.Errorf("index %q", got)
	}
	if got, want := file(t, bundle, "ort/a[b].md"), "*hier*.\n\n## Beziehungen\n\n- ersetzt: [a\\[b\\]](/ort/a[b].md)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("page %q", got)
	}
	if got := file(t, bundle, "index.md"); !strings.Contains(got, "Bestand v1.2.3)") || !strings.HasSuffix(got, "* [ort](ort/) - Wissensdomäne des Tresors.\n") {
		t.Errorf("root index %q", got)
	}
	if got := file(t, okf.Build(one(p), okf.Options{}), "index.md"); !strings.Contains(got, "Bestand v?)") {
		t.Errorf("root index %q", got)
	}
}
