package cli

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"outheis/tresor"
	"outheis/tresor/curate"
	"outheis/tresor/internal/text"
)

// An option is something that a curator's command has to know or may be told.
type option struct {
	name     string
	need     bool   // the command cannot do without
	want     bool   // without it something stays open
	list     bool   // may be given more than once; a question takes all in one line, divided by commas
	each     bool   // of a list: a line each, until an empty one
	flag     bool   // has no value; a question takes yes or no
	question string // key of the question; "" is never asked
}

// optionsOf returns the options with or without a value as the command line
// spells them.
func optionsOf(flag bool, options []option) (names []string) {
	for _, o := range options {
		if name := "--" + o.name; o.flag == flag && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// errNoAnswer says that whoever is asked has gone.
var errNoAnswer = errors.New("no answer")

// answers are what the options of one command are set to, by the command line or
// by a person.
type answers struct {
	c       *call
	options []option
	values  map[string][]string
	asked   map[string]bool
}

// answers takes over the options of the command line.
func (c *call) answers(options []option) *answers {
	a := &answers{c: c, options: options, values: map[string][]string{}, asked: map[string]bool{}}
	for _, o := range options {
		switch {
		case o.flag && c.args.flags["--"+o.name]:
			a.values[o.name] = []string{"yes"}
		case o.list && !o.flag:
			a.values[o.name] = slices.Clone(c.args.all["--"+o.name])
		case c.args.values["--"+o.name] != "":
			a.values[o.name] = []string{c.args.values["--"+o.name]}
		}
	}
	return a
}

// one returns the value of an option, "" for none.
func (a *answers) one(name string) string {
	if list := a.values[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// all returns the values of an option.
func (a *answers) all(name string) []string { return a.values[name] }

// yes reports whether a flag is set.
func (a *answers) yes(name string) bool { return len(a.values[name]) > 0 }

// complete asks for what is not known yet, if there is somebody to ask, and
// returns the names of what is still missing. Who has said all that is needed is
// not asked for the rest.
func (a *answers) complete() (missing []string) {
	all := !slices.ContainsFunc(a.options, func(o option) bool { return len(a.values[o.name]) > 0 }) ||
		slices.ContainsFunc(a.options, func(o option) bool { return o.need && len(a.values[o.name]) == 0 })
	for _, o := range a.options {
		if len(a.values[o.name]) > 0 {
			continue
		}
		if o.question != "" && a.c.In != nil && (all || o.want) {
			if a.ask(o) == nil && (len(a.values[o.name]) > 0 || !o.need) {
				continue
			}
		}
		if o.need {
			missing = append(missing, "--"+o.name)
		}
	}
	return missing
}

// ask asks for one option. What is needed is asked for three times.
func (a *answers) ask(o option) error {
	a.asked[o.name] = true
	for range 3 {
		s, err := a.c.askLine(a.c.say(o.question))
		if err != nil {
			return err
		}
		a.values[o.name] = nil
		switch {
		case s == "":
		case o.each:
			for err == nil && s != "" {
				a.values[o.name] = append(a.values[o.name], s)
				s, err = a.c.askLine(a.c.say(o.question))
			}
			return nil
		case o.flag:
			if isYes(s) {
				a.values[o.name] = []string{"yes"}
			}
			return nil
		case o.list:
			for part := range strings.SplitSeq(s, ",") {
				if part = text.Trim(part); part != "" {
					a.values[o.name] = append(a.values[o.name], part)
				}
			}
		default:
			a.values[o.name] = []string{s}
		}
		if len(a.values[o.name]) > 0 || !o.need {
			return nil
		}
	}
	return nil
}

// again asks anew for the answer that a refusal names, if a person gave it and
// is still there. It is false if there is nothing to be done.
func (a *answers) again(err error) bool {
	var r *curate.Refusal
	if !errors.As(err, &r) || !a.asked[r.Field] {
		return false
	}
	i := slices.IndexFunc(a.options, func(o option) bool { return o.name == r.Field })
	a.c.tell("🔴 " + a.c.typed(r.Text))
	return a.ask(a.options[i]) == nil
}

// isYes reports whether an answer agrees. Anything unclear does not.
func isYes(s string) bool {
	return slices.Contains([]string{"j", "ja", "y", "yes"}, strings.ToLower(s))
}

// askLine puts a question on stderr and returns the line that answers it, trimmed.
func (c *call) askLine(question string) (string, error) {
	if c.lines == nil {
		c.lines = bufio.NewReader(c.In)
	}
	if c.Drop != nil && c.Drop() {
		c.tell("🟡 " + c.say("cli.ask.dropped"))
	}
	c.tell(question)
	line, err := c.lines.ReadString('\n')
	if line = text.Trim(line); line == "" && err != nil {
		return "", errNoAnswer
	}
	return line, nil
}

// tell says something to a person who is being asked.
func (c *call) tell(line string) {
	if c.args.json {
		_, _ = io.WriteString(c.stderr, line+"\n") // stdout waits for its document
		return
	}
	c.err.WriteString(line + "\n")
	c.flush()
}

// refusedBy prints why a curator's command refuses.
func (c *call) refusedBy(err error) int {
	var r *curate.Refusal
	if !errors.As(err, &r) {
		return c.fails(err)
	}
	if len(r.Findings) > 1 || len(r.Findings) == 1 && r.Findings[0].String() != r.Text {
		c.findings(r.Findings)
	} else {
		c.report.findings = append(c.report.findings, r.Findings...)
	}
	if r.Field == "" {
		return c.refuse("cli.curate.refused", c.command.name, c.typed(r.Text))
	}
	c.set("option", "--"+r.Field)
	return c.refuse("cli.curate.option", c.command.name, "--"+r.Field, c.typed(r.Text))
}

// did prints what a curator's command did beyond its first line, and releases if
// that was asked for.
func (c *call) did(done curate.Done) int {
	c.set("path", done.Path)
	c.set("files", append([]string{}, done.Files...))
	c.set("notes", append([]string{}, done.Notes...))
	if done.ID != "" {
		c.set("id", done.ID)
	}
	for _, note := range done.Notes {
		c.line("ℹ️  ", note)
	}
	level := c.args.values["--release"]
	if level == "" {
		c.line("ℹ️  ", c.say("cli.curate.drift"))
		return success
	}
	ctx, release := c.held()
	defer release()
	r, err := tresor.Release(ctx, c.dir(), tresor.Level(level), c.options())
	if err != nil {
		return c.unreleased(err)
	}
	c.published(r)
	c.set("files", append([]string{}, done.Files...)) // which release has, too
	c.set("pinned", r.Files)
	return success
}

// unreleased prints why a change that stands could not be released.
func (c *call) unreleased(err error) int {
	var write *tresor.WriteError
	if errors.As(err, &write) && !write.Done && !write.Recovery {
		return c.refuse("cli.curate.unreleased.because", c.command.name, c.typed(write.Text))
	}
	code := c.fails(err)
	if write == nil || !write.Done {
		c.refuse("cli.curate.unreleased", c.command.name)
	}
	return code
}

// releaseLevel checks the option --release, and that it will not fail for a reason
// that is plain before anything is changed.
func (c *call) releaseLevel() int {
	level, ok := c.args.values["--release"]
	if !ok {
		return success
	}
	if !isLevel(level) {
		return c.usage("cli.release.level", level)
	}
	if err := tresor.CheckRelease(c.dir(), tresor.Level(level), c.options()); err != nil {
		return c.fails(err)
	}
	return success
}
