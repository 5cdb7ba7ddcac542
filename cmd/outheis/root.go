package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"outheis/tresor/cli"
)

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "outheis",
		Short:         p.t.Say("cmd.root"),
		Long:          p.t.Say("cmd.root_long"),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          p.noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.PersistentFlags().StringVar(&p.humanFlag, "human", p.humanFlag, p.t.Say("cmd.flag_human"))
	root.PersistentFlags().StringVar(&p.langFlag, "lang", p.langFlag, p.t.Say("cmd.flag_lang"))
	for _, name := range []string{"human", "lang"} {
		root.PersistentFlags().Lookup(name).DefValue = "" // what [early] has found is no default
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return p.usage(c, p.badFlag(err))
	})
	root.AddCommand(
		p.askCommand(), p.chatCommand(), p.runCommand(),
		p.statusCommand(), p.sendCommand(), p.reloadCommand(), p.stopCommand(),
		p.initCommand(), p.configCommand(), p.channelsCommand(), p.doctorCommand(), p.selftestCommand(),
		p.tresorCommand(), p.renderCommand(), p.versionCommand(), p.completionCommand(),
	)
	root.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true, Args: cobra.ArbitraryArgs, RunE: p.help})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetUsageTemplate(p.usageTemplate())
	p.localise(root)
	return root
}

// help shows the help of the command that args name.
func (p *program) help(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	switch {
	case err == nil && found.Name() == "tresor":
		return found.RunE(found, append([]string{"help"}, rest...))
	case err != nil || len(rest) > 0:
		return p.noSuchCommand(c.Root(), args)
	}
	return found.Help()
}

// localise puts our own words in the place of those that the library adds to
// the help of c and of all commands below it.
func (p *program) localise(c *cobra.Command) {
	c.DisableFlagsInUseLine = true
	c.Flags().BoolP("help", "h", false, p.t.Say("cmd.flag_help"))
	quiet := func(f *pflag.Flag) { // sentences name the defaults
		switch f.Value.Type() {
		case "string":
			f.DefValue = ""
		case "duration":
			f.DefValue = "0s"
		}
	}
	c.Flags().VisitAll(quiet)
	c.PersistentFlags().VisitAll(quiet)
	for _, sub := range c.Commands() {
		p.localise(sub)
	}
}

// usage is an error about how a command was called.
func (p *program) usage(c *cobra.Command, reason string) error {
	return &exitError{exitUsage, errors.New(p.t.Say("cmd.usage_error", reason, c.CommandPath()))}
}

// badFlag words an error about an option.
func (p *program) badFlag(err error) string {
	dashed := func(name, group string) string {
		if group != "" {
			return "-" + name
		}
		return "--" + name
	}
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return p.t.Say("cmd.no_flag", dashed(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()))
	case errors.As(err, &bare):
		return p.t.Say("cmd.flag_bare", dashed(bare.GetSpecifiedName(), bare.GetSpecifiedShortnames()))
	case errors.As(err, &invalid):
		return p.t.Say("cmd.flag_value", invalid.GetValue(), "--"+invalid.GetFlag().Name)
	}
	return p.t.Say("cmd.bad_flag", err)
}

func (p *program) noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	reason := p.t.Say("cmd.no_command", args[0])
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	if near := cli.Nearest(args[0], names); near != "" {
		reason = p.t.Say("cmd.no_command_near", args[0], near)
	}
	return p.usage(c, reason)
}

// noArgs refuses arguments where a command takes none.
func (p *program) noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return p.usage(c, p.t.Say("cmd.no_args", args[0]))
	}
	return nil
}

func (p *program) usageTemplate() string {
	return fmt.Sprintf(`%s
  {{if .HasAvailableSubCommands}}{{.CommandPath}} %s{{else}}{{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}

%s{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

%s
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

%s
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
`, p.t.Say("cmd.help_usage"), p.t.Say("cmd.help_command"), p.t.Say("cmd.help_commands"), p.t.Say("cmd.help_flags"), p.t.Say("cmd.help_global"))
}

// early finds --lang and --human before the command line is parsed, since they
// decide the language in which parsing reports its errors.
func early(args []string) (lang, human string) {
	for i, a := range args {
		if a == "--" {
			break
		}
		for name, dst := range map[string]*string{"--lang": &lang, "--human": &human} {
			if v, ok := strings.CutPrefix(a, name+"="); ok {
				*dst = v
			} else if a == name && i+1 < len(args) {
				*dst = args[i+1]
			}
		}
	}
	return lang, human
}

// atLeastOne asks for an argument.
func (p *program) atLeastOne(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return p.usage(c, p.t.Say("cmd.question_missing"))
	}
	return nil
}

// atMostOne refuses a second argument.
func (p *program) atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return p.usage(c, p.t.Say("cmd.no_args", args[1]))
	}
	return nil
}
