package profil

import (
	"maps"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/lines"
	"outheis/tresor/internal/text"
)

// TypeFields returns what each page type must say, in the order in which it is
// written and asked.
func TypeFields() []string {
	return []string{"beschreibung", "kriterien", "besonderheiten", "pflicht_extra", "graph_rolle"}
}

// Render returns the registry: the relation types, then the page types by name.
// What the format cannot hold gives a [*check.Refusal].
func (t Types) Render() (string, error) {
	s := "_relationstypen: [" + strings.Join(t.Relations, ", ") + "]\n"
	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		block, err := renderType(name, t.Fields[name])
		if err != nil {
			return "", err
		}
		s += "\n" + strings.Join(block, "\n") + "\n"
	}
	return s, typesReadBack(s, t)
}

func renderType(name string, fields map[string]string) ([]string, error) {
	block := []string{name + ":"}
	order := TypeFields()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(order, field) {
			order = append(order, field)
		}
	}
	for _, field := range order {
		value, ok := fields[field]
		if !ok {
			continue
		}
		spelling := value
		if text.Trim(value) != value || value == "" {
			spelling = `"` + value + `"`
		}
		if !isText(value) || strings.Contains(value, "\n") || strings.Trim(spelling, `"`) != value {
			return nil, check.Refuse(check.File(TypesFile), "ED-1", field, value)
		}
		block = append(block, "  "+field+": "+spelling)
	}
	return block, nil
}

// AddType returns the registry in b with a new page type behind all others. All
// other bytes stay. A registry with errors, a name that is taken or no name, and
// a type that lacks a field give a [*check.Refusal].
func AddType(b []byte, name string, fields map[string]string) ([]byte, error) {
	return editTypes(b, func(f *lines.File, t *Types) error {
		if t.Fields[name] != nil {
			return check.Refuse(check.File(TypesFile), "TY-8", name)
		}
		if !IsTypeName(name) {
			return check.Refuse(check.File(TypesFile), "TY-7", name)
		}
		block, err := renderType(name, fields)
		if err != nil {
			return err
		}
		if last := f.Len() - 1; f.LastFilled(last) >= last-1 {
			block = append([]string{""}, block...)
		}
		f.Append(block...)
		t.Fields[name] = fields
		return nil
	})
}

// AddRelationType returns the registry in b with a new type of relation; one
// that is there already changes nothing. Otherwise like [AddType].
func AddRelationType(b []byte, name string) ([]byte, error) {
	return editTypes(b, func(f *lines.File, t *Types) error {
		if t.HasRelation(name) {
			return nil
		}
		if !IsRelationType(name) {
			return check.Refuse(check.File(TypesFile), "TY-6", name)
		}
		line := f.Text(t.listLine - 1)
		end := strings.LastIndexByte(line, ']')
		f.Set(t.listLine-1, line[:end]+", "+name+line[end:])
		t.Relations = append(slices.Clone(t.Relations), name)
		return nil
	})
}

func editTypes(b []byte, change func(*lines.File, *Types) error) ([]byte, error) {
	f, err := lines.Parse(TypesFile, b)
	if err != nil {
		return nil, err
	}
	var found check.Findings
	t := ParseTypes(f.Decoded(), &found)
	checkTypes(t, &found)
	if err := found.Refused(); err != nil {
		return nil, err
	}
	if err := change(f, &t); err != nil {
		return nil, err
	}
	s := f.Decoded()
	checkTypes(ParseTypes(s, &found), &found)
	if err := found.Refused(); err != nil {
		return nil, err
	}
	if err := typesReadBack(s, t); err != nil {
		return nil, err
	}
	return f.Bytes()
}

// typesReadBack checks that s is the registry t.
func typesReadBack(s string, t Types) error {
	var found check.Findings
	got := ParseTypes(s, &found)
	if err := found.Refused(); err != nil {
		return err
	}
	if !isText(s) || !slices.Equal(got.Relations, t.Relations) || !maps.EqualFunc(got.Fields, t.Fields, maps.Equal) {
		return check.Refuse(check.File(TypesFile), "ED-2")
	}
	return nil
}
