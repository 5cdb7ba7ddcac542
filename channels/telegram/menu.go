package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"outheis/channels"
)

// Limits of a command menu (core.telegram.org/bots/api#botcommand).
const (
	maxCommands = 100
	maxAbout    = 256
)

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// menuEntry is a command as the Bot API takes it. Arguments have no place there.
type menuEntry struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// A menuKey names a command menu: where it is shown, and in which language.
type menuKey struct{ scope, lang string }

// args are what names the menu in a call.
func (k menuKey) args() params {
	args := params{"scope": `{"type":"` + k.scope + `"}`}
	if k.lang != "" {
		args["language_code"] = k.lang
	}
	return args
}

// SetCommands implements [channels.Commander]. Direct chats show all commands,
// groups those that work everywhere. A menu that is set already is not set
// again, also after a restart. Telegram limits the size of a whole menu without
// saying where; when it is too large, its last entries are left out until it
// fits.
func (c *Channel) SetCommands(ctx context.Context, locale string, commands []channels.Command) error {
	all, some := []menuEntry{}, []menuEntry{}
	for _, cmd := range commands {
		if !commandName.MatchString(cmd.Name) || cmd.About == "" {
			return refused(fmt.Errorf("telegram: command %q has no valid name or no description", cmd.Name))
		}
		about := []rune(cmd.About)
		one := menuEntry{cmd.Name, string(about[:min(len(about), maxAbout)])}
		if all = append(all, one); cmd.Everywhere {
			some = append(some, one)
		}
	}
	lang := language(locale)
	for scope, menu := range map[string][]menuEntry{"all_private_chats": all, "all_group_chats": some, "default": some} {
		if err := c.ensureMenu(ctx, menuKey{scope, lang}, menu); err != nil {
			return c.sendError(err, channels.Post{}, false)
		}
	}
	return nil
}

// language returns the two letters that Telegram takes for a locale, or "" for
// the default menu.
func language(locale string) string {
	lang, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-")
	if len(lang) != 2 {
		return ""
	}
	return lang
}

// ensureMenu sets a menu unless it is set. Errors are those of calls.
func (c *Channel) ensureMenu(ctx context.Context, key menuKey, menu []menuEntry) error {
	c.menuMu.Lock()
	defer c.menuMu.Unlock()
	token := fingerprint(c.opts.Token())
	if token != c.menuToken {
		c.menuToken, c.menus = token, make(map[menuKey][]menuEntry) // another bot has its own
	}
	if known, ok := c.menus[key]; ok && slices.Equal(known, menu) {
		return nil
	}
	var there []menuEntry
	if err := c.ask(ctx, "getMyCommands", key.args(), &there); err != nil {
		return err
	}
	if !slices.Equal(there, menu) {
		if err := c.setMenu(ctx, key, menu); err != nil {
			return err
		}
	}
	c.menus[key] = menu
	return nil
}

// setMenu sets a menu, or as much of it as Telegram takes.
func (c *Channel) setMenu(ctx context.Context, key menuKey, menu []menuEntry) error {
	fits := menu[:min(len(menu), maxCommands)]
	for {
		list, err := json.Marshal(fits)
		if err != nil {
			return fmt.Errorf("telegram: command menu: %w", err)
		}
		args := key.args()
		args["commands"] = string(list)
		err = c.ask(ctx, "setMyCommands", args, nil)
		var f *failure
		if errors.As(err, &f) && strings.Contains(f.text, "COMMANDS_TOO_MUCH") && len(fits) > 1 {
			fits = fits[:len(fits)*2/3]
			continue
		}
		if err == nil && len(fits) < len(menu) {
			c.log.Warn("command menu shortened", "kept", len(fits), "of", len(menu), "scope", key.scope, "lang", cmp.Or(key.lang, "default"))
		}
		return err
	}
}

// ask calls a method that takes no longer than any other.
func (c *Channel) ask(ctx context.Context, method string, args params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	return c.client.call(ctx, method, args, result)
}
