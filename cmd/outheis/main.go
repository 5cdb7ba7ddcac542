// Command outheis answers questions in chat from curated evidence.
//
// This package knows all parts and wires them (wire.go); beside that it holds
// one file a command, each of which reads flags, calls the parts and decides
// the exit code. What a command does for more than one caller belongs into the
// package that it is about.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"outheis/config/texts"
	"outheis/store"
)

// Exit codes; architecture, "answer states and exit codes".
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitAmbiguous   = 4
	exitUnavailable = 5  // denied, unavailable, not running, locked
	exitFsync       = 74 // the disk failed to keep what it was told to keep
)

func main() {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, now: time.Now}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// A program is one run of the binary with everything that it takes from
// outside, so that it can be run from a test.
type program struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	now      func() time.Time
	unsure   time.Duration // see [gateway.Options]
	childEnv []string      // variables of the outheis that selftest starts, beside ours

	humanFlag, langFlag string
	t                   *texts.Texts // the language of this run
}

// An exitError ends the program with code. Its err is a sentence for the
// person, or nil when everything has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// fail ends the program with code and the sentence of the catalogue.
func (p *program) fail(code int, key string, args ...any) error {
	return &exitError{code, errors.New(p.t.Say(key, args...))}
}

// run executes one command line and returns the exit code. It is the only
// place that prints an error.
func (p *program) run(ctx context.Context, args []string) int {
	out := &output{to: p.out}
	p.out = out
	p.langFlag, p.humanFlag = early(args)
	p.t = texts.For(p.language())
	if p.langFlag != "" && p.langFlag != p.t.Lang() {
		fmt.Fprintf(p.err, "outheis: %s\n", p.t.Say("cmd.no_lang", p.langFlag))
		return exitUsage
	}
	root := p.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.err
	}
	if err == nil {
		return exitOK
	}
	code := exitFailed
	var exit *exitError
	var locked *store.LockedError
	switch {
	case errors.As(err, &exit):
		code = exit.code
		if exit.err == nil {
			return code
		}
	case errors.As(err, &locked):
		code = exitUnavailable
	case errors.Is(err, store.ErrFailed):
		code = exitFsync
	}
	fmt.Fprintf(p.err, "outheis: %s\n", p.sentence(err))
	return code
}
