package eval

import (
	"bytes"
	"errors"
	"slices"

	"outheis/tresor"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// MaxID is the longest id of a question in characters.
const MaxID = 200

// A Question is one acceptance question.
type Question struct {
	ID     string
	Text   string
	Claims []string // that answer it, any of them; none if the Bestand does not
	World  string   // BW-nnnn that it is asked in, or "" for all
	Line   int      // in its file, from 1
}

// Parse reads questions, one JSON object a line with the keys id (unique),
// frage and claims (a list of C-nnnn, empty where the right answer is "Nicht im
// Bestand"), and with world (BW-nnnn) where the question has a word of several
// Begriffswelten. Further keys are the author's own and skipped. Blank lines, CRLF
// and a byte-order mark in front are accepted, nothing else that is no strict
// JSON. Whatever is wrong is found at once, in the order of the lines and in
// the language lang; name is the file's name in the findings. With a finding
// the questions are not complete.
func Parse(name string, b []byte, lang string) ([]Question, []tresor.Finding) {
	p := parser{name: name, ids: map[string]int{}}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		p.line++
		if len(bytes.TrimSpace(line)) > 0 {
			p.object(line)
		}
	}
	if len(p.questions) == 0 && len(p.found.Errors) == 0 {
		p.found.Error(check.File(name), "EV-1")
	}
	return p.questions, findings(p.found, lang)
}

// Unknown finds the claims and Begriffswelten of the questions that the snapshot
// does not have.
func Unknown(s *tresor.Snapshot, name string, questions []Question, lang string) []tresor.Finding {
	var found check.Findings
	for _, q := range questions {
		for _, id := range q.Claims {
			if _, _, ok := s.Claim(id); !ok {
				found.Error(check.Line(name, q.Line), "EV-2", id)
			}
		}
		isWorld := func(w tresor.World) bool { return w.ID == q.World }
		if q.World != "" && !slices.ContainsFunc(s.Worlds(), isWorld) {
			found.Error(check.Line(name, q.Line), "EV-9", q.World)
		}
	}
	return findings(found, lang)
}

func findings(found check.Findings, lang string) []tresor.Finding {
	var list []tresor.Finding
	for _, f := range found.Errors {
		list = append(list, tresor.Finding{Severity: tresor.Error, Rule: f.Key, Label: f.Label, Path: f.Path, Line: f.Line, Text: f.In(lang)})
	}
	return list
}

// A parser reads the lines of one file.
type parser struct {
	name      string
	line      int
	ids       map[string]int // line of each id
	questions []Question
	found     check.Findings
}

// object reads the question of a line.
func (p *parser) object(line []byte) {
	where := check.Line(p.name, p.line)
	wrong := func(rule string, args ...any) { p.found.Error(where, rule, args...) }
	v, err := pjson.Parse(line)
	var se *pjson.SyntaxError
	if errors.As(err, &se) {
		wrong("JS-2", p.line, check.Reason("json."+string(se.Kind), se.Detail))
		return
	}
	o, ok := v.(pjson.Object)
	if !ok {
		wrong("EV-3")
		return
	}
	id, okID := o["id"].(string)
	if !okID || text.IsBlank(id) || text.Len(id) > MaxID || text.HasControl(id) {
		wrong("EV-4", MaxID)
	} else if first := p.ids[id]; first > 0 {
		wrong("EV-5", id, first)
	} else {
		p.ids[id] = p.line
	}
	question, okQuestion := o["frage"].(string)
	if !okQuestion || text.IsBlank(question) || text.Len(question) > tresor.MaxQuestion || text.HasControl(question) {
		wrong("EV-6", tresor.MaxQuestion)
	}
	claims, okClaims := claims(o["claims"])
	if !okClaims {
		wrong("EV-7")
	}
	world, okWorld := o["world"].(string)
	if _, ok := o["world"]; ok && (!okWorld || !profil.IsID("BW", world)) {
		wrong("EV-8")
	}
	p.questions = append(p.questions, Question{ID: id, Text: question, Claims: claims, World: world, Line: p.line})
}

// claims reads a list of claim IDs, each once.
func claims(v any) (ids []string, ok bool) {
	list, ok := v.([]any)
	for _, item := range list {
		id, isText := item.(string)
		if !isText || !profil.IsID("C", id) || slices.Contains(ids, id) {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, ok
}
