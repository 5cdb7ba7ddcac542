package discord

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
)

// failureKind says how far a request came.
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
	// answered: the API refused; status, code and text say why.
	answered
)

// A failure is why a request did not succeed. Its text holds no token, no
// address with one, and no text of a message.
type failure struct {
	what   string // what was tried, as "create message"
	kind   failureKind
	status int
	code   int // Discord's own
	text   string
	after  time.Duration
	global bool              // the wait concerns all requests
	token  [sha256.Size]byte // which token was used
	cause  error             // a context's error, or nil
	ending ending            // of a connection that ended for no fault of the network
}

// An ending is why a connection ended that was no failure of the network.
type ending int

const (
	// endReconnect: the gateway wants the connection to end. The zero ending is
	// that of a failure.
	endReconnect ending = iota + 1
	// endInvalid: the session is not known any more.
	endInvalid
	// endRegained: a session without message contents ends once we may have them.
	endRegained
	// endOverlooked: the connection brings nothing of what happens.
	endOverlooked
)

// ended returns the failure that stands for an ending.
func ended(e ending) *failure {
	return &failure{what: "receive", kind: answered, ending: e, text: map[ending]string{
		endReconnect:  "asked to reconnect",
		endInvalid:    "the session is not known any more",
		endRegained:   "message contents are allowed now",
		endOverlooked: "the gateway brings no messages although it answers",
	}[e]}
}

func (f *failure) Error() string {
	if f.status != 0 {
		return fmt.Sprintf("discord: %s: %d/%d %s", f.what, f.status, f.code, f.text)
	}
	return fmt.Sprintf("discord: %s: %s", f.what, f.text)
}

// Unwrap returns the context's error where it ended the request.
func (f *failure) Unwrap() error { return f.cause }

// wrongToken reports whether the server does not know the token.
func (f *failure) wrongToken() bool { return f.kind == answered && f.status == http.StatusUnauthorized }

// is reports whether the API refused with one of codes.
func (f *failure) is(codes ...int) bool {
	for _, c := range codes {
		if f.kind == answered && f.code == c {
			return true
		}
	}
	return false
}

// transport fills f after the network failed.
func (f *failure) transport(ctx context.Context, err error, wrote bool, secrets ...string) {
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
	// The url.Error around the cause holds the address.
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	f.text = channels.Scrub(err.Error(), secrets...)
}

// refused fills f from an answer that is no success.
func (f *failure) refused(resp *http.Response, body []byte, secrets ...string) {
	f.status = resp.StatusCode
	var b struct {
		Code    *int              `json:"code"`
		Message *string           `json:"message"`
		After   *float64          `json:"retry_after"`
		Global  maybe[bool]       `json:"global"`
		Errors  maybe[fieldFault] `json:"errors"`
	}
	api := json.Unmarshal(body, &b) == nil && b.Message != nil
	switch {
	case f.status >= 500:
		f.kind, f.text = outage, "the server is out of order"
	case f.status == http.StatusTooManyRequests:
		// Discord's edge asks to wait without a body of the API.
		f.kind, f.text, f.global = answered, "asked to wait", !api || b.Global.value
		if h := resp.Header.Get("X-RateLimit-Scope"); h == "global" {
			f.global = true
		}
		if api && b.After != nil {
			f.after = seconds(*b.After)
		} else if s, err := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); err == nil {
			f.after = seconds(s)
		}
	case api:
		f.kind = answered
		if b.Code != nil {
			f.code = *b.Code
		}
		f.text = *b.Message
		if where := b.Errors.value.first; where != "" {
			f.text += " (" + where + ")"
		}
		f.text = channels.Scrub(f.text, secrets...)
	case f.status == http.StatusRequestEntityTooLarge:
		f.kind, f.text = answered, "too large"
	case f.status >= 400:
		f.kind, f.text = foreign, "not an answer of the API"
	case f.status >= 300:
		f.kind, f.text = foreign, "redirected to another address"
	default:
		f.kind, f.text = garbled, "not an answer of the API"
	}
}

// A fieldFault is the first complaint in the tree that Discord returns for an
// invalid body: the path and the code, without the sentence, which may quote.
type fieldFault struct{ first string }

// UnmarshalJSON implements [json.Unmarshaler].
func (e *fieldFault) UnmarshalJSON(b []byte) error {
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return err
	}
	e.first = firstFault(tree, "", 0)
	return nil
}

func firstFault(node any, path string, depth int) string {
	m, ok := node.(map[string]any)
	if !ok || depth > 8 {
		return ""
	}
	if list, ok := m["_errors"].([]any); ok && len(list) > 0 {
		if one, ok := list[0].(map[string]any); ok {
			code, _ := one["code"].(string)
			return strings.TrimPrefix(path+" "+code, ".")
		}
	}
	for name, next := range m {
		if found := firstFault(next, path+"."+name, depth+1); found != "" {
			return found
		}
	}
	return ""
}

// seconds returns s as a duration that is not absurd.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 3600) * float64(time.Second))
}

// defaultWait is used where the network asks to wait and does not say how long.
const defaultWait = 5 * time.Second

// Codes of the API that discordgo has no telling name for.
const (
	codeNonTextChannel   = 50008
	codeNoCommonGuild    = 50278
	codeInteractionGone  = discordgo.ErrCodeUnknownInteraction
	codeInteractionTaken = 40060
)

// sendError says what a failed request means for another try.
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

// refusal sorts the refusals of the API
// (discord.com/developers/docs/topics/opcodes-and-status-codes).
func (c *Channel) refusal(out *channels.SendError, f *failure) {
	say := c.texts.Say
	switch {
	case f.wrongToken():
		out.Class, out.Remedy = channels.Misconfigured, say("discord.token_wrong_remedy")
	case f.status == http.StatusTooManyRequests:
		out.Class, out.After, out.Scope = channels.RetryAfter, f.after, channels.ScopeChat
		if out.After <= 0 {
			out.After = defaultWait
		}
		if f.global {
			out.Scope = channels.ScopeAccount
		}
	case f.is(discordgo.ErrCodeCannotSendMessagesToThisUser, codeNoCommonGuild):
		out.Class, out.Remedy = channels.Gone, say("discord.blocked_remedy")
	case f.is(discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeUnknownUser, codeNonTextChannel):
		out.Class, out.Remedy = channels.Gone, say("discord.channel_remedy")
	case f.is(discordgo.ErrCodePerformedOperationOnArchivedThread, discordgo.ErrCodeThreadIsLocked):
		out.Class, out.Remedy = channels.Gone, say("discord.thread_remedy")
	case f.status == http.StatusForbidden:
		out.Class, out.Remedy = channels.Gone, say("discord.closed_remedy")
	default:
		out.Class = channels.Refused
	}
}
