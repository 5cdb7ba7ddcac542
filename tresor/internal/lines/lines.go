// Package lines edits a curated text file line by line and keeps every byte of
// the lines that it does not touch, their line ends included. It counts lines as
// the parsers do, which read a file by [text.Decode]: CRLF, LF and a lone CR end
// one. It knows nothing of what stands in them.
package lines

import (
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// A File is a text file as its lines. The last one has no line end and is empty
// for a file that ends with one, so that there is always a line.
type File struct {
	path  string
	lines []line
}

type line struct{ text, end string }

// Parse splits the content of the file at path. Bytes that are no UTF-8 give a
// [*check.Refusal].
func Parse(path string, b []byte) (*File, error) {
	if bad := text.InvalidAt(b); bad >= 0 {
		return nil, check.Refuse(check.File(path), "RD-2", bad)
	}
	f := &File{path: path}
	for s := string(b); ; {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			f.lines = append(f.lines, line{text: s})
			return f, nil
		}
		n := 1
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		f.lines = append(f.lines, line{s[:i], s[i : i+n]})
		s = s[i+n:]
	}
}

// Len returns the number of lines, at least 1.
func (f *File) Len() int { return len(f.lines) }

// Text returns line i, from 0, without its end.
func (f *File) Text(i int) string { return f.lines[i].text }

// Decoded returns the file as the parsers see it.
func (f *File) Decoded() string {
	var b strings.Builder
	for i, l := range f.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// Set replaces the text of line i.
func (f *File) Set(i int, s string) { f.lines[i].text = s }

// InsertAfter adds lines behind line i, or at the beginning for -1, with the
// line end of their neighbour.
func (f *File) InsertAfter(i int, texts ...string) {
	if len(texts) == 0 {
		return
	}
	end := f.end(i)
	if i == len(f.lines)-1 { // the last line has no end yet
		f.lines[i].end = end
		f.lines = append(f.lines, line{})
	}
	added := make([]line, len(texts))
	for j, s := range texts {
		added[j] = line{s, end}
	}
	f.lines = slices.Insert(f.lines, i+1, added...)
}

// Append adds lines at the end of the file.
func (f *File) Append(texts ...string) {
	last := len(f.lines) - 1
	if f.lines[last].text == "" {
		last--
	}
	f.InsertAfter(last, texts...)
}

// end returns the line end for what follows line i.
func (f *File) end(i int) string {
	for j := i; j >= 0; j-- {
		if f.lines[j].end != "" {
			return f.lines[j].end
		}
	}
	if f.lines[0].end != "" {
		return f.lines[0].end
	}
	return "\n"
}

// Bytes returns the edited file. One that has become too large to be read gives
// a [*check.Refusal].
func (f *File) Bytes() ([]byte, error) {
	var b []byte
	for _, l := range f.lines {
		b = append(append(b, l.text...), l.end...)
	}
	if len(b) > tree.MaxText {
		return nil, check.Refuse(check.File(f.path), "RD-1", tree.MaxText)
	}
	return b, nil
}

// LastFilled returns the last line at or before i that is not blank, or -1.
func (f *File) LastFilled(i int) int {
	for i >= 0 && text.IsBlank(f.lines[i].text) {
		i--
	}
	return i
}
