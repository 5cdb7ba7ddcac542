package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"outheis/tresor/internal/wording"
)

// A group is commands for the same purpose.
type group struct {
	title string // key of its title
	names []string
}

// groups are all commands as the help shows them.
func groups() []group {
	return []group{
		{"help.group.read", []string{"query", "search", "route", "validate", "doctor", "stats", "eval", "watch"}},
		{"help.group.write", []string{"index", "graph", "checksum", "log", "release", "recover", "export"}},
		{"help.group.curate", []string{"init", "new", "add", "source", "media-template"}},
		{"help.group.extern", []string{"extern", "anchor-template", "orchestrator-template"}},
	}
}

// help is what there is, in groups.
func (c *call) help() string {
	var b strings.Builder
	b.WriteString(c.say("help.usage") + "\n")
	const column = 24
	for _, g := range groups() {
		b.WriteString("\n" + c.say(g.title) + "\n")
		for _, name := range g.names {
			if _, ok := find(name); ok {
				b.WriteString("  " + pad(name, column-2) + wording.Purpose(c.Lang, name) + "\n")
			}
		}
	}
	b.WriteString("\n" + c.say("help.more") + "\n")
	return b.String()
}

// find returns the command with a name.
func find(name string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

// names are those of all commands.
func names() []string {
	var list []string
	for _, c := range commands() {
		list = append(list, c.name)
	}
	return list
}

// nearest returns which of names was probably meant by word, or "".
func nearest(word string, names []string) string {
	best, least := "", 1+(utf8.RuneCountInString(word)-1)/3
	for _, name := range names {
		d := levenshtein.ComputeDistance(strings.ToLower(word), name)
		if len(word) >= 3 && strings.HasPrefix(name, strings.ToLower(word)) {
			d = 1
		}
		if d < least || d == least && best == "" && d < len(word) {
			best, least = name, d
		}
	}
	return best
}

// unknown is the usage error for what is no command.
func (c *call) unknown(word string) int {
	near := nearest(word, names())
	switch {
	case strings.HasPrefix(word, "-"):
		return c.usage("cli.before", word)
	case near != "":
		return c.usage("cli.near", word, near)
	}
	return c.usage("cli.unknown", word)
}
