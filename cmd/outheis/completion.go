package main

import (
	"strings"

	"github.com/spf13/cobra"

	"outheis/tresor/cli"
)

// completionCommand prints what a shell needs to complete command lines.
func (p *program) completionCommand() *cobra.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cobra.Command{
		Use:       "completion " + strings.Join(shells, "|"),
		Short:     p.t.Say("cmd.completion"),
		Long:      p.t.Say("cmd.completion_long"),
		ValidArgs: shells,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.usage(c, p.t.Say("cmd.no_shell", strings.Join(shells, ", ")))
			}
			return p.atMostOne(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch root := c.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.out, true)
			case "fish":
				return root.GenFishCompletion(p.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(p.out)
			case "zsh":
				return root.GenZshCompletion(p.out)
			}
			return p.usage(c, p.t.Say("cmd.no_shell", strings.Join(shells, ", ")))
		},
	}
}

// completeTresor completes what stands behind "tresor".
func (p *program) completeTresor(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	list, files := cli.Complete(p.t.Lang(), withoutGlobal(args), word)
	if files {
		return list, cobra.ShellCompDirectiveDefault
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
