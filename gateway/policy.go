package gateway

import (
	"time"

	"outheis/agents"
	"outheis/channels"
)

// Everybody, as an id in an access list, stands for all who are not named. It
// gives the role of a user and no other.
const Everybody = "*"

// A Policy says who may ask, where and how much. It is data from the
// configuration; [Decide] reads it.
type Policy struct {
	// Access is per account; an account that is missing answers nobody.
	Access map[AccountID]Access
	Limits Limits
}

// An AccountID names one of our accounts: the kind of its channel and the name
// that the configuration gives it.
type AccountID struct{ Channel, Account string }

func accountOf(a channels.Address) AccountID { return AccountID{a.Channel(), a.Account()} }

func (a AccountID) String() string { return a.Channel + "/" + a.Account }

// Access says who may ask one account. The zero Access admits nobody.
type Access struct {
	// People gives roles to the network's immutable account ids, compared
	// byte by byte. In direct chats [Everybody] stands for all others; in groups
	// it does not. An id with another value than a role of package agents is
	// refused everywhere.
	People map[string]agents.Role
	// Groups holds the chats of several people in which we answer, by chat id.
	Groups map[string]Group
	// Spaces holds the guilds or teams in all chats of which we answer, by
	// [channels.Event] Space. A chat that is in Groups goes by its own entry; who
	// is in a space without a role of package agents, and not in that entry, is
	// refused there as well.
	Spaces map[string]Group
	// Pairing says when strangers get a code. Who was let in by one is a user in
	// direct chats and has no more rights in groups than a stranger.
	Pairing Pairing
	// Programs are the ids of bots and webhooks that get answers, as users.
	Programs []string
	// Unlimited lifts quotas, freshness and the bound of the mailbox: for the
	// owner's own terminal.
	Unlimited bool
}

// isEmpty reports that nobody can be admitted, nor get a code.
func (a Access) isEmpty() bool {
	return len(a.People) == 0 && len(a.Groups) == 0 && len(a.Spaces) == 0 && len(a.Programs) == 0 && a.Pairing == NoPairing
}

// group returns the entry that the chat of e goes by.
func (a Access) group(e channels.Event) (Group, bool) {
	if g, ok := a.Groups[e.Address.Chat()]; ok {
		return g, true
	}
	if e.Space == "" {
		return Group{}, false
	}
	g, ok := a.Spaces[e.Space]
	return g, ok
}

// A Group is a chat of several people in which we answer. A member may ask who
// is in People here, or is named (not as [Everybody]) in the People of the
// account.
type Group struct {
	People map[string]agents.Role
	// Anonymous admits senders that the network does not name, as users.
	Anonymous bool
	// Unaddressed answers everything, not only what is addressed to us.
	Unaddressed bool
	// Commands names the commands that work here beside those of the agents,
	// "stop", "evidence" and "language".
	Commands []string
}

// Limits bound what one person, and all together, can make us do. Zero values
// stand for those of [DefaultLimits].
type Limits struct {
	MaxText  int           // code points of a message, at most 40,000
	Burst    int           // requests of one person within Window
	Window   time.Duration // of Burst
	Daily    int           // requests of one person within 24 h
	PerPair  int           // answers to one program within PairTime, then it is muted
	PairTime time.Duration
	Mute     time.Duration // how long a program stays muted
	Mailbox  int           // open requests of one conversation
	Open     int           // open requests of all conversations
	MaxAge   time.Duration // requests older than this expire unanswered
	Late     time.Duration // requests older than this are answered with an apology; older commands are ignored
	EditTime time.Duration // how long an edit of a message replaces the question, or the answer
	Presses  int           // of one person within Window, and ten times as many in 24 h: buttons, reactions and words about answers
	Files    int           // kept of one message
	FileSize int64         // bytes of each
}

// DefaultLimits returns the limits of spec/outheis.md §2.7 and §9 and
// spec/channels.md D7.
func DefaultLimits() Limits {
	return Limits{
		MaxText: 4000, Burst: 20, Window: 5 * time.Minute, Daily: 200,
		PerPair: 6, PairTime: 10 * time.Minute, Mute: 24 * time.Hour,
		Mailbox: 20, Open: 5000,
		MaxAge: 24 * time.Hour, Late: time.Hour, EditTime: time.Minute,
		Presses: 60, Files: 10, FileSize: 20 << 20,
	}
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ v, d *int }{
		{&l.MaxText, &d.MaxText}, {&l.Burst, &d.Burst}, {&l.Daily, &d.Daily}, {&l.PerPair, &d.PerPair},
		{&l.Mailbox, &d.Mailbox}, {&l.Open, &d.Open}, {&l.Presses, &d.Presses}, {&l.Files, &d.Files},
	} {
		if *f.v <= 0 {
			*f.v = *f.d
		}
	}
	for _, f := range []struct{ v, d *time.Duration }{
		{&l.Window, &d.Window}, {&l.PairTime, &d.PairTime}, {&l.Mute, &d.Mute},
		{&l.MaxAge, &d.MaxAge}, {&l.Late, &d.Late}, {&l.EditTime, &d.EditTime},
	} {
		if *f.v <= 0 {
			*f.v = *f.d
		}
	}
	if l.FileSize <= 0 {
		l.FileSize = d.FileSize
	}
	l.MaxText = min(l.MaxText, maxMaxText)
	return l
}

// maxMaxText keeps the longest text within a line of the log (256 KiB), however
// its characters are written there.
const maxMaxText = 40_000

// A State is what [Decide] has to know of the past. All times are of one clock.
type State struct {
	Now time.Time
	// Asked is when this sender's requests of the last 24 h were taken, oldest
	// first.
	Asked []time.Time
	// Told is when this sender last got the sentence that belongs to a reason.
	Told map[Reason]time.Time
	// Muted is until when this program gets no answer.
	Muted time.Time
	// Paired says that this sender was let in by a code. PairingFrom and
	// PairingUntil are the window in which strangers get one.
	Paired                    bool
	PairingFrom, PairingUntil time.Time
	// Waiting and Open count the open requests of the conversation and of all.
	Waiting, Open int
	// Original, for an edit, is the request of the message that was edited, and for
	// a deletion the unanswered one of the message that was deleted; nil when there
	// is none.
	Original *Original
	// Continues says that this sender goes on with us in a thread: we have answered
	// them there, and what they write now is directed at nobody else. It counts as
	// addressed (spec/channels.md D3).
	Continues bool
	// About says that the event is about an answer: a button of ours, a reaction
	// to a message of ours, or words such as "Beleg 2".
	About bool
	// Agents are the names of the agents. Each is a command that asks it.
	Agents []string
	// Pressed is when this sender's events about answers of the last 24 h were
	// taken, oldest first.
	Pressed []time.Time
}

// An Original is a request whose message was edited or deleted.
type Original struct {
	At       time.Time // when the message was written
	Same     bool      // the new text asks the same of the same agent
	Answered bool      // it has its answer
}

// A Reason says why an event was taken or refused. It is counted in [Status].
type Reason string

// The reasons. What is refused before [ReasonExpired] leaves no record and gets
// no reply, so that strangers learn nothing.
const (
	ReasonOK          Reason = "ok"
	ReasonKind        Reason = "kind"         // nothing to answer: membership, or nothing of ours
	ReasonNobody      Reason = "nobody"       // the account's access list is empty
	ReasonProgram     Reason = "program"      // a bot or webhook that is not listed
	ReasonAnonymous   Reason = "anonymous"    // the network does not say who it was
	ReasonSender      Reason = "sender"       // not in the access list
	ReasonPairing     Reason = "pairing"      // not in the access list, and gets a code
	ReasonBlocked     Reason = "blocked"      // in the access list without a role
	ReasonGroup       Reason = "group"        // a group that is not listed
	ReasonAudience    Reason = "audience"     // an audience that we do not know
	ReasonUnaddressed Reason = "unaddressed"  // said to others
	ReasonMuted       Reason = "muted"        // a program that used up its budget
	ReasonLoop        Reason = "loop"         // the program's message that uses it up
	ReasonExpired     Reason = "expired"      // older than MaxAge
	ReasonStale       Reason = "stale"        // a command older than Late
	ReasonCommandEdit Reason = "command_edit" // an edited command is not executed again
	ReasonEditLate    Reason = "edit_late"    // edited too late, or nothing of ours
	ReasonEditSame    Reason = "edit_same"    // the text did not change
	ReasonCommand     Reason = "command"      // no such command, or not here
	ReasonQuota       Reason = "quota"        // Burst is used up
	ReasonDaily       Reason = "daily"        // Daily is used up
	ReasonBusy        Reason = "busy"         // too much is waiting
	ReasonTooLong     Reason = "too_long"
	ReasonUnsupported Reason = "unsupported" // no text, but something that we cannot read
	ReasonEmpty       Reason = "empty"
	ReasonBroken      Reason = "broken" // its delivery panicked, again and again
)

// A Verdict is what [Decide] found.
type Verdict struct {
	Reason Reason
	// Role is the sender's, when the sender is known.
	Role agents.Role
	// Say asks for the sentence that belongs to Reason.
	Say bool
	// RetryAt, with ReasonQuota and ReasonDaily, is when the next request will
	// be taken.
	RetryAt time.Time
}
