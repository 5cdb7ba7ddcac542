package profil_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

func TestGrammars(t *testing.T) {
	long := strings.Repeat("a", 64)
	tests := []struct {
		name      string
		ok        func(string) bool
		good, bad []string
	}{
		{"ID", func(s string) bool { return profil.IsID("C", s) }, []string{"C-0001", "C-9999"},
			[]string{"", "C-001", "C-00001", "c-0001", "S-0001", "C-000a", "C-٠٠٠١", "C-0001\n", " C-0001"}},
		{"world", func(s string) bool { return profil.IsID("BW", s) }, []string{"BW-0001"}, []string{"B-0001", "BW0001"}},
		{"version", profil.IsVersion, []string{"1.0.0", "01.002.3", "9007199254740992.0.0"},
			[]string{"", "1.0", "1.0.0.0", "v1.0.0", "1.0.x", "1..0", "1.0.0-rc", "9007199254740993.0.0", "٢.0.0"}},
		{"SHA-256", profil.IsSHA256, []string{strings.Repeat("0a", 32)}, []string{"", strings.Repeat("0A", 32), strings.Repeat("0a", 31), strings.Repeat("0g", 32)}},
		{"binding key", profil.IsBindingKey, []string{"a", "0-a", long}, []string{"", "-a", "A", "a_b", long + "a", "ä"}},
		{"actor", profil.IsActor, []string{"mensch:a.b_c-1", "prozess:0", "agent:A/1.0", "mensch:" + long},
			[]string{"", "mensch:", "mensch:A", "mensch", "agent:a", "agent:a/", "agent:/b", "agent:a/b/c", "team:a", "mensch:" + long + "a", "mensch:-a", "prozess:ä"}},
		{"language", profil.IsLanguage, []string{"und", "de", "deu", "de-AT", "de-AT-1996"}, []string{"", "d", "DE", "de-", "de-A", "de-123456789", "deutsch", "de_AT"}},
		{"type name", profil.IsTypeName, []string{"regel", "a-b_c1"}, []string{"", "1a", "Regel", "a b", "_a"}},
		{"relation type", profil.IsRelationType, []string{"ersetzt", "a_b1"}, []string{"", "a-b", "1a", "_a"}},
	}
	for _, tt := range tests {
		for _, s := range tt.good {
			if !tt.ok(s) {
				t.Errorf("%s: %q is refused", tt.name, s)
			}
		}
		for _, s := range tt.bad {
			if tt.ok(s) {
				t.Errorf("%s: %q is accepted", tt.name, s)
			}
		}
	}
}

func TestParseRelation(t *testing.T) {
	for s, want := range map[string]string{
		"verweist_auf -> werkstatt/halle3.md": "verweist_auf|werkstatt/halle3.md", "a ->  b ": "a|b", "a ->  ": "a|",
		"_ -> x -> y": "_|x -> y", "A -> b": "", "a->b": "", "a1 -> b": "", " -> b": "", "a -> ": "", "a  -> b": "",
	} {
		got := ""
		if typ, target, ok := profil.ParseRelation(s); ok {
			got = typ + "|" + target
		}
		if got != want {
			t.Errorf("ParseRelation(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestSuffix(t *testing.T) {
	for name, want := range map[string]string{"a.md": ".md", "a.b.MD": ".MD", ".gitignore": "", "a.": "", "a": "", ".a.b": ".b", "": "", "a..": ""} {
		if got := profil.Suffix(name); got != want {
			t.Errorf("Suffix(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	s := "c-0001, C-0002x, xC-0003, (C-0004) C-00055 ſC-0006 C-0007/C-0008 C-0009"
	if got, want := profil.Mentions('C', s, true), []string{"C-0001", "C-0004", "C-0006", "C-0007", "C-0008", "C-0009"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := profil.Mentions('C', "c-0001", false); got != nil {
		t.Errorf("without folding: %q", got)
	}
}

func TestTrustTier(t *testing.T) {
	for by, want := range map[string]string{"": "unverified", "mensch:a": "human-reviewed", "mensch:": "human-reviewed", "agent:a/1": "machine-confirmed", "foo": "machine-confirmed"} {
		if got := profil.TrustTier(by); got != want {
			t.Errorf("TrustTier(%q) = %q, want %q", by, got, want)
		}
	}
}

// D-15: quotes, commas and comments in values are read by the format's own rules.
func TestParseFrontMatter(t *testing.T) {
	page := "---\n# Kommentar\n\ntitle: \"Eins: zwei\" \ntags: [a, 'b', \"c]\", ]\nsources:\n  - S-0001\n  -   \"S-0002\"  \nleer:\n: kein Name\nq: ' x '\n" +
		"\tverschoben\n  - Rest\nohne\ntitle: doppelt\n  - noch\n---\nKörper\n---\n"
	var f check.Findings
	m, body, offset := profil.ParseFrontMatter("p.md", page, &f)
	if body != "Körper\n---\n" || offset != 17 {
		t.Errorf("body %q, offset %d", body, offset)
	}
	if got := m.TextOf("title"); got != "Eins: zwei" {
		t.Errorf("title %q", got)
	}
	if got := m.TextOf("q"); got != " x " {
		t.Errorf("q %q", got)
	}
	if got, want := m.ListOf("tags"), []string{"a", "b", "c]", ""}; !slices.Equal(got, want) {
		t.Errorf("tags %q, want %q", got, want)
	}
	if got, want := m.ListOf("sources"), []string{"S-0001", "S-0002"}; !slices.Equal(got, want) {
		t.Errorf("sources %q, want %q", got, want)
	}
	if v, ok := m["leer"]; !ok || !v.IsList || !v.IsEmpty() {
		t.Errorf("leer %+v", v)
	}
	if v := m[""]; v.Text != "kein Name" {
		t.Errorf("empty key %+v", v)
	}
	var got []string
	for _, e := range f.Errors {
		got = append(got, fmt.Sprint(e.Key, " ", e.Label, " ", e.Line))
	}
	if want := []string{"FM-2 p.md:12 12", "FM-3 p.md 13", "FM-4 p.md 14", "FM-5 p.md:15 15", "FM-3 p.md 16"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

func TestFrontMatterWithoutFrame(t *testing.T) {
	for page, want := range map[string]string{
		"": "FM-1", "Text": "FM-1", " ---\n---\n": "FM-1", "\ufeff---\n---\n": "FM-1",
		"---\na: b\nohne\n": "FM-6", "---\n--- \n": "FM-6", "---": "FM-6",
		"---\n---": "", "---\n---\n": "",
	} {
		var f check.Findings
		_, body, offset := profil.ParseFrontMatter("p.md", page, &f)
		got := ""
		for _, e := range f.Errors {
			got += e.Key
		}
		if got != want {
			t.Errorf("%q: errors %s, want %s", page, got, want)
		}
		if want == "FM-1" && (body != page || offset != 0) || want == "FM-6" && body != "" {
			t.Errorf("%q: body %q, offset %d", page, body, offset)
		}
	}
}

func TestParseTypes(t *testing.T) {
	var f check.Findings
	types := profil.ParseTypes(strings.Join([]string{
		"# Typen", "_relationstypen: [ersetzt, , 2x, ersetzt]", "regel:", `  beschreibung: "Vorschrift"`, "  kriterien: 'a: b'", "    tief: x",
		"  beschreibung: nochmal", "  ohne", "plan: x", "  noch: regel", "Regel:", "  weg: x", " eins: x", "ohne", "regel:", "\tplan:",
	}, "\n"), &f)
	if got, want := types.Relations, []string{"ersetzt", "2x", "ersetzt"}; !slices.Equal(got, want) {
		t.Errorf("relations %q, want %q", got, want)
	}
	want := map[string]string{"beschreibung": "Vorschrift", "kriterien": "'a: b'", "tief": "x", "noch": "regel"}
	if got := types.Fields["regel"]; !maps.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
	var got []string
	for _, e := range f.Errors {
		got = append(got, fmt.Sprint(e.Key, ":", e.Line))
	}
	if want := []string{"TY-5:2", "TY-6:2", "TY-11:7", "TY-10:8", "TY-9:9", "TY-7:11", "TY-12:12", "TY-12:13", "TY-2:14", "TY-8:15"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
	if types.Fields["plan"] == nil {
		t.Error("a type behind a tab is lost")
	}
}

// No bytes make the parser panic, and what is accepted reads back the same.
func FuzzFrontMatter(f *testing.F) {
	f.Add("---\ntype: regel\ntags: [a, b]\nsources:\n  - S-0001\n---\n# Text\n")
	f.Add("---\n: \n\u00a0x\n  - \na: [\nb: ['']\n---")
	f.Add("---\nohne\n")
	f.Fuzz(func(t *testing.T, page string) {
		page = strings.ReplaceAll(page, "\r", "")
		var found check.Findings
		m, body, offset := profil.ParseFrontMatter("p.md", page, &found)
		if found.Errors != nil {
			return
		}
		if lines := strings.SplitN(page, "\n", offset+1); strings.Join(lines[offset:], "") != body {
			t.Fatalf("%q: body %q behind %d lines", page, body, offset)
		}
		if s, bad := text.Decode([]byte(page)); bad >= 0 || s != page {
			return // no text file
		}
		head, err := m.Render("p.md")
		if err != nil {
			t.Fatalf("%q is accepted but not written: %v", page, err)
		}
		again, rest, _ := profil.ParseFrontMatter("p.md", head+body, &found)
		if found.Errors != nil || rest != body || len(again) != len(m) {
			t.Fatalf("%q became %q with %v", page, head, found.Errors)
		}
		for key, v := range m {
			if w := again[key]; w.IsList != v.IsList || w.Text != v.Text || !slices.Equal(w.List, v.List) {
				t.Fatalf("%q: %s is %+v, then %+v", page, key, v, w)
			}
		}
	})
}

// An edit gives what was asked or refuses, and changes nothing else.
func FuzzEdit(f *testing.F) {
	f.Add("---\na: b\nc: [d]\ne:\n  - f\n---\nx\n", "c", "g, h")
	f.Add("---\r\na: [ ]\r\n---\r\n", "a", "'")
	f.Fuzz(func(t *testing.T, page, name, value string) {
		decoded, _ := text.Decode([]byte(page))
		before, body, _ := profil.ParseFrontMatter("p.md", decoded, &check.Findings{})
		for _, edit := range []func(string, []byte, string, string) ([]byte, error){profil.SetText, profil.AddToList} {
			b, err := edit("p.md", []byte(page), name, value)
			if err != nil {
				continue
			}
			decoded, _ := text.Decode(b)
			var found check.Findings
			after, rest, _ := profil.ParseFrontMatter("p.md", decoded, &found)
			if v := after[name]; found.Errors != nil || rest != body || v.Text != value && !slices.Contains(v.List, value) {
				t.Fatalf("%q became %q with %v", page, b, found.Errors)
			}
			delete(after, name)
			for key, v := range after {
				if w := before[key]; w.IsList != v.IsList || w.Text != v.Text || !slices.Equal(w.List, v.List) {
					t.Fatalf("%q became %q", page, b)
				}
			}
		}
	})
}

func FuzzTypes(f *testing.F) {
	f.Add("_relationstypen: [a, b]\nregel:\n  beschreibung: \"x\"\n  kriterien: y\n")
	f.Add("a:\n  b\n c: d\n_relationstypen: [\n_relationstypen: x\n")
	f.Fuzz(func(t *testing.T, s string) {
		var found check.Findings
		types := profil.ParseTypes(s, &found)
		if found.Errors != nil {
			return
		}
		if decoded, bad := text.Decode([]byte(s)); bad >= 0 || decoded != s {
			return // no text file
		}
		rendered, err := types.Render()
		if err != nil {
			t.Fatalf("%q is accepted but not written: %v", s, err)
		}
		again := profil.ParseTypes(rendered, &found)
		if found.Errors != nil || !slices.Equal(again.Relations, types.Relations) || !maps.EqualFunc(again.Fields, types.Fields, maps.Equal) {
			t.Fatalf("%q became %q with %v", s, rendered, found.Errors)
		}
	})
}
