package profil

import (
	"maps"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// Types is the registry of page types and relation types.
type Types struct {
	Fields    map[string]map[string]string // of each type
	Relations []string

	relations map[string]bool
	listLine  int // of _relationstypen, from 1; 0 without one
}

// HasRelation reports whether a relation type is registered.
func (t Types) HasRelation(name string) bool { return t.relations[name] }

// typeFields are what each type must say.
var typeFields = []string{"beschreibung", "besonderheiten", "graph_rolle", "kriterien", "pflicht_extra"}

// LoadTypes reads schema/types.yaml.
func LoadTypes(t *tree.Tree, f *check.Findings) Types {
	if !t.SafeFile(TypesFile) {
		f.Error(check.File(TypesFile), "TY-1")
		return Types{}
	}
	s, ok := f.Text(t, TypesFile)
	if !ok {
		return Types{}
	}
	types := ParseTypes(s, f)
	checkTypes(types, f)
	return types
}

// checkTypes checks what needs the whole registry.
func checkTypes(types Types, f *check.Findings) {
	where := check.File(TypesFile)
	if len(types.Fields) == 0 {
		f.Error(where, "TY-13")
	}
	if len(types.Relations) == 0 {
		f.Error(where, "TY-14")
	}
	for _, name := range slices.Sorted(maps.Keys(types.Fields)) {
		checkType(where, name, types.Fields[name], f)
	}
}

func checkType(where check.Where, name string, fields map[string]string, f *check.Findings) {
	var missing, unknown, empty []string
	for _, field := range typeFields {
		if value, ok := fields[field]; !ok {
			missing = append(missing, field)
		} else if text.IsBlank(value) {
			empty = append(empty, field)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(typeFields, field) {
			unknown = append(unknown, field)
		}
	}
	if missing != nil {
		f.Error(where, "TY-15", name, missing)
	}
	if unknown != nil {
		f.Error(where, "TY-16", name, unknown)
	}
	if empty != nil {
		f.Error(where, "TY-17", name, empty)
	}
}

// ParseTypes reads the two levels of the type registry (1-format section 4). Its
// oddities are the format's: a bad line does not end a type.
func ParseTypes(s string, f *check.Findings) Types {
	types := Types{Fields: map[string]map[string]string{}}
	current, seenRelations := "", false
	for i, line := range strings.Split(s, "\n") {
		where, trimmed := check.Line(TypesFile, i+1), text.Trim(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] == ' ' && strings.HasPrefix(line, "  ") && current != "":
			field, value, ok := strings.Cut(trimmed, ":")
			if !ok {
				f.Error(where, "TY-10")
				continue
			}
			field = text.Trim(field)
			if _, twice := types.Fields[current][field]; twice {
				f.Error(where, "TY-11", field, current)
				continue
			}
			types.Fields[current][field] = strings.Trim(text.Trim(value), `"`)
		case line[0] == ' ':
			f.Error(where, "TY-12")
		default:
			key, value, ok := strings.Cut(line, ":")
			key, value = text.Trim(key), text.Trim(value)
			switch {
			case !ok:
				f.Error(where, "TY-2")
				current = ""
			case key == "_relationstypen":
				if seenRelations {
					f.Error(where, "TY-3")
				}
				seenRelations, current, types.listLine = true, "", i+1
				types.Relations = parseRelationTypes(where, value, f)
				types.relations = make(map[string]bool, len(types.Relations))
				for _, name := range types.Relations {
					types.relations[name] = true
				}
			case value != "":
				f.Error(where, "TY-9")
			case !IsTypeName(key):
				f.Error(where, "TY-7", key)
				current = ""
			case types.Fields[key] != nil:
				f.Error(where, "TY-8", key)
				current = ""
			default:
				current = key
				types.Fields[key] = map[string]string{}
			}
		}
	}
	return types
}

func parseRelationTypes(where check.Where, value string, f *check.Findings) []string {
	if len(value) < 2 || value[0] != '[' || value[len(value)-1] != ']' {
		f.Error(where, "TY-4")
		return nil
	}
	var list []string
	for item := range strings.SplitSeq(value[1:len(value)-1], ",") {
		if item = text.Trim(item); item != "" {
			list = append(list, item)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
		f.Error(where, "TY-5")
	}
	for _, item := range list {
		if !IsRelationType(item) {
			f.Error(where, "TY-6", item)
		}
	}
	return list
}
