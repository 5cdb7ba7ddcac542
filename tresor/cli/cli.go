// Package cli is the command surface of a Tresor, for "outheis tresor": one
// command, its arguments, its lines and its exit code.
//
// What other programs read (paths, labels, signs, JSON, the lines of search and
// stats) is the same in every language; sentences are German or English.
package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/wording"
)

// The exit codes.
const (
	success = 0
	refused = 1
	usage   = 2
)

// Options are the settings of a run.
type Options struct {
	Lang string           // "de", which is the default, or "en"
	Root string           // the Tresor where --root is not given; "" is the current folder
	Now  func() time.Time // the clock; nil is time.Now
	// Hold keeps Ctrl-C and the like from ending the process until release is
	// called: a writer that is cut off leaves its lock behind, which stops every
	// question. Nil holds nothing.
	Hold func() (release func())
}

// A command is one word of the command line. Its run gets the parsed arguments.
type command struct {
	name    string
	min     int      // arguments
	max     int      // arguments; -1 for any number
	flags   []string // options without a value
	values  []string // options with one
	run     func(*call) int
	failure func(c *call, text string) // prints what a panic says; nil for the common line
}

// commands are what exists, in the order of the help.
func commands() []command {
	return []command{
		{name: "validate", run: (*call).validate},
		{name: "index", run: (*call).index},
		{name: "graph", run: (*call).graph},
		{name: "checksum", flags: []string{"--verify"}, run: (*call).checksum},
		{name: "query", min: 1, max: -1, flags: []string{"--extern"}, values: []string{"--world", "--limit", "--source"},
			run: (*call).query, failure: (*call).queryFailure},
		{name: "search", min: 1, max: -1, run: (*call).search},
		{name: "route", min: 1, max: -1, run: (*call).route},
		{name: "stats", run: (*call).stats},
	}
}

// Main runs one command line and returns the exit code: 0 for success, 1 for a
// refusal or failure, 2 for a usage error or a question that cannot be ranked.
// The arguments begin with [--root DIR]. Errors of a command go to stdout, usage
// errors to stderr.
func Main(args []string, stdout, stderr io.Writer, o Options) int {
	c := &call{lang: o.Lang, root: o.Root, now: o.Now, hold: o.Hold}
	code := c.main(args)
	// Nobody is left to tell if the reader has gone; the command was run all the same.
	_, _ = stdout.Write(c.out.Bytes())
	_, _ = stderr.Write(c.err.Bytes())
	return code
}

// A call is one run of a command.
type call struct {
	lang, root string
	now        func() time.Time
	hold       func() (release func())
	command    command
	args       arguments
	out, err   bytes.Buffer
}

func (c *call) main(args []string) int {
	for len(args) > 0 && strings.HasPrefix(args[0], "--root") {
		switch root, ok := strings.CutPrefix(args[0], "--root="); {
		case ok:
			c.root, args = root, args[1:]
		case args[0] == "--root" && len(args) > 1:
			c.root, args = args[1], args[2:]
		default:
			return c.usage("cli.root")
		}
	}
	switch {
	case len(args) == 0:
		return c.usage("cli.nocommand")
	case args[0] == "-h" || args[0] == "--help":
		c.out.WriteString(wording.Help(c.lang))
		return success
	}
	for _, cmd := range commands() {
		if cmd.name == args[0] {
			return c.runCommand(cmd, args[1:])
		}
	}
	return c.usage("cli.unknown", args[0])
}

func (c *call) runCommand(cmd command, args []string) (code int) {
	c.command = cmd
	var problem *wording.Sentence
	if c.args, problem = parse(cmd, args); problem != nil {
		return c.usage(problem.Key, problem.Args...)
	}
	if c.args.help {
		c.out.WriteString(wording.Help(c.lang))
		return success
	}
	if info, err := os.Stat(c.dir()); err != nil || !info.IsDir() {
		if err == nil {
			err = os.ErrInvalid
		}
		if cmd.name != "query" {
			c.line("🔴 ", c.say("cli.noroot", cmd.name, c.dir(), err))
			return refused
		}
	}
	defer func() {
		if p := recover(); p != nil {
			text := strings.Join(strings.Fields(fmt.Sprint(p)), " ")
			c.out.Reset()
			if cmd.failure != nil {
				cmd.failure(c, text)
			} else {
				c.line("🔴 ", c.say("cli.internal", cmd.name, text))
			}
			code = refused
		}
	}()
	return cmd.run(c)
}

func (c *call) dir() string {
	if c.root == "" {
		return "."
	}
	return c.root
}

func (c *call) options() tresor.Options { return tresor.Options{Lang: c.lang, Now: c.now} }

func (c *call) say(key string, args ...any) string { return wording.Say(c.lang, key, args...) }

func (c *call) line(parts ...string) {
	for _, p := range parts {
		c.out.WriteString(p)
	}
	c.out.WriteByte('\n')
}

func (c *call) usage(key string, args ...any) int {
	c.err.WriteString(c.say(key, args...) + "\n" + c.say("cli.hint") + "\n")
	return usage
}
