package gateway

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"outheis/agents"
	"outheis/channels"
)

// The commands that the gateway answers itself, and "tresor", which asks an
// agent.
const (
	commandStart  = "start"
	commandHelp   = "help"
	commandStop   = "stop"
	commandTresor = "tresor"

	commandLanguage = "language"
	commandEvidence = "evidence"
)

var (
	commands      = []string{commandStart, commandHelp, commandStop, commandTresor, commandLink, commandUnlink, commandLanguage, commandEvidence}
	groupCommands = []string{commandStop, commandTresor, commandEvidence, commandLanguage}
)

// Decide judges an event whose text has been cleaned and whose Command is set
// by [CommandOf]. It is the only place that decides who may ask what, for every
// channel and every kind of event; it looks at nothing but its arguments. What
// is not allowed is refused (spec/reliability.md T3–T7, spec/channels.md §5.3).
func Decide(e channels.Event, p Policy, s State) Verdict {
	if e.Kind == channels.KindDeletion {
		return judgeDeletion(s)
	}
	access, known := p.Access[accountOf(e.Address)]
	role, reason := principal(e, access, known && s.Paired, s.About)
	if reason == ReasonSender && offersCode(e, access, s) {
		reason = ReasonPairing
	}
	if reason != ReasonOK {
		return Verdict{Reason: reason}
	}
	v := Verdict{Role: role}
	group, _ := access.group(e)
	if e.Audience != channels.Direct && !e.Addressed && !group.Unaddressed && !s.Continues {
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
// id and from nothing in the text; paired says that the sender was let in by a
// code.
func principal(e channels.Event, a Access, paired, about bool) (agents.Role, Reason) {
	switch e.Kind {
	case channels.KindMessage, channels.KindEdit, channels.KindCommand:
	case channels.KindButton, channels.KindReaction:
		if !about {
			return "", ReasonKind
		}
	default:
		return "", ReasonKind
	}
	if a.isEmpty() && !paired {
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
		role, reason = direct(a, id, program, paired)
	case channels.Group, channels.Broadcast:
		role, reason = member(a, e, id, program)
	default:
		return "", ReasonAudience
	}
	if reason == ReasonOK && !isRole(role) {
		return "", ReasonBlocked
	}
	return role, reason
}

func isRole(r agents.Role) bool { return r == agents.RoleUser || r == agents.RoleAdmin }

// direct finds the role in a chat of two. The configuration goes before a code:
// whom it blocks stays blocked.
func direct(a Access, id string, program, paired bool) (agents.Role, Reason) {
	if id == "" {
		return "", ReasonAnonymous
	}
	if program {
		return agents.RoleUser, ReasonOK
	}
	role, reason := lookUp(id, a.People)
	if reason == ReasonSender && paired && id != Everybody {
		return agents.RoleUser, ReasonOK
	}
	return role, reason
}

// member finds the role in a group: the group has to be listed, by itself or with
// the space that it belongs to, and the sender as well.
func member(a Access, e channels.Event, id string, program bool) (agents.Role, Reason) {
	g, ok := a.group(e)
	if role, named := a.Spaces[e.Space].People[id]; ok && named && e.Space != "" && id != Everybody && !isRole(role) {
		if _, here := g.People[id]; !here {
			return "", ReasonBlocked
		}
	}
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
	case age > l.Late && e.Command != "" && !s.asks(e) && !s.About:
		return Verdict{Reason: ReasonStale}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeDeletion takes the deletion of a question that has no answer yet, whoever
// deleted it: nobody can see any more what would be answered.
func judgeDeletion(s State) Verdict {
	if s.Original == nil {
		return Verdict{Reason: ReasonKind}
	}
	return Verdict{Reason: ReasonOK}
}

// ageOf returns how long ago the message of e was written, or a button was
// pressed.
func ageOf(e channels.Event, now time.Time) time.Duration {
	written := e.At
	if !e.Posted.IsZero() && e.Kind != channels.KindButton && e.Kind != channels.KindReaction {
		written = e.Posted
	}
	if written.IsZero() {
		return 0
	}
	return now.Sub(written)
}

// judgeEdit takes an edit only where it changes a question: one that is waiting,
// or one whose answer it then changes.
func judgeEdit(e channels.Event, _ Access, l Limits, s State) Verdict {
	switch {
	case e.Kind != channels.KindEdit:
	case e.Command != "":
		return Verdict{Reason: ReasonCommandEdit}
	case s.Original == nil:
		return Verdict{Reason: ReasonEditLate}
	case s.Original.Same:
		return Verdict{Reason: ReasonEditSame}
	case e.At.Sub(s.Original.At) > l.EditTime:
		return Verdict{Reason: ReasonEditLate}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeCommand refuses commands that do not exist, and in groups those that are
// not listed: there silently, since they may be meant for another program.
func judgeCommand(e channels.Event, a Access, _ Limits, s State) Verdict {
	switch {
	case e.Command == "":
	case e.Audience == channels.Direct:
		if !slices.Contains(commands, e.Command) && !s.asks(e) {
			return Verdict{Reason: ReasonCommand, Say: true}
		}
	case s.asks(e):
	case !slices.Contains(commands, e.Command), slices.Contains(privateCommands, e.Command):
		return Verdict{Reason: ReasonCommand}
	default:
		if g, _ := a.group(e); !slices.Contains(groupCommands, e.Command) && !slices.Contains(g.Commands, e.Command) {
			return Verdict{Reason: ReasonCommand}
		}
	}
	return Verdict{Reason: ReasonOK}
}

// pressDays is how many windows full of presses one person has in a day.
const pressDays = 10

// judgeQuota bounds what one sender can ask. The sentence is said once a
// window, or once an hour for the quota of the day. Whoever asked too much may
// still stop what is waiting.
func judgeQuota(e channels.Event, a Access, l Limits, s State) Verdict {
	if a.Unlimited || e.Command == commandStop && s.Waiting > 0 {
		return Verdict{Reason: ReasonOK}
	}
	if s.About { // apart from questions: it costs no answer, but lines of the log
		if most := pressDays * l.Presses; within(s.Pressed, s.Now, 24*time.Hour) >= most {
			return Verdict{
				Reason: ReasonDaily, RetryAt: s.Pressed[len(s.Pressed)-most].Add(24 * time.Hour), Say: !told(s, ReasonDaily, time.Hour),
			}
		}
		if n := within(s.Pressed, s.Now, l.Window); n >= l.Presses {
			return Verdict{
				Reason: ReasonQuota, RetryAt: s.Pressed[len(s.Pressed)-l.Presses].Add(l.Window), Say: !told(s, ReasonQuota, l.Window),
			}
		}
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
	replaces := e.Kind == channels.KindEdit && s.Original != nil && !s.Original.Answered
	if a.Unlimited || replaces || e.Command == commandStop {
		return Verdict{Reason: ReasonOK}
	}
	if s.Waiting >= l.Mailbox && !s.About || s.Open >= l.Open {
		return Verdict{Reason: ReasonBusy, Say: !told(s, ReasonBusy, l.Window)}
	}
	return Verdict{Reason: ReasonOK}
}

// judgeContent refuses what is no question.
func judgeContent(e channels.Event, _ Access, l Limits, s State) Verdict {
	if s.About {
		return Verdict{Reason: ReasonOK}
	}
	speak := e.Audience == channels.Direct || e.Addressed || s.Continues
	switch {
	case len(e.Text) > l.MaxText && utf8.RuneCountInString(e.Text) > l.MaxText:
		return Verdict{Reason: ReasonTooLong, Say: speak}
	case strings.TrimSpace(e.Text) != "" || e.Command != "" && !s.asks(e), len(e.Files) > 0:
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

// firstOf returns the first word of s and what follows it.
func firstOf(s string) (first, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
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
		case "sprache", "lang":
			return commandLanguage
		case "belege", "beleg", "quellen", "sources":
			return commandEvidence
		case "verbinden":
			return commandLink
		case "trennen":
			return commandUnlink
		}
		return e.Command
	}
	word := strings.ToLower(strings.Trim(e.Text, " \n\t.!"))
	if first, rest := firstOf(word); first != word {
		if _, ok := readCode(rest); ok && isCodeLike(e.Text) && (first == "verbinden" || first == "/verbinden" || first == "/link") {
			return commandLink
		}
	}
	if _, ok := languageWord(word); ok {
		return commandLanguage
	}
	switch word {
	case "verbinden", "/verbinden", "/link":
		return commandLink
	case "trennen", "/trennen", "/unlink":
		return commandUnlink
	case "stop", "stopp", "abbrechen", "/stop", "/abbrechen", "cancel", "/cancel":
		return commandStop
	case "hilfe", "help", "/help", "/hilfe":
		return commandHelp
	case "/start":
		return commandStart
	}
	return ""
}

// isCodeLike tells the codes behind "verbinden" from words that could be one, as
// "Netzwerk": codes are written as they are shown, in capitals or with a hyphen, or
// have a digit.
func isCodeLike(text string) bool {
	_, rest := firstOf(text)
	return strings.ContainsAny(rest, "-23456789\u2010\u2011\u2013 ") || strings.ToUpper(rest) == rest
}

// asks reports that the command of e puts a question to an agent.
func (s State) asks(e channels.Event) bool {
	return e.Command == commandTresor || slices.Contains(s.Agents, e.Command)
}
