package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"

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
// may be used by many goroutines.
type languages struct {
	doc *store.Doc // nil: in memory only

	mu     sync.RWMutex // guards chosen
	chosen map[string]string
}

// languagesDoc is the content of the document.
type languagesDoc struct {
	V         int               `json:"v"`
	Languages map[string]string `json:"languages"`
}

// load reads the document.
func (l *languages) load(doc *store.Doc) error {
	l.doc, l.chosen = doc, make(map[string]string)
	if doc == nil {
		return nil
	}
	text, _, err := doc.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		l.chosen, err = parseLanguages(text)
	}
	if err != nil {
		return fmt.Errorf("gateway: read languages: %w", err)
	}
	return nil
}

func parseLanguages(text []byte) (map[string]string, error) {
	d := languagesDoc{Languages: make(map[string]string)}
	if len(strings.TrimSpace(string(text))) == 0 {
		return d.Languages, nil
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if d.V > languagesVersion {
		return nil, fmt.Errorf("version %d is newer than this program", d.V)
	}
	if d.Languages == nil {
		d.Languages = make(map[string]string)
	}
	maps.DeleteFunc(d.Languages, func(_, lang string) bool { return lang != "de" && lang != "en" })
	return d.Languages, nil
}

// of returns the language that somebody chose, or "".
func (l *languages) of(person string) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.chosen[person]
}

// choose notes a choice: at once for this process, and durably when it returns
// nil.
func (l *languages) choose(person, lang string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.chosen[person]
	l.chosen[person] = lang
	if l.doc == nil || before == lang {
		return nil
	}
	return l.doc.Edit(func(old []byte) ([]byte, error) {
		all, err := parseLanguages(old)
		if err != nil {
			return nil, err
		}
		all[person] = lang
		text, err := json.MarshalIndent(languagesDoc{languagesVersion, all}, "", "  ")
		return append(text, '\n'), err
	})
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
