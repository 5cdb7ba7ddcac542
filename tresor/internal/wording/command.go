package wording

import (
	"strconv"
	"strings"
	"unicode"
)

// program is what a sentence that names a command begins it with.
const program = "outheis tresor "

// SayAt is [Say] for somebody who named the Tresor with --root: a command in the
// sentence is given as it must be typed to reach the same Tresor. With root ""
// it is Say.
func SayAt(lang, root, key string, args ...any) string {
	if root == "" {
		return Say(lang, key, args...)
	}
	place := "{" + strconv.Itoa(len(args)+1) + "}"
	return fillAll(lang, withOption(sentence(lang, key), place), append(args[:len(args):len(args)], ShellWord(root)))
}

// AtRoot returns a sentence that was said already with --root in its commands, as
// [SayAt] says it.
func AtRoot(said, root string) string {
	if root == "" {
		return said
	}
	return withOption(said, Printable(ShellWord(root)))
}

// withOption puts --root into each command of s. What follows the program's name
// and is no lower case letter is a placeholder or an option of its own.
func withOption(s, root string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, program)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(program)
		if rest != "" && 'a' <= rest[0] && rest[0] <= 'z' {
			b.WriteString("--root " + root + " ")
		}
		s = rest
	}
}

// ShellWord returns s as a POSIX shell takes it for one word: as it is, or in
// single quotes.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_@%+=:,./-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
