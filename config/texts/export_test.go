package texts

import (
	"io/fs"

	"golang.org/x/text/language"
)

// A Form is a form of a sentence as the tests look at it.
type Form struct {
	Category string // "" for a sentence that does not count
	Text     string
	Verbs    []byte // by argument; 0 for one that is not read
}

// Load reads a catalogue from any file system.
func Load(fsys fs.FS, lang string, tag language.Tag) (*Texts, error) { return load(fsys, lang, tag) }

// Verbs is parseVerbs.
func Verbs(text string) ([]byte, error) { return parseVerbs(text) }

// Forms returns all that t can say, by key.
func (t *Texts) Forms() map[string][]Form {
	all := make(map[string][]Form, len(t.sentences))
	for key, s := range t.sentences {
		if s.forms == nil {
			v, _ := parseVerbs(s.form.format)
			all[key] = []Form{{"", s.form.format, v}}
			continue
		}
		for _, c := range categories {
			if f, ok := s.forms[c]; ok {
				v, _ := parseVerbs(f.format)
				all[key] = append(all[key], Form{c, f.format, v})
			}
		}
	}
	return all
}
