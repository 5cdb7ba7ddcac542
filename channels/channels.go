// Package channels is the contract between the gateway and chat networks.
//
// A channel adapter turns what happens on its network into an [Event] and
// hands it to [Deliver]; only when Deliver has returned nil is the event on
// disk, and only then may the adapter advance its upstream cursor. In the
// other direction the gateway hands it a [Post]; the adapter answers with a
// [Receipt] or with a [*SendError], and with no other error.
//
// Adapters decide nothing: who may ask, which group message is meant for us,
// how long to wait before another try are the gateway's. Adapters know no
// agents, no store and no other adapter. The suite in channels/channeltest
// states what each of them has to hold.
//
// A new adapter is one folder beside this file and one line of wiring in
// cmd/outheis/wire.go.
package channels

import (
	"context"
	"time"

	"outheis/formatting"
)

// A Channel is one account on one chat network.
type Channel interface {
	// Kind names the network, such as "telegram". It is constant.
	Kind() string
	// Profile says what the network can show. It is constant after New.
	Profile() formatting.Profile
	// Run receives until ctx ends, and hands every event to in, in the order
	// of each chat. It reconnects by itself and returns only ctx's error or a
	// *SendError of class Misconfigured that no reconnecting can cure. After
	// the latter Run is called again some time later, in case somebody has acted;
	// never while it runs.
	Run(ctx context.Context, in Deliver) error
	// Send posts p and returns the network's id for it. Every error is a
	// *SendError. Send does not retry. It may be called from any goroutine,
	// also before and after Run.
	Send(ctx context.Context, p Post) (Receipt, error)
}

// Deliver makes one event durable. A nil return means that the event is on
// disk or was decided to need no record; only then may the caller advance its
// upstream cursor. On an error the caller waits and delivers the same event
// again. It may be called from several goroutines.
type Deliver func(ctx context.Context, e Event) error

// Kind is what happened.
type Kind string

// The kinds of event.
const (
	KindMessage    Kind = "message"
	KindEdit       Kind = "edit"
	KindDeletion   Kind = "deletion"
	KindReaction   Kind = "reaction"
	KindButton     Kind = "button"
	KindCommand    Kind = "command"
	KindMembership Kind = "membership"
)

// An Event is something that happened on a network, in channel-neutral form.
type Event struct {
	Kind Kind `json:"kind"`
	// Key names the event among all events of this account and is the same
	// when the network delivers the event again, as "u:918273645".
	Key string `json:"key"`
	// Address says where an answer goes. Made by the adapter only.
	Address Address `json:"address"`
	// Audience says who reads an answer that is sent to Address.
	Audience Audience `json:"audience"`
	Actor    Actor    `json:"actor"`
	// Message is the network's id of the message that the event is about.
	Message string `json:"message,omitempty"`
	// Quoted is the text that the person replied to, if any. It is data, never
	// part of the question.
	Quoted string `json:"quoted,omitempty"`
	// Replied is the network's id of the message that the person replied to, if
	// any: what "show source 2" is about when it is said below an old answer.
	Replied string `json:"replied,omitempty"`
	// Text is the message without the mentions of our account: they say whom it
	// is for. For a command it is the command's argument, for a reaction the
	// emoji that the person shows now, or empty when it was taken back.
	Text string `json:"text,omitempty"`
	// Command is the command's name without slash or account, in lower case. The
	// edit of a command has it too.
	Command string `json:"command,omitempty"`
	// Addressed says that the message was directed at our account by the
	// network's own means: mention entity, reply to one of our messages, or
	// command. It is always true in a direct chat.
	Addressed bool `json:"addressed,omitempty"`
	// Unsupported names content that the adapter cannot turn into text, such as
	// "voice" or "sticker". Text may still hold a caption. A forwarded message is
	// "forward": its text is somebody else's and therefore in Quoted.
	Unsupported string `json:"unsupported,omitempty"`
	// Files came with the message; a [Fetcher] reads them.
	Files []File `json:"files,omitempty"`
	// Space is the network's id of what the chat belongs to, a Discord guild or
	// a Mattermost team; empty where there is none. Access can be given by it.
	Space string `json:"space,omitempty"`
	// Button, with [KindButton], is the ID of the pressed button of ours; Message
	// is then the message that it stands under.
	Button string `json:"button,omitempty"`
	// Change, with KindMembership, is what became of our account in the chat.
	Change Change `json:"change,omitempty"`
	// Moved, with [ChangeMoved], is where posts to Address go from now on.
	Moved Address `json:"moved,omitzero"`
	// At is the network's time of the event; for an edit it is the time of the
	// edit.
	At time.Time `json:"at"`
	// Posted is when the message that the event is about was first written,
	// where the network says so and it differs from At. The age of an edited
	// message is judged by it.
	Posted time.Time `json:"posted,omitzero"`
}

// Change is what became of our account in a chat.
type Change string

// The changes of membership.
const (
	ChangeJoined  Change = "joined"  // we can read and write there, or again
	ChangeMuted   Change = "muted"   // we are there and may not write
	ChangeRemoved Change = "removed" // we were removed or blocked
	ChangeMoved   Change = "moved"   // the chat has another address now
)

// Audience is who reads along in a chat.
type Audience string

// The audiences.
const (
	Direct    Audience = "direct"    // one person and our account
	Group     Audience = "group"     // several people
	Broadcast Audience = "broadcast" // a channel in which people only read
)

// An Actor is who caused an event. ID is the network's immutable id of the
// account, never a name that its owner can change; it is empty when the
// network does not say who it was (anonymous administrators).
type Actor struct {
	ID     string    `json:"id,omitempty"`
	Kind   ActorKind `json:"kind"`
	Name   string    `json:"name,omitempty"`   // for display only
	Locale string    `json:"locale,omitempty"` // BCP 47, as the network reports it
}

// ActorKind tells people from programs.
type ActorKind string

// The kinds of actor.
const (
	Person  ActorKind = "person"
	Bot     ActorKind = "bot"
	Webhook ActorKind = "webhook"
	System  ActorKind = "system" // the network itself, or an unnamed sender
)

// A Post is one outgoing message part.
type Post struct {
	To Address
	// Key is the same for the same part after a restart. A network that knows
	// idempotent sending gets it.
	Key string
	// Body is the part in the dialect of the channel's Profile.
	Body formatting.Part
	// Plain asks for Body.Plain without any markup: the network refused the
	// marked-up form before.
	Plain bool
	// Again says that an earlier try may have arrived. A network that knows
	// idempotent sending ignores it; the gateway has marked Body where it does
	// not.
	Again bool
}

// A Receipt is the network's word that a post arrived.
type Receipt struct {
	Remote string `json:"remote"` // the network's id of the message
}

// A Typer is a Channel that can show that an answer is being prepared. The
// returned stop ends the indication; it does not block and may be called more
// than once. Failures are not reported: the indication is a courtesy.
type Typer interface {
	Typing(ctx context.Context, to Address) (stop func())
}

// A TurnTaker is a Channel that keeps its posts within the limits of its
// network by letting them wait. Waiting inside Send would leave open, should
// the process die meanwhile, whether the post had gone out; TakeTurn lets the
// caller wait before it writes down that it sends.
type TurnTaker interface {
	// TakeTurn waits until a post to the chat of to may go out, and keeps that
	// turn: the next Send to the chat uses it and does not wait, but for what
	// keeps apart posts that would go out in one burst; should the network have
	// asked to wait since, it returns that RetryAfter. A turn that nobody uses
	// is kept for a later Send. When TakeTurn has to wait it calls waits first,
	// once, and returns its error if there is one. Every other error is that of
	// ctx.
	TakeTurn(ctx context.Context, to Address, waits func() error) error
}

// A Command is an entry of the network's command menu.
type Command struct {
	Name  string // lower-case ASCII letters, digits and _
	About string // one line
	// Argument names the text that may follow, as "frage"; empty when nothing
	// does. ArgumentAbout describes it in one line.
	Argument      string
	ArgumentAbout string
	// Everywhere offers the command in chats of several people as well.
	Everywhere bool
}

// A Commander is a Channel whose network shows a menu of commands. Locale is
// a BCP 47 language or empty for the default menu. Setting what is set already
// asks nothing of the network that counts against a quota.
type Commander interface {
	SetCommands(ctx context.Context, locale string, commands []Command) error
}

// A Closer is a Channel that keeps something open between two calls, such as
// idle connections or running indications. Close ends them and waits for the
// adapter's goroutines. It is called after Run has returned and while no Send
// runs, and may be called more than once.
type Closer interface {
	Close() error
}

// Health is how a channel stands, judged by what it receives.
type Health struct {
	State    State     `json:"state"`
	Reason   string    `json:"reason,omitempty"`  // for administrators; no secret in it
	Remedy   string    `json:"remedy,omitempty"`  // the next step for an administrator
	Received time.Time `json:"received,omitzero"` // when the network last answered
	// Ahead is how far our clock goes before that of the network, as its last
	// answer told (the Date of HTTP), or 0 when it is not known.
	Ahead time.Duration `json:"ahead,omitempty"`
}

// State is a traffic light.
type State string

// The states.
const (
	Starting State = "starting"
	Green    State = "green"
	Yellow   State = "yellow"
	Red      State = "red"
)

// A Prober is a Channel that can say how it stands. Health may be called from
// any goroutine and does no network traffic.
type Prober interface {
	Health() Health
}

// A Finder is a Channel that can address a person whose account id is known,
// for words that answer no message. Whether the person can be reached shows
// when something is sent.
type Finder interface {
	Direct(person string) (Address, error)
}
