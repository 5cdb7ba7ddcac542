package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"outheis/agents"
	"outheis/config"
	"outheis/formatting"
	"outheis/gateway"
	"outheis/relay"
)

func (p *program) askCommand() *cobra.Command {
	var dirs []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "ask " + p.t.Say("cmd.arg_question"),
		Short: p.t.Say("cmd.ask"),
		Long:  p.t.Say("cmd.ask_long"),
		Args:  p.atLeastOne,
		RunE: func(c *cobra.Command, args []string) error {
			question, err := p.question(args)
			if err != nil {
				return err
			}
			return p.ask(c.Context(), question, dirs, asJSON)
		},
	}
	c.Flags().StringArrayVar(&dirs, "tresor", nil, p.t.Say("cmd.flag_tresor"))
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	return c
}

// question returns the words of the command line, or for "-" what stands on
// standard input, up to a length that nobody asks in earnest.
func (p *program) question(args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(p.in, maxQuestion+1))
		if err != nil {
			return "", p.fail(exitFailed, "cmd.cannot_read", "-", p.cause(err))
		}
		text = string(b)
	}
	if len(text) > maxQuestion {
		return "", p.fail(exitUsage, "cmd.question_huge", maxQuestion)
	}
	if text = strings.TrimSpace(gateway.Clean(text)); text == "" {
		return "", p.fail(exitUsage, "cmd.question_empty")
	}
	return text, nil
}

const maxQuestion = 1 << 20 // bytes

// ask prints the answer to one question, and ends with the code of its status.
// As JSON it prints an object whatever comes, unless the call itself was wrong.
func (p *program) ask(ctx context.Context, question string, dirs []string, asJSON bool) error {
	answer, err := p.answer(ctx, question, dirs)
	var exit *exitError
	if errors.As(err, &exit) && (!asJSON || exit.code == exitUsage) {
		return err
	}
	status, text := p.outcome(answer, err)
	if asJSON {
		if err := p.printJSON(answer, status, text); err != nil {
			return err
		}
	} else if err := p.printAnswer(answer, text); err != nil {
		return err
	}
	if code := exitCode(status); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// answer answers one question from the Tresore, without the human directory's
// lock and without writing anything.
func (p *program) answer(ctx context.Context, question string, dirs []string) (agents.Answer, error) {
	c := config.Default()
	if len(dirs) == 0 {
		loaded, err := p.loadUnresolved()
		if err != nil {
			return agents.Answer{}, err
		}
		c = loaded
	}
	if most := c.Dispatcher.MaxMessageChars; utf8.RuneCountInString(question) > most {
		return agents.Answer{}, p.fail(exitUsage, "cmd.question_long", most)
	}
	tresore, err := p.openTresore(ctx, c, dirs, slog.New(slog.DiscardHandler))
	if err != nil {
		return agents.Answer{}, err
	}
	for _, t := range tresore.agent.Tresore() {
		if t.Snapshot == nil {
			fmt.Fprintln(p.err, "🟡 "+p.t.Say("cmd.tresor_bad", tresore.path(t.ID), p.tresorReason(tresore.path(t.ID), t.Err)))
		}
	}
	agentsByName := map[string]agents.Agent{tresorAgent: tresore.agent}
	routing := p.settings(c, nil, tresore.topics()).Routing
	route, text := routing.Find(question, func(name string) bool { return agentsByName[name] != nil })
	a := agentsByName[route.Agent]
	if a == nil {
		return agents.Answer{}, p.fail(exitUnavailable, "cmd.no_agent")
	}
	return a.Answer(ctx, agents.Request{
		ID: "ask", Conversation: "ask", Text: text, At: p.now(), Lang: p.t.Lang(), Scope: route.Scope, Role: agents.RoleAdmin,
	})
}

// outcome returns how the question ended and, where there is no answer, the
// sentence that says so.
func (p *program) outcome(a agents.Answer, err error) (agents.Status, string) {
	if err == nil {
		return a.Status(), relay.Text(a, p.t.Lang())
	}
	var known *agents.Error
	var exit *exitError
	switch {
	case errors.As(err, &known):
		return known.Status, known.Text
	case errors.As(err, &exit) && exit.code == exitUnavailable:
		return agents.StatusUnavailable, exit.Error()
	case errors.As(err, &exit):
		return agents.StatusFailed, exit.Error()
	}
	return agents.StatusFailed, p.t.Say("cmd.ask_failed", err)
}

func exitCode(s agents.Status) int {
	switch s {
	case agents.StatusOK:
		return exitOK
	case agents.StatusNotFound:
		return exitNotFound
	case agents.StatusAmbiguous:
		return exitAmbiguous
	case agents.StatusDenied, agents.StatusUnavailable:
		return exitUnavailable
	}
	return exitFailed
}

// printAnswer prints an answer as the terminal shows it.
func (p *program) printAnswer(a agents.Answer, text string) error {
	t := relay.Target{
		Profile: formatting.Terminal(formatting.TerminalOptions{Color: p.color(), Width: p.width()}), Lang: p.t.Lang(),
	}
	reply := relay.Say(text, t)
	if !a.IsZero() {
		reply = relay.Compose(a, t)
	}
	for _, part := range reply.Parts {
		if _, err := fmt.Fprintln(p.out, part.Text); err != nil {
			return err
		}
	}
	return nil
}

// printJSON prints the answer as one object with the version of its form.
func (p *program) printJSON(a agents.Answer, status agents.Status, text string) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		V          int                `json:"v"`
		Status     agents.Status      `json:"status"`
		Text       string             `json:"text"`
		Statements []agents.Statement `json:"statements"`
		Citations  []agents.Beleg     `json:"citations"`
		Stand      string             `json:"stand"`
		Confidence string             `json:"confidence"`
		Notes      []string           `json:"notes"`
		Gaps       []string           `json:"gaps"`
		Nearest    []agents.Pointer   `json:"nearest,omitempty"`
		Reviewed   int                `json:"reviewed,omitempty"`
	}{
		1, status, text, list(a.Statements()), list(a.Belege()), a.Stand(), a.Confidence(),
		list(a.Notes()), list(a.Gaps()), a.Nearest(), a.Reviewed(),
	})
}

// list makes an absent list an empty one, which programs read more easily.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
