package lines_test

import (
	"bytes"
	"errors"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/lines"
	"outheis/tresor/internal/text"
)

func parse(t *testing.T, s string) *lines.File {
	t.Helper()
	f, err := lines.Parse("a.md", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestInsertAfterAndAppend(t *testing.T) {
	tests := []struct {
		name, in string
		edit     func(*lines.File)
		want     string
	}{
		{"in the middle", "a\nb\n", func(f *lines.File) { f.InsertAfter(0, "x", "y") }, "a\nx\ny\nb\n"},
		{"at the beginning", "a\r\nb\r\n", func(f *lines.File) { f.InsertAfter(-1, "x") }, "x\r\na\r\nb\r\n"},
		{"mixed ends stay", "a\r\nb\nc\rd", func(f *lines.File) { f.InsertAfter(2, "x") }, "a\r\nb\nc\rx\rd"},
		{"append", "a\r\nb\r\n", func(f *lines.File) { f.Append("x", "y") }, "a\r\nb\r\nx\r\ny\r\n"},
		{"append without a last end", "a\r\nb", func(f *lines.File) { f.Append("x") }, "a\r\nb\r\nx\r\n"},
		{"append to nothing", "", func(f *lines.File) { f.Append("x") }, "x\n"},
		{"append to one line", "a", func(f *lines.File) { f.Append("x") }, "a\nx\n"},
		{"set", "a\r\nb", func(f *lines.File) { f.Set(0, "x"); f.Set(1, "y") }, "x\r\ny"},
		{"nothing", "a", func(f *lines.File) { f.InsertAfter(0) }, "a"},
		{"a blank line alone", "\r\n", func(f *lines.File) { f.InsertAfter(-1, "x") }, "x\r\n\r\n"},
	}
	for _, tt := range tests {
		f := parse(t, tt.in)
		tt.edit(f)
		if got, err := f.Bytes(); string(got) != tt.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestNoUTF8(t *testing.T) {
	_, err := lines.Parse("a.md", []byte("a\xff"))
	var refusal *check.Refusal
	if !errors.As(err, &refusal) || refusal.Key != "RD-2" || refusal.Path != "a.md" {
		t.Errorf("got %v", err)
	}
}

// Lines are those that the parsers count, and an untouched file keeps its bytes.
func FuzzParse(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n\n\r"))
	f.Add([]byte("\ufeffä"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := lines.Parse("a.md", b)
		want, bad := text.Decode(b)
		if (err != nil) != (bad >= 0) {
			t.Fatalf("%q: %v, but Decode says %d", b, err, bad)
		}
		if err != nil {
			return
		}
		if got := file.Decoded(); got != want {
			t.Fatalf("%q is decoded to %q, want %q", b, got, want)
		}
		if got, err := file.Bytes(); !bytes.Equal(got, b) || err != nil {
			t.Fatalf("%q became %q, %v", b, got, err)
		}
	})
}
