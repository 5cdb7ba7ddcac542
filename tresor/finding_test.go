package tresor_test

import (
	"slices"
	"testing"

	"outheis/tresor"
)

func TestBeyond(t *testing.T) {
	at := func(label string, line int) tresor.Finding {
		return tresor.Finding{Rule: "CL-1", Label: label, Path: "knowledge/a/b.md", Line: line, Text: "kein Claim"}
	}
	here, moved := at("knowledge/a/b.md:12", 12), at("knowledge/a/b.md:15", 15)
	row, other := at("REGISTER S-0001", 3), at("REGISTER S-0002", 4)
	for _, c := range []struct {
		name               string
		list, others, want []tresor.Finding
	}{
		{"new", []tresor.Finding{here}, nil, []tresor.Finding{here}},
		{"moved", []tresor.Finding{moved}, []tresor.Finding{here}, nil},
		{"one more", []tresor.Finding{here, moved}, []tresor.Finding{here}, []tresor.Finding{moved}},
		{"one less", []tresor.Finding{here}, []tresor.Finding{here, moved}, nil},
		{"of something else", []tresor.Finding{other}, []tresor.Finding{row}, []tresor.Finding{other}},
	} {
		if got := tresor.Beyond(c.list, c.others); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
