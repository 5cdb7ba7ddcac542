package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Every key is declared once, in a function over forms such as [readHuman].
// The same function reads the key from a file, writes it for `config show` and
// lists it for suggestions and for the test of the documentation. That is what
// a mode is.
type mode int

const (
	reading mode = iota
	writing
	listing
)

// A walk is one pass over all keys, and what it gathers.
type walk struct {
	mode mode
	file string // path of the file, for problems
	dir  string // the human directory
	env  func(string) string

	unresolved bool // leave references to secrets alone

	exposed  string // mode of a file that others can read
	problems []Problem
	written  map[*yaml.Node]string // paths of nodes that an old shape wrote elsewhere
	literals []literal             // secrets that stand in the file
	later    map[string]any        // keys that no part of outheis reads yet, by path
	unused   []string              // their sections, as found in the file
	keys     []key                 // when listing
	known    []key                 // when reading: what listing gave

	providers                            []string    // as they are defined
	models                               []reference // as they are defined
	modelRefs, providerRefs, tresorNames []reference
	tasks                                []reference // that are switched on
	listeners                            []reference // addresses that accounts listen on
}

// A key is a key that may stand in the file. In its path, [] stands for each
// item of a list and <name> for a name that the user chooses.
type key struct {
	path  string
	kind  string
	later bool
}

// A literal is where a secret stands in the file itself.
type literal struct {
	node *yaml.Node
	path string
}

// A form is one mapping of the file.
type form struct {
	w     *walk
	path  string     // canonical
	shown string     // as the file has it
	node  *yaml.Node // when reading: the mapping, or nil when it is not there
	seen  []string   // keys that may stand here
	out   *yaml.Node // when writing
}

// root returns the form of the whole file.
func (w *walk) root(n *yaml.Node) *form {
	return &form{w: w, node: n, out: newMapping()}
}

func newMapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

// fail reports an error at a node, which may be nil.
func (w *walk) fail(n *yaml.Node, path string, code Code, args ...any) {
	w.report(Error, n, path, code, args...)
}

// warn reports a warning.
func (w *walk) warn(n *yaml.Node, path string, code Code, args ...any) {
	w.report(Warning, n, path, code, args...)
}

func (w *walk) report(s Severity, n *yaml.Node, path string, code Code, args ...any) {
	p := Problem{File: w.file, Path: path, Severity: s, Code: code, Args: args}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	w.problems = append(w.problems, p)
}

// is reports whether f is part of a pass of that mode.
func (f *form) is(m mode) bool { return f.w.mode == m }

// get returns the value of a key as it stands in the file, or nil.
func (f *form) get(key string) *yaml.Node {
	if f.node == nil {
		return nil
	}
	for k, v := range pairs(f.node) {
		if k.Value == key && !isNull(v) {
			return v
		}
	}
	return nil
}

// has reports whether the file says something about key.
func (f *form) has(key string) bool { return f.get(key) != nil }

// at returns the path of a key as the file has it.
func (f *form) at(key string) string {
	if n := f.get(key); n != nil {
		if path, ok := f.w.written[n]; ok {
			return path
		}
	}
	return join(f.shown, key)
}

// place returns the node to which a problem with key belongs: its value, or
// the mapping in which it is missing.
func (f *form) place(key string) *yaml.Node {
	if n := f.get(key); n != nil {
		return n
	}
	return f.node
}

// fail and warn report a problem with a key.
func (f *form) fail(key string, code Code, args ...any) {
	f.w.fail(f.place(key), f.at(key), code, args...)
}

func (f *form) warn(key string, code Code, args ...any) {
	f.w.warn(f.place(key), f.at(key), code, args...)
}

// declare notes that key may stand in f and returns its value when reading.
func (f *form) declare(key, kind string) *yaml.Node {
	f.seen = append(f.seen, key)
	f.list(key, kind)
	if !f.is(reading) {
		return nil
	}
	return f.get(key)
}

func (f *form) list(name, kind string) {
	if f.is(listing) {
		f.w.keys = append(f.w.keys, key{path: join(f.path, name), kind: kind})
	}
}

// put writes the value of a key; nil is left out.
func (f *form) put(key string, value *yaml.Node) {
	if value == nil {
		return
	}
	f.out.Content = append(f.out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// field reads or writes one scalar.
func field[T any](f *form, key string, to *T, k kind[T]) {
	n := f.declare(key, k.name)
	if f.is(writing) {
		f.put(key, k.write(*to))
	}
	if n == nil {
		return
	}
	if v, bad := k.read(n); bad != nil {
		f.fail(key, bad.code, bad.args...)
	} else {
		*to = v
	}
}

// items reads or writes a list of scalars. A single scalar counts as a list of
// one.
func items[T any](f *form, key string, to *[]T, k kind[T]) {
	n := f.declare(key, k.name+"[]")
	if f.is(writing) {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for _, v := range *to {
			list.Content = append(list.Content, k.write(v))
		}
		f.put(key, list)
	}
	if n == nil {
		return
	}
	list, at := []*yaml.Node{n}, []string{f.at(key)}
	if n.Kind == yaml.SequenceNode {
		list, at = n.Content, nil
	}
	values := make([]T, 0, len(list))
	for i, item := range list {
		path := index(f.at(key), i)
		if at != nil {
			path = at[i]
		}
		if v, bad := k.read(item); bad != nil {
			f.w.fail(item, path, bad.code, bad.args...)
		} else {
			values = append(values, v)
		}
	}
	*to = values
}

// sub reads or writes a mapping below key.
func sub(f *form, key string, do func(*form)) {
	n := f.declare(key, "object")
	if n != nil && n.Kind != yaml.MappingNode {
		f.fail(key, wantObject, excerpt(n))
		n = nil
	}
	g := &form{w: f.w, path: join(f.path, key), shown: f.at(key), node: n, out: newMapping()}
	do(g)
	g.unknown()
	if f.is(writing) && len(g.out.Content) > 0 {
		f.put(key, g.out)
	}
}

// forms reads or writes a list of mappings. A single mapping counts as a list
// of one. When plain is not empty, an item may be a scalar, which stands for a
// mapping with that one key.
func forms[T any](f *form, key string, to *[]T, plain string, item func(*form, *T)) {
	n := f.declare(key, "object[]")
	path := join(f.path, key)
	switch f.w.mode {
	case listing:
		var v T
		g := &form{w: f.w, path: path + "[]"}
		item(g, &v)
	case writing:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range *to {
			g := &form{w: f.w, path: index(path, i), out: newMapping()}
			item(g, &(*to)[i])
			list.Content = append(list.Content, g.out)
		}
		if len(list.Content) == 0 {
			list.Style = yaml.FlowStyle
		}
		f.put(key, list)
	}
	if n == nil {
		return
	}
	list, single := n.Content, false
	switch {
	case n.Kind == yaml.MappingNode, n.Kind == yaml.ScalarNode && plain != "":
		list, single = []*yaml.Node{n}, true
	case n.Kind != yaml.SequenceNode:
		f.fail(key, wantList, excerpt(n))
		return
	}
	values := make([]T, 0, len(list))
	for i, node := range list {
		g := &form{w: f.w, path: index(path, i), shown: index(f.at(key), i), node: node}
		if single {
			g.shown = f.at(key)
		}
		if node.Kind == yaml.ScalarNode && plain != "" && !isNull(node) {
			g.node = f.w.wrap(plain, node, g.shown)
		} else if node.Kind != yaml.MappingNode {
			f.w.fail(node, g.shown, wantObject, excerpt(node))
			continue
		}
		var v T
		item(g, &v)
		g.unknown()
		values = append(values, v)
	}
	*to = values
}

// wrap makes the mapping {key: n}, whose problems are shown at the scalar n.
func (w *walk) wrap(key string, n *yaml.Node, shown string) *yaml.Node {
	m := newMapping()
	m.Line, m.Column = n.Line, n.Column
	m.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: n.Line, Column: n.Column}, n}
	w.written[n] = shown
	return m
}

// names reads or writes a mapping whose keys the user chooses.
func names[T any](f *form, key string, to *map[string]T, item func(f *form, name string, v *T)) {
	n := f.declare(key, "object")
	path := join(f.path, key)
	switch f.w.mode {
	case listing:
		var v T
		item(&form{w: f.w, path: path + ".<name>"}, "<name>", &v)
	case writing:
		all := newMapping()
		for _, name := range sortedKeys(*to) {
			v := (*to)[name]
			g := &form{w: f.w, path: join(path, name), out: newMapping()}
			item(g, name, &v)
			h := &form{out: all}
			h.put(name, g.out)
		}
		if len(all.Content) > 0 {
			f.put(key, all)
		}
	}
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		f.fail(key, wantObject, excerpt(n))
		return
	}
	*to = make(map[string]T)
	for k, value := range pairs(n) {
		shown := join(f.at(key), k.Value)
		if w, ok := f.w.written[value]; ok {
			shown = w
		}
		if value.Kind != yaml.MappingNode && !isNull(value) {
			f.w.fail(value, shown, wantObject, excerpt(value))
			continue
		}
		g := &form{w: f.w, path: join(path, k.Value), shown: shown, node: value}
		var v T
		item(g, k.Value, &v)
		g.unknown()
		(*to)[k.Value] = v
	}
}

// unknown reports the keys of f that nobody declared, each with the key that
// may be meant: a similar one here, or one of the same name elsewhere.
func (f *form) unknown() {
	if !f.is(reading) || f.node == nil || f.node.Kind != yaml.MappingNode {
		return
	}
	for k, v := range pairs(f.node) {
		if slices.Contains(f.seen, k.Value) {
			continue
		}
		at := join(f.shown, k.Value)
		if path, ok := f.w.written[v]; ok {
			at = path
		}
		if here := similar(k.Value, f.seen); here != "" {
			f.w.fail(k, at, unknownKeySimilar, here)
		} else if there := f.w.elsewhere(k.Value); there != "" {
			f.w.fail(k, at, unknownKeyElsewhere, there)
		} else {
			f.w.fail(k, at, unknownKey)
		}
	}
}

// elsewhere returns the path of the only key of that name, if there is one.
func (w *walk) elsewhere(name string) string {
	found := ""
	for _, k := range w.known {
		if k.path != name && !strings.HasSuffix(k.path, "."+name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k.path
	}
	return found
}
