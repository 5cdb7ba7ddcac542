package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"outheis/config"
)

func (p *program) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: p.t.Say("cmd.config"),
		Args:  p.noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use:   "validate",
			Short: p.t.Say("cmd.config_validate"),
			Args:  p.noArgs,
			RunE:  func(*cobra.Command, []string) error { return p.configValidate() },
		},
		&cobra.Command{
			Use:   "show",
			Short: p.t.Say("cmd.config_show"),
			Args:  p.noArgs,
			RunE:  func(*cobra.Command, []string) error { return p.configShow() },
		},
	)
	return c
}

// configValidate prints all problems, then who may ask where.
func (p *program) configValidate() error {
	dir, err := p.dir()
	if err != nil {
		return err
	}
	c, problems, err := config.Load(dir, p.environment())
	if err != nil {
		return p.cannotRead(err)
	}
	for _, problem := range problems {
		fmt.Fprintln(p.out, p.problem(problem))
	}
	if config.HasErrors(problems) {
		return &exitError{code: exitFailed, err: errors.New(p.t.Say("cmd.config_bad", count(problems, config.Error)))}
	}
	if _, _, err := p.tresorPaths(c, nil); err != nil {
		return err
	}
	if c.File == "" {
		fmt.Fprintln(p.out, p.t.Say("cmd.config_none", dir))
	} else {
		fmt.Fprintln(p.out, p.t.Say("cmd.config_good", c.File))
	}
	p.printAccess(p.out, c)
	return nil
}

func (p *program) configShow() error {
	c, err := p.load()
	if err != nil {
		return err
	}
	_, err = p.out.Write(c.Masked())
	return err
}

// printAccess says in sentences who may ask where.
func (p *program) printAccess(w io.Writer, c config.Config) {
	for _, account := range c.Accounts() {
		for i, s := range account.Describe() {
			if i > 0 {
				fmt.Fprint(w, "  ")
			}
			fmt.Fprintln(w, p.t.Say(s.Key, s.Args...))
		}
	}
}

// load returns the configuration. Warnings are printed; a configuration with
// errors is not used: they are printed and the program ends.
func (p *program) load() (config.Config, error) { return p.loadWith(config.Load) }

// loadUnresolved is load for a command that connects no channel: it needs no
// token.
func (p *program) loadUnresolved() (config.Config, error) { return p.loadWith(config.LoadUnresolved) }

func (p *program) loadWith(
	load func(dir string, env func(string) string) (config.Config, []config.Problem, error),
) (config.Config, error) {
	dir, err := p.dir()
	if err != nil {
		return config.Config{}, err
	}
	c, problems, err := load(dir, p.environment())
	if err != nil {
		return config.Config{}, p.cannotRead(err)
	}
	for _, problem := range problems {
		fmt.Fprintln(p.err, p.problem(problem))
	}
	if config.HasErrors(problems) {
		return config.Config{}, &exitError{code: exitFailed, err: errors.New(p.t.Say("cmd.config_bad", count(problems, config.Error)))}
	}
	return c, nil
}

func (p *program) cannotRead(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return p.fail(exitFailed, "cmd.cannot_read", pe.Path, p.cause(err))
	}
	return err
}

// problem words one finding about the configuration with its place.
func (p *program) problem(problem config.Problem) string {
	mark := "🔴"
	if problem.Severity == config.Warning {
		mark = "🟡"
	}
	return mark + " " + problem.Say(p.t.Say)
}

func count(problems []config.Problem, s config.Severity) int {
	n := 0
	for _, problem := range problems {
		if problem.Severity == s {
			n++
		}
	}
	return n
}
