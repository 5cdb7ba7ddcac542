// Package texts holds every sentence that outheis says to a person, one
// catalogue per language.
//
// A catalogue is the folder de or en: YAML files, one an area of the product,
// each a flat map from key to sentence. Keys are "area.what", where area is the
// file's name, and are the same in every language. Sentences are format strings
// of package fmt; arguments that change their order between languages are
// written %[1]s. A test holds that keys and arguments agree between languages,
// and that the code asks for no key that is not there.
//
// The package knows nothing else of outheis.
package texts

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed de en
var files embed.FS

// Default is the language of everything that nobody chose a language for.
const Default = "de"

// Texts is the catalogue of one language. It is immutable and safe for use by
// many goroutines.
type Texts struct {
	lang      string
	sentences map[string]string
}

// For returns the catalogue for lang, a BCP 47 language such as "de" or
// "en-GB"; only its first part counts. A language that we do not speak gets
// English; an empty one gets [Default].
func For(lang string) *Texts {
	lang, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(lang, "_", "-")), "-")
	switch lang {
	case "":
		lang = Default
	case "de", "en":
	default:
		lang = "en"
	}
	return catalogues()[lang]
}

// Lang returns "de" or "en".
func (t *Texts) Lang() string { return t.lang }

// Say returns the sentence with the given key, filled with args as by
// [fmt.Sprintf]. A key that does not exist is a programmer's mistake: Say
// panics, and the package's test finds it before.
func (t *Texts) Say(key string, args ...any) string {
	s, ok := t.sentences[key]
	if !ok {
		panic("texts: no sentence " + key + " in " + t.lang)
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

var catalogues = sync.OnceValue(func() map[string]*Texts {
	all := make(map[string]*Texts)
	for _, lang := range []string{"de", "en"} {
		t := &Texts{lang: lang, sentences: make(map[string]string)}
		names, err := fs.Glob(files, lang+"/*.yaml")
		if err != nil {
			panic(err)
		}
		for _, name := range names {
			b, err := files.ReadFile(name)
			if err != nil {
				panic(err)
			}
			var m map[string]string
			if err := yaml.Unmarshal(b, &m); err != nil {
				panic(fmt.Sprintf("texts: %s: %v", name, err))
			}
			area := strings.TrimSuffix(path.Base(name), ".yaml")
			for k, s := range m {
				t.sentences[area+"."+k] = strings.TrimSuffix(s, "\n")
			}
		}
		all[lang] = t
	}
	return all
})
