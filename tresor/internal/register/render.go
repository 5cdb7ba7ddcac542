package register

import (
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/lines"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// The heads of the two tables, as a new register begins.
const (
	Head         = "| ID | Titel | Stand/Version | SHA-256 | Trust | Rechte | Ablage |\n|---|---|---|---|---|---|---|\n"
	ExternalHead = "| ID | Titel | Art | Ziel | Stand/Version | Bindungsschlüssel | Trust | Rechte |\n|---|---|---|---|---|---|---|---|\n"
)

// Row returns the row that [Parse] reads as s; its line number does not count.
// What a row cannot hold, such as a pipe, and what validation refuses in any
// row give a [*check.Refusal].
func (s Source) Row() (string, error) {
	where := check.Where{Label: "REGISTER " + s.ID, Path: profil.RegisterFile}
	row, err := join(where, s.cells())
	if err != nil {
		return "", err
	}
	var f check.Findings
	s.Line = 1
	if again := Parse(row, &f); f.Errors == nil && again[s.ID] != s {
		return "", check.Refuse(where, "ED-2")
	}
	if !IsTrust(s.Trust) {
		f.Error(where, "RM-1", s.Trust)
	}
	if !RightsDecided(s.Rights) {
		f.Error(where, "RM-2")
	}
	if !profil.IsSHA256(s.SHA256) {
		f.Error(where, "RM-3")
	}
	return row, f.Refused()
}

func (s Source) cells() []cell {
	return []cell{{"ID", s.ID}, {"Titel", s.Title}, {"Stand/Version", s.Stand}, {"SHA-256", s.SHA256}, {"Trust", s.Trust},
		{"Rechte", s.Rights}, {"Ablage", s.Ablage}}
}

// Row returns the row that [ParseExternal] reads as e; its line number and its
// scope, which follows from the Stand, do not count. Errors as with
// [Source.Row].
func (e External) Row() (string, error) {
	where := check.Where{Label: "EXTERN " + e.ID, Path: profil.ExternFile}
	row, err := join(where, e.cells())
	if err != nil {
		return "", err
	}
	var f check.Findings
	again := ParseExternal(row, &f)[e.ID]
	if e.Line, e.Scope = again.Line, again.Scope; f.Errors == nil && again != e {
		return "", check.Refuse(where, "ED-2")
	}
	return row, f.Refused()
}

func (e External) cells() []cell {
	return []cell{{"ID", e.ID}, {"Titel", e.Title}, {"Art", e.Art}, {"Ziel", e.Ziel}, {"Stand/Version", e.Stand},
		{"Bindungsschlüssel", e.Key}, {"Trust", e.Trust}, {"Rechte", e.Rights}}
}

type cell struct{ name, value string }

// join writes a row. A cell holds one line of text without a pipe and outer
// whitespace; an empty one is left to the parser's rules, except at the end,
// where it would be lost.
func join(where check.Where, row []cell) (string, error) {
	var b strings.Builder
	for i, c := range row {
		if strings.ContainsAny(c.value, "|\r\n") || text.Trim(c.value) != c.value ||
			text.InvalidAt([]byte(c.value)) >= 0 || c.value == "" && i == len(row)-1 {
			return "", check.Refuse(where, "ED-7", c.name, c.value)
		}
		b.WriteString("| " + c.value + " ")
	}
	return b.String() + "|", nil
}

// AppendSource returns the source register in b with a row for s behind its last
// row. All other bytes stay. What [Source.Row] refuses, control characters, a
// register with errors and an ID or Ablage that is taken give a
// [*check.Refusal].
func AppendSource(b []byte, s Source) ([]byte, error) {
	return appendRow(profil.RegisterFile, b, s.Row, s.cells(), func(content string, f *check.Findings) int {
		sources := Parse(content, f)
		last := 0
		byAblage := make(map[string]string)
		for _, id := range IDs(sources) {
			r := sources[id]
			last = max(last, r.Line)
			if first := byAblage[r.Ablage]; first != "" {
				f.Error(check.Line(profil.RegisterFile, r.Line), "RM-7", first)
			}
			byAblage[r.Ablage] = id
		}
		return last
	})
}

// AppendExternal is [AppendSource] for the register of external sources. A new
// file begins with [ExternalHead].
func AppendExternal(b []byte, e External) ([]byte, error) {
	return appendRow(profil.ExternFile, b, e.Row, e.cells(), func(content string, f *check.Findings) int {
		last := 0
		for _, r := range ParseExternal(content, f) {
			last = max(last, r.Line)
		}
		return last
	})
}

// appendRow adds a row of cells. Read parses the whole register and returns the
// line of its last row, 0 for none.
func appendRow(path string, b []byte, render func() (string, error), cells []cell, read func(string, *check.Findings) int) ([]byte, error) {
	row, err := render()
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if text.HasControl(c.value) {
			return nil, check.Refuse(check.File(path), "ED-7", c.name, c.value)
		}
	}
	f, err := lines.Parse(path, b)
	if err != nil {
		return nil, err
	}
	var found check.Findings
	last := read(f.Decoded(), &found)
	if err := found.Refused(); err != nil {
		return nil, err
	}
	if last == 0 {
		last = f.LastFilled(f.Len()-1) + 1
	}
	f.InsertAfter(last-1, row)
	if at := read(f.Decoded(), &found); found.Errors == nil && at != last+1 {
		return nil, check.Refuse(check.File(path), "ED-2")
	}
	if err := found.Refused(); err != nil {
		return nil, err
	}
	return f.Bytes()
}

// Render returns a whole source register, by ID.
func Render(sources map[string]Source) (string, error) { return render(Head, sources) }

// RenderExternal returns a whole register of external sources, by ID.
func RenderExternal(externals map[string]External) (string, error) {
	return render(ExternalHead, externals)
}

func render[T interface{ Row() (string, error) }](head string, all map[string]T) (string, error) {
	s := []string{strings.TrimSuffix(head, "\n")}
	for _, id := range IDs(all) {
		row, err := all[id].Row()
		if err != nil {
			return "", err
		}
		s = append(s, row)
	}
	return strings.Join(slices.Concat(s, []string{""}), "\n"), nil
}
