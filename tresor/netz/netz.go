// Package netz reads documents of listed external sources over https for the
// engine, which has no network of its own (5-extern section 5): only below the
// prefix that the Tresor registers, only from public addresses, within counted
// limits, and through a cache.
//
// It is no crawler: it follows no links, sends no cookies and no credentials,
// and takes no target from a question, a document or an answer.
package netz

import (
	"context"
	"net/url"
	"time"

	"outheis/tresor/internal/abruf"
)

// The contract with the engine.
type (
	Request = abruf.Request
	Record  = abruf.Record
	Refusal = abruf.Refusal
)

// Options are the settings of a reader. The zero value reads public hosts without
// a cache.
type Options struct {
	CacheBase string           // folder for caches, as $XDG_CACHE_HOME; "" for no cache
	Version   string           // of the product, for the User-Agent
	Hosts     []string         // whose addresses need not be public, as the operator lists them
	Offline   bool             // fetch nothing
	Proxy     *url.URL         // nil for none; the environment is never asked
	Now       func() time.Time // nil is time.Now
}

// A Reader reads documents for one command. It may be used by many goroutines.
type Reader struct {
	options Options
}

// New returns a reader with nothing spent of its budget.
func New(o Options) *Reader { return &Reader{options: o} }

// Offline reports whether fetching is switched off.
func (r *Reader) Offline() bool { return r.options.Offline }

// Read returns the document that q names; see [abruf.Reader].
func (r *Reader) Read(ctx context.Context, q Request) ([]byte, Record, error) {
	return nil, Record{}, abruf.Refuse(abruf.Offline, nil)
}
