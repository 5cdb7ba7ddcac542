package cli

import (
	"slices"
	"strings"

	"outheis/tresor/internal/wording"
)

// Complete returns what a shell may offer for word, the last one of a command
// line that begins with args: names of commands and options and what else does
// not depend on a Tresor, each with what it is for behind a tab. If files is set
// the word may be a file too.
func Complete(lang string, args []string, word string) (list []string, files bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "--root") {
		switch {
		case args[0] != "--root":
			args = args[1:]
		case len(args) == 1:
			return nil, true
		default:
			args = args[2:]
		}
	}
	if len(args) == 0 {
		for _, name := range append(names(), "--root") {
			if strings.HasPrefix(name, word) {
				list = append(list, described(lang, name))
			}
		}
		return list, strings.HasPrefix(word, "--root=")
	}
	cmd, ok := find(args[0])
	if !ok {
		return nil, false
	}
	args = args[1:]
	var offers []string
	switch last := len(args) - 1; {
	case slices.Contains(args, "--"):
		return nil, true
	case last >= 0 && slices.Contains(cmd.values, args[last]):
		return nil, true // its value
	case strings.HasPrefix(word, "-"):
		offers = slices.Concat(cmd.flags, cmd.values)
		if !cmd.document {
			offers = append(offers, "--json")
		}
		slices.Sort(offers)
	case cmd.first != nil && !slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }):
		offers = cmd.first()
	default:
		return nil, true
	}
	for _, offer := range offers {
		if strings.HasPrefix(offer, word) {
			list = append(list, offer)
		}
	}
	return list, false
}

func described(lang, name string) string {
	if strings.HasPrefix(name, "-") {
		return name
	}
	return name + "\t" + wording.Purpose(lang, name)
}
