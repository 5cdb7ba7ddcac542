package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"outheis/tresor/cli"
)

// tresorCommand hands everything behind "tresor" to the engine, whose output
// and exit codes are a format of their own (spec/tresor/README.md §5.4).
func (p *program) tresorCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "tresor " + p.t.Say("cmd.arg_command"),
		Short:              p.t.Say("cmd.tresor"),
		DisableFlagParsing: true,
		ValidArgsFunction:  p.completeTresor,
		RunE: func(c *cobra.Command, args []string) error {
			signal.Ignore(syscall.SIGPIPE) // a reader that goes ends no writer, and changes no exit code (D-02)
			hold := func(ctx context.Context) (context.Context, func()) { return untilSignal(ctx) }
			o := cli.Options{Lang: p.t.Lang(), Hold: hold, Env: p.env, Network: p.network(), Terminal: isTerminal(p.err) && p.env("TERM") != "dumb"}
			if isTerminal(p.in) {
				o.In = p.in // what is piped in may be meant for another program
				o.Drop = dropTyped(p.in.(*os.File))
			}
			code := cli.Main(c.Context(), withoutGlobal(args), p.out, p.err, o)
			var lost error // what could not be printed; that is said, but the command has done what it did (D-02)
			if out, ok := p.out.(*output); ok {
				lost = out.err
			}
			if code != exitOK || lost != nil {
				return &exitError{code, lost}
			}
			return nil
		},
	}
}

// isTerminal reports whether a stream is a person's terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// withoutGlobal drops --lang and --human, which the engine does not know,
// wherever an option may stand.
func withoutGlobal(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		switch name, _, inline := strings.Cut(args[i], "="); {
		case args[i] == "--":
			return append(kept, args[i:]...)
		case name != "--lang" && name != "--human":
			kept = append(kept, args[i])
		case !inline:
			i++ // its value
		}
	}
	return kept
}
