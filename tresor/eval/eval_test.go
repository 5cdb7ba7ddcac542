package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/eval"
)

const genossenschaft = "../testdata/conformance/bases/genossenschaft"

func open(t testing.TB) *tresor.Snapshot {
	t.Helper()
	s, err := tresor.Open(genossenschaft, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestKindsOfResults(t *testing.T) {
	inside, outside := eval.Question{Claims: []string{"C-0001"}}, eval.Question{}
	tests := []struct {
		name   string
		result eval.Result
		want   eval.Kind
		miss   bool
	}{
		{"right claim first", eval.Result{Question: inside, Rank: 1, Status: eval.Answered}, eval.Correct, false},
		{"right claim second", eval.Result{Question: inside, Rank: 2, Status: eval.Answered}, eval.Wrong, true},
		{"right claim not listed", eval.Result{Question: inside, Status: eval.Answered}, eval.Wrong, true},
		{"not answered", eval.Result{Question: inside, Rank: 1, Status: eval.NotFound}, eval.Abstained, true},
		{"asked back", eval.Result{Question: inside, Status: eval.Ambiguous}, eval.Abstained, true},
		{"rightly refused", eval.Result{Question: outside, Status: eval.NotFound}, eval.Refused, false},
		{"asked back, no claim", eval.Result{Question: outside, Status: eval.Ambiguous}, eval.Refused, false},
		{"false answer", eval.Result{Question: outside, Status: eval.Answered}, eval.False, true},
	}
	for _, tt := range tests {
		if got := tt.result.Kind(); got != tt.want || tt.result.Miss() != tt.miss {
			t.Errorf("%s: kind %d, miss %v, want %d, %v", tt.name, got, tt.result.Miss(), tt.want, tt.miss)
		}
	}
}

func TestSummarise(t *testing.T) {
	inside := func(rank int, status eval.Status) eval.Result {
		return eval.Result{Question: eval.Question{Claims: []string{"C-0001"}}, Rank: rank, Status: status}
	}
	outside := func(status eval.Status) eval.Result { return eval.Result{Status: status} }
	tests := []struct {
		name    string
		results []eval.Result
		want    string
	}{
		{"none", nil, `{"answerable":0,"unanswerable":0,"r_at_1":0,"r_at_3":0,"r_at_8":0,"answered_correct":0,"answered_wrong":0,"false_answers":0,"wrongly_abstained":0}`},
		{"all", []eval.Result{
			inside(1, eval.Answered), inside(3, eval.Answered), inside(8, eval.NotFound), inside(0, eval.Ambiguous),
			outside(eval.Answered), outside(eval.NotFound),
		}, `{"answerable":4,"unanswerable":2,"r_at_1":0.25,"r_at_3":0.5,"r_at_8":0.75,"answered_correct":0.25,"answered_wrong":0.25,"false_answers":0.5,"wrongly_abstained":0.5}`},
		{"only unanswerable", []eval.Result{outside(eval.NotFound)},
			`{"answerable":0,"unanswerable":1,"r_at_1":0,"r_at_3":0,"r_at_8":0,"answered_correct":0,"answered_wrong":0,"false_answers":0,"wrongly_abstained":0}`},
	}
	for _, tt := range tests {
		if got := string(eval.Summarise(tt.results).JSON()); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The numbers are those of the review that answers rest on.
func TestAskIsTheReviewOfTheProduct(t *testing.T) {
	s := open(t)
	tests := []struct {
		question, claim string
		status          eval.Status
		rank            int
	}{
		{"Wann beginnt die Nachtruhe?", "C-0001", eval.Answered, 1},
		{"Wann beginnt die Nachtruhe?", "C-0148", eval.Answered, 0},
		{"Wie hoch ist der Eiffelturm?", "", eval.NotFound, 0},
	}
	for _, tt := range tests {
		q := eval.Question{ID: "f", Text: tt.question}
		if tt.claim != "" {
			q.Claims = []string{tt.claim}
		}
		r := eval.Ask(s, q)
		a := s.Assess(tt.question, tresor.AssessOptions{})
		if r.Rank != tt.rank || r.Status != tt.status || a.Covered() != (r.Status == eval.Answered) {
			t.Errorf("%q: %+v", tt.question, r)
		}
		if len(a.Fits) > 0 && (r.Decision != a.Fits[0].Value || r.First != a.Fits[0].Claim.ID) {
			t.Errorf("%q: decision %v on %s, the review says %v on %s", tt.question, r.Decision, r.First, a.Fits[0].Value, a.Fits[0].Claim.ID)
		}
		var each map[string]any
		if err := json.Unmarshal(r.JSON(), &each); err != nil || len(each) != 4 || each["id"] != "f" || each["decision"] != r.Decision {
			t.Errorf("%q: %s", tt.question, r.JSON())
		}
	}
}

func TestAskAllEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.AskAll(ctx, open(t), []eval.Question{{Text: "Wann?"}}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The committed set keeps its numbers; a change of the ranking shows here first.
func TestCommittedQuestions(t *testing.T) {
	b, err := os.ReadFile("testdata/fragen.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t)
	questions, found := eval.Parse("fragen.jsonl", b, "de")
	if found = append(found, eval.Unknown(s, "fragen.jsonl", questions, "de")...); found != nil {
		t.Fatal(found)
	}
	told := 0
	results, err := eval.AskAll(t.Context(), s, questions, func(stage tresor.Stage, done, total int) {
		if stage != eval.Stage || done != told || total != len(questions) {
			t.Errorf("told of %s %d of %d, want %d", stage, done, total, told)
		}
		told++
	})
	if err != nil || told != len(questions) {
		t.Fatal(told, err)
	}
	r := eval.Summarise(results)
	t.Logf("%s", r.JSON())
	if r.Answerable != 20 || r.Unanswerable != 12 || r.RAt1 < .85 || r.RAt3 < .9 || r.AnsweredCorrect < .8 || r.FalseAnswers > .1 {
		t.Errorf("%s", r.JSON())
	}
	if sum := r.AnsweredCorrect + r.AnsweredWrong + r.WronglyAbstained; sum < .999999 || sum > 1.000001 {
		t.Errorf("the shares of the answerable questions add up to %v", sum)
	}
}

func TestParse(t *testing.T) {
	const ok = `{"id":"a","frage":"Wann?","claims":["C-0001"]}`
	long := strings.Repeat("ü", tresor.MaxQuestion)
	tests := []struct {
		name, file string
		rules      string // of the findings
		lines      []int
	}{
		{"one", ok, "", nil},
		{"line end", ok + "\n", "", nil},
		{"CRLF and blank lines", "\r\n" + ok + "\r\n \t\r\n", "", nil},
		{"byte-order mark", "\ufeff" + ok, "", nil},
		{"keys of the author", `{"id":"a","frage":"Wann?","claims":[],"anlass":{"x":1}}`, "", nil},
		{"longest", `{"id":"a","frage":"` + long + `","claims":[]}`, "", nil},
		{"nothing", "", "EV-1", []int{0}},
		{"blank", "\n\r\n", "EV-1", []int{0}},
		{"no JSON", "x\n" + ok, "JS-2", []int{1}},
		{"two documents in a line", ok + ok, "JS-2", []int{1}},
		{"twice the same key", `{"id":"a","id":"b","frage":"?","claims":[]}`, "JS-2", []int{1}},
		{"no UTF-8", "{\"id\":\"\xff\"}", "JS-2", []int{1}},
		{"byte-order mark inside", ok + "\n\ufeff" + ok, "JS-2", []int{2}},
		{"list", `["a"]`, "EV-3", []int{1}},
		{"empty object", `{}`, "EV-4 EV-6 EV-7", []int{1, 1, 1}},
		{"number for an id", `{"id":7,"frage":"?","claims":[]}`, "EV-4", []int{1}},
		{"blank id", `{"id":" ","frage":"?","claims":[]}`, "EV-4", []int{1}},
		{"id twice", ok + "\n\n" + ok, "EV-5", []int{3}},
		{"no question", `{"id":"a","frage":"","claims":[]}`, "EV-6", []int{1}},
		{"too long", `{"id":"a","frage":"` + long + `x","claims":[]}`, "EV-6", []int{1}},
		{"line break in a question", `{"id":"a","frage":"a\nb","claims":[]}`, "EV-6", []int{1}},
		{"claims missing", `{"id":"a","frage":"?","claim":["C-0001"]}`, "EV-7", []int{1}},
		{"claims null", `{"id":"a","frage":"?","claims":null}`, "EV-7", []int{1}},
		{"claim as text", `{"id":"a","frage":"?","claims":"C-0001"}`, "EV-7", []int{1}},
		{"claim malformed", `{"id":"a","frage":"?","claims":["C-1"]}`, "EV-7", []int{1}},
		{"world", `{"id":"a","frage":"?","claims":[],"world":"BW-0001"}`, "", nil},
		{"world that is none", `{"id":"a","frage":"?","claims":[],"world":"Labor"}`, "EV-8", []int{1}},
		{"world null", `{"id":"a","frage":"?","claims":[],"world":null}`, "EV-8", []int{1}},
		{"claim twice", `{"id":"a","frage":"?","claims":["C-0001","C-0001"]}`, "EV-7", []int{1}},
	}
	for _, tt := range tests {
		for _, lang := range []string{"de", "en"} {
			questions, found := eval.Parse("fragen.jsonl", []byte(tt.file), lang)
			var rules []string
			for i, f := range found {
				rules = append(rules, f.Rule)
				if i < len(tt.lines) && f.Line != tt.lines[i] || !strings.HasPrefix(f.String(), "fragen.jsonl") || f.Text == "" {
					t.Errorf("%s: finding in line %d: %s", tt.name, f.Line, f)
				}
			}
			if got := strings.Join(rules, " "); got != tt.rules {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.rules)
			}
			if tt.rules == "" && len(questions) != 1 {
				t.Errorf("%s: %d questions", tt.name, len(questions))
			}
		}
	}
}

func TestUnknownClaimsAreNamed(t *testing.T) {
	questions, _ := eval.Parse("f", []byte(`{"id":"a","frage":"?","claims":["C-0001","C-9999"]}`+"\n"+`{"id":"b","frage":"?","claims":["C-9998"],"world":"BW-0099"}`), "de")
	found := eval.Unknown(open(t), "f", questions, "de")
	if len(found) != 3 || found[2].Line != 2 || !strings.Contains(found[2].Text, "BW-0099") || found[0].Line != 1 || !strings.Contains(found[0].Text, "C-9999") || found[1].Line != 2 || !strings.Contains(found[1].Text, "C-9998") {
		t.Errorf("got %v", found)
	}
}

// What is accepted is accepted again when it is written anew, and says the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","frage":"Wann beginnt die Nachtruhe?","claims":["C-0001"]}` + "\r\n",
		"\ufeff" + `{"id":"b","frage":"Wie hoch ist der Eiffelturm?","claims":[],"x":[{}]}`,
		`{"id":"a","id":"a"}`, `{"id":"\ud800","frage":"","claims":["C-٠٠٠١"]}`, "[[[[", "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		questions, found := eval.Parse("f", b, "de")
		if found != nil {
			return
		}
		var again []byte
		for _, q := range questions {
			object := map[string]any{"id": q.ID, "frage": q.Text, "claims": append([]string{}, q.Claims...), "world": q.World}
			if q.World == "" {
				delete(object, "world")
			}
			line, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			again = append(append(again, line...), '\n')
		}
		reread, found := eval.Parse("f", again, "de")
		if found != nil || len(reread) != len(questions) {
			t.Fatalf("%q is read back with %v", again, found)
		}
		for i, q := range reread {
			if q.ID != questions[i].ID || q.Text != questions[i].Text || q.World != questions[i].World || strings.Join(q.Claims, " ") != strings.Join(questions[i].Claims, " ") {
				t.Fatalf("got %+v, want %+v", q, questions[i])
			}
		}
	})
}
