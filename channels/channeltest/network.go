package channeltest

import (
	"context"
	"log/slog"
	"time"

	"outheis/channels"
	"outheis/formatting"
)

// A Place is where a line is written.
type Place string

// The places that a network has ready.
const (
	AdaDirect Place = "the direct chat with Ada"
	BenDirect Place = "the direct chat with Ben"
	InGroup   Place = "a group with Ada and Ben"
	TopicOne  Place = "the first topic of a forum"
	TopicTwo  Place = "the second topic of the forum"
	InGeneral Place = "the forum's general topic"
)

// A Sender is who writes a line.
type Sender string

// The senders that a network has ready.
const (
	Ada    Sender = "Ada"     // a person
	Ben    Sender = "Ben"     // a person
	Robot  Sender = "a bot"   // another program
	Nobody Sender = "unnamed" // somebody whom the network does not name
)

// A Line is what somebody writes.
type Line struct {
	At   Place
	From Sender
	// Text may hold {me} for the mention of our account in the network's form,
	// and {other} for the mention of an account whose name begins like ours.
	Text string
	// Command, where set, makes the line that command with Text as argument;
	// For is "" for a command without an account, "me" or "other".
	Command, For string
	// Media is "voice" or "photo"; Text is then the caption.
	Media string
	// Files come with the line as one message, whose caption Text is.
	Files []Attachment
	// ReplyTo is the id of the message that is answered, as Say or a Receipt
	// gave it.
	ReplyTo string
	// Forward makes it a line that somebody else wrote.
	Forward bool
}

// An Attachment is a file at a message.
type Attachment struct {
	Name string
	Data []byte
}

// Arrived is a message of ours as the network shows it now.
type Arrived struct {
	Remote string // the network's id
	Text   string // what a person reads
	Marked bool   // some of it is formatted
	// Buttons are those below it, with ID and Label, in the order of reading.
	Buttons []formatting.Button
	Files   []Attachment
}

// A Fault breaks the next requests on one way.
type Fault string

// The faults.
const (
	CutBefore    Fault = "cut before the effect"
	CutAfter     Fault = "cut after the effect"
	ServerError  Fault = "server error"
	Garbage      Fault = "garbage for an answer" // after the effect
	Late         Fault = "no answer in time"     // after the effect
	Slow         Fault = "an answer byte by byte"
	Elsewhere    Fault = "redirected elsewhere"
	WaitChat     Fault = "asked to wait"
	WaitAccount  Fault = "everybody asked to wait"
	SecondClient Fault = "another client receives"
)

// WaitAsked is how long WaitChat and WaitAccount ask to wait.
const WaitAsked = time.Second

// A Closure is how a chat is closed to us.
type Closure string

// The closures.
const (
	Blocked  Closure = "blocked"  // by the person of a direct chat
	Removed  Closure = "removed"  // from a group
	Silenced Closure = "silenced" // in a group
)

// A Network is a chat network with one account of ours. All methods may be
// called from any goroutine and end the test with Fatal or a panic when the
// suite asks for what it must not. Embed [Lacking] and write the methods that
// the network has.
type Network interface {
	// Open makes a channel for the account, as each start of the program does.
	// Waits between tries are short, 50 ms at most, and nothing is paced but
	// what the network asked for; a send gives up after Patience.
	Open(log *slog.Logger) (channels.Channel, error)
	// Secrets are what must never leave the adapter.
	Secrets() []string
	// Name and Account are what addresses hold.
	Name() (kind, account string)

	// Say makes somebody write and returns the network's id of the message.
	Say(Line) string
	// Edit changes a line that Say wrote.
	Edit(at Place, id, text string)
	// Touch makes the network report a line as edited that was not.
	Touch(at Place, id string)
	// React makes Ada show an emoji, or take it back with "".
	React(at Place, id, emoji string)
	// Press makes Ada press the button with the ID data under a message of ours.
	Press(at Place, id, data string)
	// Delete removes a message, a person's or ours.
	Delete(at Place, id string)
	// Released is how many presses of buttons we have acknowledged.
	Released() int
	// Malform sends n events that are none, of every kind that can be made,
	// followed by nothing.
	Malform(n int)

	// Cursor is what Open gives to each channel, for a network whose adapter
	// keeps how far it has read.
	Cursor() *Cursor
	// Unacknowledged is how many events the network would send again.
	Unacknowledged() int
	// AwaitAcknowledged waits until there are none.
	AwaitAcknowledged(ctx context.Context) error
	// AwaitListening waits until the adapter waits for events.
	AwaitListening(ctx context.Context) error

	// Arrived returns our messages at a place, oldest first.
	Arrived(at Place) []Arrived
	// AwaitTyping waits until we have been shown typing n times at a place.
	AwaitTyping(ctx context.Context, at Place, n int) error
	// Menu returns the command menu for a language; "" is the default. Where the
	// network has one menu for all languages it is that one.
	Menu(lang string) []channels.Command
	// MenuWrites is how many requests have changed a menu, or might have.
	MenuWrites() int
	// Attempts are the times at which the adapter tried to receive, be it a
	// request or a connection.
	Attempts() []time.Time

	// BreakSend and BreakReceive break the next n requests of their way: posts,
	// files and edits of ours, or what the adapter receives by.
	BreakSend(f Fault, n int)
	BreakReceive(f Fault, n int)
	// GoDown makes the network unreachable until ComeUp.
	GoDown()
	ComeUp()
	// Close closes a place to us.
	Close(at Place, c Closure)
	// Move gives the group another address; posts to the old one are refused
	// with it.
	Move()
	// Revoke makes our credentials invalid.
	Revoke()
	// Leaks returns secrets that reached places where they must not be, such
	// as the target of a redirect.
	Leaks() []string

	// Marked returns text as one formatted part.
	Marked(text string) formatting.Part
	// Broken returns a part whose markup the network refuses and whose plain
	// form is text.
	Broken(text string) formatting.Part
}

// Patience is after how long a send of a Network's channel gives up, at most.
const Patience = 2 * time.Second
