package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Status is how a question ended.
type Status string

// The states of an answer; spec/outheis.md §4.0.
const (
	StatusOK          Status = "ok"
	StatusNotFound    Status = "not_found"
	StatusAmbiguous   Status = "ambiguous"
	StatusDenied      Status = "denied"
	StatusUnavailable Status = "unavailable"
	StatusFailed      Status = "failed"
)

// A Beleg is a piece of evidence that statements refer to by its ID.
type Beleg struct {
	Kind        string `json:"kind"` // "claim"; later "note", "agenda", "import"
	ID          string `json:"id"`   // C-0301, or hb/C-0301 when several Tresore are loaded
	Tresor      string `json:"tresor,omitempty"`
	Version     string `json:"version,omitempty"`  // release of the Tresor
	Manifest    string `json:"manifest,omitempty"` // its digest
	Page        string `json:"page,omitempty"`
	Source      string `json:"source,omitempty"`
	SourceTitle string `json:"source_title,omitempty"`
	Fundstelle  string `json:"locator,omitempty"`
	Art         string `json:"art,omitempty"`   // Wortlaut, Beobachtung or Auslegung
	Stand       string `json:"stand,omitempty"` // JJJJ-MM-TT
	Confidence  string `json:"confidence,omitempty"`
}

// A Statement is the smallest thing that an agent can assert.
type Statement struct {
	Text string `json:"text"`
	// Citations are IDs of Belege of the same answer, at least one.
	Citations []string `json:"citations"`
	// Auslegung marks the curator's own classification (iron rule of the
	// Tresor: never shown as the wording of the source).
	Auslegung bool `json:"auslegung,omitempty"`
	// Heading is what the statement stands under, a finished line in the language
	// of the request: the Tresor that says it, or the question that it answers,
	// where there are several. Neighbours with one heading share it.
	Heading string `json:"heading,omitempty"`
}

// A Pointer names something that is near the question and supports nothing.
type Pointer struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Page string `json:"page,omitempty"`
}

// An Answer is bound to evidence, or an abstention, or a question back. It is
// immutable; the With methods return a changed copy. The zero Answer is no
// answer: it is neither marshalled nor read back.
type Answer struct{ d answerData }

type answerData struct {
	Status     Status      `json:"status"`
	Statements []Statement `json:"statements"`
	Citations  []Beleg     `json:"citations"`
	Stand      string      `json:"stand,omitempty"`
	Confidence string      `json:"confidence,omitempty"`
	Notes      []string    `json:"notes"`
	Gaps       []string    `json:"gaps"`
	Nearest    []Pointer   `json:"nearest,omitempty"`
	Reviewed   int         `json:"reviewed,omitempty"`
	Question   string      `json:"question,omitempty"`
}

// ErrUncited means that a statement has no, or no known, Beleg.
var ErrUncited = errors.New("agents: statement without known Beleg")

// Cite builds an answer from statements and the Belege that they cite. It
// refuses an empty text, a statement without citation, a citation that names
// no Beleg, a Beleg without kind, ID, source and Fundstelle, two Belege with
// one ID and a Beleg that no statement cites. An Auslegung must be marked on
// its statement. The slices are copied.
func Cite(statements []Statement, belege []Beleg) (Answer, error) {
	if err := check(statements, belege); err != nil {
		return Answer{}, err
	}
	d := answerData{Status: StatusOK, Citations: append([]Beleg(nil), belege...)}
	for _, s := range statements {
		s.Citations = append([]string(nil), s.Citations...)
		d.Statements = append(d.Statements, s)
	}
	return Answer{d}, nil
}

func check(statements []Statement, belege []Beleg) error {
	if len(statements) == 0 {
		return fmt.Errorf("%w: no statement", ErrUncited)
	}
	known := make(map[string]Beleg, len(belege))
	for _, b := range belege {
		switch {
		case b.Kind == "" || b.ID == "" || b.Source == "" || b.Fundstelle == "":
			return fmt.Errorf("%w: incomplete Beleg %q", ErrUncited, b.ID)
		case known[b.ID].ID != "":
			return fmt.Errorf("%w: two Belege %q", ErrUncited, b.ID)
		}
		known[b.ID] = b
	}
	cited := make(map[string]bool, len(belege))
	for i, s := range statements {
		if strings.TrimSpace(s.Text) == "" {
			return fmt.Errorf("%w: statement %d is empty", ErrUncited, i+1)
		}
		if len(s.Citations) == 0 {
			return fmt.Errorf("%w: statement %d", ErrUncited, i+1)
		}
		for _, id := range s.Citations {
			b, ok := known[id]
			if !ok {
				return fmt.Errorf("%w: statement %d cites %q", ErrUncited, i+1, id)
			}
			if b.Art == "Auslegung" && !s.Auslegung {
				return fmt.Errorf("agents: statement %d does not mark the Auslegung %q", i+1, id)
			}
			cited[id] = true
		}
	}
	for _, b := range belege {
		if !cited[b.ID] {
			return fmt.Errorf("%w: no statement cites %q", ErrUncited, b.ID)
		}
	}
	return nil
}

// NichtImBestand builds the abstention. Reviewed is the number of claims (or
// lines) that were compared with the question: an abstention is only honest
// after all of them were. Gaps name the uncovered parts of the question.
func NichtImBestand(reviewed int, gaps ...string) Answer {
	return Answer{answerData{Status: StatusNotFound, Reviewed: reviewed, Gaps: append([]string(nil), gaps...)}}
}

// Ask builds a question back to the person; it asserts nothing.
func Ask(question string) Answer {
	return Answer{answerData{Status: StatusAmbiguous, Question: question}}
}

// WithStand sets the oldest Stand and the lowest confidence of what is cited.
func (a Answer) WithStand(stand, confidence string) Answer {
	a.d.Stand, a.d.Confidence = stand, confidence
	return a
}

// WithNotes adds remarks for the reader: finished sentences in the language of
// the request.
func (a Answer) WithNotes(notes ...string) Answer {
	a.d.Notes = append(append([]string(nil), a.d.Notes...), notes...)
	return a
}

// WithGaps adds parts of the question that the Bestand does not cover.
func (a Answer) WithGaps(gaps ...string) Answer {
	a.d.Gaps = append(append([]string(nil), a.d.Gaps...), gaps...)
	return a
}

// WithNearest adds what lies near the question; it is shown as such and apart
// from the answer.
func (a Answer) WithNearest(p ...Pointer) Answer {
	a.d.Nearest = append(append([]Pointer(nil), a.d.Nearest...), p...)
	return a
}

// Status returns StatusOK, StatusNotFound or StatusAmbiguous; "" for the zero
// Answer.
func (a Answer) Status() Status { return a.d.Status }

// Statements returns what is asserted; the caller must not change it. The same
// holds for the other accessors.
func (a Answer) Statements() []Statement { return a.d.Statements }

// Belege returns the evidence, in the order of first citation by the agent.
func (a Answer) Belege() []Beleg { return a.d.Citations }

// Stand returns the oldest Stand of what is cited, as JJJJ-MM-TT.
func (a Answer) Stand() string { return a.d.Stand }

// Confidence returns the lowest confidence of what is cited.
func (a Answer) Confidence() string { return a.d.Confidence }

// Notes returns the remarks for the reader.
func (a Answer) Notes() []string { return a.d.Notes }

// Gaps returns what the Bestand does not cover.
func (a Answer) Gaps() []string { return a.d.Gaps }

// Nearest returns what lies near the question and supports nothing.
func (a Answer) Nearest() []Pointer { return a.d.Nearest }

// Reviewed returns how many claims were compared before abstaining.
func (a Answer) Reviewed() int { return a.d.Reviewed }

// Question returns the question back to the person.
func (a Answer) Question() string { return a.d.Question }

// IsZero reports whether a is no answer.
func (a Answer) IsZero() bool { return a.d.Status == "" }

// MarshalJSON implements [json.Marshaler].
func (a Answer) MarshalJSON() ([]byte, error) {
	if a.IsZero() {
		return nil, errors.New("agents: no answer to marshal")
	}
	d := a.d
	d.Statements, d.Citations = orEmpty(d.Statements), orEmpty(d.Citations)
	d.Notes, d.Gaps = orEmpty(d.Notes), orEmpty(d.Gaps)
	return json.Marshal(d)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// UnmarshalJSON implements [json.Unmarshaler]. What could not have been built
// is not read back.
func (a *Answer) UnmarshalJSON(b []byte) error {
	var d answerData
	if err := json.Unmarshal(b, &d); err != nil {
		return fmt.Errorf("agents: read answer: %w", err)
	}
	switch d.Status {
	case StatusOK:
		if err := check(d.Statements, d.Citations); err != nil {
			return err
		}
	case StatusNotFound, StatusAmbiguous:
		if len(d.Statements) > 0 || len(d.Citations) > 0 {
			return fmt.Errorf("agents: read answer: %s with statements", d.Status)
		}
		if d.Status == StatusAmbiguous && d.Question == "" {
			return errors.New("agents: read answer: ambiguous without a question")
		}
	default:
		return fmt.Errorf("agents: read answer: unknown status %q", d.Status)
	}
	a.d = d
	return nil
}
