package register_test

import (
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
)

const digest = "60c9fe7de73239218ca5037516e6291220638018bf45a008673dbdd618c09f39"

func rules(list []check.Finding) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(f.Label[strings.LastIndexByte(f.Label, ':')+1:] + " " + f.Key + "; ")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	var f check.Findings
	got := register.Parse("# Register\n"+
		"| ID | Titel |\n"+
		"  | S-0001 | Ordnung | 2026-03-01 | "+digest+" | T1 | frei | sources/raw/S-0001__a.md |  \n"+
		"| S-0002 | a | b |\n"+
		"| S-3 | a | b | c | d | e | f |\n"+
		"| S-0001 | a | b | c | d | e | f |\n"+
		"| S-0004 |  | b | |  | e | |\n"+
		"|S-0005 | a | b | c | d | e | f |\n"+
		"text | S-0006 | a |\n", &f)
	want := register.Source{ID: "S-0001", Title: "Ordnung", Stand: "2026-03-01", SHA256: digest, Trust: "T1", Rights: "frei",
		Ablage: "sources/raw/S-0001__a.md", Line: 3}
	if len(got) != 2 || got["S-0001"] != want {
		t.Errorf("got %+v", got)
	}
	if got, want := rules(f.Errors), "4 RG-2; 5 RG-3; 6 RG-4; 7 RG-5; 7 RG-5; 7 RG-5; "; got != want {
		t.Errorf("errors %s, want %s", got, want)
	}
	if got, want := rules(f.Hints), "8 RG-6; "; got != want {
		t.Errorf("hints %s, want %s", got, want)
	}
}

func TestParseExternal(t *testing.T) {
	var f check.Findings
	got := register.ParseExternal(strings.Join([]string{
		"| X-0001 | Regeln | markdown-tree | - | 2026 | laser-regeln | T2 | intern |",
		"| X-0002 | Tresor | skillsafe-vault | - | v2, Fachbereich | laser-regeln | T2 | intern |",
		"| X-0003 | Tresor | skillsafe-vault | - | projektfachbereich | Key | T9 | intern |",
		"| X-0004 | Netz | skillsafe | http://a.example/ | 1 | netz | T3 | intern |",
		"| X-0005 | Netz | markdown-tree | https://docs.example.org:8443/x/ | 1 | n5 | T3 | intern |",
	}, "\n"), &f)
	if len(got) != 5 || got["X-0002"].Scope != "fachbereich" || got["X-0003"].Scope != "" || !got["X-0005"].IsNetwork() || got["X-0001"].IsNetwork() {
		t.Errorf("got %+v", got)
	}
	if got, want := rules(f.Errors), "2 XR-8; 3 XR-6; 3 XR-7; 3 XR-10; 4 XR-5; 4 XR-9; "; got != want {
		t.Errorf("errors %s, want %s", got, want)
	}
}

func TestZielIsAStrictPrefix(t *testing.T) {
	for ziel, ok := range map[string]bool{
		"https://a.example": true, "https://a.example/b c": true, "https://a.example:x/": true, "https://127.0.0.1/": true,
		"http://a.example": false, "HTTPS://a.example": false, "https://": false, "https:///x": false, "https://a/?q": false,
		"https://a/#f": false, "https://u@a/": false, "https://a/@b": true, "https://a/../b": false, "https://a..b/": false,
		"https://-a/": false, "https://a_b/": false, "https://ü.example/": false, "https://a-": false,
	} {
		var f check.Findings
		register.ParseExternal("| X-0001 | t | markdown-tree | "+ziel+" | 1 | k | T1 | r |", &f)
		if got := len(f.Errors) == 0; got != ok {
			t.Errorf("%s: accepted is %v", ziel, got)
		}
	}
}

func TestRightsDecided(t *testing.T) {
	for s, want := range map[string]bool{
		"CC BY 4.0": true, " tbd ": false, "": false, "?": false, "Rechte": false, "ungeklärt": false, "n/a": false, "unklar, ob": true,
	} {
		if got := register.RightsDecided(s); got != want {
			t.Errorf("RightsDecided(%q) = %v", s, got)
		}
	}
}

// A row that is accepted is written, and reads back the same.
func FuzzParse(f *testing.F) {
	f.Add("| S-0001 | Ordnung | 2026 | " + digest + " | T1 | frei | sources/raw/S-0001__a.md |\n|S-0002 || x |\n")
	f.Add("| X-0001 | Regeln | markdown-tree | https://a.example/ | v1 projekt | k | T2 | intern |")
	f.Add("|||||\n| S-")
	f.Fuzz(func(t *testing.T, s string) {
		if decoded, bad := text.Decode([]byte(s)); bad >= 0 || decoded != s {
			return // no text file
		}
		var found check.Findings
		for id, r := range register.Parse(s, &found) {
			row, err := r.Row()
			if err != nil {
				// The values that validation refuses later, with other rules of its own.
				if !register.IsTrust(r.Trust) || !register.RightsDecided(r.Rights) || !profil.IsSHA256(r.SHA256) || found.Errors != nil {
					continue
				}
				t.Fatalf("%q is accepted but not written: %v", s, err)
			}
			again := register.Parse(strings.Repeat("\n", r.Line-1)+row, &check.Findings{})
			if again[id] != r {
				t.Fatalf("%+v became %+v", r, again[id])
			}
		}
		found = check.Findings{}
		for id, r := range register.ParseExternal(s, &found) {
			row, err := r.Row()
			if err != nil && found.Errors == nil {
				t.Fatalf("%q is accepted but not written: %v", s, err)
			}
			if again := register.ParseExternal(strings.Repeat("\n", r.Line-1)+row, &check.Findings{}); err == nil && again[id] != r {
				t.Fatalf("%+v became %+v", r, again[id])
			}
		}
	})
}

// A register with a row more holds all that it held.
func FuzzAppend(f *testing.F) {
	f.Add([]byte("# R\r\n| S-0001 | Ordnung | 2026 | "+digest+" | T1 | frei | sources/raw/S-0001__a.md |\r\nx"), "Titel")
	f.Add([]byte("| X-0001 | Regeln | markdown-tree | https://a.example/ | v1 projekt | k | T2 | intern |"), "-")
	f.Fuzz(func(t *testing.T, b []byte, title string) {
		s, e := ordnung, regeln
		s.ID, e.ID, e.Key, s.Title, e.Title = "S-9999", "X-9999", "neu-9999", title, title
		decoded, _ := text.Decode(b)
		if got, err := register.AppendSource(b, s); err == nil {
			after, _ := text.Decode(got)
			all := register.Parse(after, &check.Findings{})
			for id, r := range register.Parse(decoded, &check.Findings{}) {
				if all[id] != r {
					t.Fatalf("%q became %q", b, got)
				}
			}
			if all[s.ID].Title != title || len(got) < len(b) {
				t.Fatalf("%q became %q", b, got)
			}
		}
		if got, err := register.AppendExternal(b, e); err == nil {
			after, _ := text.Decode(got)
			all := register.ParseExternal(after, &check.Findings{})
			for id, r := range register.ParseExternal(decoded, &check.Findings{}) {
				if all[id] != r {
					t.Fatalf("%q became %q", b, got)
				}
			}
			if all[e.ID].Title != title {
				t.Fatalf("%q became %q", b, got)
			}
		}
	})
}
