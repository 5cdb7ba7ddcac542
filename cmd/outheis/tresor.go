package main

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"outheis/tresor/cli"
)

// tresorCommand hands everything behind "tresor" to the engine, whose output
// and exit codes are a format of their own (spec/tresor/README.md §5.4).
func (p *program) tresorCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "tresor [--root DIR] " + p.t.Say("cmd.arg_command"),
		Short:              p.t.Say("cmd.tresor"),
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			hold := func(ctx context.Context) (context.Context, func()) { return untilSignal(ctx) }
			o := cli.Options{Lang: p.t.Lang(), Hold: hold, Env: p.env, Terminal: isTerminal(p.err)}
			if isTerminal(p.in) {
				o.In = p.in // what is piped in may be meant for another program
			}
			code := cli.Main(c.Context(), withoutGlobal(args), p.out, p.err, o)
			if code != exitOK {
				return &exitError{code: code}
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

// withoutGlobal drops --lang and --human before the engine's command, which
// does not know them.
func withoutGlobal(args []string) []string {
	args = slices.Clone(args)
	for len(args) > 0 {
		switch {
		case args[0] == "--lang" || args[0] == "--human":
			args = args[min(2, len(args)):]
		case len(args[0]) > 7 && args[0][:7] == "--lang=", len(args[0]) > 8 && args[0][:8] == "--human=":
			args = args[1:]
		default:
			return args
		}
	}
	return args
}
