package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/store"
)

// LanguagesFile is the document below the human directory that
// Options.Languages is made of.
const LanguagesFile = "languages.json"

// languagesVersion is the form of [languages.doc]. A later one is not read, so
// that nothing of it is lost.
const languagesVersion = 1

// The notices about languages.
const (
	noticeLanguage        Reason = "language"         // the language that is spoken from now on
	noticeLanguageAsk     Reason = "language_ask"     // which there are
	noticeLanguageUnsaved Reason = "language_unsaved" // chosen, but only until the next start
)

// languages remembers which language people chose, by their names as
// [Gateway.person] gives them, in a document that people may read and edit. It
// may be used by many goroutines; looking up waits for nobody.
type languages struct {
	doc *store.Doc // nil: in memory only

	mu      sync.Mutex      // held while a choice is written; guards unsaved
	unsaved map[string]bool // whose choice is not in the document
	chosen  atomic.Pointer[map[string]string]
	damaged atomic.Pointer[DocumentError] // why the document cannot be used; nil when it can
}

// languagesDoc is the content of the document.
type languagesDoc struct {
	V         int               `json:"v"`
	Languages map[string]string `json:"languages"`
}

// load reads the document. What people chose since, and what could not be written,
// holds beside it.
func (l *languages) load() {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]string)
	if l.doc != nil {
		l.damaged.Store(readDoc(l.doc, LanguagesFile, parseLanguages, &all))
	}
	if before := l.chosen.Load(); before != nil {
		for person, lang := range *before {
			if l.doc == nil || l.unsaved[person] || l.damaged.Load() != nil {
				all[person] = lang
			}
		}
	}
	l.chosen.Store(&all)
}

func parseLanguages(text []byte) (map[string]string, *DocumentError) {
	d := languagesDoc{Languages: make(map[string]string)}
	if len(strings.TrimSpace(string(text))) == 0 {
		return d.Languages, nil
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, damage(LanguagesFile, text, err)
	}
	if d.V > languagesVersion {
		return nil, foreign(LanguagesFile, d.V, languagesVersion)
	}
	if d.Languages == nil {
		d.Languages = make(map[string]string)
	}
	maps.DeleteFunc(d.Languages, func(_, lang string) bool { return lang != "de" && lang != "en" })
	return d.Languages, nil
}

// of returns the language that somebody chose, or "".
func (l *languages) of(person string) string { return (*l.chosen.Load())[person] }

// choose notes a choice: at once for this process, and durably when it returns
// nil.
func (l *languages) choose(person, lang string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of(person) == lang && !l.unsaved[person] {
		return nil
	}
	all := maps.Clone(*l.chosen.Load())
	all[person] = lang
	l.chosen.Store(&all)
	if l.doc == nil {
		return nil
	}
	err := l.doc.Edit(func(old []byte) ([]byte, error) {
		kept, bad := parseLanguages(old)
		if bad != nil {
			return nil, bad
		}
		kept[person] = lang
		text, err := json.MarshalIndent(languagesDoc{languagesVersion, kept}, "", "  ")
		return append(text, '\n'), err
	})
	if err == nil {
		delete(l.unsaved, person)
		l.damaged.Store(nil)
		return nil
	}
	if l.unsaved == nil {
		l.unsaved = make(map[string]bool)
	}
	l.unsaved[person] = true
	var bad *DocumentError
	if errors.As(err, &bad) {
		l.damaged.Store(bad)
	}
	return fmt.Errorf("gateway: %w", err)
}

// languageWord reads words that choose a language, as "sprache englisch" or
// "/language de", in lower case. The language is "" where none that we speak is
// named.
func languageWord(words string) (lang string, ok bool) {
	first, rest, _ := strings.Cut(words, " ")
	switch strings.TrimPrefix(first, "/") {
	case "sprache", "language":
	default:
		return "", false
	}
	if strings.TrimSpace(rest) == "" {
		return "", true
	}
	lang, ok = languageNamed(rest)
	return lang, ok || strings.HasPrefix(first, "/")
}

// languageNamed returns the language that is called so.
func languageNamed(name string) (lang string, ok bool) {
	switch strings.ToLower(strings.Trim(name, " \n\t.!:")) {
	case "de", "deutsch", "german", "auf deutsch":
		return "de", true
	case "en", "englisch", "english", "auf englisch":
		return "en", true
	}
	return "", false
}

// chooseLanguage carries out a command about the language, and returns the
// request that tells what came of it. Doing it again changes nothing more.
func (g *Gateway) chooseLanguage(e channels.Event, req Envelope) Envelope {
	req.Intent, req.Payload.Text, req.Payload.Raw = intentNotice, "", ""
	lang, ok := languageNamed(e.Text)
	if !ok {
		lang, _ = languageWord(strings.ToLower(strings.Trim(e.Text, " \n\t.!")))
	}
	if lang == "" {
		req.Payload.Notice = noticeLanguageAsk
		return req
	}
	req.Payload.Notice, req.Payload.Lang = noticeLanguage, lang
	if e.Actor.ID == "" {
		return req // nobody in particular
	}
	if err := g.languages.choose(g.person(accountOf(e.Address), e.Actor.ID), lang); err != nil {
		g.log.Error("language was not kept", "channel", accountOf(e.Address).String(), "err", err)
		req.Payload.Notice = noticeLanguageUnsaved
	}
	return req
}

// languageNotice words what came of a choice; false if p is about something
// else.
func languageNotice(t *texts.Texts, p *Payload) (string, bool) {
	switch p.Notice {
	case noticeLanguage:
		return t.Say("gateway.language"), true
	case noticeLanguageAsk:
		return t.Say("gateway.language_ask"), true
	case noticeLanguageUnsaved:
		return t.Say("gateway.language_unsaved"), true
	}
	return "", false
}
