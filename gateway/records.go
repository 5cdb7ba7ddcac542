package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"outheis/config/texts"
	"outheis/store"
)

// A DocumentError means that [RosterFile] or [LanguagesFile] cannot be used as it
// is. The gateway works without it then, and never writes over it: nobody who was
// let in by a code alone may ask, accounts are not joined, and no language is
// chosen, until the file is right again and [Gateway.Reload] was called.
type DocumentError struct {
	Name  string // of the file below the human directory
	Line  int    // where it is no JSON, from 1; 0 when that is not what is wrong
	Found int    // the version of its form, when this program knows only Known
	Known int
	Err   error
}

func (e *DocumentError) Error() string { return fmt.Sprintf("read %s: %v", e.Name, e.Err) }

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// Say words what is wrong, what that means meanwhile and what to do. Path is where
// the file is.
func (e *DocumentError) Say(t *texts.Texts, path string) string {
	var what string
	key, args, known := store.Explain(e.Err)
	switch {
	case e.Line > 0:
		what = t.Say("access.document_line", path, e.Line)
	case e.Known > 0:
		what = t.Say("access.document_version", path, e.Found, e.Known)
	case known:
		what = t.Say("access.document_unreadable", path, strings.TrimRight(t.Say(key, args...), "."))
	default:
		what = t.Say("access.document_unreadable", path, e.Err)
	}
	if e.Name == LanguagesFile {
		return what + " " + t.Say("access.document_languages")
	}
	return what + " " + t.Say("access.document_access")
}

// damage makes err a [DocumentError] about the document of that name, whose text
// is b.
func damage(name string, b []byte, err error) *DocumentError {
	d := &DocumentError{Name: name, Err: err}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset >= 0 {
		before := strings.TrimRight(string(b[:min(int(offset), len(b))]), "\n")
		d.Line = 1 + strings.Count(before, "\n")
	}
	return d
}

// foreign is the same for a form that this program does not know.
func foreign(name string, found, known int) *DocumentError {
	return &DocumentError{Name: name, Found: found, Known: known, Err: fmt.Errorf("version %d, want %d", found, known)}
}

// CheckRecords looks at both documents, as New does, and returns what is wrong
// with them. It changes nothing.
func CheckRecords(roster, languages *store.Doc) []*DocumentError {
	var r records
	var l map[string]string
	return present(readDoc(roster, RosterFile, readRecords, &r), readDoc(languages, LanguagesFile, parseLanguages, &l))
}

// readDoc reads a document into to. One that is not there is the same as an empty
// one.
func readDoc[T any](doc *store.Doc, name string, parse func([]byte) (T, *DocumentError), to *T) *DocumentError {
	b, _, err := doc.Read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return damage(name, nil, err)
	}
	read, bad := parse(b)
	if bad == nil {
		*to = read
	}
	return bad
}

func present(all ...*DocumentError) []*DocumentError {
	var bad []*DocumentError
	for _, e := range all {
		if e != nil {
			bad = append(bad, e)
		}
	}
	return bad
}

// Damaged returns which of the documents cannot be used.
func (g *Gateway) Damaged() []*DocumentError {
	return present(g.roster.damaged.Load(), g.languages.damaged.Load())
}

// tellDamaged tells the administrators of documents that cannot be used: each
// cause once a day.
func (g *Gateway) tellDamaged(ctx context.Context) {
	for _, bad := range g.Damaged() {
		cause := "document/" + bad.Name + "/" + g.now().UTC().Format(time.DateOnly)
		g.tellAdmins(ctx, cause, func(t *texts.Texts) string { return bad.Say(t, bad.Name) })
	}
}
