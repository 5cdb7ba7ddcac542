package eval_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"outheis/tresor"
	"outheis/tresor/eval"
)

// shared returns the folder of the evaluation set: XQuAD-de, sentence by
// sentence as claims. It is large and under CC BY-SA, so it is no part of this
// tree; the test is skipped where OUTHEIS_SHARED, or ../shared beside the
// module, does not have it.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("OUTHEIS_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "eval", "xquad-de")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no evaluation set: %v", err)
	}
	return dir
}

// released returns a released copy of an unreleased Tresor.
func released(t *testing.T, from string) *tresor.Snapshot {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "graph"), 0o755); err != nil {
		t.Fatal(err)
	}
	var o tresor.Options
	if _, err := tresor.Release(t.Context(), dir, tresor.Patch, o); err != nil {
		t.Fatal(err)
	}
	s, err := tresor.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestXQuAD holds the quality of the ranking and of the decision on questions
// that nobody here wrote. The bounds lie a little below what is measured, so
// that they fall only with a real loss; one question is 0.003.
func TestXQuAD(t *testing.T) {
	dir := shared(t)
	b, err := os.ReadFile(filepath.Join(dir, "fragen.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := released(t, filepath.Join(dir, "tresor"))
	questions, found := eval.Parse("fragen.jsonl", b, "de")
	if found = append(found, eval.Unknown(s, "fragen.jsonl", questions, "de")...); found != nil {
		t.Fatal(found)
	}
	results, err := eval.AskAll(t.Context(), s, questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := eval.Summarise(results)
	at2 := answeredAt(results, .02)
	t.Logf("%s, answered at 2 %% false answers %.3f, at 5 %% %.3f", r.JSON(), at2, answeredAt(results, .05))
	for _, m := range []struct {
		name       string
		got, least float64
	}{
		{"R@1", r.RAt1, .715}, {"R@3", r.RAt3, .91}, {"R@8", r.RAt8, .965}, {"answered at 2 % false", at2, .90},
		{"answered at the threshold", 1 - r.WronglyAbstained, .90}, {"refused at the threshold", 1 - r.FalseAnswers, .975},
	} {
		if m.got < m.least {
			t.Errorf("%s is %.3f, want at least %.3f", m.name, m.got, m.least)
		}
	}
}

// answeredAt is the share of answerable questions whose decision value lies
// above the threshold that lets the given share of the others through.
func answeredAt(results []eval.Result, falsely float64) float64 {
	var absent, present []float64
	for _, r := range results {
		if len(r.Question.Claims) == 0 {
			absent = append(absent, r.Decision)
		} else {
			present = append(present, r.Decision)
		}
	}
	slices.Sort(absent)
	threshold := absent[len(absent)-1-int(falsely*float64(len(absent)))]
	above := 0
	for _, d := range present {
		if d > threshold {
			above++
		}
	}
	return float64(above) / float64(len(present))
}
