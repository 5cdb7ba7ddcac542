package mattermost

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
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
	// garbled: an answer came that is not Mattermost's.
	garbled
	// outage: the server, or one in front of it, answered with 5xx.
	outage
	// foreign: somebody answered who is not Mattermost, with a status that says
	// that nothing was done: a redirect, a login page, a proxy.
	foreign
	// answered: the server refused; code, id and text say why.
	answered
)

// A failure is why a call did not succeed. Its text holds no token, no
// address with one, and no text of a message.
type failure struct {
	op         string // method and path, with ids left out
	kind       failureKind
	code       int
	id         string // the server's name for the refusal
	text       string
	retryAfter time.Duration
	token      [sha256.Size]byte // which token was used
	cause      error             // a context's error, or nil
}

func (f *failure) Error() string {
	switch {
	case f.id != "" && f.code != 0:
		return fmt.Sprintf("mattermost: %s: %d %s (%s)", f.op, f.code, f.text, f.id)
	case f.code != 0:
		return fmt.Sprintf("mattermost: %s: %d %s", f.op, f.code, f.text)
	}
	return fmt.Sprintf("mattermost: %s: %s", f.op, f.text)
}

// Unwrap returns the context's error where it ended the call.
func (f *failure) Unwrap() error { return f.cause }

// transport fills f after the network failed.
func (f *failure) transport(ctx context.Context, err error, wrote bool, token string) {
	f.kind = unreached
	if wrote {
		f.kind = unanswered
	}
	if errors.Is(err, errTooLarge) {
		f.kind = garbled
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) && ctx.Err() != nil {
			f.cause = ended
		}
	}
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	f.text = safeText(err.Error(), token)
}

// wrongToken reports whether the server does not know the token, or knows it
// as that of an account that was disabled: it does not tell which.
func (f *failure) wrongToken() bool { return f.kind == answered && f.code == http.StatusUnauthorized }

// gone reports whether what was asked for is not there, or not for us.
func (f *failure) gone() bool {
	return f.kind == answered && (f.code == http.StatusNotFound || f.code == http.StatusForbidden || f.code == http.StatusBadRequest)
}

// sendError says what a failed call that changes something means for another
// try.
func (c *Channel) sendError(err error) *channels.SendError {
	var f *failure
	if !errors.As(err, &f) {
		return &channels.SendError{Class: channels.Unsure, Err: err}
	}
	out := &channels.SendError{Err: f}
	switch f.kind {
	case unreached, foreign:
		out.Class = channels.NotSent
	case unanswered, garbled, outage:
		out.Class = channels.Unsure
	case answered:
		c.refusal(out, f)
	}
	return out
}

// askError is sendError for a call that only asks.
func (c *Channel) askError(err error) *channels.SendError {
	out := c.sendError(err)
	if out.Class == channels.Unsure {
		out.Class = channels.NotSent
	}
	return out
}

// refusal sorts the refusals of the server by their names, which are part of
// the interface.
func (c *Channel) refusal(out *channels.SendError, f *failure) {
	is := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(f.id, part) {
				return true
			}
		}
		return false
	}
	switch {
	case f.code == http.StatusUnauthorized:
		out.Class, out.Remedy = channels.Misconfigured, c.texts.Say("mattermost.token_wrong_remedy")
	case f.code == http.StatusTooManyRequests:
		out.Class, out.After, out.Scope = channels.RetryAfter, f.retryAfter, channels.ScopeAccount
	case is("message_length", "props.app_error", "too_large"):
		out.Class = channels.Refused
	case is("root_id", "channel_root_id", "thread"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("mattermost.thread_remedy")
	case is("deleted_channel", "can_not_post_to_deleted", "archived"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("mattermost.archived_remedy")
	case is("restricted_dm"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("mattermost.direct_remedy")
	case f.code == http.StatusForbidden:
		out.Class, out.Remedy = channels.Gone, c.texts.Say("mattermost.closed_remedy")
	case f.code == http.StatusNotFound:
		out.Class, out.Remedy = channels.Gone, c.texts.Say("mattermost.chat_remedy")
	default:
		out.Class = channels.Refused
	}
}

var (
	// tokenSigns is what a header can hold.
	tokenSigns = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]+$`)
	// idInPath finds the ids in a path.
	idInPath = regexp.MustCompile(`/[a-z0-9]{26}\b`)
)

// isToken reports whether a string can be an access token.
func isToken(s string) bool { return len(s) >= 8 && len(s) <= 512 && tokenSigns.MatchString(s) }

// op names a call in errors.
func op(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	return method + " " + idInPath.ReplaceAllString(strings.TrimPrefix(path, "/api/v4"), "/…")
}

// safeText makes a text from outside fit for a log.
func safeText(s, token string) string { return channels.Scrub(s, token) }
