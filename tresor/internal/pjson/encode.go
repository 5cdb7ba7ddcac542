package pjson

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Encode returns v as P-JSON with its line end: sorted keys, two blanks of
// indentation, nothing escaped but quotes, backslashes and control characters.
// V is made of nil, bool, string, int, [Number], []any, []string and [Object].
// A Number must be one that fits its range.
func Encode(v any) []byte {
	return append(appendValue(nil, v, "\n"), '\n')
}

func appendValue(b []byte, v any, newline string) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return AppendString(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case Number:
		return append(b, v.Canonical()...)
	case []string:
		return appendList(b, v, newline)
	case []any:
		return appendList(b, v, newline)
	case Object:
		return appendObject(b, v, newline)
	}
	panic(fmt.Sprintf("pjson: cannot encode %T", v))
}

func appendList[T any](b []byte, list []T, newline string) []byte {
	if len(list) == 0 {
		return append(b, "[]"...)
	}
	inner := newline + "  "
	for i, v := range list {
		b = append(b, "[,"[min(i, 1)])
		b = appendValue(append(b, inner...), v, inner)
	}
	return append(append(b, newline...), ']')
}

func appendObject(b []byte, o Object, newline string) []byte {
	if len(o) == 0 {
		return append(b, "{}"...)
	}
	inner := newline + "  "
	for i, key := range slices.Sorted(maps.Keys(o)) {
		b = append(b, "{,"[min(i, 1)])
		b = AppendString(append(b, inner...), key)
		b = appendValue(append(b, ": "...), o[key], inner)
	}
	return append(append(b, newline...), '}')
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= 0x20:
			b = append(b, c)
		case strings.IndexByte("\b\f\n\r\t", c) >= 0:
			b = append(b, '\\', "bfnrt"[strings.IndexByte("\b\f\n\r\t", c)])
		default:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	return append(b, '"')
}

// Canonical returns the number as the format prints it: an integer plain, any
// other one in the shortest form that reads back as the same float64, with a
// point or an exponent.
func (n Number) Canonical() string {
	if i, ok := n.Int(); ok {
		return strconv.FormatInt(i, 10)
	}
	f, ok := n.Float()
	if !ok {
		return string(n)
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
