package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"outheis/tresor/internal/wording"
)

// arguments are what follows a command.
type arguments struct {
	words  []string
	flags  map[string]bool
	values map[string]string   // of a repeated option the last
	all    map[string][]string // each value of an option, in order
	help   bool
	json   bool
}

// parse reads the arguments of a command; options may stand anywhere, and behind
// "--" everything is a word. The sentence says what is wrong.
func parse(cmd command, args []string) (a arguments, problem *wording.Sentence) {
	values := append([]string{"--root"}, cmd.values...)
	wrong := func(key string, args ...any) (arguments, *wording.Sentence) {
		return arguments{}, &wording.Sentence{Key: key, Args: append([]any{cmd.name}, args...)}
	}
	a.flags, a.values, a.all = map[string]bool{}, map[string]string{}, map[string][]string{}
	set := func(name, value string) {
		a.values[name] = value
		a.all[name] = append(a.all[name], value)
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, value, inline := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			a.words = append(a.words, args[i+1:]...)
			i = len(args)
		case arg == "-h" || arg == "--help":
			a.help = true
			return a, nil
		case len(arg) < 2 || arg[0] != '-' || isNumber(arg):
			a.words = append(a.words, arg)
		case arg == "--json":
			a.json = true
		case slices.Contains(cmd.flags, arg):
			a.flags[arg] = true
		case !slices.Contains(values, name):
			if near := Nearest(name, slices.Concat(cmd.flags, values, []string{"--json", "--help"})); near != "" {
				return wrong("cli.option.near", arg, near)
			}
			return wrong("cli.option", arg)
		case inline:
			set(name, value)
		case i+1 == len(args) || len(args[i+1]) > 1 && args[i+1][0] == '-' && !isNumber(args[i+1]):
			return wrong("cli.value", name)
		default:
			i++
			set(name, args[i])
		}
	}
	switch {
	case len(a.words) < cmd.min:
		return wrong("cli.few")
	case cmd.max >= 0 && len(a.words) > cmd.max:
		return wrong("cli.many", a.words[cmd.max])
	}
	for _, w := range a.words {
		if !cmd.bytes && !utf8.ValidString(w) {
			return wrong("cli.utf8")
		}
	}
	return a, nil
}

// wantsDocument reports whether --json stands on a command line, right or wrong.
func wantsDocument(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json")
}

// isNumber reports whether an argument with a minus is a negative number and so
// no option.
func isNumber(s string) bool {
	digits, ok := strings.CutPrefix(s, "-")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
