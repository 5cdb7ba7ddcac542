// Package eval measures how well a Tresor answers acceptance questions: which
// claim comes first, when it answers, and when it abstains.
//
// The questions are written by somebody who knows what the Bestand holds, and
// are kept outside of it, one JSON object a line; see [Parse]. [Ask] puts one of
// them to a snapshot by the same review and the same threshold that an answer
// of the product rests on, and [Summarise] counts. The package is pure: it
// opens no file and knows no clock; equal input gives equal numbers.
//
// It judges which claim answers, not the wording of the answer.
package eval

import (
	"context"
	"encoding/json"
	"slices"

	"outheis/tresor"
)

// Profile is the name of the only way of ranking and deciding that there is:
// [tresor.Snapshot.Assess] with [tresor.Threshold].
const Profile = "v1"

// Listed is how many claims are looked at for a question; a right claim behind
// them has rank 0.
const Listed = 8

// A Status is how a question ended.
type Status string

// The statuses; they are those of an answer.
const (
	Answered  Status = "ok"        // the decision value reaches the threshold
	NotFound  Status = "not_found" // it does not: "Nicht im Bestand"
	Ambiguous Status = "ambiguous" // the Tresor asks back which Begriffswelt is meant
)

// A Result is what came of a question.
type Result struct {
	Question Question
	Rank     int     // of the first right claim, from 1; 0 where it is not among the first Listed
	Decision float64 // 0 to 1: what the threshold is applied to, the value of the first claim
	Status   Status
	First    string // the claim in first place, or ""
}

// A Kind is what a result means.
type Kind int

// The kinds. A question that has claims gives one of the first three, one that
// has none one of the last two.
const (
	Correct   Kind = iota // answered, with a right claim in first place
	Wrong                 // answered, with another claim in first place
	Abstained             // not answered, although the Bestand does answer it
	Refused               // rightly not answered
	False                 // answered, although the Bestand does not answer it
)

// Kind says what the result means.
func (r Result) Kind() Kind {
	answered := r.Status == Answered
	switch {
	case len(r.Question.Claims) == 0 && answered:
		return False
	case len(r.Question.Claims) == 0:
		return Refused
	case !answered:
		return Abstained
	case r.Rank == 1:
		return Correct
	}
	return Wrong
}

// Miss reports whether the result is not what the question wants.
func (r Result) Miss() bool { return r.Kind() != Correct && r.Kind() != Refused }

// Ask puts a question to the snapshot. It is a pure function of its arguments.
func Ask(s *tresor.Snapshot, q Question) Result {
	a := s.Assess(q.Text, tresor.AssessOptions{World: q.World, Limit: Listed})
	r := Result{Question: q, Status: NotFound}
	r.Rank = 1 + slices.IndexFunc(a.Fits, func(f tresor.Fit) bool { return slices.Contains(q.Claims, f.Claim.ID) })
	if len(a.Fits) > 0 {
		r.Decision, r.First = a.Fits[0].Value, a.Fits[0].Claim.ID
	}
	switch {
	case a.Query.State == tresor.Ambiguous:
		r.Status = Ambiguous
	case a.Covered():
		r.Status = Answered
	}
	return r
}

// Stage is what progress is told of in [AskAll]: questions.
const Stage = tresor.Stage("questions")

// AskAll puts the questions to the snapshot, in their order. Progress is told
// before each as by [tresor.Options]; nil is none. The error is that of a
// context that ended.
func AskAll(ctx context.Context, s *tresor.Snapshot, questions []Question, progress func(stage tresor.Stage, done, total int)) ([]Result, error) {
	results := make([]Result, 0, len(questions))
	for i, q := range questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(Stage, i, len(questions))
		}
		results = append(results, Ask(s, q))
	}
	return results, nil
}

// A Report sums results up. All shares lie between 0 and 1; one of no questions
// at all is 0. Of the answerable questions, AnsweredCorrect, AnsweredWrong and
// WronglyAbstained add up to 1.
type Report struct {
	Answerable   int `json:"answerable"`   // questions with at least one claim
	Unanswerable int `json:"unanswerable"` // questions without one

	// Shares of the answerable questions that have a right claim in first place,
	// among the first three and among the first eight, answered or not.
	RAt1 float64 `json:"r_at_1"`
	RAt3 float64 `json:"r_at_3"`
	RAt8 float64 `json:"r_at_8"`

	// AnsweredCorrect is the share of the answerable questions that are answered
	// with a right claim in first place.
	AnsweredCorrect float64 `json:"answered_correct"`
	// AnsweredWrong is the share of the answerable questions that are answered
	// with another claim in first place.
	AnsweredWrong float64 `json:"answered_wrong"`
	// FalseAnswers is the share of the unanswerable questions that are answered.
	FalseAnswers float64 `json:"false_answers"`
	// WronglyAbstained is the share of the answerable questions that are not
	// answered; a question back counts as none.
	WronglyAbstained float64 `json:"wrongly_abstained"`
}

// Summarise counts results.
func Summarise(results []Result) Report {
	var r Report
	for _, x := range results {
		kind := x.Kind()
		if len(x.Question.Claims) == 0 {
			r.Unanswerable++
			r.FalseAnswers += one(kind == False)
			continue
		}
		r.Answerable++
		r.RAt1 += one(x.Rank == 1)
		r.RAt3 += one(x.Rank >= 1 && x.Rank <= 3)
		r.RAt8 += one(x.Rank >= 1 && x.Rank <= 8)
		r.AnsweredCorrect += one(kind == Correct)
		r.AnsweredWrong += one(kind == Wrong)
		r.WronglyAbstained += one(kind == Abstained)
	}
	for _, share := range []*float64{&r.RAt1, &r.RAt3, &r.RAt8, &r.AnsweredCorrect, &r.AnsweredWrong, &r.WronglyAbstained} {
		*share /= float64(max(1, r.Answerable))
	}
	r.FalseAnswers /= float64(max(1, r.Unanswerable))
	return r
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// JSON returns the result as one line of JSON, without its end.
func (r Result) JSON() []byte {
	return line(struct {
		ID       string  `json:"id"`
		Rank     int     `json:"rank"`
		Decision float64 `json:"decision"`
		Status   Status  `json:"status"`
	}{r.Question.ID, r.Rank, r.Decision, r.Status})
}

// JSON returns the report as one line of JSON, without its end.
func (r Report) JSON() []byte { return line(r) }

func line(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and finite numbers only
	}
	return b
}
