package claim

import (
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/lines"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// The limits of a claim in characters.
const (
	MaxFundstelle = 1000
	MaxText       = 20_000
)

// Line returns the line that [Parse] reads as c. Where is the page that it is
// for. A claim that no line can hold or that validation refuses whatever it
// refers to, such as one without a Fundstelle, gives a [*check.Refusal].
func (c Claim) Line(where check.Where) (string, error) {
	var f check.Findings
	CheckText(where, c, &f)
	if err := f.Refused(); err != nil {
		return "", err
	}
	line := c.String()
	if again, ok := Parse(line); !ok || again != c || text.InvalidAt([]byte(line)) >= 0 {
		return "", check.Refuse(where, "ED-5", c.ID, line)
	}
	return line, nil
}

// CheckText checks what a claim says, apart from what it refers to.
func CheckText(where check.Where, c Claim, f *check.Findings) {
	if !check.IsPlain(c.Fundstelle, MaxFundstelle) {
		f.Plain(where.Field(": "+c.ID+" Fundstelle"), c.Fundstelle, MaxFundstelle)
	}
	if !check.IsPlain(c.Text, MaxText) {
		f.Plain(where.Field(": "+c.ID+" Aussagetext"), c.Text, MaxText)
	}
	if text.Signature(c.Fundstelle) {
		f.Error(where, "CL-4a", c.ID)
	}
	if text.Signature(c.Text) {
		f.Error(where, "CL-4b", c.ID)
	}
}

const section = "## Claims"

// Insert returns the page at path with c added to its section "## Claims",
// behind the last claim there; the section is begun at the end of the page if
// there is none. All other bytes stay. What [Claim.Line] refuses, a page whose
// head has errors and an ID that the page has already give a [*check.Refusal].
func Insert(path string, page []byte, c Claim) ([]byte, error) {
	line, err := c.Line(check.File(path))
	if err != nil {
		return nil, err
	}
	f, err := lines.Parse(path, page)
	if err != nil {
		return nil, err
	}
	var found check.Findings
	_, _, offset := profil.ParseFrontMatter(path, f.Decoded(), &found)
	if err := found.Refused(); err != nil {
		return nil, err
	}
	before, bad := all(f, offset)
	if bad >= 0 {
		return nil, check.Refuse(check.Line(path, bad+1), "CL-1")
	}
	if i := slices.IndexFunc(before, func(b Claim) bool { return b.ID == c.ID }); i >= 0 {
		return nil, check.Refuse(check.File(path), "ED-6", c.ID)
	}
	if at, ok := lastOfSection(f, offset); ok {
		f.InsertAfter(at, line)
	} else {
		block := []string{section, line}
		if last := f.LastFilled(f.Len() - 1); last == f.Len()-1 || last == f.Len()-2 && f.Text(f.Len()-1) == "" {
			block = slices.Insert(block, 0, "")
		}
		f.Append(block...)
	}
	after, bad := all(f, offset)
	if bad >= 0 || len(after) != len(before)+1 {
		return nil, check.Refuse(check.File(path), "ED-2")
	}
	return f.Bytes()
}

// all returns the claims from line offset on, or the first line that breaks the
// grammar.
func all(f *lines.File, offset int) (claims []Claim, bad int) {
	for i := offset; i < f.Len(); i++ {
		if line := f.Text(i); IsCandidate(line) {
			c, ok := Parse(line)
			if !ok {
				return nil, i
			}
			claims = append(claims, c)
		}
	}
	return claims, -1
}

// lastOfSection returns the line behind which a claim belongs: the section's
// last claim, else its last line that is not blank.
func lastOfSection(f *lines.File, offset int) (at int, ok bool) {
	begin := -1
	for i := offset; i < f.Len(); i++ {
		line := f.Text(i)
		switch {
		case begin < 0 && strings.EqualFold(text.Trim(line), section) && strings.HasPrefix(line, "## "):
			begin, at = i, i
		case begin >= 0 && (strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "# ")):
			return at, true
		case begin >= 0 && IsCandidate(line), begin == at && !text.IsBlank(line):
			at = i
		}
	}
	return at, begin >= 0
}
