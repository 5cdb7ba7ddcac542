package gateway

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// The notices beside those that have a reason to refuse.
const (
	noticeNoAgent Reason = "no_agent"   // a mention of an agent that is not there
	noticeNobody  Reason = "no_default" // a question that nobody here answers
	noticeNoVault Reason = "no_vault"   // a question to the notes, which nobody reads yet
)

// sentence words what the gateway says by itself.
func (g *Gateway) sentence(req *Envelope) string {
	t := texts.For(req.Payload.Lang)
	switch req.Intent {
	case intentStart:
		return t.Say("gateway.start") + "\n\n" + g.help(t, req)
	case intentHelp:
		return g.help(t, req)
	case intentStop:
		if req.Payload.Ref == "" {
			return t.Say("gateway.nothing_to_stop")
		}
		return t.Say("gateway.stopped")
	case intentAdmin:
		return req.Payload.Text
	}
	return g.notice(t, &req.Payload)
}

// notice words why something was not taken.
func (g *Gateway) notice(t *texts.Texts, p *Payload) string {
	if s, ok := g.codeNotice(t, p); ok {
		return s
	}
	if s, ok := languageNotice(t, p); ok {
		return s
	}
	switch p.Notice {
	case noticeNoAnswer:
		if p.By == ByWords {
			return t.Say("gateway.which_answer")
		}
		return t.Say("gateway.no_answer")
	case noticeNoVault:
		return t.Say("gateway.no_vault")
	case ReasonQuota:
		return t.Say("gateway.refused_quota", atLeastOne(p.Until.Sub(g.now()), time.Minute))
	case ReasonDaily:
		return t.Say("gateway.refused_daily", atLeastOne(p.Until.Sub(g.now()), time.Hour))
	case ReasonBusy:
		return t.Say("gateway.refused_busy")
	case ReasonTooLong:
		return t.Say("gateway.refused_too_long", g.settings.Load().Policy.Limits.withDefaults().MaxText)
	case ReasonUnsupported:
		if p.Unread == "forward" {
			return t.Say("gateway.refused_forward")
		}
		return t.Say("gateway.refused_unsupported")
	case ReasonCommand:
		return t.Say("gateway.refused_command", p.Name)
	case noticeNobody:
		return t.Say("gateway.refused_nobody")
	case noticeNoAgent:
		return t.Say("gateway.refused_no_agent", p.Name, strings.Join(g.mentionable(), ", "))
	}
	return t.Say("gateway.refused_empty")
}

// atLeastOne counts the begun units of d.
func atLeastOne(d, unit time.Duration) int { return max(1, int((d+unit-1)/unit)) }

// help says what can be asked, and how.
func (g *Gateway) help(t *texts.Texts, req *Envelope) string {
	var b strings.Builder
	b.WriteString(t.Say("gateway.help"))
	if topics := g.settings.Load().Topics; len(topics) > 0 {
		b.WriteString("\n\n" + t.Say("gateway.help_topics"))
		for _, topic := range topics {
			if topic.Mention == "" {
				fmt.Fprintf(&b, "\n- %s", topic.Title)
			} else {
				fmt.Fprintf(&b, "\n- %s (`@%s`)", topic.Title, topic.Mention)
			}
		}
	}
	if all := g.mentionable(); len(all) > 1 {
		b.WriteString("\n\n" + t.Say("gateway.help_mentions", strings.Join(all, ", ")))
	}
	b.WriteString("\n\n" + t.Say("gateway.help_commands"))
	if req.Payload.Audience != channels.Direct {
		b.WriteString("\n\n" + t.Say("gateway.help_group"))
	}
	return b.String()
}

// mentionable lists the names that can stand behind an @.
func (g *Gateway) mentionable() []string {
	var all []string
	r := g.settings.Load().Routing
	for name, route := range r.Mentions {
		if g.agents[route.Agent] != nil {
			all = append(all, "`@"+name+"`")
		}
	}
	for name := range g.agents {
		if _, listed := r.Mentions[name]; !listed {
			all = append(all, "`@"+name+"`")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// failureSentence tells a person that there is no answer, and what to do.
func failureSentence(req *Envelope, f *Failure) string {
	t := texts.For(req.Payload.Lang)
	switch {
	case f == nil:
		return t.Say("gateway.failed", incident(req.ID))
	case f.Text != "":
		return f.Text
	case f.Code == "timeout":
		return t.Say("gateway.failed_timeout", f.Incident)
	case f.Code == "overloaded":
		return t.Say("gateway.failed_overloaded")
	case f.Code == "poison":
		return t.Say("gateway.failed_poison", f.Incident)
	case f.Code == "too_large":
		return t.Say("gateway.failed_too_large")
	case f.Code == "no_agent":
		return t.Say("gateway.failed_no_agent", req.To)
	}
	return t.Say("gateway.failed", f.Incident)
}

// lateRemark apologises for an answer that comes late.
func lateRemark(req *Envelope, asked time.Time) string {
	t := texts.For(req.Payload.Lang)
	return t.Say("gateway.late", asked.Format(t.Say("gateway.late_time")))
}

// unreadRemark says that an attachment was not read.
func unreadRemark(req *Envelope) string {
	return texts.For(req.Payload.Lang).Say("gateway.unread")
}

// apologies remembers in which conversations somebody was asked for pardon
// lately: once is enough. It may be used by many goroutines.
type apologies struct {
	mu sync.Mutex // guards of
	of map[string]time.Time
}

// first reports that this is the first apology of the conversation for an hour,
// and notes it.
func (a *apologies) first(conversation string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c, t := range a.of {
		if now.Sub(t) >= time.Hour {
			delete(a.of, c)
		}
	}
	if _, ok := a.of[conversation]; ok {
		return false
	}
	if a.of == nil {
		a.of = make(map[string]time.Time)
	}
	a.of[conversation] = now
	return true
}
