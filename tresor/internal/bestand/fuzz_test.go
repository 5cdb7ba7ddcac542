package bestand_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"outheis/tresor/internal/check"
)

// Whatever a page holds, the whole Tresor is read; a page without findings is
// written anew from what was read, and reads back the same.
func FuzzPage(f *testing.F) {
	f.Add([]byte(head + good))
	f.Add([]byte(strings.ReplaceAll(head, "\n", "\r\n") + "## Kurzfassung\r\nOffen.\r\n[a](zaun.md \"x\")\r\n" + good))
	f.Add([]byte(strings.Replace(head, "tags: [tor]", "tags:\n  - 'tor'\nrelations: [ersetzt -> hof/zaun.md]\ngeprueft_von: mensch:a\ngeprueft_am: 2026-01-02", 1) + good))
	f.Add([]byte("---\ntype: []\n---\n- **C-\n<img\n[a](b"))
	f.Fuzz(func(t *testing.T, page []byte) {
		m := minimal("")
		m["knowledge/hof/tor.md"] = &fstest.MapFile{Data: page, Mode: 0o444}
		b, found := load(m)
		if found.Errors != nil {
			return
		}
		p := b.Pages[0]
		rendered, err := p.Front.Render(p.Path)
		if err != nil {
			t.Fatalf("%q is accepted but its head is not written: %v", page, err)
		}
		lines := strings.Split(p.Body, "\n")
		for _, c := range p.Claims {
			if lines[c.Line-p.Offset-1], err = c.Claim.Line(check.File(p.Path)); err != nil {
				t.Fatalf("%q is accepted but a claim is not written: %v", page, err)
			}
		}
		m["knowledge/hof/tor.md"].Data = []byte(rendered + strings.Join(lines, "\n"))
		again, found := load(m)
		if found.Errors != nil || len(again.Pages[0].Claims) != len(p.Claims) || len(again.Pages[0].Relations) != len(p.Relations) ||
			again.Pages[0].Summary() != p.Summary() {
			t.Fatalf("%q became %q with %v", page, m["knowledge/hof/tor.md"].Data, found.Errors)
		}
		for i, c := range again.Pages[0].Claims {
			if c.Claim != p.Claims[i].Claim {
				t.Fatalf("%+v became %+v", p.Claims[i].Claim, c.Claim)
			}
		}
	})
}
