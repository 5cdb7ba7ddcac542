// Package cli is the command surface of a Tresor, for "outheis tresor": one
// command, its arguments, its lines and its exit code.
//
// A command is one file here and one line in [commands]; it prints what the
// engine found out and decides nothing itself. What other programs read (paths,
// labels, signs, JSON, the lines of search and stats) is the same in every
// language; sentences are German or English. With --json every command prints
// one document instead of its lines, see report.go.
package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/wording"
	"outheis/tresor/netz"
)

// The exit codes.
const (
	success = 0
	refused = 1
	usage   = 2
)

// Options are the settings of a run. The zero value is usable.
type Options struct {
	Lang string // "de", which is the default, or "en"
	Root string // the Tresor where --root is not given; "" is the current folder
	// Dir is the folder that relative paths of arguments start from; "" is the
	// current one.
	Dir string
	Env func(name string) string // the environment; nil is os.Getenv
	Now func() time.Time         // the clock; nil is time.Now
	// In is where questions are answered; with nil none are asked, and what a
	// command does not know then is an error.
	In io.Reader
	// Drop throws away what was typed before its question, as the other lines of a
	// paste, and reports whether there was any. Nil drops nothing.
	Drop func() bool
	// Terminal says that a person watches stderr: progress is shown there.
	Terminal bool
	// Hold makes Ctrl-C and the like end the context it returns, and not the
	// process, until release is called: a writer that is cut off leaves its lock
	// behind, which stops every question. Nil holds nothing.
	Hold func(context.Context) (ctx context.Context, release func())
	// Network is what the operator allows of the network, for query --extern and
	// anchor-template. Cache, clock and the offline switch come from the run.
	Network netz.Options
}

// A command is one word of the command line. Its run gets the parsed arguments.
type command struct {
	name     string
	min      int      // arguments
	max      int      // arguments; -1 for any number
	flags    []string // options without a value
	values   []string // options with one
	run      func(*call) int
	document bool                       // prints a JSON document of the format in any case
	bytes    bool                       // judges itself arguments that are no UTF-8
	first    func() []string            // what the first argument may be; nil for anything
	anywhere bool                       // needs no folder at --root
	failure  func(c *call, text string) // prints what a panic says; nil for the common line
}

// commands are what exists; [groups] has their order in the help.
func commands() []command {
	return []command{
		{name: "validate", run: (*call).validate},
		{name: "index", run: (*call).index},
		{name: "graph", values: []string{"--format", "--out"}, run: (*call).graph},
		{name: "checksum", flags: []string{"--verify"}, run: (*call).checksum},
		{name: "log", min: 2, max: 2, run: (*call).log, bytes: true, first: tresor.LogActions},
		{name: "release", max: 1, run: (*call).release, first: levels},
		{name: "init", min: 1, max: 1, values: []string{"--title", "--scope", "--domain"}, run: (*call).initTresor, anywhere: true},
		{name: "add", min: 1, max: -1, flags: []string{"--verified"}, values: optionsOf(false, append(addOptions(true), option{name: "release"})),
			run: (*call).add, bytes: true},
		{name: "new", min: 1, max: -1, flags: optionsOf(true, newOptions()), values: optionsOf(false, newOptions()), run: (*call).newThing, first: kindNames},
		{name: "recover", flags: []string{"--apply", "--gone"}, run: (*call).recover},
		{name: "query", min: 1, max: -1, flags: []string{"--extern"}, values: []string{"--world", "--limit", "--source"},
			run: (*call).query, document: true, bytes: true, failure: (*call).queryFailure},
		{name: "search", min: 1, max: -1, run: (*call).search},
		{name: "route", min: 1, max: -1, run: (*call).route},
		{name: "stats", run: (*call).stats},
		{name: "eval", min: 1, max: 1, flags: []string{"--each", "--misses"}, values: evalValues(), run: (*call).eval},
		{name: "watch", run: (*call).watch, anywhere: true},
		{name: "doctor", run: (*call).doctor},
		{name: "export", flags: []string{"--okf", "--with-sources"}, values: []string{"--out"}, run: (*call).export},
		{name: "source", min: 1, max: 1, run: (*call).source, bytes: true},
		{name: "media-template", min: 1, max: 1, run: (*call).mediaTemplate, document: true, failure: templateFailure(profil.SchemaMedia)},
		{name: "extern", min: 1, max: 3, run: (*call).extern, bytes: true, first: externActions},
		{name: "anchor-template", min: 2, max: 2, run: (*call).anchorTemplate, document: true, failure: templateFailure(profil.SchemaAnchors)},
		{name: "orchestrator-template", min: 1, max: 1, run: (*call).orchestratorTemplate, document: true,
			failure: templateFailure(profil.SchemaCatalogue)},
	}
}

// Main runs one command line and returns the exit code: 0 for success, 1 for a
// refusal or failure, 2 for a usage error or a question that cannot be ranked.
// The arguments begin with [--root DIR]. Errors of a command go to stdout, usage
// errors to stderr. The end of ctx ends a command that waits.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer, o Options) int {
	c := &call{Options: o, ctx: ctx, stdout: stdout, stderr: stderr}
	if c.Env == nil {
		c.Env = os.Getenv
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.json = wantsDocument(args)
	code := c.main(args)
	if c.reports {
		c.printReport(code)
	}
	c.flush()
	return code
}

// A call is one run of a command.
type call struct {
	Options
	ctx            context.Context
	stdout, stderr io.Writer
	command        command
	args           arguments
	out, err       bytes.Buffer
	report         report
	lines          *bufio.Reader // over In
	json           bool          // --json stands on the command line
	reports        bool          // what is printed at the end is the report, for --json
	progress       *meter
	gone           bool // whoever read stdout has gone
}

// flush hands on what was printed so far. Nobody is left to tell if the reader
// has gone; the command runs all the same.
func (c *call) flush() {
	c.progress.clear()
	if _, err := c.stdout.Write(c.out.Bytes()); err != nil {
		c.gone = true
	}
	_, _ = c.stderr.Write(c.err.Bytes())
	c.out.Reset()
	c.err.Reset()
}

func (c *call) main(args []string) int {
	for len(args) > 0 && strings.HasPrefix(args[0], "--root") {
		switch root, ok := strings.CutPrefix(args[0], "--root="); {
		case ok && root != "":
			c.Root, args = root, args[1:]
		case args[0] == "--root" && len(args) > 1 && args[1] != "":
			c.Root, args = args[1], args[2:]
		default:
			return c.usage("cli.root")
		}
	}
	switch {
	case len(args) == 0:
		c.err.WriteString(c.help() + "\n")
		return c.usage("cli.nocommand")
	case args[0] == "-h" || args[0] == "--help" || args[0] == "help" && len(args) == 1:
		c.out.WriteString(c.help())
		return success
	case args[0] == "help":
		args = []string{args[1], "--help"}
	}
	cmd, ok := find(args[0])
	if !ok {
		return c.unknown(args[0])
	}
	return c.runCommand(cmd, args[1:])
}

func (c *call) runCommand(cmd command, args []string) (code int) {
	c.command = cmd
	var problem *wording.Sentence
	if c.args, problem = parse(cmd, args); problem != nil {
		return c.usage(problem.Key, problem.Args...)
	}
	if root, ok := c.args.values["--root"]; ok {
		if root == "" {
			return c.usage("cli.root")
		}
		c.Root = root
		delete(c.args.values, "--root")
		delete(c.args.all, "--root")
	}
	if c.args.help {
		c.out.WriteString(wording.CommandHelp(c.Lang, cmd.name))
		return success
	}
	c.reports = c.args.json && !cmd.document
	if c.Terminal && !c.args.json && !cmd.document {
		c.progress = &meter{w: c.stderr, now: c.Now, say: c.say}
	}
	if !cmd.anywhere && !cmd.document {
		info, err := os.Stat(c.dir())
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return c.refuse("cli.noroot", cmd.name, c.dir(), err)
		}
	}
	if !cmd.anywhere && !cmd.document && !tresor.IsTresor(c.dir()) {
		return c.noTresor()
	}
	defer func() {
		if p := recover(); p != nil {
			text := strings.Join(strings.Fields(fmt.Sprint(p)), " ")
			c.out.Reset()
			if cmd.failure != nil {
				cmd.failure(c, text)
			} else {
				c.refuse("cli.internal", cmd.name, text)
			}
			code = refused
		}
	}()
	return cmd.run(c)
}

// dir is the Tresor's folder.
func (c *call) dir() string {
	if c.Root == "" {
		return c.path(".")
	}
	return c.path(c.Root)
}

// path is where a path of the command line leads.
func (c *call) path(p string) string {
	if c.Dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(c.Dir, p)
}

// options are those of the library.
func (c *call) options() tresor.Options {
	o := tresor.Options{Lang: c.Lang, Now: c.Now}
	if c.progress != nil {
		o.Progress = c.progress.step
	}
	return o
}

// say returns a sentence. A command in it is named as it must be typed to reach
// the same Tresor.
func (c *call) say(key string, args ...any) string {
	return wording.SayAt(c.Lang, c.Root, key, args...)
}

// typed returns a sentence of the library with its commands as [call.say] names
// them.
func (c *call) typed(said string) string { return wording.AtRoot(said, c.Root) }

// line prints a line for people.
func (c *call) line(parts ...string) {
	for _, p := range parts {
		c.out.WriteString(p)
	}
	c.out.WriteByte('\n')
}

// refuse prints why the command refuses or failed, and returns its exit code.
func (c *call) refuse(key string, args ...any) int {
	text := c.say(key, args...)
	c.report.errors = append(c.report.errors, text)
	c.line("🔴 ", text)
	return refused
}

// set puts a value of the result into the document of --json; see
// [pjson.Encode] for what it may be.
func (c *call) set(key string, value any) {
	if c.report.values == nil {
		c.report.values = pjson.Object{}
	}
	c.report.values[key] = value
}

// noTresor refuses a folder that is something else, before a command looks at
// the files of somebody who meant another folder, or writes between them.
func (c *call) noTresor() int {
	dir := c.dir()
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	return c.refuse("cli.notresor", c.command.name, dir)
}

// usage prints what is wrong with the command line, and returns its exit code.
func (c *call) usage(key string, args ...any) int {
	c.reports = c.json
	text := c.say(key, args...)
	c.report.errors = append(c.report.errors, text)
	c.err.WriteString(text + "\n")
	if name, _, _ := strings.Cut(c.command.name, " "); name == "" {
		c.err.WriteString(c.say("cli.hint") + "\n")
	} else {
		c.err.WriteString(wording.Call(c.Lang, name) + "\n" + c.say("cli.hint.command", name) + "\n")
	}
	return usage
}
