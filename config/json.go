package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"gopkg.in/yaml.v3"
)

// parseJSON reads JSON into the tree that YAML is read into. It is not left to
// the YAML parser, because that refuses tabs and pairs of \u escapes, which
// JSON allows, and takes much that JSON does not.
func (w *walk) parseJSON(b []byte) *yaml.Node {
	p := &jsonParser{d: json.NewDecoder(bytes.NewReader(b)), lines: lineStarts(b), b: b}
	p.d.UseNumber()
	n, err := p.value(0)
	if err == nil {
		if _, err = p.d.Token(); errors.Is(err, io.EOF) {
			return n
		}
		if err == nil {
			err = errors.New("more text after the end")
		}
	}
	if errors.Is(err, io.EOF) && len(bytes.TrimSpace(b)) == 0 {
		err = errors.New("the file is empty; at least {} is needed")
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends in the middle")
	}
	at := p.d.InputOffset()
	var se *json.SyntaxError
	if errors.As(err, &se) {
		at = se.Offset
	}
	line, column := p.place(int(at))
	w.problems = append(w.problems, Problem{
		File: w.file, Line: line, Column: column, Severity: Error, Code: syntax, Args: []any{err.Error()},
	})
	return nil
}

type jsonParser struct {
	d     *json.Decoder
	b     []byte
	lines []int // offset of each line's first byte
}

func lineStarts(b []byte) []int {
	starts := []int{0}
	for i, c := range b {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (p *jsonParser) place(offset int) (line, column int) {
	i, found := slices.BinarySearch(p.lines, offset)
	if !found {
		i--
	}
	return i + 1, offset - p.lines[i] + 1
}

// next returns the next token and an empty node at its place.
func (p *jsonParser) next() (json.Token, *yaml.Node, error) {
	start := int(p.d.InputOffset())
	t, err := p.d.Token()
	if err != nil {
		return nil, nil, err
	}
	for start < len(p.b) && bytes.IndexByte([]byte(" \t\r\n,:"), p.b[start]) >= 0 {
		start++
	}
	n := new(yaml.Node)
	n.Line, n.Column = p.place(start)
	return t, n, nil
}

func (p *jsonParser) value(depth int) (*yaml.Node, error) {
	if depth > maxDepth+1 {
		return nil, fmt.Errorf("nested more than %d times", maxDepth)
	}
	t, n, err := p.next()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		if t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		return n, p.fill(n, depth)
	case string:
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", t.String()
		if wholePattern.MatchString(n.Value) {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(t)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	n.Kind = yaml.ScalarNode
	return n, nil
}

// fill reads the content of a list or an object and its end.
func (p *jsonParser) fill(n *yaml.Node, depth int) error {
	for p.d.More() {
		if n.Kind == yaml.MappingNode {
			key, at, err := p.next()
			if err != nil {
				return err
			}
			s, ok := key.(string)
			if !ok {
				return errors.New("a key is no text")
			}
			at.Kind, at.Tag, at.Value = yaml.ScalarNode, "!!str", s
			n.Content = append(n.Content, at)
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, v)
	}
	_, err := p.d.Token()
	return err
}
