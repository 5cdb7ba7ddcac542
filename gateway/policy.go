package gateway

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	// Programs are the ids of bots and webhooks that get answers, as users.
	Programs []string
	// Unlimited lifts quotas, freshness and the bound of the mailbox: for the
	// owner's own terminal.
	Unlimited bool
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
	// Commands names the commands that work here beside "tresor" and "stop".
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
	EditTime time.Duration // how long an edit replaces an unanswered message
}

// DefaultLimits returns the limits of spec/outheis.md §2.7 and §9 and
// spec/channels.md D7.
func DefaultLimits() Limits {
	return Limits{
		MaxText: 4000, Burst: 20, Window: 5 * time.Minute, Daily: 200,
		PerPair: 6, PairTime: 10 * time.Minute, Mute: 24 * time.Hour,
		Mailbox: 20, Open: 5000,
		MaxAge: 24 * time.Hour, Late: time.Hour, EditTime: time.Minute,
	}
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ v, d *int }{
		{&l.MaxText, &d.MaxText}, {&l.Burst, &d.Burst}, {&l.Daily, &d.Daily}, {&l.PerPair, &d.PerPair},
		{&l.Mailbox, &d.Mailbox}, {&l.Open, &d.Open},
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
	// Waiting and Open count the open requests of the conversation and of all.
	Waiting, Open int
	// Original, for an edit, is the open and unanswered request of the message
	// that was edited; nil when there is none.
	Original *Original
}

// An Original is an open request whose message was edited.
type Original struct {
	Text string
	At   time.Time // when the message was written
}

// A Reason says why an event was taken or refused. It is counted in [Status].
type Reason string

// The reasons. What is refused before [ReasonExpired] leaves no record and gets
// no reply, so that strangers learn nothing.
const (
	ReasonOK          Reason = "ok"
	ReasonKind        Reason = "kind"         // nothing to answer: reaction, deletion, membership, button
	ReasonNobody      Reason = "nobody"       // the account's access list is empty
	ReasonProgram     Reason = "program"      // a bot or webhook that is not listed
	ReasonAnonymous   Reason = "anonymous"    // the network does not say who it was
	ReasonSender      Reason = "sender"       // not in the access list
	ReasonBlocked     Reason = "blocked"      // in the access list without a role
	ReasonGroup       Reason = "group"        // a group that is not listed
	ReasonAudience    Reason = "audience"     // an audience that we do not know
	ReasonUnaddressed Reason = "unaddressed"  // said to others
	ReasonMuted       Reason = "muted"        // a program that used up its budget
	ReasonLoop        Reason = "loop"         // the program's message that uses it up
	ReasonExpired     Reason = "expired"      // older than MaxAge
	ReasonStale       Reason = "stale"        // a command older than Late
	ReasonCommandEdit Reason = "command_edit" // an edited command is not executed again
	ReasonEditLate    Reason = "edit_late"    // answered already, or edited too late
	ReasonEditSame    Reason = "edit_same"    // the text did not change
	ReasonCommand     Reason = "command"      // no such command, or not here
	ReasonQuota       Reason = "quota"        // Burst is used up
	ReasonDaily       Reason = "daily"        // Daily is used up
	ReasonBusy        Reason = "busy"         // too much is waiting
	ReasonTooLong     Reason = "too_long"
	ReasonUnsupported Reason = "unsupported" // no text, but something that we cannot read
	ReasonEmpty       Reason = "empty"
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

// The commands that the gateway answers itself, and "tresor", which asks an
// agent.
const (
	commandStart  = "start"
	commandHelp   = "help"
	commandStop   = "stop"
	commandTresor = "tresor"
)

var (
	commands      = []string{commandStart, commandHelp, commandStop, commandTresor}
	groupCommands = []string{commandStop, commandTresor}
)

// Decide judges an event whose text has been cleaned and whose Command is set
// by [CommandOf]. It is the only place that decides who may ask what, for every
// channel and every kind of event; it looks at nothing but its arguments. What
// is not allowed is refused (spec/reliability.md T3–T7, spec/channels.md §5.3).
func Decide(e channels.Event, p Policy, s State) Verdict {
	access := p.Access[accountOf(e.Address)]
	role, reason := principal(e, access)
	if reason != ReasonOK {
		return Verdict{Reason: reason}
	}
	v := Verdict{Role: role}
	group := access.Groups[e.Address.Chat()]
	if e.Audience != channels.Direct && !e.Addressed && !group.Unaddressed {
		v.Reason = ReasonUnaddressed
		return v
	}
	for _, judge := range []func(channels.Event, Access, Limits, State) Verdict{
		judgeProgram, judgeAge, judgeEdit, judgeCommand, judgeQuota, judgeLoad, judgeContent,
	} {
		w := judge(e, access, p.Limits.withDefaults(), s)
		if w.Reason != ReasonOK {
			w.Role = role
			w.Say = w.Say && !isProgram(e.Actor) // or two programs apologise to each other for ever
			return w
		}
	}
	v.Reason = ReasonOK
	return v
}

// principal finds the sender's role. Authority comes from the network's account
// id and from nothing in the text.
func principal(e channels.Event, a Access) (agents.Role, Reason) {
	switch e.Kind {
	case channels.KindMessage, channels.KindEdit, channels.KindCommand:
	default:
		return "", ReasonKind
	}
	if len(a.People) == 0 && len(a.Groups) == 0 && len(a.Programs) == 0 {
		return "", ReasonNobody
	}
	id, program := e.Actor.ID, false
	switch e.Actor.Kind {
	case channels.Person:
	case channels.Bot, channels.Webhook:
		if id == "" || !slices.Contains(a.Programs, id) {
			return "", ReasonProgram
		}
		program = true
	default:
		id = "" // the network itself, or a kind that we do not know: nobody in particular
	}
	var role agents.Role
	var reason Reason
	switch e.Audience {
	case channels.Direct:
		role, reason = direct(a, id, program)
	case channels.Group, channels.Broadcast:
		role, reason = member(a, e.Address.Chat(), id, program)
	default:
		return "", ReasonAudience
	}
	if reason == ReasonOK && role != agents.RoleUser && role != agents.RoleAdmin {
		return "", ReasonBlocked
	}
	return role, reason
}

// direct finds the role in a chat of two.
func direct(a Access, id string, program bool) (agents.Role, Reason) {
	if id == "" {
		return "", ReasonAnonymous
	}
	if program {
		return agents.RoleUser, ReasonOK
	}
	return lookUp(id, a.People)
}

// member finds the role in a group: the group has to be listed, and the sender
// as well.
func member(a Access, chat, id string, program bool) (agents.Role, Reason) {
	g, ok := a.Groups[chat]
	switch {
	case !ok:
		return "", ReasonGroup
	case id == "" && g.Anonymous, id != "" && program:
		return agents.RoleUser, ReasonOK
	case id == "":
		return "", ReasonAnonymous
	}
	if _, named := a.People[id]; named && id != Everybody {
		if _, here := g.People[id]; !here {
			return a.People[id], ReasonOK
		}
	}
	return lookUp(id, g.People)
}

// lookUp finds the role of id, or that of everybody.
func lookUp(id string, people map[string]agents.Role) (agents.Role, Reason) {
	if id == Everybody {
		return "", ReasonSender
	}
	if role, ok := people[id]; ok {
		return role, ReasonOK
	}
	if _, ok := people[Everybody]; ok {
		return agents.RoleUser, ReasonOK
	}
	return "", ReasonSender
}

func isProgram(a channels.Actor) bool { return a.Kind == channels.Bot || a.Kind == channels.Webhook }

// judgeProgram keeps two programs from talking to each other for ever.
func judgeProgram(e channels.Event, _ Access, l Limits, s State) Verdict {
	if !isProgram(e.Actor) {
		return Verdict{Reason: ReasonOK}
	}
	if s.Now.Before(s.Muted) {
		return Verdict{Reason: ReasonMuted}
	}
	if within(s.Asked, s.Now, l.PairTime) >= l.PerPair {
		return Verdict{Reason: ReasonLoop}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeAge refuses what comes too late to be of use.
func judgeAge(e channels.Event, a Access, l Limits, s State) Verdict {
	switch age := ageOf(e, s.Now); {
	case a.Unlimited:
	case age > l.MaxAge:
		return Verdict{Reason: ReasonExpired}
	case age > l.Late && e.Command != "" && e.Command != commandTresor:
		return Verdict{Reason: ReasonStale}
	}
	return Verdict{Reason: ReasonOK}
}

// ageOf returns how long ago the message of e was written.
func ageOf(e channels.Event, now time.Time) time.Duration {
	written := e.At
	if !e.Posted.IsZero() {
		written = e.Posted
	}
	if written.IsZero() {
		return 0
	}
	return now.Sub(written)
}

// judgeEdit takes an edit only where it replaces a question that is waiting.
func judgeEdit(e channels.Event, _ Access, l Limits, s State) Verdict {
	switch {
	case e.Kind != channels.KindEdit:
	case e.Command != "":
		return Verdict{Reason: ReasonCommandEdit}
	case s.Original == nil:
		return Verdict{Reason: ReasonEditLate}
	case s.Original.Text == e.Text:
		return Verdict{Reason: ReasonEditSame}
	case e.At.Sub(s.Original.At) > l.EditTime:
		return Verdict{Reason: ReasonEditLate}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeCommand refuses commands that do not exist, and in groups those that are
// not listed: there silently, since they may be meant for another program.
func judgeCommand(e channels.Event, a Access, _ Limits, _ State) Verdict {
	switch {
	case e.Command == "":
	case e.Audience == channels.Direct:
		if !slices.Contains(commands, e.Command) {
			return Verdict{Reason: ReasonCommand, Say: true}
		}
	case !slices.Contains(commands, e.Command),
		!slices.Contains(groupCommands, e.Command) && !slices.Contains(a.Groups[e.Address.Chat()].Commands, e.Command):
		return Verdict{Reason: ReasonCommand}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeQuota bounds what one sender can ask. The sentence is said once a
// window, or once an hour for the quota of the day.
func judgeQuota(_ channels.Event, a Access, l Limits, s State) Verdict {
	if a.Unlimited {
		return Verdict{Reason: ReasonOK}
	}
	for _, q := range []struct {
		reason Reason
		n      int
		window time.Duration
		quiet  time.Duration
	}{
		{ReasonDaily, l.Daily, 24 * time.Hour, time.Hour},
		{ReasonQuota, l.Burst, l.Window, l.Window},
	} {
		if n := within(s.Asked, s.Now, q.window); n >= q.n {
			oldest := s.Asked[len(s.Asked)-q.n]
			return Verdict{Reason: q.reason, RetryAt: oldest.Add(q.window), Say: !told(s, q.reason, q.quiet)}
		}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeLoad refuses a question when too many are waiting. Edits take the place
// of another, and stop makes room.
func judgeLoad(e channels.Event, a Access, l Limits, s State) Verdict {
	if a.Unlimited || e.Kind == channels.KindEdit || e.Command == commandStop {
		return Verdict{Reason: ReasonOK}
	}
	if s.Waiting >= l.Mailbox || s.Open >= l.Open {
		return Verdict{Reason: ReasonBusy, Say: !told(s, ReasonBusy, l.Window)}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeContent refuses what is no question.
func judgeContent(e channels.Event, _ Access, l Limits, _ State) Verdict {
	speak := e.Audience == channels.Direct || e.Addressed
	switch {
	case len(e.Text) > l.MaxText && utf8.RuneCountInString(e.Text) > l.MaxText:
		return Verdict{Reason: ReasonTooLong, Say: speak}
	case strings.TrimSpace(e.Text) != "" || e.Command != "" && e.Command != commandTresor:
		return Verdict{Reason: ReasonOK}
	case e.Unsupported != "":
		return Verdict{Reason: ReasonUnsupported, Say: speak}
	}
	return Verdict{Reason: ReasonEmpty, Say: speak}
}

// within counts the times of the last d.
func within(times []time.Time, now time.Time, d time.Duration) int {
	n := 0
	for i := len(times) - 1; i >= 0 && now.Sub(times[i]) < d; i-- {
		n++
	}
	return n
}

func told(s State, r Reason, quiet time.Duration) bool {
	t, ok := s.Told[r]
	return ok && s.Now.Sub(t) < quiet
}

// CommandOf returns the command that e gives: the network's, or a word that
// people use instead of one. It is "" for a question.
func CommandOf(e channels.Event) string {
	if e.Command != "" {
		switch e.Command {
		case "hilfe":
			return commandHelp
		case "stopp", "abbrechen", "cancel":
			return commandStop
		}
		return e.Command
	}
	switch strings.ToLower(strings.Trim(e.Text, " \n\t.!")) {
	case "stop", "stopp", "abbrechen", "/stop", "/abbrechen", "cancel", "/cancel":
		return commandStop
	case "hilfe", "help", "/help", "/hilfe":
		return commandHelp
	case "/start":
		return commandStart
	}
	return ""
}
