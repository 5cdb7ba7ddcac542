package telegram

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"outheis/channels"
)

// failureKind says how far a call came.
type failureKind int

const (
	// unreached: the server got nothing.
	unreached failureKind = iota
	// unanswered: the request was written, no complete answer came.
	unanswered
	// garbled: an answer came that is not the API's.
	garbled
	// outage: the server, or one in front of it, answered with 5xx.
	outage
	// foreign: somebody answered who does not speak the API, with a status that
	// says that nothing was done: a redirect, a login page, a proxy.
	foreign
	// answered: the API refused; code and text say why.
	answered
)

// A failure is why a call did not succeed. Its text holds no token, no
// address with one, and no text of a message.
type failure struct {
	method     string
	kind       failureKind
	code       int
	text       string
	retryAfter time.Duration
	moved      int64
	tooLarge   bool
	body       []byte            // of a garbled answer
	token      [sha256.Size]byte // which token was used
	cause      error             // a context's error, or nil
}

func (f *failure) Error() string {
	if f.code != 0 {
		return fmt.Sprintf("telegram: %s: %d %s", f.method, f.code, f.text)
	}
	return fmt.Sprintf("telegram: %s: %s", f.method, f.text)
}

// Unwrap returns the context's error where it ended the call.
func (f *failure) Unwrap() error { return f.cause }

// transport fills f after the network failed.
func (f *failure) transport(x *exchange, token string) {
	f.kind = unreached
	if x.wrote.Load() {
		f.kind = unanswered
	}
	if errors.Is(x.err, errTooLarge) {
		f.kind, f.tooLarge, f.body = garbled, true, x.body
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(x.err, ended) && x.ctx.Err() != nil {
			f.cause = ended
		}
	}
	// The url.Error around the cause holds the address.
	err := x.err
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	f.text = channels.Scrub(err.Error(), token)
}

// unknown fills f after an answer that is not the API's.
func (f *failure) unknown(x *exchange) {
	f.code, f.body = x.status, x.body
	switch {
	case x.status >= 500:
		f.kind, f.text = outage, "the server is out of order"
	case x.status >= 400:
		f.kind, f.text = foreign, "not an answer of the Bot API"
	case x.status >= 300:
		f.kind, f.text = foreign, "redirected to another address"
	default:
		f.kind, f.text = garbled, "not an answer of the Bot API"
	}
}

// wrongToken reports whether the server does not know the token. The public
// server answers a malformed one as if there were no such address.
func (f *failure) wrongToken() bool {
	if f.kind != answered {
		return false
	}
	switch f.code {
	case http.StatusUnauthorized, http.StatusMisdirectedRequest:
		return true
	case http.StatusNotFound:
		return !strings.Contains(f.text, "method not found")
	case http.StatusBadRequest:
		return strings.Contains(strings.ToLower(f.text), "logged out")
	}
	return false
}

// conflict reports whether somebody else takes the updates: another process
// that polls, or, with webhook, an address that Telegram sends them to.
func (f *failure) conflict() (yes, webhook bool) {
	if f.kind != answered || f.code != http.StatusConflict {
		return false, false
	}
	return true, strings.Contains(f.text, "webhook")
}
