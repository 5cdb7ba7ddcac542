// Package texts holds every sentence that outheis says to a person, one
// catalogue per language.
//
// A catalogue is the folder de or en: YAML files, one an area of the product,
// each a flat map from key to sentence. Keys are "area.what", where area is the
// file's name, and are the same in every language. Sentences are format strings
// of package fmt; arguments that change their order between languages are
// written %[1]s, and a per cent sign is written %%.
//
// A sentence that counts has a form for each plural category that its language
// has, and may have one for nothing at all. Its first argument is the count:
//
//	missing.0: "Es fehlt kein Claim."
//	missing.one: "Es fehlt ein Claim."
//	missing.other: "Es fehlen %d Claims."
//
// The code asks for all three as Say("area.missing", n). A form may leave the
// count out. Which form a number takes is CLDR's rule, kept by x/text; numbers
// are printed by fmt, thus without separators, so that a port stays a port.
//
// A test holds that keys, forms and arguments agree between languages, that the
// code asks for no key that is not there and that no key is there for nothing.
//
// The package knows nothing else of outheis.
package texts

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/message/catalog"
)

//go:embed de en
var files embed.FS

// Default is the language of everything that nobody chose a language for.
const Default = "de"

// Texts is the catalogue of one language. It is immutable and safe for use by
// many goroutines.
type Texts struct {
	lang      string
	tag       language.Tag
	sentences map[string]sentence
	plurals   *catalog.Builder
}

// A sentence has one form, or one for each way to count.
type sentence struct {
	form  form            // of a sentence that does not count
	forms map[string]form // by category; nil for a sentence that does not count
}

// A form is a format string; args is how many arguments it reads.
type form struct {
	format string
	args   int
}

// For returns the catalogue for lang, a BCP 47 language such as "de" or
// "en-GB", or a POSIX locale such as "de_DE.UTF-8". A language that we do not
// speak gets English, unless its speakers are known to read German; an empty
// one gets [Default].
func For(lang string) *Texts {
	lang, _, _ = strings.Cut(lang, ".")
	lang, _, _ = strings.Cut(lang, "@")
	all := catalogues()
	if lang == "" {
		lang = Default
	}
	if t, ok := all[lang]; ok {
		return t
	}
	tag, err := language.Parse(lang)
	if err != nil {
		return all["en"]
	}
	if _, i, confidence := matcher().Match(tag); confidence > language.No && i == 1 {
		return all["de"]
	}
	return all["en"]
}

var matcher = sync.OnceValue(func() language.Matcher {
	return language.NewMatcher([]language.Tag{language.English, language.German})
})

// Lang returns "de" or "en".
func (t *Texts) Lang() string { return t.lang }

// Say returns the sentence with the given key, filled with args as by
// [fmt.Sprintf]. The first argument of a sentence that counts is the count, of
// any integer type. A key that does not exist is a programmer's mistake: Say
// panics, and the package's test finds it before.
func (t *Texts) Say(key string, args ...any) string {
	s, ok := t.sentences[key]
	if !ok {
		panic("texts: no sentence " + key + " in " + t.lang)
	}
	f := s.form
	if s.forms != nil {
		f = s.forms[t.category(key, args)]
	}
	if len(args) > f.args {
		args = args[:f.args]
	}
	return fmt.Sprintf(f.format, args...)
}

// category lets the catalogue choose the form for the count in args.
func (t *Texts) category(key string, args []any) string {
	if len(args) == 0 {
		panic("texts: no count for sentence " + key)
	}
	c := choice{args: args}
	if err := t.plurals.Context(t.tag, &c).Execute(key); err != nil {
		panic(fmt.Sprintf("texts: plural of %s in %s: %v", key, t.lang, err))
	}
	return c.category
}

// A choice receives what the catalogue chose.
type choice struct {
	args     []any
	category string
}

// Render is called by the catalogue with the name of the form.
func (c *choice) Render(category string) { c.category = category }

// Arg returns argument i, counted from 1, to the catalogue.
func (c *choice) Arg(i int) any {
	if i > len(c.args) {
		return nil
	}
	return c.args[i-1]
}

var catalogues = sync.OnceValue(func() map[string]*Texts {
	all := make(map[string]*Texts)
	for lang, tag := range map[string]language.Tag{"de": language.German, "en": language.English} {
		t, err := load(files, lang, tag)
		if err != nil {
			panic(err)
		}
		all[lang] = t
	}
	return all
})
