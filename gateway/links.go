package gateway

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// The commands with which a person joins two of their accounts, and parts one
// again. They work in chats of two only: in a group everybody would read the
// code.
const (
	commandLink   = "link"
	commandUnlink = "unlink"
)

// privateCommands work in no group, whatever its list says.
var privateCommands = []string{commandLink, commandUnlink}

// mostGuessers is how many people are remembered who entered a wrong code.
const mostGuessers = 10_000

// mostLinked is how many accounts one person can join.
const mostLinked = 16

// The notices about codes.
const (
	noticePaired     Reason = "paired"      // somebody was let in
	noticeLinkCode   Reason = "link_code"   // the code, for the other account
	noticeLinked     Reason = "linked"      // Name is the other account
	noticeLinkWrong  Reason = "link_wrong"  // no such code
	noticeLinkPaused Reason = "link_paused" // too many wrong codes
	noticeLinkSame   Reason = "link_same"   // entered where it was said, or joined before
	noticeLinkMany   Reason = "link_many"   // too many accounts of one person
	noticeLinkFailed Reason = "link_failed" // the records cannot be written
	noticeUnlinked   Reason = "unlinked"    // parted
	noticeNotLinked  Reason = "not_linked"  // there was nothing to part
)

// A link is the accounts of one person. As is the name that they have in common:
// that of the account that was there first.
type link struct {
	As       string     `json:"as"`
	Accounts []identity `json:"accounts"`
	Since    time.Time  `json:"since"`
	Cause    string     `json:"cause"` // of the event that joined the last of them
}

// own is the name of somebody whose accounts are not joined.
func (i identity) own() string {
	return "p" + conversationID(i.Channel, i.Account, i.Person)[len("conv"):]
}

// person names the human being behind an account id: the same name for all
// accounts that they have joined, and for nobody else. What is kept about a
// person, such as their language, is kept under it. Names hold no id. When an
// account is parted it has its own name again, and with it what was kept before.
func (g *Gateway) person(account AccountID, id string) string {
	return g.roster.view().person(identity{account.Channel, account.Account, id})
}

func (v *view) person(who identity) string {
	if as, ok := v.linked[who]; ok {
		return as
	}
	return who.own()
}

// of returns the place of the link that who belongs to, or -1.
func (r *records) of(who identity) int {
	return slices.IndexFunc(r.Linked, func(l link) bool { return slices.Contains(l.Accounts, who) })
}

// join makes one person of two accounts, and of those that each has joined
// before. It reports false if that are too many.
func (r *records) join(first, second identity, cause string, now time.Time) bool {
	one := link{As: first.own(), Accounts: []identity{first}}
	if at := r.of(first); at >= 0 {
		one = r.Linked[at]
	}
	more := []identity{second}
	if at := r.of(second); at >= 0 {
		more = r.Linked[at].Accounts
	}
	if len(one.Accounts)+len(more) > mostLinked {
		return false
	}
	one.Accounts = slices.Concat(one.Accounts, more)
	one.Since, one.Cause = now.UTC().Truncate(time.Second), cause
	r.Linked = slices.DeleteFunc(r.Linked, func(l link) bool {
		return slices.Contains(l.Accounts, first) || slices.Contains(l.Accounts, second)
	})
	r.Linked = append(r.Linked, one)
	return true
}

// part takes an account out of its link. A link whose name was that of the
// account takes the name of the next, so that nobody has a name in common who is
// not joined.
func (r *records) part(who identity) bool {
	at := r.of(who)
	if at < 0 {
		return false
	}
	l := r.Linked[at]
	l.Accounts = slices.DeleteFunc(slices.Clone(l.Accounts), func(i identity) bool { return i == who })
	if l.As == who.own() && len(l.Accounts) > 0 {
		l.As = l.Accounts[0].own()
	}
	if r.Linked[at] = l; len(l.Accounts) < 2 {
		r.Linked = slices.Delete(r.Linked, at, at+1)
	}
	return true
}

// link carries out a command about links and returns the request that tells what
// came of it. An event that comes again changes nothing more.
func (g *Gateway) link(ctx context.Context, e channels.Event, req Envelope, now time.Time) Envelope {
	req.Intent = intentNotice
	typed := e.Text
	if first, rest := firstOf(typed); CommandOf(channels.Event{Text: first}) == e.Command { // written as a text
		typed = rest
	}
	var o outcome
	switch {
	case e.Actor.Kind != channels.Person || e.Actor.ID == "": // a program is nobody's account
		o = outcome{notice: noticeLinkWrong}
	case e.Command == commandUnlink:
		o = g.unlink(e)
	case typed == "":
		o = g.beginLink(e, req.Cause, req.Payload.Lang, now)
	default:
		o = g.endLink(ctx, e, typed, req.Cause, now)
	}
	req.Payload.Text, req.Payload.Raw = "", ""
	req.Payload.Notice, req.Payload.Name, req.Payload.Until = o.notice, o.name, o.until.UTC()
	return req
}

// An outcome is what a command did.
type outcome struct {
	notice Reason
	name   string
	until  time.Time
}

// beginLink gives a code for another account.
func (g *Gateway) beginLink(e channels.Event, cause, lang string, now time.Time) outcome {
	who := identityOf(e)
	var mine *code
	err := g.roster.edit(func(all *records) bool {
		if i := slices.IndexFunc(all.Codes, func(c code) bool { return c.Link && c.identity == who && c.Cause == cause }); i >= 0 {
			mine = &all.Codes[i]
			return false
		}
		all.Codes = slices.DeleteFunc(all.Codes, func(c code) bool { return c.Link && c.identity == who })
		mine = all.draw(code{identity: who, Link: true, Lang: lang, Cause: cause, To: e.Address, At: now.UTC()})
		return true
	})
	if err != nil {
		return g.linkFailed(who, err)
	}
	return outcome{noticeLinkCode, showCode(mine.Code), mine.until()}
}

// endLink takes the code that was said at another account. Both must be let in
// by now.
func (g *Gateway) endLink(ctx context.Context, e channels.Event, text, cause string, now time.Time) outcome {
	who := identityOf(e)
	if until := g.guesses.paused(who, now); !until.IsZero() {
		return outcome{notice: noticeLinkPaused, until: until}
	}
	typed, ok := readCode(text)
	before := g.person(who.account(), who.Person)
	var o outcome
	var used code
	err := g.roster.edit(func(all *records) bool {
		used = code{}
		if at := all.of(who); at >= 0 && all.Linked[at].Cause == cause {
			o = outcome{notice: noticeLinked, name: others(all.Linked[at], who)}
			return false
		}
		at := all.match(typed, true)
		if !ok || at < 0 || !g.admits(all, all.Codes[at].identity) {
			o = outcome{notice: noticeLinkWrong}
			return false
		}
		found := all.Codes[at]
		if found.identity == who || all.of(who) >= 0 && all.of(who) == all.of(found.identity) {
			o = outcome{notice: noticeLinkSame}
			return false
		}
		all.Codes = slices.Delete(all.Codes, at, at+1)
		if !all.join(found.identity, who, cause, now) {
			o = outcome{notice: noticeLinkMany}
			return true
		}
		used, o = found, outcome{notice: noticeLinked, name: others(all.Linked[len(all.Linked)-1], who)}
		return true
	})
	switch {
	case err != nil:
		return g.linkFailed(who, err)
	case o.notice == noticeLinkWrong:
		g.guesses.miss(who, now)
	case used.Code != "":
		g.keepLanguage(before, g.person(who.account(), who.Person))
		g.log.Info("accounts were joined", "channel", who.account().String(), "with", used.account().String())
		g.tell(ctx, used, noticeLinked, who.account().String(), "linked/"+cause)
	}
	return o
}

// keepLanguage lets somebody who is called after another account from now on keep
// the language that they chose, unless one was chosen there.
func (g *Gateway) keepLanguage(before, now string) {
	lang := g.languages.of(before)
	if lang == "" || g.languages.of(now) != "" {
		return
	}
	if err := g.languages.choose(now, lang); err != nil {
		g.log.Error("language was not kept", "err", err)
	}
}

// others names the accounts of a link but one.
func others(l link, who identity) string {
	name := ""
	for _, i := range l.Accounts {
		if i != who {
			if name != "" {
				name += ", "
			}
			name += i.account().String()
		}
	}
	return name
}

func (g *Gateway) unlink(e channels.Event) outcome {
	parted := false
	err := g.roster.edit(func(all *records) bool {
		parted = all.part(identityOf(e))
		return parted
	})
	switch {
	case err != nil:
		return g.linkFailed(identityOf(e), err)
	case !parted:
		return outcome{notice: noticeNotLinked}
	}
	return outcome{notice: noticeUnlinked}
}

func (g *Gateway) linkFailed(who identity, err error) outcome {
	g.log.Error("accounts were neither joined nor parted", "channel", who.account().String(), "err", err)
	return outcome{notice: noticeLinkFailed}
}

// admits reports that somebody may ask in a chat of two, as things stand.
func (g *Gateway) admits(all *records, who identity) bool {
	a, known := g.settings.Load().Policy.Access[who.account()]
	if !known {
		return false
	}
	paired := slices.ContainsFunc(all.Paired, func(p Paired) bool { return p.identity() == who })
	role, reason := direct(a, who.Person, false, paired)
	return reason == ReasonOK && isRole(role)
}

// guesses are the wrong codes that people entered in chats, in memory only. It
// may be used by many goroutines.
type guesses struct {
	mu sync.Mutex // guards of
	of map[identity]misses
}

// paused returns until when no code of who is taken; the zero time if it is.
func (g *guesses) paused(who identity, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.of[who]; m.paused(now) {
		return m.Until
	}
	return time.Time{}
}

func (g *guesses) miss(who identity, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = make(map[identity]misses)
	}
	if len(g.of) >= mostGuessers {
		maps.DeleteFunc(g.of, func(_ identity, m misses) bool { return !m.paused(now) })
	}
	m := g.of[who]
	m.miss(now)
	g.of[who] = m
}

// codeNotice words what came of a code; false if p is about something else.
func (g *Gateway) codeNotice(t *texts.Texts, p *Payload) (string, bool) {
	minutes := atLeastOne(p.Until.Sub(g.now()), time.Minute)
	switch p.Notice {
	case ReasonPairing:
		return t.Say("access.pair_code", minutes, p.Name), true
	case noticePaired:
		return t.Say("access.paired"), true
	case noticeLinkCode:
		return t.Say("access.link_code", minutes, p.Name), true
	case noticeLinked:
		return t.Say("access.linked", p.Name), true
	case noticeLinkWrong:
		return t.Say("access.link_wrong"), true
	case noticeLinkPaused:
		return t.Say("access.link_paused", minutes), true
	case noticeLinkSame:
		return t.Say("access.link_same"), true
	case noticeLinkMany:
		return t.Say("access.link_many", mostLinked), true
	case noticeLinkFailed:
		return t.Say("access.link_failed"), true
	case noticeUnlinked:
		return t.Say("access.unlinked"), true
	case noticeNotLinked:
		return t.Say("access.not_linked"), true
	}
	return "", false
}
