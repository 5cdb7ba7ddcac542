package extern_test

import (
	"slices"
	"strings"
	"testing"
)

// D-07, D-26: a value of a wrong type is the ordinary error of its field, and a
// lone surrogate is no JSON; nothing panics.
func TestWrongTypesD07D26(t *testing.T) {
	for _, tt := range []struct{ file, old, new, want string }{
		{catalogueFile, `"document_count": 1`, `"document_count": true`, "CA-10"},
		{catalogueFile, `"document_count": 1`, `"document_count": 1.0`, "CA-10"},
		{catalogueFile, `"document_count": 1`, `"document_count": 1e0`, "CA-10"},
		{catalogueFile, `"document_count": 1`, `"document_count": "1"`, "CA-10"},
		{catalogueFile, `"document_count": 1`, `"document_count": 2`, "CA-10"},
		{catalogueFile, `"sentence_count": 1`, `"sentence_count": true`, "CA-18"},
		{anchorFile, `"absatz"`, `[]`, "AN-19"},
		{anchorFile, `"absatz"`, `{"a": 1}`, "AN-19"},
		{anchorFile, `"kind": "human"`, `"kind": ["human"]`, "AN-9"},
		{anchorFile, `"sentence_index": 3`, `"sentence_index": true`, "AN-18"},
		{anchorFile, `"sentence_index": 3`, `"sentence_index": 3.0`, "AN-18"},
		{anchorFile, `"Satz 2"`, `"Satz \ud800"`, "JS-2"},
	} {
		if !strings.Contains(tt.file, tt.old) {
			t.Fatalf("there is no %s", tt.old)
		}
		_, _, errs := load([]byte(strings.Replace(tt.file, tt.old, tt.new, 1)), false)
		var keys []string
		for _, e := range errs {
			keys = append(keys, e.Key)
		}
		if !slices.Contains(keys, tt.want) {
			t.Errorf("%s: errors %q, want %s", tt.new, keys, tt.want)
		}
	}
}
