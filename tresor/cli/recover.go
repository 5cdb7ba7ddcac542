package cli

import (
	"strconv"

	"outheis/tresor"
)

func (c *call) recover() int {
	ro := tresor.RecoverOptions{Apply: c.args.flags["--apply"], WriterGone: c.args.flags["--gone"]}
	r, err := c.recoverHeld(ro)
	if err != nil {
		return c.fails(err)
	}
	c.printRecovery(r)
	if r.State == tresor.Repairable && c.confirm("cli.recover.ask") {
		ro.Apply = true
		if r, err = c.recoverHeld(ro); err != nil {
			return c.fails(err)
		}
		c.printOutcome(r)
	}
	steps := make([]string, len(r.Steps))
	for i, s := range r.Steps {
		steps[i] = c.typed(s)
	}
	c.set("state", string(r.State))
	c.set("steps", steps)
	c.set("valid", r.Valid)
	c.set("pinned", r.Pinned)
	c.report.findings = append(c.report.findings, r.Findings...)
	if r.State == tresor.Sound || r.State == tresor.Repaired {
		return success
	}
	return refused
}

// recoverHeld lets recover come to its end. Nothing is held while a person is
// asked: then Ctrl-C ends the program at once.
func (c *call) recoverHeld(ro tresor.RecoverOptions) (tresor.Recovery, error) {
	ctx, release := c.held()
	defer release()
	return tresor.Recover(ctx, c.dir(), ro, c.options())
}

func (c *call) printRecovery(r tresor.Recovery) {
	for _, f := range r.Findings {
		sign := "🔴 "
		if f.Severity == tresor.Warning {
			sign = "🟡 "
		}
		c.line(sign, c.told(f))
	}
	for i, s := range r.Steps {
		c.line("   ", strconv.Itoa(i+1), ". ", c.typed(s))
	}
	c.printOutcome(r)
}

func (c *call) printOutcome(r tresor.Recovery) {
	switch r.State {
	case tresor.Sound:
		if len(r.Findings) > 0 {
			c.line("🟡 ", c.say("cli.recover.noted"))
			break
		}
		c.line("🟢 ", c.say("cli.recover.sound"))
	case tresor.Repaired:
		c.line("🟢 ", c.say("cli.recover.repaired"))
	case tresor.Repairable:
		word := ""
		if c.args.flags["--gone"] {
			word = " --gone"
		}
		c.line("🟡 ", c.say("cli.recover.repairable", word))
		return
	case tresor.Busy:
		c.line("🔴 ", c.say("cli.recover.busy"))
		return
	default:
		c.line("🔴 ", c.say("cli.recover.manual"))
		return
	}
	switch {
	case !r.Valid:
		c.line("🟡 ", c.say("cli.recover.invalid"))
	case !r.Pinned:
		c.line("🟡 ", c.say("cli.recover.unpinned"))
	default:
		c.line("🟢 ", c.say("cli.recover.clean"))
	}
}

// confirm asks a person at a terminal; without one the answer is no.
func (c *call) confirm(question string) bool {
	if c.In == nil {
		return false
	}
	answer, err := c.askLine(c.say(question))
	return err == nil && isYes(answer)
}
