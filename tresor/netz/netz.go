// Package netz reads documents of listed external sources over https for the
// engine, which has no network of its own (5-extern section 5): only below the
// prefix that the Tresor registers, only from public addresses, within counted
// limits, and through a cache.
//
// It is no crawler: it follows no links, sends no cookies and no credentials,
// and takes no target from a question, a document or an answer. It never falls
// back to a stale copy: what cannot be read now is refused with a reason.
package netz

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"net"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/internal/text"
)

// The limits of the format. They are counted, but for the two that make an end
// of waiting.
const (
	MaxDocument  = 1 << 20          // bytes of a document
	MaxRedirects = 3                // of a fetch
	MaxFetches   = 20               // of a reader, over all sources (deviation D-37)
	maxWait      = 10 * time.Second // for connection, head, and each read of the body
	maxTotal     = 30 * time.Second // for a fetch with its redirects
)

// The contract with the engine.
type (
	Request = abruf.Request
	Record  = abruf.Record
	Refusal = abruf.Refusal
)

// Options are the settings of a reader. The zero value reads from public hosts,
// without a cache.
type Options struct {
	CacheBase string           // folder for caches, as $XDG_CACHE_HOME; "" for no cache
	Version   string           // of the product, for the User-Agent
	Hosts     []string         // whose addresses need not be public, as the operator lists them
	Offline   bool             // fetch nothing; see [Offline]
	Proxy     *url.URL         // http or https, nil for none; the environment is never asked
	Roots     *x509.CertPool   // of certificates; nil for the system's
	Now       func() time.Time // nil is time.Now
}

// A Reader reads documents for one command. It may be used by many goroutines.
type Reader struct {
	options Options
	spent   atomic.Int64 // fetches
	wait    time.Duration
	total   time.Duration
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	connect func(ctx context.Context, d net.Dialer, network, address string) (net.Conn, error)
}

// New returns a reader with nothing spent of its budget.
func New(o Options) *Reader {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Reader{options: o, wait: maxWait, total: maxTotal, resolve: lookup, connect: connect}
}

// Offline reports whether the value of the variable SKILLSAFE_OFFLINE switches
// the network off (deviation D-47). Reading the environment is for the caller.
func Offline(value string) bool { return abruf.Switched(value) }

// Offline reports whether fetching is switched off. Reading from the cache is
// not.
func (r *Reader) Offline() bool { return r.options.Offline }

// Read returns the document that q names: from the cache while its age in whole
// seconds is at most q.TTL, else fetched and kept there. The error is a
// [*Refusal] or that of ctx. Should the fetched document be no UTF-8, the record
// stands beside the refusal: the fetch took place and belongs in the log.
func (r *Reader) Read(ctx context.Context, q Request) ([]byte, Record, error) {
	p, err := parsePrefix(q.Prefix)
	if err != nil {
		return nil, Record{}, err
	}
	u, err := p.join(q.Path)
	if err != nil {
		return nil, Record{}, err
	}
	place := r.placeOf(q, u.String())
	if document, rec, ok := r.kept(q, u, place); ok {
		return document, rec, nil
	}
	if r.options.Offline {
		return nil, Record{}, abruf.Refuse(abruf.Offline, nil)
	}
	if r.spent.Add(1) > MaxFetches {
		return nil, Record{}, abruf.Refuse(abruf.BudgetExceeded, nil, MaxFetches)
	}
	document, err := r.fetch(ctx, p, u)
	if err != nil {
		return nil, Record{}, err
	}
	rec := record(u, document, r.options.Now(), 0)
	rec.Fetched = true
	if bad := text.InvalidAt(document); bad >= 0 {
		return nil, rec, abruf.Refuse(abruf.NotUTF8, nil, bad)
	}
	place.write(document, rec)
	return document, rec, nil
}

// kept returns the document from a cache if it is young enough.
func (r *Reader) kept(q Request, u *url.URL, p place) ([]byte, Record, bool) {
	if q.TTL <= 0 {
		return nil, Record{}, false
	}
	others := func() ([]byte, time.Time, bool) { return r.reference(q, u.String()) }
	for _, read := range []func() ([]byte, time.Time, bool){p.read, others} {
		if document, at, ok := read(); ok {
			if age := max(0, int(r.options.Now().Sub(at)/time.Second)); age <= q.TTL {
				return document, record(u, document, at, age), true
			}
		}
	}
	return nil, Record{}, false
}

func record(u *url.URL, document []byte, at time.Time, age int) Record {
	return Record{URL: u.String(), Age: age, Bytes: len(document), SHA256: digest(document), At: at.UTC()}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
