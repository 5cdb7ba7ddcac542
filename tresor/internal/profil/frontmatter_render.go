package profil

import (
	"maps"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/lines"
	"outheis/tresor/internal/text"
)

// fieldOrder is the order in which the fields of a page are written.
var fieldOrder = []string{"type", "title", "domain", "status", "confidence", "version", "stand", "sources", "externe_quellen",
	"tags", "relations", "concepts", "geprueft_von", "geprueft_am"}

// Render returns the head of the page at path, both marks included: the known
// fields in their order, then all others by name. A value that the format cannot
// hold, such as one with a line break, gives a [*check.Refusal].
func (m FrontMatter) Render(path string) (string, error) {
	var b strings.Builder
	b.WriteString("---\n")
	for _, name := range m.names() {
		field, err := renderField(path, name, m[name])
		if err != nil {
			return "", err
		}
		for _, line := range field {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString("---\n")
	if err := readsBack(path, b.String(), m, ""); err != nil {
		return "", err
	}
	return b.String(), nil
}

func (m FrontMatter) names() []string {
	var names []string
	for _, name := range fieldOrder {
		if _, ok := m[name]; ok {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(fieldOrder, name) {
			names = append(names, name)
		}
	}
	return names
}

// renderField returns the lines of a field: one, or for a list with items that
// cannot stand in brackets one for each item more.
func renderField(path, name string, v Value) ([]string, error) {
	refused := check.Refuse(check.File(path), "ED-1", name, v.Text+strings.Join(v.List, ", "))
	if !v.IsList {
		s, ok := quoted(v.Text, func(s string) bool { return s != "" && same(inlineValue(s), v) })
		if !ok {
			return nil, refused
		}
		return []string{name + ": " + s}, nil
	}
	inline, block := make([]string, 0, len(v.List)), []string{name + ":"}
	for _, item := range v.List {
		if s, ok := inBrackets(item); ok {
			inline = append(inline, s)
		}
		s, ok := below(item)
		if !ok {
			return nil, refused
		}
		block = append(block, s)
	}
	if len(inline) == len(v.List) {
		return []string{name + ": [" + strings.Join(inline, ", ") + "]"}, nil
	}
	return block, nil
}

// inBrackets returns the spelling of a list's item in brackets, if it has one.
func inBrackets(item string) (string, bool) {
	alone := Value{IsList: true, List: []string{item}}
	return quoted(item, func(s string) bool { return same(inlineValue("["+s+"]"), alone) })
}

// below returns the line of a list's item below its field, if it has one.
func below(item string) (string, bool) {
	s, ok := quoted(item, func(s string) bool { return s != "" && unquote(s) == item })
	return listMark + s, ok
}

// quoted returns the plainest spelling of s that the parser reads back.
func quoted(s string, reads func(string) bool) (string, bool) {
	spellings := []string{s, `"` + s + `"`, `'` + s + `'`}
	if !plainYAML(s) {
		spellings = []string{`"` + s + `"`, s, `'` + s + `'`}
	}
	if !isText(s) || strings.Contains(s, "\n") {
		return "", false
	}
	for _, spelling := range spellings {
		if text.Trim(spelling) == spelling && reads(spelling) {
			return spelling, true
		}
	}
	return "", false
}

// plainYAML reports whether other readers of YAML take s without quotes for the
// same text; the format itself does not mind.
func plainYAML(s string) bool {
	return s != "" && !strings.ContainsAny(s[:1], "!&*?|>@%{}#:`-") && !strings.Contains(s, ": ") && !strings.Contains(s, " #") &&
		!strings.HasSuffix(s, ":")
}

func same(a, b Value) bool {
	return a.IsList == b.IsList && a.Text == b.Text && slices.Equal(a.List, b.List)
}

// isText reports whether s as a file is read as s.
func isText(s string) bool { return text.InvalidAt([]byte(s)) < 0 && !strings.Contains(s, "\r") }

// readsBack checks that page has exactly the fields want and the body.
func readsBack(path, page string, want FrontMatter, body string) error {
	var found check.Findings
	got, rest, _ := ParseFrontMatter(path, page, &found)
	for _, name := range want.names() {
		if v, ok := got[name]; !ok || !same(v, want[name]) {
			return check.Refuse(check.File(path), "ED-1", name, want[name].Text+strings.Join(want[name].List, ", "))
		}
	}
	if err := found.Refused(); err != nil {
		return err
	}
	if len(got) != len(want) || rest != body || !isText(page) {
		return check.Refuse(check.File(path), "ED-2")
	}
	return nil
}

// SetText returns the page with the text field name set to value, in its place
// or, if it is new, where the order of fields wants it. All other bytes stay. A
// page whose head has errors, or a field that is a list, gives a
// [*check.Refusal].
func SetText(path string, page []byte, name, value string) ([]byte, error) {
	return edit(path, page, func(f *lines.File, m FrontMatter) error {
		old, exists := m[name]
		if old.List != nil {
			return check.Refuse(check.Line(path, old.Line), "ED-3", name)
		}
		v := Value{Text: value}
		field, err := renderField(path, name, v)
		if err != nil {
			return err
		}
		if !exists {
			insertField(f, m, name, field)
		} else if old.IsList || old.Text != value {
			f.Set(old.Line-1, field[0])
		}
		m[name] = v
		return nil
	})
}

// AddToList returns the page with item added to the list field name, which is
// written in its present form, in brackets or below the field, and begun if it
// is new. All other bytes stay; an item that is there already changes nothing.
// Errors as with [SetText].
func AddToList(path string, page []byte, name, item string) ([]byte, error) {
	return edit(path, page, func(f *lines.File, m FrontMatter) error {
		old, exists := m[name]
		if slices.Contains(old.List, item) {
			return nil
		}
		if exists && !old.IsList {
			return check.Refuse(check.Line(path, old.Line), "ED-4", name)
		}
		v := Value{IsList: true, List: append(slices.Clone(old.List), item)}
		field, err := renderField(path, name, v)
		if err != nil {
			return err
		}
		defer func() { m[name] = v }()
		if !exists {
			insertField(f, m, name, field)
			return nil
		}
		at := old.Line - 1
		if isBlock(f, old) && old.List != nil {
			line, _ := below(item)
			f.InsertAfter(at+len(old.List), line)
			return nil
		}
		if spelling, ok := inBrackets(item); ok && old.List != nil {
			line := f.Text(at)
			end := strings.LastIndexByte(line, ']')
			f.Set(at, line[:end]+", "+spelling+line[end:])
			return nil
		}
		f.Set(at, field[0])
		f.InsertAfter(at, field[1:]...)
		return nil
	})
}

// edit changes the head of a page. Change brings f to what it makes of m.
func edit(path string, page []byte, change func(*lines.File, FrontMatter) error) ([]byte, error) {
	f, err := lines.Parse(path, page)
	if err != nil {
		return nil, err
	}
	var found check.Findings
	m, body, _ := ParseFrontMatter(path, f.Decoded(), &found)
	if err := found.Refused(); err != nil {
		return nil, err
	}
	if err := change(f, m); err != nil {
		return nil, err
	}
	if err := readsBack(path, f.Decoded(), m, body); err != nil {
		return nil, err
	}
	return f.Bytes()
}

// insertField puts the lines of a new field behind the fields that its order
// wants before it, and at the end of the head if it is unknown.
func insertField(f *lines.File, m FrontMatter, name string, field []string) {
	rank := func(name string) int {
		if i := slices.Index(fieldOrder, name); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	after := 0 // the opening mark
	for other, v := range m {
		if rank(other) > rank(name) {
			continue
		}
		last := v.Line - 1
		if isBlock(f, v) {
			last += len(v.List)
		}
		after = max(after, last)
	}
	f.InsertAfter(after, field...)
}

// isBlock reports whether the items of a list stand below its field.
func isBlock(f *lines.File, v Value) bool {
	_, rest, _ := strings.Cut(f.Text(v.Line-1), ":")
	return text.IsBlank(rest)
}
