package channels

import (
	"errors"
	"fmt"
	"time"
)

// Class says what a failed send means for another try.
type Class string

// The classes of a SendError.
const (
	// NotSent: the network did not get the request (no connection, DNS, TLS).
	// Trying again is safe.
	NotSent Class = "not_sent"
	// Refused: the network will not take this post, now or later.
	Refused Class = "refused"
	// RetryAfter: the network asks to wait After; Scope says who has to.
	RetryAfter Class = "retry_after"
	// Unsure: the request was written and no clear answer came back. The post
	// may have arrived.
	Unsure Class = "unsure"
	// Gone: the chat is no longer there or closed to us (kicked, blocked,
	// deleted, moved).
	Gone Class = "gone"
	// Misconfigured: nothing will work before an administrator has acted.
	Misconfigured Class = "misconfigured"
)

// Scope says whom a RetryAfter concerns.
type Scope string

// The scopes.
const (
	ScopeChat    Scope = "chat"
	ScopeAccount Scope = "account"
)

// A SendError is the only error that leaves an adapter. Its text never holds
// a token, a URL with one, or a message text.
type SendError struct {
	Class Class
	// After and Scope belong to RetryAfter.
	After time.Duration
	Scope Scope
	// Markup, with Refused, says that the network refused the markup, not the
	// text: the plain form may pass.
	Markup bool
	// Moved, with Gone, is where the chat went; the zero Address when unknown.
	Moved Address
	// Remedy, with Misconfigured and Gone, is what an administrator can do.
	Remedy string
	// Err is the cause. It is not nil.
	Err error
}

func (e *SendError) Error() string {
	switch e.Class {
	case RetryAfter:
		return fmt.Sprintf("send: retry after %s (%s): %v", e.After, e.Scope, e.Err)
	default:
		return fmt.Sprintf("send: %s: %v", e.Class, e.Err)
	}
}

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Err }

// AsSendError returns err as a *SendError. What no adapter should return, an
// error of another kind or of a class that does not exist, counts as Unsure;
// nil stays nil.
func AsSendError(err error) *SendError {
	if err == nil {
		return nil
	}
	var se *SendError
	if errors.As(err, &se) {
		switch se.Class {
		case NotSent, Refused, RetryAfter, Unsure, Gone, Misconfigured:
			return se
		}
	}
	return &SendError{Class: Unsure, Err: err}
}
