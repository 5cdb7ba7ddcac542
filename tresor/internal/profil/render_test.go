package profil_test

import (
	"errors"
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
)

func textValue(s string) profil.Value        { return profil.Value{Text: s} }
func listValue(items ...string) profil.Value { return profil.Value{IsList: true, List: items} }

// key returns the rule of a refusal, "" for none.
func key(err error) string {
	var refusal *check.Refusal
	if errors.As(err, &refusal) {
		return refusal.Key
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestRenderFrontMatter(t *testing.T) {
	m := profil.FrontMatter{
		"zusatz": textValue("x"), "tags": listValue("a", "b c"), "title": textValue("Eins: zwei"), "type": textValue("regel"),
		"sources": listValue(), "relations": listValue("ersetzt -> a/b, c.md", "x"), "concepts": listValue(""),
		"stand": textValue(""), "status": textValue(`"zitiert"`), "domain": textValue(" x "), "confidence": textValue("[a]"),
	}
	want := `---
type: regel
title: "Eins: zwei"
domain: " x "
status: '"zitiert"'
confidence: "[a]"
stand: ""
sources: []
tags: [a, b c]
relations:
  - ersetzt -> a/b, c.md
  - x
concepts: [""]
zusatz: x
---
`
	got, err := m.Render("p.md")
	if err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestRenderFrontMatterRefuses(t *testing.T) {
	for name, m := range map[string]profil.FrontMatter{
		"line break":        {"title": textValue("a\nb")},
		"carriage return":   {"title": textValue("a\rb")},
		"outer apostrophe":  {"title": textValue("'a'")},
		"item with a break": {"tags": listValue("a", "b\nc")},
		"key with a colon":  {"a: b": textValue("c")},
		"comment as key":    {"#a": textValue("c")},
		"key with a break":  {"a\nb": textValue("c")},
		"no UTF-8":          {"title": textValue("\xff")},
	} {
		if got, err := m.Render("p.md"); key(err) != "ED-1" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

const page = "---\r\n# Kopf\r\ntype: regel\r\nversion:  1.0.0 \r\nstand: 2026-01-01\r\nsources: [S-0001 ,'S-0002']\r\ntags:\r\n  - a\r\n  - b\r\nconcepts: []\r\nleer:\r\n---\r\n\r\nText\r\n"

func TestEditFrontMatter(t *testing.T) {
	set := func(name, value string) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) { return profil.SetText("p.md", b, name, value) }
	}
	add := func(name, item string) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) { return profil.AddToList("p.md", b, name, item) }
	}
	tests := []struct {
		name     string
		edit     func([]byte) ([]byte, error)
		old, new string // what is replaced in the page
		refused  string
	}{
		{"set", set("version", "1.1.0"), "version:  1.0.0 ", "version: 1.1.0", ""},
		{"set to the same", set("version", "1.0.0"), "", "", ""},
		{"set a new one", set("title", "A: b"), "type: regel\r\n", "type: regel\r\ntitle: \"A: b\"\r\n", ""},
		{"set the first", set("a", "b"), "leer:\r\n", "leer:\r\na: b\r\n", ""},
		{"set an empty one", set("leer", "x"), "leer:", "leer: x", ""},
		{"set a list", set("tags", "x"), "", "", "ED-3"},
		{"set nonsense", set("title", "a\nb"), "", "", "ED-1"},
		{"add in brackets", add("sources", "S-0003"), "'S-0002']", "'S-0002', S-0003]", ""},
		{"add what is there", add("sources", "S-0002"), "", "", ""},
		{"add a comma", add("sources", "a, b"), "sources: [S-0001 ,'S-0002']\r\n", "sources:\r\n  - S-0001\r\n  - S-0002\r\n  - a, b\r\n", ""},
		{"add below", add("tags", "c"), "  - b\r\n", "  - b\r\n  - c\r\n", ""},
		{"add a comma below", add("tags", "c, d"), "  - b\r\n", "  - b\r\n  - c, d\r\n", ""},
		{"add to empty brackets", add("concepts", "B-0001"), "concepts: []", "concepts: [B-0001]", ""},
		{"add to nothing", add("leer", "x"), "leer:", "leer: [x]", ""},
		{"begin a list", add("relations", "a -> b/c.md"), "  - b\r\n", "  - b\r\nrelations: [a -> b/c.md]\r\n", ""},
		{"add to a text", add("type", "x"), "", "", "ED-4"},
		{"add a break", add("tags", "x\ny"), "", "", "ED-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.edit([]byte(page))
			if key(err) != tt.refused {
				t.Fatalf("got %v, want %q", err, tt.refused)
			}
			if want := strings.Replace(page, tt.old, tt.new, 1); err == nil && string(got) != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A head with errors is not edited: what it holds is not certain.
func TestEditRefusesABrokenHead(t *testing.T) {
	for broken, want := range map[string]string{"": "FM-1", "---\na: b\n": "FM-6", "---\na: b\na: c\n---\n": "FM-5", "---\nx\xff: a\n---\n": "RD-2"} {
		if _, err := profil.SetText("p.md", []byte(broken), "a", "c"); key(err) != want {
			t.Errorf("%q: got %v, want %s", broken, err, want)
		}
	}
}

var regel = map[string]string{"beschreibung": "Vorschrift", "kriterien": "a: b", "besonderheiten": "keine", "pflicht_extra": " x ", "graph_rolle": "Knoten"}

func TestRenderTypes(t *testing.T) {
	types := profil.Types{Relations: []string{"b", "a"}, Fields: map[string]map[string]string{"regel": regel}}
	want := "_relationstypen: [b, a]\n\nregel:\n  beschreibung: Vorschrift\n  kriterien: a: b\n  besonderheiten: keine\n  pflicht_extra: \" x \"\n  graph_rolle: Knoten\n"
	if got, err := types.Render(); got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"a\nb", `"a"`, "a\"", "a\rb"} {
		types.Fields["regel"] = map[string]string{"kriterien": bad}
		if got, err := types.Render(); err == nil {
			t.Errorf("%q is written as %q", bad, got)
		}
	}
}

func TestAddType(t *testing.T) {
	head := "# Typen\r\n_relationstypen: [ersetzt ]\r\n\r\nregel:\r\n  beschreibung: a\r\n  kriterien: b\r\n  besonderheiten: c\r\n  pflicht_extra: d\r\n  graph_rolle: e\r\n"
	got, err := profil.AddType([]byte(head), "plan", regel)
	want := head + "\r\nplan:\r\n  beschreibung: Vorschrift\r\n  kriterien: a: b\r\n  besonderheiten: keine\r\n  pflicht_extra: \" x \"\r\n  graph_rolle: Knoten\r\n"
	if string(got) != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	got, err = profil.AddRelationType([]byte(head), "verweist_auf")
	if want := strings.Replace(head, "[ersetzt ]", "[ersetzt , verweist_auf]", 1); string(got) != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err = profil.AddRelationType([]byte(head), "ersetzt"); string(got) != head || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for name, tt := range map[string]struct {
		edit func() ([]byte, error)
		want string
	}{
		"taken":            {func() ([]byte, error) { return profil.AddType([]byte(head), "regel", regel) }, "TY-8"},
		"no name":          {func() ([]byte, error) { return profil.AddType([]byte(head), "Plan", regel) }, "TY-7"},
		"fields missing":   {func() ([]byte, error) { return profil.AddType([]byte(head), "plan", nil) }, "TY-15"},
		"broken registry":  {func() ([]byte, error) { return profil.AddType([]byte("x\n"+head), "plan", regel) }, "TY-2"},
		"no relation type": {func() ([]byte, error) { return profil.AddRelationType([]byte(head), "A") }, "TY-6"},
		"value with breaks": {func() ([]byte, error) {
			return profil.AddType([]byte(head), "plan", map[string]string{"kriterien": "a\nb"})
		}, "ED-1"},
	} {
		if _, err := tt.edit(); key(err) != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}
