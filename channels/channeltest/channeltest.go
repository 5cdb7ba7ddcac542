// Package channeltest is the suite that every channel adapter has to pass. It
// states the contract of package channels as cases against a network: what is
// handed over and when it counts as received, in which order, to whom an
// answer goes, what a failed send is called, that nothing leaks and everything
// ends.
//
// An adapter's test implements [Network] over a fake of its network, or over
// the real one, and calls [Run]. What a network cannot do is declared with a
// reason in [Harness.Lacks]; the cases that need it are then skipped with that
// reason, and no others.
package channeltest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outheis/channels"
	"outheis/formatting"
)

// A Harness joins the suite to one adapter.
type Harness struct {
	// New starts a network of its own for one case, with the account of ours
	// in it and every [Place] ready. It ends with t.
	New func(t *testing.T) Network
	// Lacks says what the network cannot do, and why.
	Lacks map[Ability]string
}

// An Ability is something that not every network has or not every fake can
// show.
type Ability string

// The abilities.
const (
	Groups     Ability = "groups"     // chats of several people
	Mentions   Ability = "mentions"   // the network marks who is mentioned
	Topics     Ability = "topics"     // threads with a life of their own
	General    Ability = "general"    // a first topic that has no name when sending
	Edits      Ability = "edits"      // people change what they wrote
	Commands   Ability = "commands"   // the network marks commands
	Bots       Ability = "bots"       // other programs write, and are told apart
	Anonymous  Ability = "anonymous"  // people write without a name
	Breaks     Ability = "breaks"     // a message may have several lines
	Replies    Ability = "replies"    // people answer a certain message
	Forwards   Ability = "forwards"   // people pass on what others wrote
	Media      Ability = "media"      // content that is no text
	Reactions  Ability = "reactions"  // emoji at a message
	Buttons    Ability = "buttons"    // buttons under our messages
	Membership Ability = "membership" // the network tells when we are removed
	Moves      Ability = "moves"      // a chat gets another address
	Pending    Ability = "pending"    // what is not acknowledged comes again
	Exclusive  Ability = "exclusive"  // only one receiver at a time
	Faults     Ability = "faults"     // the way to the network can be broken
	Outage     Ability = "outage"     // the network can be unreachable
	Redirects  Ability = "redirects"  // a request can be sent elsewhere
	RateLimit  Ability = "rate limit" // the network asks to wait
	Markup     Ability = "markup"     // the network refuses broken markup
	Limit      Ability = "limit"      // the network refuses long messages
	Closing    Ability = "closing"    // a chat can be closed to us
	Revoking   Ability = "revoking"   // credentials can become invalid
	Malformed  Ability = "malformed"  // foreign bytes reach the adapter
	Turns      Ability = "turns"      // the channel is a TurnTaker
	Typing     Ability = "typing"     // the channel is a Typer
	Menu       Ability = "menu"       // the channel is a Commander
	Health     Ability = "health"     // the channel is a Prober
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
	// ReplyTo is the id of the message that is answered, as Say or a Receipt
	// gave it.
	ReplyTo string
	// Forward makes it a line that somebody else wrote.
	Forward bool
}

// Arrived is a message of ours as the network shows it.
type Arrived struct {
	Remote string // the network's id
	Text   string // what a person reads
	Marked bool   // some of it is formatted
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
// suite asks for what it must not.
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
	// Press makes Ada press a button with data under a message of ours.
	Press(at Place, id, data string)
	// Malform sends n events that are none, of every kind that can be made,
	// followed by nothing.
	Malform(n int)

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
	// Menu returns the command menu for a language; "" is the default.
	Menu(lang string) []channels.Command

	// BreakSend and BreakReceive break the next n requests of their way.
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

// A testCase is one clause of the contract.
type testCase struct {
	name  string
	needs []Ability
	run   func(*bench)
}

// Run checks the adapter behind h, each clause with a network of its own.
func Run(t *testing.T, h Harness) {
	for _, group := range [][]testCase{intakeCases(), addressingCases(), sendingCases(), enduringCases()} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				for _, a := range c.needs {
					if why, lacks := h.Lacks[a]; lacks {
						t.Skipf("the network lacks %s: %s", a, why)
					}
				}
				before := goleak.IgnoreCurrent()
				t.Cleanup(func() { goleak.VerifyNone(t, before) })
				b := newBench(t, h.New(t))
				c.run(b)
			})
		}
	}
}
