package main

import (
	"context"
	"errors"
	"os/user"
	"path/filepath"

	"github.com/spf13/cobra"

	"outheis/channels"
	"outheis/channels/terminal"
	"outheis/gateway"
)

func (p *program) chatCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "chat",
		Short: p.t.Say("cmd.chat"),
		Long:  p.t.Say("cmd.chat_long"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.chat(c.Context()) },
	}
}

// chat joins the running gateway or, when there is none, becomes one that has
// the terminal as its only channel.
func (p *program) chat(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	client, err := p.control()
	if err == nil {
		defer client.Close()
		return p.joinChat(ctx, client)
	}
	var notRunning *exitError
	if !errors.As(err, &notRunning) || notRunning.code != exitUnavailable {
		return err
	}
	return p.ownChat(ctx)
}

// person is who sits at the terminal.
func (p *program) person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "local"
}

func (p *program) newTerminal(history string) *terminal.Terminal {
	return terminal.New(terminal.Options{
		In: p.in, Out: p.stdout(), Err: p.err, Identity: p.person(), History: history,
		Texts: p.t, Now: p.now, Getenv: p.env,
	})
}

// ownChat runs a gateway for this terminal alone.
func (p *program) ownChat(ctx context.Context) (err error) {
	c, err := p.loadUnresolved()
	if err != nil {
		return err
	}
	c.Log.Level = "error" // what is logged would stand between question and answer
	dir, err := p.dir()
	if err != nil {
		return err
	}
	t := p.newTerminal(filepath.Join(dir, "cache", "chat-history"))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	left := &leaver{Terminal: t, left: stop}
	e, err := p.start(c, false, []gateway.Account{{Name: "local", Channel: left}}, "outheis chat")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if err := e.run(ctx); err != nil {
		return err
	}
	return unlessLeft(left.err)
}

// A leaver is a terminal whose person ends the whole program by leaving.
type leaver struct {
	*terminal.Terminal
	left func()
	err  error // of Run, when it has ended
}

// Run implements [channels.Channel].
func (l *leaver) Run(ctx context.Context, in channels.Deliver) error {
	defer l.left()
	l.err = l.Terminal.Run(ctx, in)
	return l.err
}

// unlessLeft returns why a conversation ended, and nil when it was asked to.
func unlessLeft(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// joinChat holds the conversation through the running gateway.
func (p *program) joinChat(ctx context.Context, client *gateway.Client) error {
	look := ""
	if p.color() {
		look = "color"
	}
	chat, err := client.Chat(ctx, gateway.LocalChat{Name: p.person(), Look: look, Lang: p.t.Lang()})
	if err != nil {
		return p.refused(ctx, err)
	}
	defer chat.Close()
	t := p.newTerminal("")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	shown := make(chan error, 1)
	go func() {
		defer stop()
		shown <- show(ctx, chat, t)
	}()
	err = t.Run(ctx, func(ctx context.Context, e channels.Event) error {
		switch {
		case e.Kind == channels.KindCommand && e.Command == "stop":
			_, err := chat.Stop(ctx)
			return err
		case e.Kind == channels.KindCommand:
			_, err := chat.Say(ctx, "/"+e.Command+" "+e.Text)
			return err
		}
		_, err := chat.Say(ctx, e.Text)
		return err
	})
	stop()
	lost := unlessLeft(<-shown)
	var unread *channels.SendError
	switch {
	case errors.As(lost, &unread):
		return lost
	case lost != nil:
		return p.fail(exitUnavailable, "cmd.gateway_gone")
	}
	return unlessLeft(err)
}

// show prints what the gateway says until ctx ends or the gateway does.
func show(ctx context.Context, chat *gateway.ChatClient, t *terminal.Terminal) error {
	for {
		e, err := chat.Next(ctx)
		if err != nil {
			return err
		}
		for _, part := range e.Reply.Parts {
			if _, err := t.Send(ctx, channels.Post{Body: part, Key: e.Request}); err != nil {
				return err
			}
		}
	}
}
