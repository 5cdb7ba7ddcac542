package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"outheis/channels"
)

// Limits of a command menu (core.telegram.org/bots/api#botcommand).
const (
	maxCommands = 100
	maxAbout    = 256
)

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// SetCommands implements [channels.Commander]. Telegram limits the size of the
// whole menu without saying where; when a menu is too large, its last entries
// are left out until it fits.
func (c *Channel) SetCommands(ctx context.Context, locale string, commands []channels.Command) error {
	type entry struct {
		Command     string `json:"command"`
		Description string `json:"description"`
	}
	menu := make([]entry, 0, len(commands))
	for _, cmd := range commands {
		if !commandName.MatchString(cmd.Name) || cmd.About == "" {
			return &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("telegram: command %q has no valid name or no description", cmd.Name)}
		}
		about := []rune(cmd.About)
		menu = append(menu, entry{cmd.Name, string(about[:min(len(about), maxAbout)])})
	}
	menu = menu[:min(len(menu), maxCommands)]
	lang, _, _ := strings.Cut(strings.ToLower(locale), "-")
	for {
		list, err := json.Marshal(menu)
		if err != nil {
			return &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("telegram: command menu: %w", err)}
		}
		args := params{"commands": string(list)}
		if lang != "" {
			args["language_code"] = lang
		}
		err = c.setMenu(ctx, args)
		var f *failure
		if errors.As(err, &f) && strings.Contains(f.text, "COMMANDS_TOO_MUCH") && len(menu) > 1 {
			menu = menu[:len(menu)*2/3]
			continue
		}
		if err != nil {
			return c.sendError(err, channels.Post{}, false)
		}
		if len(menu) < len(commands) {
			c.log.Warn("command menu shortened", "kept", len(menu), "of", len(commands))
		}
		return nil
	}
}

func (c *Channel) setMenu(ctx context.Context, args params) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	return c.client.call(ctx, "setMyCommands", args, nil)
}
