package tresor

import (
	"context"
	"errors"
	"strconv"
	"time"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/wording"
)

// A documentReader reads documents of one listed source as they are now: below
// dir, or where that is nil over the network.
type documentReader struct {
	vault   string // the Tresor's resolved root
	source  register.External
	dir     *bindung.Dir
	network Network
	ttl     int
}

// read returns the document. The record has a URL if the network or its cache was
// asked with success, also where the document is refused all the same.
func (r documentReader) read(ctx context.Context, path string) (bindung.Document, abruf.Record, *wording.Sentence) {
	if r.dir != nil {
		doc, why := r.dir.Read(path)
		return doc, abruf.Record{}, why
	}
	refuse := func(key string, args ...any) *wording.Sentence { return &wording.Sentence{Key: key, Args: args} }
	if why := bindung.CheckPath(path); why != nil {
		return bindung.Document{}, abruf.Record{}, why
	}
	if r.network == nil {
		return bindung.Document{}, abruf.Record{}, refuse("XQ-14")
	}
	b, record, err := r.network.Read(ctx, abruf.Request{Vault: r.vault, Source: r.source.ID, Prefix: r.source.Ziel, Path: path, TTL: r.ttl})
	var refused *abruf.Refusal
	switch {
	case errors.As(err, &refused):
		return bindung.Document{}, record, &refused.Sentence
	case err != nil:
		return bindung.Document{}, record, refuse("XQ-15", err)
	}
	return bindung.Document{Path: path, Text: string(b), SHA256: record.SHA256}, record, nil
}

// fetchEntry is the text of a log entry about a fetch.
func fetchEntry(r abruf.Record) string {
	return "abruf " + r.URL + " sha256=" + r.SHA256 + " bytes=" + strconv.Itoa(r.Bytes) + " zeit=" + r.At.UTC().Format(time.RFC3339)
}
