package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"outheis/config"
	"outheis/store"
)

func (p *program) initCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "init",
		Short: p.t.Say("cmd.init"),
		Long:  p.t.Say("cmd.init_long"),
		Args:  p.noArgs,
		RunE:  func(*cobra.Command, []string) error { return p.init(yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, p.t.Say("cmd.flag_yes"))
	return c
}

// init makes the human directory and a commented configuration in it. What is
// there already is left as it is.
func (p *program) init(yes bool) (err error) {
	dir, err := p.dir()
	if err != nil {
		return err
	}
	for _, name := range []string{config.YAMLName, config.JSONName} {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			fmt.Fprintln(p.out, p.t.Say("cmd.init_there", path))
			return nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return p.cannotRead(err)
		}
	}
	var o config.StarterOptions
	if !yes {
		if o, err = p.askStarter(); err != nil {
			return err
		}
	}
	h, err := store.Open(dir, store.Options{Holder: "outheis init", Now: p.now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	doc := h.Doc(config.YAMLName, store.DocOptions{})
	if err := doc.Edit(func(old []byte) ([]byte, error) {
		if old != nil {
			return old, nil // somebody was faster
		}
		return config.Starter(p.t.Lang(), o), nil
	}); err != nil {
		return err
	}
	path := filepath.Join(dir, config.YAMLName)
	fmt.Fprintln(p.out, p.t.Say("cmd.init_written", path))
	if o.Telegram {
		fmt.Fprintln(p.out, p.t.Say("cmd.init_token", config.EnvTelegramToken))
	}
	fmt.Fprintln(p.out, p.t.Say("cmd.init_next"))
	return nil
}

// askStarter asks what the configuration should begin with. An empty answer
// takes the default, the end of the input all the defaults that are left.
func (p *program) askStarter() (config.StarterOptions, error) {
	in := bufio.NewReader(p.in)
	ask := func(key string) (string, error) {
		fmt.Fprint(p.out, p.t.Say(key)+" ")
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", p.fail(exitFailed, "cmd.cannot_read", "-", p.cause(err))
		}
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(p.out)
		}
		return strings.TrimSpace(line), nil
	}
	var o config.StarterOptions
	var err error
	if o.Name, err = ask("cmd.init_ask_name"); err != nil {
		return o, err
	}
	path, err := ask("cmd.init_ask_tresor")
	if err != nil {
		return o, err
	}
	if path != "" {
		if !strings.HasPrefix(path, "~/") {
			if path, err = filepath.Abs(path); err != nil {
				return o, err
			}
		}
		o.Tresors = []string{path}
	}
	if o.TelegramID, err = ask("cmd.init_ask_telegram"); err != nil {
		return o, err
	}
	if o.TelegramID != "" && strings.Trim(o.TelegramID, "0123456789") != "" {
		return o, p.fail(exitUsage, "cmd.init_bad_id", o.TelegramID)
	}
	o.Telegram = o.TelegramID != ""
	return o, nil
}
