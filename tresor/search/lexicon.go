package search

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

//go:embed words/*.txt
var wordFiles embed.FS

// A mark says what a language does with a word. Marks are also what a text has
// to offer to a question; see [kind].
type mark uint32

const (
	stop      mark = 1 << iota // carries no content
	filler                     // a question is built with it
	common                     // says little about what a question is about
	cardinal                   // a number in a word
	quantity                   // says an amount without a number
	money                      // units, and words that answer their question
	duration                   //
	size                       //
	frequency                  //
	time                       // a weekday, month or time of day
	event                      // before, after or at something
	cause                      // gives a reason
	place                      // a preposition of place
	back                       // refers to the text before
	naming                     // introduces a name

	advice // says what to do

	// These are found in a text; no list has them.
	placed // a preposition of place before a capital letter
	quoted // quotation marks or brackets
)

// A lexicon is what the ranking knows of a language. It is immutable.
type lexicon struct {
	bit     uint8             // tells the languages apart in sets of them
	marks   map[string]mark   // of folded words
	numbers map[string]string // zwei to 2

	cardinals map[string]string // 2 to zwei
	months    map[string]string // mai to 5
	roots     map[string]string // of irregular verbs
	prefixes  []string          // that separate from their verb, longest first
	fixed     []string          // that do not
	stemmer   func(*snowballstem.Env) bool
}

func (l *lexicon) is(form string, m mark) bool { return l.marks[form]&m != 0 }

// stem cuts the endings of a folded word.
func (l *lexicon) stem(form string) string {
	env := snowballstem.NewEnv(form)
	l.stemmer(env)
	return env.Current()
}

type languages struct {
	de, en *lexicon
	// pairs leads from the stem of a word to words of the other language.
	pairs map[string][]string
}

func (l languages) all() [2]*lexicon { return [2]*lexicon{l.de, l.en} }

// lexicons returns the lexicons of all languages; they are read once.
var lexicons = sync.OnceValue(func() languages {
	l := languages{
		de:    readLexicon(1, "words/de.txt", german.Stem),
		en:    readLexicon(2, "words/en.txt", english.Stem),
		pairs: map[string][]string{},
	}
	for en, all := range readFile("words/pairs.txt")["pair"] {
		for de := range strings.SplitSeq(all, ",") {
			l.pair(l.en.stem(en), fold(de))
			l.pair(l.de.stem(fold(de)), en)
		}
	}
	for _, words := range l.pairs {
		slices.Sort(words)
	}
	return l
})

func (l languages) pair(stem, word string) {
	if !slices.Contains(l.pairs[stem], word) {
		l.pairs[stem] = append(l.pairs[stem], word)
	}
}

func readLexicon(bit uint8, name string, stemmer func(*snowballstem.Env) bool) *lexicon {
	l := &lexicon{bit: bit, marks: map[string]mark{}, stemmer: stemmer}
	for list, words := range readFile(name) {
		switch list {
		case "number":
			l.numbers, l.cardinals = words, map[string]string{}
			for w, digits := range words {
				l.cardinals[digits] = w
			}
			l.mark(words, cardinal)
		case "month":
			l.months = words
			l.mark(words, time)
		case "root":
			l.roots = words
		case "prefix":
			l.prefixes = longest(words)
		case "fixed":
			l.fixed = longest(words)
		default:
			m, ok := marksByName()[list]
			if !ok {
				panic(fmt.Sprintf("search: %s: unknown list %q", name, list))
			}
			l.mark(words, m)
		}
	}
	return l
}

func marksByName() map[string]mark {
	return map[string]mark{
		"stop": stop, "filler": filler, "common": common, "quantity": quantity, "money": money, "duration": duration,
		"size": size, "frequency": frequency, "time": time, "event": event, "cause": cause, "place": place, "back": back,
		"naming": naming,
	}
}

// readFile reads the lists of a file of words: a line without indentation names
// a list, indented lines hold its words, a word may carry a value. The file is
// embedded: what is wrong with it is a programmer's mistake.
func readFile(name string) map[string]map[string]string {
	b, err := wordFiles.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("search: %v", err))
	}
	lists := map[string]map[string]string{}
	var list map[string]string
	for line := range strings.Lines(string(b)) {
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
		case line[0] != ' ':
			list = map[string]string{}
			lists[strings.TrimSpace(line)] = list
		default:
			for _, w := range strings.Fields(line) {
				w, value, _ := strings.Cut(w, "=")
				list[fold(w)] = value
			}
		}
	}
	return lists
}

func (l *lexicon) mark(words map[string]string, m mark) {
	for w := range words {
		l.marks[w] |= m
	}
}

func longest(words map[string]string) []string {
	out := slices.Sorted(maps.Keys(words))
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// speaks returns the lexicon whose function words prevail among the tokens.
// German wins a tie: most collections are German.
func (l languages) speaks(ts []token) *lexicon {
	lead := 0
	for _, t := range ts {
		if l.de.is(t.form, stop) {
			lead++
		}
		if l.en.is(t.form, stop) {
			lead--
		}
	}
	if lead < 0 {
		return l.en
	}
	return l.de
}
