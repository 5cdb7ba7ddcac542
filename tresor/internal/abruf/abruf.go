// Package abruf is what the engine and a reader of the network say to each
// other: one document of a listed external source is asked for, and comes back
// with a record of what was done, or with the reason why not (5-extern section
// 5). It reads nothing itself: the engine has no network. The reader of package
// netz is handed to it.
package abruf

import (
	"context"
	"strings"
	"time"

	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// A Reader reads listed documents. One reader serves one command: it counts the
// fetches of all its calls.
type Reader interface {
	// Read returns the document: from the cache while it is no older than the
	// request allows, else fetched. The error is a [*Refusal] or that of the
	// context. The record counts also beside an error: if it says Fetched, the
	// document came over the network and belongs in the log.
	Read(ctx context.Context, r Request) (document []byte, rec Record, err error)
	// Offline reports whether fetching is switched off. Reading from the cache
	// is not.
	Offline() bool
}

// A Request names a document.
type Request struct {
	Vault  string // the Tresor's resolved root; it names the place in the cache
	Source string // X-nnnn
	Prefix string // of the source's row in sources/EXTERN.md
	Path   string // below it, a safe relative path, not encoded
	TTL    int    // seconds that a document may be old; 0 asks the network in any case
}

// A Record says how a document was got. It is zero where none was.
type Record struct {
	URL     string    // as it was asked for, before any redirect
	Age     int       // whole seconds since the fetch; 0 for one of now
	Bytes   int       // length of the document
	SHA256  string    // of the document, in hex
	At      time.Time // of the fetch, in UTC
	Fetched bool      // over the network, by this call
}

// The kinds of refusal; keys of their sentences, with their arguments.
const (
	Offline        = "net.offline"     // fetching is switched off
	OutsidePrefix  = "net.outside"     // the URL does not lie below the prefix
	LeavesPrefix   = "net.leaves"      // a redirect does not
	ManyRedirects  = "net.redirects"   // {1}: how many are allowed
	Status         = "net.status"      // {1}: the HTTP status code
	Unreachable    = "net.unreachable" // {1}: cause
	TooLarge       = "net.large"       // {1}: limit in bytes
	NotUTF8        = "net.utf8"        // {1}: offset of the first bad byte
	NotPublic      = "net.notpublic"   // {1}: host
	BudgetExceeded = "net.budget"      // {1}: limit
	BadPath        = "net.path"        // {1}: reason
)

// A Refusal is why there is no document. It never holds a URL, whose parts could
// be secret.
type Refusal struct {
	wording.Sentence
	Err error // may be nil
}

// Refuse returns the refusal of a kind.
func Refuse(kind string, err error, args ...any) *Refusal {
	return &Refusal{wording.Sentence{Key: kind, Args: args}, err}
}

// Error returns the reason in English.
func (r *Refusal) Error() string { return r.In("en") }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// Switched reports whether the value of SKILLSAFE_OFFLINE switches the network
// off (deviation D-47).
func Switched(value string) bool {
	switch strings.ToLower(text.Trim(value)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}
