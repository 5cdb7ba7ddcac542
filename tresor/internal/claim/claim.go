// Package claim reads and writes the one line that everything hangs on:
//
//   - **C-0001** [S-0001 | Punkt 1 | Wortlaut] In Halle 3 ist eine Schutzbrille zu tragen.
//
// It knows the grammar, not whether what a claim refers to exists.
package claim

import (
	"strings"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// The kinds (Art) of claims.
const (
	Wortlaut    = "Wortlaut"    // close rendering of the source
	Beobachtung = "Beobachtung" // directly visible in an image or PDF
	Auslegung   = "Auslegung"   // the curator's own conclusion
)

// A Claim is what a claim line says.
type Claim struct {
	ID         string // C-nnnn
	Source     string // S-nnnn or X-nnnn
	Fundstelle string // trimmed; may be empty, which is an error elsewhere
	Art        string
	Text       string // trimmed
}

const start = "- **C-"

// IsCandidate reports whether a body line must be a claim: only its first six
// characters decide.
func IsCandidate(line string) bool { return strings.HasPrefix(line, start) }

// LooksLike reports whether a line that is no candidate was probably meant as
// one: indented, or with another bullet (deviation D-13).
func LooksLike(line string) bool {
	if IsCandidate(line) {
		return false
	}
	line = text.Trim(line)
	if line == "" || strings.IndexByte("-*+", line[0]) < 0 {
		return false
	}
	rest := text.Trim(line[1:])
	return len(rest) < len(line)-1 && strings.HasPrefix(rest, "**C-")
}

// Parse reads a claim line; it is false if the line breaks the grammar.
func Parse(line string) (c Claim, ok bool) {
	rest, ok := strings.CutPrefix(line, "- **")
	if !ok {
		return Claim{}, false
	}
	if c.ID, rest, ok = strings.Cut(rest, "** ["); !ok || !profil.IsID("C", c.ID) {
		return Claim{}, false
	}
	if c.Source, rest, ok = strings.Cut(rest, " | "); !ok || !profil.IsID("S", c.Source) && !profil.IsID("X", c.Source) {
		return Claim{}, false
	}
	i := strings.IndexAny(rest, "|]")
	if i < 2 || !strings.HasPrefix(rest[i:], "| ") || rest[i-1] != ' ' {
		return Claim{}, false
	}
	c.Fundstelle, rest = text.Trim(rest[:i-1]), rest[i+2:]
	if c.Art, rest, ok = strings.Cut(rest, "] "); !ok || rest == "" {
		return Claim{}, false
	}
	switch c.Art {
	case Wortlaut, Beobachtung, Auslegung:
		c.Text = text.Trim(rest)
		return c, true
	}
	return Claim{}, false
}

// String returns the line that [Parse] reads as c.
func (c Claim) String() string {
	return "- **" + c.ID + "** [" + c.Source + " | " + c.Fundstelle + " | " + c.Art + "] " + c.Text
}

// Regions returns the regions R-nnnn that the Fundstelle names.
func (c Claim) Regions() []string { return profil.Mentions('R', c.Fundstelle, false) }

// Anchors returns the sentence anchors A-nnnn that the Fundstelle names.
func (c Claim) Anchors() []string { return profil.Mentions('A', c.Fundstelle, false) }
