package gateway

import (
	"context"
	"maps"
	"slices"
	"strings"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
)

// commandNames are the agents that are commands by their name: those that
// networks can show in a menu, and that no command of ours hides.
func commandNames(all map[string]agents.Agent) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
		if plain && name != "" && len(name) <= 32 && (name == commandTresor || CommandOf(channels.Event{Command: name}) == name && !slices.Contains(commands, name)) {
			names = append(names, name)
		}
	}
	return names
}

func (g *Gateway) commandNames() []string { return g.commands }

// setMenus gives the network the menu of our commands in each language, where
// it has such menus. Without one everything works as well, so it is tried once.
func (g *Gateway) setMenus(ctx context.Context, id AccountID, c channels.Channel) {
	commander, ok := c.(channels.Commander)
	if !ok {
		return
	}
	defer g.contain("command menu", id)
	for _, locale := range []string{"", "de", "en"} { // "" is for all other languages
		if err := commander.SetCommands(ctx, locale, g.menu(locale)); err != nil {
			if ctx.Err() == nil {
				g.log.Warn("command menu was not set", "channel", id.String(), "err", err)
			}
			return
		}
	}
}

// menu lists our commands. Their names are those of the language of the settings
// in every menu, so that networks which know one set of commands can translate
// what stands beside them; whoever types the name of another language is
// understood as well.
func (g *Gateway) menu(locale string) []channels.Command {
	own := texts.For(g.settings.Load().Lang)
	t := own
	if locale != "" {
		t = texts.For(locale)
	}
	var all []channels.Command
	for _, name := range g.commands {
		about := t.Say("gateway.menu_agent", name)
		if name == commandTresor {
			about = t.Say("gateway.menu_tresor")
		}
		all = append(all, channels.Command{
			Name: name, About: about, Everywhere: true,
			Argument: t.Say("gateway.menu_question"), ArgumentAbout: t.Say("gateway.menu_question_about"),
		})
	}
	return append(all,
		channels.Command{
			Name: own.Say("gateway.command_evidence"), About: t.Say("gateway.menu_evidence"), Everywhere: true,
			Argument: t.Say("gateway.menu_number"), ArgumentAbout: t.Say("gateway.menu_number_about"),
		},
		channels.Command{Name: own.Say("gateway.command_stop"), About: t.Say("gateway.menu_stop"), Everywhere: true},
		channels.Command{
			Name: own.Say("gateway.command_language"), About: t.Say("gateway.menu_language"), Everywhere: true,
			Argument: t.Say("gateway.menu_language_name"), ArgumentAbout: t.Say("gateway.menu_language_about"),
		},
		channels.Command{
			Name: own.Say("access.command_link"), About: t.Say("access.menu_link"),
			Argument: t.Say("access.menu_code"), ArgumentAbout: t.Say("access.menu_code_about"),
		},
		channels.Command{Name: own.Say("access.command_unlink"), About: t.Say("access.menu_unlink")},
		channels.Command{Name: own.Say("gateway.command_help"), About: t.Say("gateway.menu_help")},
		channels.Command{Name: commandStart, About: t.Say("gateway.menu_start")},
	)
}
