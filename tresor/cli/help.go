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

// Nearest returns which of names was probably meant by word, or "". Letters that
// changed places are one mistake, and the beginning of a name will do.
func Nearest(word string, names []string) string {
	word = strings.ToLower(word)
	best, least := "", 1+(utf8.RuneCountInString(word)+2)/3
	for _, name := range names {
		d := levenshtein.ComputeDistance(word, name)
		if swapped(word, name) || len(word) >= 3 && strings.HasPrefix(name, word) {
			d = 1
		}
		if d < least && d < utf8.RuneCountInString(word) {
			best, least = name, d
		}
	}
	return best
}

// AtRoot returns a sentence of the engine about the Tresor in dir with the
// commands in it as a person types them in any folder.
func AtRoot(sentence, dir string) string { return wording.AtRoot(sentence, dir) }

// swapped reports whether a is b but for two neighbours that changed places.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] == b[i+1] && a[i+1] == b[i] && a[:i] == b[:i] && a[i+2:] == b[i+2:] {
			return true
		}
	}
	return false
}

// unknown is the usage error for what is no command.
func (c *call) unknown(word string) int {
	near := Nearest(word, names())
	switch {
	case strings.HasPrefix(word, "-"):
		return c.usage("cli.before", word)
	case near != "":
		return c.usage("cli.near", word, near)
	}
	return c.usage("cli.unknown", word)
}
