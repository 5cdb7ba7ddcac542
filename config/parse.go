package config

import (
	"bytes"
	"errors"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const (
	maxFile  = 1 << 20 // bytes of a configuration file
	maxDepth = 32      // levels of nesting
)

// parse turns a file into a tree of mappings, lists and scalars, every one with
// its line. JSON is read as JSON and YAML as YAML, into the same tree. What
// the tree must not contain (aliases, tags, keys twice) is reported; the tree
// is nil when there is nothing to go on with.
func (w *walk) parse(name string, b []byte) *yaml.Node {
	if len(b) > maxFile {
		w.fail(nil, "", fileTooLarge, maxFile)
		return nil
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	if !utf8.Valid(b) {
		w.problems = append(w.problems, Problem{File: w.file, Line: badLine(b), Severity: Error, Code: notUTF8})
		return nil
	}
	var root *yaml.Node
	if path.Ext(name) == ".json" {
		root = w.parseJSON(b)
	} else {
		root = w.parseYAML(b)
	}
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		w.fail(root, "", notAnObject)
		return nil
	}
	before := len(w.problems)
	w.inspect(root, "", 0)
	if HasErrors(w.problems[before:]) {
		return nil
	}
	return root
}

func badLine(b []byte) int {
	line := 1
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		b = b[n:]
	}
	return line
}

func (w *walk) parseYAML(b []byte) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) { // empty, or nothing but comments
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	}
	if err != nil {
		w.syntaxYAML(b, err)
		return nil
	}
	var next yaml.Node
	switch err := d.Decode(&next); {
	case err == nil:
		w.fail(&next, "", severalDocuments)
		return nil
	case !errors.Is(err, io.EOF):
		w.syntaxYAML(b, err)
		return nil
	}
	root := doc.Content[0]
	if isNull(root) {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: root.Line, Column: root.Column}
	}
	return root
}

var (
	yamlLine = regexp.MustCompile(`line (\d+): `)
	// Of the parser's errors, those that count lines from 0 and leave 0 out.
	yamlFromZero = regexp.MustCompile(`^did not find expected (',' or|'-' indicator|key|node content|<)`)
	tabbed       = regexp.MustCompile(`(?m)^ *\t[ \t]*\S`)
)

// syntaxYAML reports a file that does not parse. The parser's words about tabs
// differ from place to place and name none, so a tab in the indentation is
// said first.
func (w *walk) syntaxYAML(b []byte, err error) {
	detail := strings.TrimPrefix(err.Error(), "yaml: ")
	p := Problem{File: w.file, Line: 1, Severity: Error, Code: syntax}
	if m := yamlLine.FindStringSubmatch(detail); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		detail = strings.Replace(detail, m[0], "", 1)
		if yamlFromZero.MatchString(detail) {
			p.Line++
		}
	}
	if at := tabbed.FindIndex(b); at != nil {
		p.Code, p.Line = tabIndent, 1+bytes.Count(b[:at[0]], []byte("\n"))
	} else {
		p.Args = []any{detail}
	}
	w.problems = append(w.problems, p)
}

// inspect reports what no part of the tree may be.
func (w *walk) inspect(n *yaml.Node, at string, depth int) {
	switch {
	case depth > maxDepth:
		w.fail(n, at, tooDeep, maxDepth)
		return
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		w.fail(n, at, aliased)
		return
	case n.Style&yaml.TaggedStyle != 0:
		w.fail(n, at, tagged, n.Tag)
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.inspectMapping(n, at, depth)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			w.inspect(item, index(at, i), depth+1)
		}
	}
}

func (w *walk) inspectMapping(n *yaml.Node, at string, depth int) {
	first := make(map[string]int)
	for key, value := range pairs(n) {
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
			w.fail(key, at, complexKey)
			continue
		case first[key.Value] > 0:
			w.fail(key, join(at, key.Value), duplicateKey, first[key.Value])
			continue
		}
		first[key.Value] = key.Line
		w.inspect(value, join(at, key.Value), depth+1)
	}
}

// pairs yields the keys and values of a mapping.
func pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// join appends a key to a path. A key that would not be read as one is quoted.
func join(at, key string) string {
	if key == "" || strings.ContainsFunc(key, isOdd) {
		key = strconv.Quote(clip(key))
	}
	if at == "" {
		return key
	}
	return at + "." + key
}

// isOdd reports whether a key with r in it would not be read as one.
func isOdd(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-<>*", r)
}

func index(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

// tokenLike fits a bot's token, wherever somebody has put it.
var tokenLike = regexp.MustCompile(`[0-9]{5,16}:[A-Za-z0-9_-]{20,}`)

// clip shortens what is quoted from a file, and hides tokens in it.
func clip(s string) string {
	const most = 60
	s = tokenLike.ReplaceAllString(s, "***")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
