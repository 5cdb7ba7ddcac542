package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/relay"
	"outheis/store"
)

// A Queue is the durable log of all envelopes, and all that the gateway knows
// about what happened. [store.Log] is one; an engine for several machines can
// stand behind it as well. It may be used by many goroutines.
type Queue interface {
	// AppendAll makes the envelopes durable in this order, in one commit, and
	// returns them with their heads. An envelope whose cause is there already is
	// not written again; the one that is there is returned in its place. When
	// nothing could be written and a later try may succeed, the error is
	// [store.ErrDegraded]; [store.ErrFailed] ends the program; an envelope that
	// does not fit a line is [store.ErrTooLong], and nothing is written.
	AppendAll(ctx context.Context, es []Envelope) ([]Envelope, error)
	// Lookup returns the envelope with that cause.
	Lookup(cause string) (Envelope, bool, error)
	// Open returns the requests that have no end, oldest first, as [Track]
	// tells them, as they were when the queue was opened.
	Open() []store.Entry[Envelope]
}

// An Envelope is one line of messages.jsonl: a step in the life of a request.
// A request is followed by the response of an agent, the reply of the relay,
// the events of its delivery and the event "done". Each step is caused by the
// one before, and its Cause says so: doing a step twice finds the line that is
// there.
type Envelope struct {
	store.Head
	Conversation string   `json:"conversation_id,omitempty"`
	Cause        string   `json:"cause,omitempty"`
	From         From     `json:"from"`
	To           string   `json:"to,omitempty"` // an agent, "relay", "dispatcher" or "transport"
	Type         Type     `json:"type"`
	Intent       string   `json:"intent,omitempty"`
	Payload      Payload  `json:"payload"`
	ReplyTo      string   `json:"reply_to,omitempty"` // the request's id
	Priority     Priority `json:"priority,omitempty"`
}

// Type is what an envelope is.
type Type string

// The types of envelope.
const (
	TypeRequest  Type = "request"
	TypeResponse Type = "response"
	TypeEvent    Type = "event"
)

// Priority orders what waits.
type Priority string

// PriorityNormal is the priority of everything so far.
const PriorityNormal Priority = "normal"

// From is who made an envelope: a person or one of our parts, never both.
type From struct {
	Agent string `json:"agent,omitempty"`
	User  *User  `json:"user,omitempty"`
}

// A User is somebody at one of our accounts.
type User struct {
	Channel  string `json:"channel"`
	Account  string `json:"account,omitempty"`
	Identity string `json:"identity,omitempty"` // the network's immutable id
	Name     string `json:"name,omitempty"`     // for display only
	// Mixed flags a name that mixes alphabets which look alike.
	Mixed   bool `json:"mixed,omitempty"`
	Program bool `json:"program,omitempty"` // a bot or webhook
}

// The parts of outheis that stand in From.Agent and To.
const (
	partDispatcher = "dispatcher"
	partRelay      = "relay"
	partTransport  = "transport"
)

// The intents of requests. A question has none.
const (
	intentStart  = "command.start"
	intentHelp   = "command.help"
	intentStop   = "command.stop"
	intentNotice = "notice"       // a sentence for the sender: why something was not taken
	intentAdmin  = "notice.admin" // a sentence for an administrator

	intentLanguage = "command.language"
	intentFeedback = "feedback" // what somebody thinks of an answer
	intentEvidence = "evidence" // an answer's evidence in full
	intentFiles    = "files"    // files without a question
)

// The intents of events.
const (
	eventAnswer = "answer.try"
	eventTry    = "delivery.try"
	eventOK     = "delivery.ok"
	eventFail   = "delivery.fail"
	eventDone   = "done"

	eventPosted  = "delivery.at"   // which answer a message of ours belongs to
	eventRevised = "revised"       // which answer stands in the place of another
	eventNotice  = "notice.try"    // a courtesy goes out: place in the queue, still at work
	eventMute    = "mute"          // a program gets no answer for a while
	eventFiles   = "files"         // the files of a request, as they are kept
	eventHeard   = "transcription" // what was said in a voice message
)

// Payload holds the facts of an envelope. Which of them are set follows from
// its type and intent.
type Payload struct {
	// Of a request: what was asked, where the answer goes, what the asker may do.

	Text     string            `json:"text,omitempty"`
	Raw      string            `json:"raw,omitempty"` // hash of the text before cleaning, where cleaning changed it
	Message  string            `json:"message,omitempty"`
	Address  channels.Address  `json:"address,omitzero"`
	Audience channels.Audience `json:"audience,omitempty"`
	Space    string            `json:"space,omitempty"` // that the chat belongs to
	Role     agents.Role       `json:"role,omitempty"`
	Lang     string            `json:"lang,omitempty"`
	Scope    string            `json:"scope,omitempty"`
	Asked    time.Time         `json:"asked,omitzero"`   // the network's time
	Unread   string            `json:"unread,omitempty"` // content that was not read, as "photo"
	Files    []KeptFile        `json:"files,omitempty"`  // that came with it; as they are kept, of the event about them

	// Of a request about an answer, which Ref names: what is said about it.

	Mark   Mark   `json:"mark,omitempty"`
	Why    string `json:"why,omitempty"`
	Number int    `json:"number,omitempty"` // of the Beleg that is asked for; 0 for all, -1 for one that there is never
	By     By     `json:"by,omitempty"`
	Event  string `json:"event,omitempty"` // the cause of the network's event, where Cause is another

	// Of a notice: which sentence, and what stands in it.

	Notice Reason    `json:"notice,omitempty"`
	Name   string    `json:"name,omitempty"`
	Until  time.Time `json:"until,omitzero"`

	// Of a response: an answer or a failure.

	Answer  *agents.Answer `json:"answer,omitempty"`
	Failure *Failure       `json:"failure,omitempty"`

	// Of a reply: its parts. They go to the request's address. Origin, with an
	// answer, is the cause of the request. Edits names, part by part, the message
	// of ours in whose place the part goes; Instead is what is posted where the
	// network lets it not be changed any more.

	relay.Reply
	Origin  string      `json:"origin,omitempty"`
	Edits   []string    `json:"edits,omitempty"`
	Instead relay.Reply `json:"instead,omitzero"`

	// Of an event: which request, which part of the reply, which try.

	Ref    string           `json:"ref,omitempty"`
	Part   int              `json:"part,omitempty"` // from 1
	Try    int              `json:"try,omitempty"`  // from 1
	Key    string           `json:"key,omitempty"`
	Remote string           `json:"remote,omitempty"`
	Class  channels.Class   `json:"class,omitempty"`
	Markup bool             `json:"markup,omitempty"`
	After  int64            `json:"after_ms,omitempty"`
	Moved  channels.Address `json:"moved,omitzero"`
	Error  string           `json:"error,omitempty"`
	End    End              `json:"end,omitempty"`
}

// A Failure is a response without an answer.
type Failure struct {
	Status   agents.Status `json:"status"`
	Code     string        `json:"code"`               // which sentence the person gets
	Text     string        `json:"text,omitempty"`     // a finished sentence of the agent, instead
	Incident string        `json:"incident,omitempty"` // stands in the sentence and in the log
}

// An End is how a request ended.
type End string

// The ends of a request.
const (
	EndSent     End = "sent"     // every part arrived
	EndParked   End = "parked"   // the network does not take the reply, or nobody knows whether it did
	EndGone     End = "gone"     // the chat is closed to us
	EndExpired  End = "expired"  // too old to be answered, or not deliverable for a day
	EndStopped  End = "stopped"  // the person stopped it
	EndReplaced End = "replaced" // the person edited it before it was answered
	EndDeleted  End = "deleted"  // the person deleted it before it was answered
	EndBarred   End = "barred"   // the person may not ask any more
)

// Track tells the log which lines open a request and which end one: for
// store.LogOptions.
func Track(f store.Facts) (opens, closes string) {
	switch {
	case f.Type == string(TypeRequest):
		return f.ID, ""
	case f.Type == string(TypeEvent) && f.Intent == eventDone:
		return "", f.Ref
	}
	return "", ""
}

// eventCause is the cause of the request that a network's event becomes.
func eventCause(e channels.Event) string {
	return url.PathEscape(e.Address.Channel()) + "/" + url.PathEscape(e.Address.Account()) + "/" + e.Key
}

// The causes of the steps of a request.

func answerCause(id string, n int) string { return id + "/answer/" + strconv.Itoa(n) }
func responseCause(id string) string      { return id + "/response" }
func replyCause(id string) string         { return id + "/reply" }
func tryCause(id string, part, n int) string {
	return id + "/" + strconv.Itoa(part) + "/try/" + strconv.Itoa(n)
}
func failCause(id string, part, n int) string {
	return id + "/" + strconv.Itoa(part) + "/fail/" + strconv.Itoa(n)
}
func okCause(id string, part int) string { return id + "/" + strconv.Itoa(part) + "/ok" }
func doneCause(id string) string         { return id + "/done" }
func revisedCause(id string) string      { return id + "/revised" }
func filesCause(id string) string        { return id + "/files" }
func heardCause(id string) string        { return id + "/heard" }
func noticeCause(id, what string) string { return id + "/notice/" + what }

// feedbackCause is the cause of the n-th thing that somebody said about the
// answer to request id.
func feedbackCause(id, who string, n int) string {
	return id + "/feedback/" + who + "/" + strconv.Itoa(n)
}

// postedCause is the cause of the line that says which answer a message of ours
// belongs to.
func postedCause(to channels.Address, message string) string {
	return "at/" + url.PathEscape(to.Channel()) + "/" + url.PathEscape(to.Account()) + "/" +
		url.PathEscape(to.Chat()) + "/" + url.PathEscape(message)
}

// postKey is the stable key of a part.
func postKey(id string, part int) string { return id + "-" + strconv.Itoa(part) }

// conversationOf returns the conversation that e belongs to. Everybody has one
// of their own, in shared chats as well: account, chat, thread and person are
// hashed with their lengths, so that no two keys can run into each other.
func conversationOf(e channels.Event) string {
	a := e.Address
	return conversationID(a.Channel(), a.Account(), a.Chat(), a.Thread(), e.Actor.ID)
}

func conversationID(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return "conv_" + hex.EncodeToString(h.Sum(nil)[:6])
}

// check finds what would make an open request of the log unusable.
func (e *Envelope) check() error {
	switch {
	case e.Type != TypeRequest:
		return fmt.Errorf("open line is a %q", e.Type)
	case e.ID == "":
		return fmt.Errorf("request without id")
	case e.Payload.Address.IsZero():
		return fmt.Errorf("request without an address")
	}
	return nil
}

// step begins an envelope that follows from request e.
func (e *Envelope) step(t Type, cause, from, to string) Envelope {
	return Envelope{
		Conversation: e.Conversation, Cause: cause, From: From{Agent: from}, To: to,
		Type: t, ReplyTo: e.ID, Priority: e.Priority,
	}
}

// event begins an event about request e.
func (e *Envelope) event(intent, cause string) Envelope {
	v := e.step(TypeEvent, cause, partTransport, partDispatcher)
	v.Intent, v.ReplyTo, v.Payload.Ref = intent, "", e.ID
	return v
}

// done is the event that ends request e.
func (e *Envelope) done(end End) Envelope {
	v := e.event(eventDone, doneCause(e.ID))
	v.From.Agent, v.Payload.End = partDispatcher, end
	return v
}
