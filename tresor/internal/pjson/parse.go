// Package pjson reads the format's JSON strictly and writes its two exact
// forms, P-JSON for files and output and C-JSON as hash input (README sections
// 5.7 and 5.8).
package pjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"outheis/tresor/internal/text"
)

// MaxDepth is how deep arrays and objects may nest (deviation D-06).
const MaxDepth = 64

// Object is a JSON object.
type Object = map[string]any

// A Number is a JSON number as it was written.
type Number string

// IsInt reports whether the number is written as an integer.
func (n Number) IsInt() bool { return !strings.ContainsAny(string(n), ".eE") }

// Int returns an integer that fits into 64 bits.
func (n Number) Int() (i int64, ok bool) {
	if !n.IsInt() {
		return 0, false
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	return i, err == nil
}

// Float returns the number; it is false for one that is beyond float64, and for
// an integer that is beyond int64 (deviation D-29).
func (n Number) Float() (f float64, ok bool) {
	if n.IsInt() {
		i, ok := n.Int()
		return float64(i), ok
	}
	f, err := strconv.ParseFloat(string(n), 64)
	return f, err == nil
}

// Kind says why bytes are no strict JSON; there is a sentence for each.
type Kind string

// The kinds of [SyntaxError].
const (
	KindSyntax    Kind = "syntax"
	KindUTF8      Kind = "utf8"
	KindDuplicate Kind = "duplicate" // a key occurs twice in one object
	KindConstant  Kind = "constant"  // NaN or Infinity
	KindDepth     Kind = "depth"
	KindSurrogate Kind = "surrogate" // a lone one, escaped
)

// A SyntaxError is why bytes are no strict JSON.
type SyntaxError struct {
	Kind   Kind
	Detail string // the key or constant
	Line   int    // from 1
	Offset int    // in bytes
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %s %s", e.Line, e.Kind, e.Detail)
}

// Parse reads one JSON document. Its values are nil, bool, string, [Number],
// []any and [Object]. Refused are invalid UTF-8, a byte-order mark, text behind
// the document, repeated keys, constants that are no JSON, control characters
// in strings, lone surrogates and nesting beyond [MaxDepth]. The error is a
// [*SyntaxError].
func Parse(b []byte) (any, error) {
	p := parser{b: b}
	if bad := text.InvalidAt(b); bad >= 0 {
		return nil, p.fail(KindUTF8, bad, "")
	}
	v, err := p.document()
	if err != nil {
		return nil, err
	}
	return v, nil
}

type parser struct {
	b   []byte
	pos int
}

func (p *parser) fail(k Kind, at int, detail string) *SyntaxError {
	line := 1
	for _, c := range p.b[:min(at, len(p.b))] {
		if c == '\n' {
			line++
		}
	}
	return &SyntaxError{Kind: k, Detail: detail, Line: line, Offset: at}
}

func (p *parser) syntax() *SyntaxError { return p.fail(KindSyntax, p.pos, "") }

func (p *parser) document() (any, *SyntaxError) {
	v, err := p.value(1)
	if err != nil {
		return nil, err
	}
	p.blanks()
	if p.pos < len(p.b) {
		return nil, p.syntax()
	}
	return v, nil
}

func (p *parser) blanks() {
	for p.pos < len(p.b) {
		switch p.b[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// next skips blanks and returns the next byte without taking it; 0 at the end.
func (p *parser) next() byte {
	p.blanks()
	if p.pos == len(p.b) {
		return 0
	}
	return p.b[p.pos]
}

func (p *parser) value(depth int) (any, *SyntaxError) {
	switch c := p.next(); {
	case c == '{' || c == '[':
		if depth > MaxDepth {
			return nil, p.fail(KindDepth, p.pos, strconv.Itoa(MaxDepth))
		}
		p.pos++
		if c == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't' && p.literal("true"):
		return true, nil
	case c == 'f' && p.literal("false"):
		return false, nil
	case c == 'n' && p.literal("null"):
		return nil, nil
	}
	for _, name := range []string{"NaN", "Infinity"} {
		if start := p.pos; p.literal(name) {
			return nil, p.fail(KindConstant, start, name)
		}
	}
	return nil, p.syntax()
}

func (p *parser) literal(word string) bool {
	if !strings.HasPrefix(string(p.b[p.pos:min(len(p.b), p.pos+len(word))]), word) {
		return false
	}
	p.pos += len(word)
	return true
}

func (p *parser) object(depth int) (any, *SyntaxError) {
	o := Object{}
	if p.next() == '}' {
		p.pos++
		return o, nil
	}
	for {
		if p.next() != '"' {
			return nil, p.syntax()
		}
		at := p.pos
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if _, ok := o[key]; ok {
			return nil, p.fail(KindDuplicate, at, key)
		}
		if p.next() != ':' {
			return nil, p.syntax()
		}
		p.pos++
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		o[key] = v
		switch p.next() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return o, nil
		default:
			return nil, p.syntax()
		}
	}
}

func (p *parser) array(depth int) (any, *SyntaxError) {
	list := []any{}
	if p.next() == ']' {
		p.pos++
		return list, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		switch p.next() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return list, nil
		default:
			return nil, p.syntax()
		}
	}
}

func (p *parser) number() (any, *SyntaxError) {
	start := p.pos
	if p.b[p.pos] == '-' {
		p.pos++
		if at := p.pos; p.literal("Infinity") {
			return nil, p.fail(KindConstant, at-1, "-Infinity")
		}
	}
	switch {
	case p.pos < len(p.b) && p.b[p.pos] == '0':
		p.pos++
	case !p.digits():
		return nil, p.syntax()
	}
	if p.pos < len(p.b) && p.b[p.pos] == '.' {
		p.pos++
		if !p.digits() {
			return nil, p.syntax()
		}
	}
	if p.pos < len(p.b) && (p.b[p.pos] == 'e' || p.b[p.pos] == 'E') {
		p.pos++
		if p.pos < len(p.b) && (p.b[p.pos] == '+' || p.b[p.pos] == '-') {
			p.pos++
		}
		if !p.digits() {
			return nil, p.syntax()
		}
	}
	return Number(p.b[start:p.pos]), nil
}

func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.b) && text.IsDigit(p.b[p.pos]) {
		p.pos++
	}
	return p.pos > start
}

// str reads a string; p stands on its opening quote.
func (p *parser) str() (string, *SyntaxError) {
	p.pos++
	start := p.pos
	for p.pos < len(p.b) {
		switch c := p.b[p.pos]; {
		case c == '"':
			s := string(p.b[start:p.pos])
			p.pos++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.syntax()
		}
		p.pos++
	}
	return "", p.syntax()
}

// escaped reads on where the first backslash of the string at start stands.
func (p *parser) escaped(start int) (string, *SyntaxError) {
	s := append([]byte(nil), p.b[start:p.pos]...)
	for p.pos < len(p.b) {
		c := p.b[p.pos]
		switch {
		case c == '"':
			p.pos++
			return string(s), nil
		case c < 0x20:
			return "", p.syntax()
		case c != '\\':
			s = append(s, c)
			p.pos++
			continue
		}
		at := p.pos
		p.pos++
		if p.pos == len(p.b) {
			return "", p.syntax()
		}
		c = p.b[p.pos]
		p.pos++
		if c != 'u' {
			i := strings.IndexByte(`"\/bfnrt`, c)
			if i < 0 {
				return "", p.fail(KindSyntax, at, "")
			}
			s = append(s, "\"\\/\b\f\n\r\t"[i])
			continue
		}
		r, ok := p.hex4()
		if !ok {
			return "", p.fail(KindSyntax, at, "")
		}
		if utf16.IsSurrogate(r) {
			low, ok := rune(0), p.literal(`\u`)
			if ok {
				low, ok = p.hex4()
			}
			if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
				return "", p.fail(KindSurrogate, at, "")
			}
		}
		s = utf8.AppendRune(s, r)
	}
	return "", p.syntax()
}

func (p *parser) hex4() (rune, bool) {
	if len(p.b)-p.pos < 4 {
		return 0, false
	}
	var r rune
	for _, c := range p.b[p.pos : p.pos+4] {
		switch {
		case text.IsDigit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	p.pos += 4
	return r, true
}
