package claim_test

import (
	"errors"
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

var good = claim.Claim{ID: "C-0009", Source: "S-0001", Fundstelle: "Punkt 1", Art: claim.Wortlaut, Text: "Neu [a] | b."}

const goodLine = "- **C-0009** [S-0001 | Punkt 1 | Wortlaut] Neu [a] | b."

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

func TestLine(t *testing.T) {
	if got, err := good.Line(check.File("p.md")); got != goodLine || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	tests := []struct {
		name   string
		change func(*claim.Claim)
		want   string
	}{
		{"no ID", func(c *claim.Claim) { c.ID = "C-1" }, "ED-5"},
		{"no source", func(c *claim.Claim) { c.Source = "B-0001" }, "ED-5"},
		{"no Art", func(c *claim.Claim) { c.Art = "wortlaut" }, "ED-5"},
		{"pipe", func(c *claim.Claim) { c.Fundstelle = "a|b" }, "ED-5"},
		{"bracket", func(c *claim.Claim) { c.Fundstelle = "a]b" }, "ED-5"},
		{"no UTF-8", func(c *claim.Claim) { c.Text = "\xff" }, "ED-5"},
		{"empty Fundstelle", func(c *claim.Claim) { c.Fundstelle = "" }, "PT-2"},
		{"outer blank", func(c *claim.Claim) { c.Text = " a" }, "PT-2"},
		{"line break", func(c *claim.Claim) { c.Text = "a\nb" }, "PT-4"},
		{"too long", func(c *claim.Claim) { c.Text = strings.Repeat("a", claim.MaxText+1) }, "PT-3"},
		{"instruction", func(c *claim.Claim) { c.Text = "the system prompt" }, "CL-4b"},
		{"instruction in the Fundstelle", func(c *claim.Claim) { c.Fundstelle = "developer message" }, "CL-4a"},
	}
	for _, tt := range tests {
		c := good
		tt.change(&c)
		if got, err := c.Line(check.File("p.md")); key(err) != tt.want {
			t.Errorf("%s: got %q, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestInsert(t *testing.T) {
	const head = "---\na: b\n---\n\n# Titel\n\n"
	const first = "- **C-0001** [S-0001 | 1 | Wortlaut] Eins."
	tests := []struct{ name, page, want string }{
		{"behind the last claim", head + "## Claims\n" + first + "\n\nNachsatz\n\n## Ende\n", head + "## Claims\n" + first + "\n" + goodLine + "\n\nNachsatz\n\n## Ende\n"},
		{"an empty section", head + "## Claims\n", head + "## Claims\n" + goodLine + "\n"},
		{"an empty section before another", head + "## Claims\n\n## Ende\n", head + "## Claims\n" + goodLine + "\n\n## Ende\n"},
		{"a section with a sentence", head + "## Claims\n\nAlles belegt.\n\n# Ende\n", head + "## Claims\n\nAlles belegt.\n" + goodLine + "\n\n# Ende\n"},
		{"at the end", head + "## Claims\n" + first, head + "## Claims\n" + first + "\n" + goodLine + "\n"},
		{"no section", head + "Text\n", head + "Text\n\n## Claims\n" + goodLine + "\n"},
		{"no section, no line end", head + "Text", head + "Text\n\n## Claims\n" + goodLine + "\n"},
		{"no section, blank line", head + "Text\n\n", head + "Text\n\n## Claims\n" + goodLine + "\n"},
		{"a claim elsewhere", head + first + "\n", head + first + "\n\n## Claims\n" + goodLine + "\n"},
		{"lower case", head + "## claims\n" + first + "\n", head + "## claims\n" + first + "\n" + goodLine + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n", "\r"} {
				got, err := claim.Insert("p.md", []byte(strings.ReplaceAll(tt.page, "\n", end)), good)
				if want := strings.ReplaceAll(tt.want, "\n", end); string(got) != want || err != nil {
					t.Errorf("got %q, %v; want %q", got, err, want)
				}
			}
		})
	}
	for name, tt := range map[string]struct{ page, want string }{
		"there already": {head + strings.Replace(first, "C-0001", "C-0009", 1) + "\n", "ED-6"},
		"no head":       {"Text", "FM-1"},
		"no claim line": {head + "- **C-0001 x\n", "CL-1"},
		"no UTF-8":      {head + "\xff", "RD-2"},
	} {
		if _, err := claim.Insert("p.md", []byte(tt.page), good); key(err) != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

// Whatever is inserted into whatever page stands there afterwards, and the head
// and all other claims as before.
func FuzzInsert(f *testing.F) {
	f.Add("---\na: b\n---\n\n## Claims\n- **C-0001** [S-0001 | 1 | Wortlaut] Eins.\n", "Punkt 1", "Zwei.")
	f.Add("---\r\n---\r\n## claims\r\n# x", "a ] b", "\u2028")
	f.Fuzz(func(t *testing.T, page, fundstelle, says string) {
		c := claim.Claim{ID: "C-0009", Source: "X-0001", Fundstelle: fundstelle, Art: claim.Auslegung, Text: says}
		b, err := claim.Insert("p.md", []byte(page), c)
		if err != nil {
			return
		}
		before, _ := text.Decode([]byte(page))
		after, bad := text.Decode(b)
		var found check.Findings
		_, body, _ := profil.ParseFrontMatter("p.md", after, &found)
		if bad >= 0 || found.Errors != nil {
			t.Fatalf("%q became %q", page, b)
		}
		inserted := 0
		for line := range strings.SplitSeq(body, "\n") {
			if got, ok := claim.Parse(line); ok && got == c {
				inserted++
			}
		}
		if inserted != 1 || len(after) < len(before)+len(c.String()) {
			t.Fatalf("%q became %q", page, b)
		}
	})
}
