package claim_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/internal/claim"
)

func TestParse(t *testing.T) {
	tests := []struct {
		line string
		want claim.Claim
		ok   bool
	}{
		{"- **C-0001** [S-0001 | Punkt 1 | Wortlaut] In Halle 3.", claim.Claim{"C-0001", "S-0001", "Punkt 1", "Wortlaut", "In Halle 3."}, true},
		{"- **C-0003** [X-0001 | A-0003 | Auslegung] [a] | b", claim.Claim{"C-0003", "X-0001", "A-0003", "Auslegung", "[a] | b"}, true},
		{"- **C-0001** [S-0001 |   | Beobachtung]  x ", claim.Claim{"C-0001", "S-0001", "", "Beobachtung", "x"}, true},
		{"- **C-0001** [S-0001 |  S. 1  | Wortlaut] x", claim.Claim{"C-0001", "S-0001", "S. 1", "Wortlaut", "x"}, true},
		{"- **C-0001** [S-0001 |  | Wortlaut] x", claim.Claim{}, false},
		{"- **C-0001** [S-0001 | S. 1 | wortlaut] x", claim.Claim{}, false},
		{"- **C-0001** [S-0001 | S. 1 | Wortlaut]x", claim.Claim{}, false},
		{"- **C-0001** [S-0001 | S. 1 | Wortlaut] ", claim.Claim{}, false},
		{"- **C-0001** [S-0001 | S. 1 | Wortlaut ] x", claim.Claim{}, false},
		{"- **C-0001** [S-0001 | a|b | Wortlaut] x", claim.Claim{}, false},
		{"- **C-0001** [S-0001 | a]b | Wortlaut] x", claim.Claim{}, false},
		{"- **C-0001** [S-0001| a | Wortlaut] x", claim.Claim{}, false},
		{"- **C-0001** [R-0001 | a | Wortlaut] x", claim.Claim{}, false},
		{"- **C-001** [S-0001 | a | Wortlaut] x", claim.Claim{}, false},
		{"- **C-0001**  [S-0001 | a | Wortlaut] x", claim.Claim{}, false},
		{"- **C-٠٠٠١** [S-0001 | a | Wortlaut] x", claim.Claim{}, false},
	}
	for _, tt := range tests {
		got, ok := claim.Parse(tt.line)
		if got != tt.want || ok != tt.ok {
			t.Errorf("Parse(%q) = %+v, %v; want %+v, %v", tt.line, got, ok, tt.want, tt.ok)
		}
	}
}

func TestLooksLike(t *testing.T) {
	for line, want := range map[string]bool{
		" - **C-0001** x": true, "* **C-0001**": true, "\t+  **C-": true, "-\u00a0**C-1": true,
		"- **C-0001** x": false, "-**C-0001**": false, "- C-0001": false, "": false, "**C-0001**": false, "- ": false,
	} {
		if got := claim.LooksLike(line); got != want {
			t.Errorf("LooksLike(%q) = %v", line, got)
		}
	}
}

func TestMentionsInTheFundstelle(t *testing.T) {
	c := claim.Claim{Fundstelle: "R-0001: links, xR-0002, R-0003x, (R-0004), R-00055, r-0006, üR-0007, A-0001/A-0002"}
	if got, want := c.Regions(), []string{"R-0001", "R-0004", "R-0007"}; !slices.Equal(got, want) {
		t.Errorf("regions %q, want %q", got, want)
	}
	if got, want := c.Anchors(), []string{"A-0001", "A-0002"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

// The hand-written parser and the grammar as a pattern accept the same lines;
// what is accepted reads back the same.
func FuzzParse(f *testing.F) {
	grammar := regexp.MustCompile(`^- \*\*(C-[0-9]{4})\*\* \[(S-[0-9]{4}|X-[0-9]{4}) \| ([^\]|\n]+?) \| (Wortlaut|Beobachtung|Auslegung)\] ([^\n]+)$`)
	f.Add("- **C-0001** [S-0001 | Punkt 1 | Wortlaut] In Halle 3.")
	f.Add("- **C-0001** [X-0001 |   | Auslegung] ] | [")
	f.Add("- **C-0001** [S-0001 | a | Beobachtung] \u00a0x\u0085")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsRune(line, '\n') {
			return
		}
		c, ok := claim.Parse(line)
		if want := grammar.MatchString(line); ok != want {
			t.Fatalf("Parse(%q) says %v, the grammar %v", line, ok, want)
		}
		if ok && !claim.IsCandidate(line) {
			t.Fatalf("%q is a claim but no candidate", line)
		}
		if !ok || c.Fundstelle == "" || c.Text == "" {
			return
		}
		if again, ok := claim.Parse(c.String()); !ok || again != c {
			t.Fatalf("%+v became %+v, %v", c, again, ok)
		}
	})
}
