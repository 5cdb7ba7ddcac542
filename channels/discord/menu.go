package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
)

// Limits of a command menu
// (discord.com/developers/docs/interactions/application-commands).
const (
	maxCommands = 100
	maxAbout    = 100
	maxArgument = 6000
)

var commandName = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

// menus are the menus that we were told, by language. Discord has one menu whose
// descriptions have languages, so that they are put together.
type menus struct {
	turn chan struct{} // takes one: menus are set one after the other
	all  map[string][]channels.Command
}

// An entry is a command as Discord takes and shows it. The library's type sends
// fields that are not for every kind of command.
type entry struct {
	Type        int               `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Locales     map[string]string `json:"description_localizations"`
	Options     []argument        `json:"options"`
	// Contexts is nil in a guild's own menu, where Discord does not take it.
	Contexts []discordgo.InteractionContextType `json:"contexts,omitempty"`
}

// argument is the text that may follow a command.
type argument struct {
	Type        discordgo.ApplicationCommandOptionType `json:"type"`
	Name        string                                 `json:"name"`
	Description string                                 `json:"description"`
	Locales     map[string]string                      `json:"description_localizations"`
	MaxLength   int                                    `json:"max_length,omitempty"`
}

// SetCommands implements [channels.Commander]. What stands in the menu already
// is read first, and the menu is replaced in one request when it differs:
// Discord allows 200 new commands a day (spec/channels.md D4). The
// commands are those of the last call; the other languages, also those that were
// not set since the start, keep their descriptions. More than a hundred commands
// are cut off at the end.
func (c *Channel) SetCommands(ctx context.Context, locale string, commands []channels.Command) error {
	for _, cmd := range commands {
		if !commandName.MatchString(cmd.Name) || cmd.About == "" {
			return &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("discord: command %q has no valid name or no description", cmd.Name)}
		}
	}
	if len(commands) > maxCommands {
		c.log.Warn("command menu shortened", "kept", maxCommands, "of", len(commands))
		commands = commands[:maxCommands]
	}
	select {
	case c.menus.turn <- struct{}{}:
		defer func() { <-c.menus.turn }()
	case <-ctx.Done():
		return &channels.SendError{Class: channels.NotSent, Err: fmt.Errorf("discord: set the commands: %w", ctx.Err())}
	}
	if c.menus.all == nil {
		c.menus.all = make(map[string][]channels.Command)
	}
	lang, _, _ := strings.Cut(strings.ToLower(locale), "-")
	c.menus.all[lang] = slices.Clone(commands)
	if err := c.identify(ctx); err != nil {
		return c.sendError(err)
	}
	base := "/applications/" + c.whoami().app
	if len(c.opts.Guilds) == 0 {
		return c.setMenu(ctx, lang, base+"/commands", true)
	}
	for _, guild := range c.opts.Guilds {
		if err := c.setMenu(ctx, lang, base+"/guilds/"+guild+"/commands", false); err != nil {
			return err
		}
	}
	return nil
}

// setMenu brings one menu up to date.
func (c *Channel) setMenu(ctx context.Context, lang, path string, global bool) error {
	var present []entry
	if err := c.get(ctx, "read the commands", path+"?with_localizations=true", &present); err != nil {
		return c.sendError(err)
	}
	wanted := c.menus.entries(lang, present, global)
	if same(present, wanted) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	_, err := c.client.do(ctx, call{what: "set the commands", method: http.MethodPut, path: path, body: wanted}, nil)
	if err != nil {
		var f *failure
		if errors.As(err, &f) && f.is(codeTooManyCreates) {
			c.log.Warn("Discord takes no new commands today; the old menu stays", "err", err)
		}
		return c.sendError(err)
	}
	c.log.Info("command menu set", "commands", len(wanted))
	return nil
}

// codeTooManyCreates says that 200 commands were made within a day.
const codeTooManyCreates = 30034

// entries returns the menu whose commands and order are those of one language,
// with the descriptions of all, over what stands in present.
func (m *menus) entries(lang string, present []entry, global bool) []entry {
	old := make(map[string]entry)
	for _, e := range present {
		old[e.Name] = e
	}
	all := []entry{}
	for _, cmd := range m.all[lang] {
		if !global && !cmd.Everywhere {
			continue
		}
		e := begun(cmd, old[cmd.Name], global)
		for _, l := range slices.Sorted(maps.Keys(m.all)) {
			for _, other := range m.all[l] {
				if other.Name == cmd.Name {
					e.describe(l, other)
				}
			}
		}
		all = append(all, e)
	}
	return all
}

// begun returns the entry of a command with the descriptions that it has.
func begun(cmd channels.Command, old entry, global bool) entry {
	e := entry{Type: int(discordgo.ChatApplicationCommand), Name: cmd.Name, Locales: maps.Clone(old.Locales), Options: []argument{}}
	e.Description = old.Description
	if e.Description == "" {
		e.Description = clip(cmd.About, maxAbout)
	}
	if e.Locales == nil {
		e.Locales = make(map[string]string)
	}
	if global {
		e.Contexts = []discordgo.InteractionContextType{discordgo.InteractionContextBotDM}
		if cmd.Everywhere {
			e.Contexts = []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
		}
	}
	if name := argumentName(cmd.Argument); name != "" {
		a := argument{Type: discordgo.ApplicationCommandOptionString, Name: name, Description: clip(cmd.ArgumentAbout, maxAbout), MaxLength: maxArgument}
		if a.Description == "" {
			a.Description = clip(cmd.About, maxAbout)
		}
		a.Locales = make(map[string]string)
		if len(old.Options) == 1 && old.Options[0].Name == name {
			a.Description = old.Options[0].Description
			maps.Copy(a.Locales, old.Options[0].Locales)
		}
		e.Options = append(e.Options, a)
	}
	return e
}

// describe puts the descriptions of one language in.
func (e *entry) describe(lang string, cmd channels.Command) {
	about, argumentAbout := clip(cmd.About, maxAbout), clip(cmd.ArgumentAbout, maxAbout)
	set := func(text *string, locales map[string]string, s string) {
		switch {
		case s == "":
		case lang == "":
			*text = s
		default:
			for _, l := range localesOf(lang) {
				locales[l] = s
			}
		}
	}
	set(&e.Description, e.Locales, about)
	if len(e.Options) == 1 {
		set(&e.Options[0].Description, e.Options[0].Locales, argumentAbout)
	}
}

// localesOf returns Discord's locales for a language.
func localesOf(lang string) []string {
	if lang == "en" {
		return []string{string(discordgo.EnglishUS), string(discordgo.EnglishGB)}
	}
	for l := range discordgo.Locales {
		if string(l) == lang {
			return []string{lang}
		}
	}
	return nil
}

// same reports whether two menus say the same, in whatever order.
func same(a, b []entry) bool {
	key := func(list []entry) string {
		sorted := slices.Clone(list)
		slices.SortFunc(sorted, func(x, y entry) int { return strings.Compare(x.Name, y.Name) })
		for i := range sorted {
			e := &sorted[i]
			if len(e.Locales) == 0 {
				e.Locales = nil
			}
			if len(e.Options) == 0 {
				e.Options = nil
			}
			e.Options = slices.Clone(e.Options)
			for j := range e.Options {
				if len(e.Options[j].Locales) == 0 {
					e.Options[j].Locales = nil
				}
			}
			e.Contexts = slices.Sorted(slices.Values(e.Contexts))
		}
		raw, err := json.Marshal(sorted)
		if err != nil {
			return err.Error()
		}
		return string(raw)
	}
	return key(a) == key(b)
}

var notName = regexp.MustCompile(`[^a-z0-9_-]+`)

// argumentName returns a name as Discord takes it.
func argumentName(s string) string {
	s = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(strings.ToLower(s))
	return clip(strings.Trim(notName.ReplaceAllString(s, "_"), "_"), 32)
}

// clip returns at most n characters of s.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
