package texts

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message/catalog"
	"gopkg.in/yaml.v3"
)

// categories are the endings of keys that name a form of a sentence that
// counts, in the order in which they are tried.
var categories = [...]string{"0", "zero", "one", "two", "few", "many", "other"}

// selector returns what the catalogue calls a category.
func selector(category string) string {
	if category == "0" {
		return "=0"
	}
	return category
}

// load reads the catalogue in folder lang of fsys.
func load(fsys fs.FS, lang string, tag language.Tag) (*Texts, error) {
	t := &Texts{lang: lang, tag: tag, sentences: make(map[string]sentence), plurals: catalog.NewBuilder()}
	names, err := fs.Glob(fsys, lang+"/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("texts: %w", err)
		}
		var m map[string]string
		if err := yaml.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("texts: %s: %w", name, err)
		}
		area := strings.TrimSuffix(path.Base(name), ".yaml")
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if err := t.add(area+"."+k, strings.TrimSuffix(m[k], "\n")); err != nil {
				return nil, fmt.Errorf("texts: %s: %s: %w", name, k, err)
			}
		}
	}
	for key, s := range t.sentences {
		if err := t.addPlural(key, s.forms); err != nil {
			return nil, fmt.Errorf("texts: %s: %s: %w", lang, key, err)
		}
	}
	return t, nil
}

// add takes in one line of a file.
func (t *Texts) add(key, text string) error {
	verbs, err := parseVerbs(text)
	if err != nil {
		return err
	}
	f := form{format: text, args: len(verbs)}
	base, category := splitKey(key)
	s := t.sentences[base]
	switch {
	case category == "" && s.forms != nil, category != "" && s.form != form{}:
		return fmt.Errorf("sentence both with and without plural forms")
	case category == "":
		s.form = f
	case s.forms == nil:
		s.forms = map[string]form{category: f}
	default:
		s.forms[category] = f
	}
	t.sentences[base] = s
	return nil
}

// addPlural tells the catalogue which forms the sentence key has.
func (t *Texts) addPlural(key string, forms map[string]form) error {
	if forms == nil {
		return nil
	}
	if _, ok := forms["other"]; !ok {
		return fmt.Errorf("no form other")
	}
	var cases []any
	for _, category := range categories {
		if _, ok := forms[category]; ok {
			cases = append(cases, selector(category), category)
		}
	}
	return t.plurals.Set(t.tag, key, plural.Selectf(1, "%d", cases...))
}

// splitKey parts the plural category from a key; it is "" for a key without.
func splitKey(key string) (base, category string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		if slices.Contains(categories[:], key[i+1:]) && strings.Count(key, ".") > 1 {
			return key[:i], key[i+1:]
		}
	}
	return key, ""
}

// parseVerbs returns the verbs that text reads its arguments with, as 's' or
// 'd', in the order of the arguments. It refuses what fmt would print as a
// mistake: an unknown verb, an argument that is passed over, a lone per cent
// sign. An argument that is read twice has to have the same verb.
func parseVerbs(text string) ([]byte, error) {
	var verbs []byte
	next := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		i++
		if i < len(text) && text[i] == '%' {
			continue
		}
		i = skip(text, i, "+-#0")
		i = skip(text, i, "0123456789")
		if i < len(text) && text[i] == '.' {
			i = skip(text, i+1, "0123456789")
		}
		if i < len(text) && text[i] == '[' {
			n, width := 0, strings.IndexByte(text[i:], ']')
			if width < 0 {
				return nil, fmt.Errorf("argument index without end in %q", text)
			}
			if _, err := fmt.Sscanf(text[i:i+width+1], "[%d]", &n); err != nil || n < 1 || n > 20 {
				return nil, fmt.Errorf("bad argument index in %q", text)
			}
			next, i = n-1, i+width+1
		}
		if i >= len(text) || strings.IndexByte("svdqxtfTc", text[i]) < 0 {
			return nil, fmt.Errorf("bad verb or lone %% in %q", text)
		}
		for len(verbs) <= next {
			verbs = append(verbs, 0)
		}
		if verbs[next] != 0 && verbs[next] != text[i] {
			return nil, fmt.Errorf("argument %d read with %%%c and %%%c in %q", next+1, verbs[next], text[i], text)
		}
		verbs[next] = text[i]
		next++
	}
	return verbs, nil
}

// skip returns the index of the first byte of text from i on that is not in set.
func skip(text string, i int, set string) int {
	for i < len(text) && strings.IndexByte(set, text[i]) >= 0 {
		i++
	}
	return i
}
