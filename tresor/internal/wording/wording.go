// Package wording holds the sentences of the engine for people, German and
// English, in one folder a language and one file an area. A key that is a rule
// of the specification, as "CL-1", is the reason and the remedy of a finding;
// "path.…", "json.…" and "os.…" are reasons inside of them; "help.…" says how a command
// is called; all others belong to commands. In a sentence \n is a line break.
package wording

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed de/*.txt en/*.txt
var files embed.FS

// Purpose returns what a command is for, in one line.
func Purpose(lang, command string) string {
	_, what, _ := strings.Cut(Say(lang, "help."+command), " :: ")
	what, _, _ = strings.Cut(what, "\n")
	return what
}

// Call returns how a command is called, as one line.
func Call(lang, command string) string {
	call, _, _ := strings.Cut(Say(lang, "help."+command), " :: ")
	usage, _, _ := strings.Cut(Say(lang, "help.usage"), ":")
	return usage + ": outheis tresor " + call
}

// CommandHelp returns the help of one command: its call, and everything that is
// said about it.
func CommandHelp(lang, command string) string {
	_, what, _ := strings.Cut(Say(lang, "help."+command), " :: ")
	what, more, _ := strings.Cut(what, "\n")
	if more != "" {
		what += "\n\n" + more
	}
	return Call(lang, command) + "\n\n" + what + "\n"
}

// A Sentence is a sentence in no language yet. Args are strings, ints, lists of
// strings, errors and sentences.
type Sentence struct {
	Key  string
	Args []any
}

// In returns the sentence in lang, "en" or else German. A key that does not
// exist is a programmer's mistake: In panics, and a test finds it before.
func (s Sentence) In(lang string) string { return Say(lang, s.Key, s.Args...) }

// Say returns the sentence for key, its places {1}, {2}, … filled with args; a
// place {1|page|pages} gets a number and the noun that goes with it.
// What cannot be printed, and control characters above all, is escaped.
func Say(lang, key string, args ...any) string {
	s := sentence(lang, key)
	if len(args) == 0 {
		return s
	}
	return fillAll(lang, s, args)
}

func sentence(lang, key string) string {
	s, ok := catalogue(lang)[key]
	if !ok {
		panic("wording: no sentence " + key)
	}
	return s
}

// fillAll fills the places of a sentence.
func fillAll(lang, s string, args []any) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		place, after, _ := strings.Cut(rest, "}")
		if text, ok := fill(lang, place, args); ok {
			b.WriteString(text)
			s = after
		} else {
			b.WriteByte('{')
			s = rest
		}
	}
}

// fill returns what belongs in a place: "1", or "1|page|pages" for a number with
// its noun.
func fill(lang, place string, args []any) (text string, ok bool) {
	number, forms, counted := strings.Cut(place, "|")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(args) {
		return "", false
	}
	text = show(lang, args[n-1])
	if !counted {
		return text, true
	}
	one, many, _ := strings.Cut(forms, "|")
	if args[n-1] == 1 {
		return text + " " + one, true
	}
	return text + " " + many, true
}

func show(lang string, arg any) string {
	switch a := arg.(type) {
	case string:
		return Printable(a)
	case int:
		return strconv.Itoa(a)
	case []string:
		return Printable(strings.Join(a, ", "))
	case Sentence:
		return a.In(lang)
	case error:
		return cause(lang, a)
	}
	panic("wording: argument of an unknown type")
}

// Printable returns s with everything escaped that is not printed: control
// characters, invisible and bidirectional ones, invalid bytes.
func Printable(s string) string {
	clean := true
	for i, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError && invalid(s[i:]) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && invalid(s[i:]):
			const hex = "0123456789abcdef"
			b.Write([]byte{'\\', 'x', hex[s[i]>>4], hex[s[i]&15]})
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func invalid(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && n == 1
}

func catalogue(lang string) map[string]string {
	if lang == "en" {
		return catalogues()[1]
	}
	return catalogues()[0]
}

var catalogues = sync.OnceValue(func() [2]map[string]string {
	return [2]map[string]string{read("de"), read("en")}
})

// read reads the files of a language.
func read(lang string) map[string]string {
	m := make(map[string]string)
	areas, err := files.ReadDir(lang)
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, area := range areas {
		name := path.Join(lang, area.Name())
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		parse(m, name, string(b))
	}
	return m
}

// parse adds lines "key = sentence"; blank lines and those with # are skipped.
func parse(m map[string]string, name, file string) {
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		key, sentence, ok := strings.Cut(line, " = ")
		if _, twice := m[key]; twice || !ok {
			panic(fmt.Sprintf("wording: %s: bad line or second sentence: %s", name, line))
		}
		m[key] = strings.ReplaceAll(sentence, `\n`, "\n")
	}
}
