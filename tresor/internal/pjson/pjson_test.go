package pjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"outheis/tresor/internal/pjson"
)

func TestParse(t *testing.T) {
	in := "\n {\"b\": [1, -2.50, 1e3, true, false, null], \"a\": {\"ä\\u00fc\\ud83d\\ude00\\n\\/\": \"\"}, \"e\": [], \"o\": {}} \t"
	want := pjson.Object{
		"a": pjson.Object{"äü😀\n/": ""},
		"b": []any{pjson.Number("1"), pjson.Number("-2.50"), pjson.Number("1e3"), true, false, nil},
		"e": []any{},
		"o": pjson.Object{},
	}
	got, err := pjson.Parse([]byte(in))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]pjson.Kind{
		"":                             pjson.KindSyntax,
		"\ufeff{}":                     pjson.KindSyntax,
		"{} x":                         pjson.KindSyntax,
		"{\"a\": 1,}":                  pjson.KindSyntax,
		"[1 2]":                        pjson.KindSyntax,
		"01":                           pjson.KindSyntax,
		"1.":                           pjson.KindSyntax,
		".5":                           pjson.KindSyntax,
		"+1":                           pjson.KindSyntax,
		"-":                            pjson.KindSyntax,
		"1e":                           pjson.KindSyntax,
		"\"a\nb\"":                     pjson.KindSyntax,
		"\"\\n\x01\"":                  pjson.KindSyntax,
		"\"\\x\"":                      pjson.KindSyntax,
		"\"\\u12g4\"":                  pjson.KindSyntax,
		"\"abc":                        pjson.KindSyntax,
		"\"abc\\":                      pjson.KindSyntax,
		"{'a': 1}":                     pjson.KindSyntax,
		"{\"a\" 1}":                    pjson.KindSyntax,
		"truex":                        pjson.KindSyntax,
		"nul":                          pjson.KindSyntax,
		"[\"\xff\"]":                   pjson.KindUTF8,
		"{\"a\": {\"b\": 1, \"b\":2}}": pjson.KindDuplicate,
		"{\"a\": 1, \"\\u0061\": 1}":   pjson.KindDuplicate,
		"[NaN]":                        pjson.KindConstant,
		"-Infinity":                    pjson.KindConstant,
		"{\"a\": Infinity}":            pjson.KindConstant,
		"\"\\ud83d\"":                  pjson.KindSurrogate,
		"\"\\ude00\\ud83d\"":           pjson.KindSurrogate,
		"\"\\ud83d\\u0041\"":           pjson.KindSurrogate,
		strings.Repeat("[", 100_000):   pjson.KindDepth,
	}
	for in, want := range tests {
		_, err := pjson.Parse([]byte(in))
		var se *pjson.SyntaxError
		if !errors.As(err, &se) || se.Kind != want {
			t.Errorf("Parse(%.20q): got %v, want %s", in, err, want)
		}
	}
}

func TestParseDepthLimit(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := pjson.Parse(nested(pjson.MaxDepth)); err != nil {
		t.Errorf("depth %d: %v", pjson.MaxDepth, err)
	}
	if _, err := pjson.Parse(nested(pjson.MaxDepth + 1)); err == nil {
		t.Errorf("depth %d is accepted", pjson.MaxDepth+1)
	}
}

func TestSyntaxErrorNamesTheLine(t *testing.T) {
	_, err := pjson.Parse([]byte("{\n \"a\": 1,\n \"a\": 2}"))
	var se *pjson.SyntaxError
	if !errors.As(err, &se) || se.Line != 3 || se.Detail != "a" {
		t.Errorf("got %+v", se)
	}
}

func TestEncode(t *testing.T) {
	v := pjson.Object{
		"z": []any{}, "a": pjson.Object{}, "m": []string{"x", "\u2028<&>\u007f\"\\\b\f\n\r\t\x01é"},
		"l": []any{1, nil, true, pjson.Object{"k": pjson.Number("0.90")}},
	}
	want := "{\n  \"a\": {},\n  \"l\": [\n    1,\n    null,\n    true,\n    {\n      \"k\": 0.9\n    }\n  ],\n" +
		"  \"m\": [\n    \"x\",\n    \"\u2028<&>\u007f\\\"\\\\\\b\\f\\n\\r\\t\\u0001é\"\n  ],\n  \"z\": []\n}\n"
	if got := string(pjson.Encode(v)); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestCanonicalNumbers(t *testing.T) {
	for in, want := range map[pjson.Number]string{
		"0": "0", "-0": "0", "1": "1", "0.5": "0.5", "1.0": "1.0", "1e0": "1.0", "0.0001": "0.0001",
		"0.00001": "1e-05", "-0.0": "-0.0", "0.10": "0.1", "1E-400": "0.0", "0.30000000000000004": "0.30000000000000004",
	} {
		if got := in.Canonical(); got != want {
			t.Errorf("Canonical(%s) = %s, want %s", in, got, want)
		}
	}
}

// What the parser accepts, encoding/json accepts; and it survives writing and
// reading again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema": "skillsafe.media/v1", "regions": [{"bbox": [0.0, 1e-3], "x": null}], "ä": "\ud83d\ude00"}`))
	f.Add([]byte(`[1, -0.0, true, "\u0000\\"]`))
	f.Add([]byte("{\"a\":1,\"a\":2}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := pjson.Parse(b)
		if err != nil {
			return
		}
		if !json.Valid(b) {
			t.Fatalf("accepted %q", b)
		}
		v = canonical(v)
		again, err := pjson.Parse(pjson.Encode(v))
		if err != nil {
			t.Fatalf("cannot read back %q: %v", b, err)
		}
		if again = canonical(again); !reflect.DeepEqual(v, again) {
			t.Fatalf("%v became %v", v, again)
		}
	})
}

func canonical(v any) any {
	switch v := v.(type) {
	case pjson.Number:
		return pjson.Number(v.Canonical())
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	case pjson.Object:
		for k := range v {
			v[k] = canonical(v[k])
		}
	}
	return v
}
