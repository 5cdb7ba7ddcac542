package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"outheis/tresor"
	"outheis/tresor/eval"
	"outheis/tresor/internal/tree"
)

// maxQuestions is the largest file of questions in bytes.
const maxQuestions = 64 << 20

// A bound is an option of eval that a share must keep to.
type bound struct {
	option string
	most   bool // the share may be at most this, else at least
	share  func(eval.Report) float64
	of     func(eval.Report) int // how many questions the share is of
}

func bounds() []bound {
	answerable := func(r eval.Report) int { return r.Answerable }
	return []bound{
		{"--min-r1", false, func(r eval.Report) float64 { return r.RAt1 }, answerable},
		{"--min-r3", false, func(r eval.Report) float64 { return r.RAt3 }, answerable},
		{"--min-r8", false, func(r eval.Report) float64 { return r.RAt8 }, answerable},
		{"--min-correct", false, func(r eval.Report) float64 { return r.AnsweredCorrect }, answerable},
		{"--max-wrong", true, func(r eval.Report) float64 { return r.AnsweredWrong }, answerable},
		{"--max-abstained", true, func(r eval.Report) float64 { return r.WronglyAbstained }, answerable},
		{"--max-false", true, func(r eval.Report) float64 { return r.FalseAnswers }, func(r eval.Report) int { return r.Unanswerable }},
	}
}

// evalValues are the options of eval that have a value.
func evalValues() []string {
	values := []string{"--profile"}
	for _, b := range bounds() {
		values = append(values, b.option)
	}
	return values
}

// eval prints how well the Tresor answers the questions of a file. With --json
// its document is that of [eval.Report.JSON] and nothing else.
func (c *call) eval() int {
	limits, code := c.limits()
	if code != success {
		return code
	}
	if p, ok := c.args.values["--profile"]; ok && p != eval.Profile {
		return c.usage("cli.eval.profile", p)
	}
	if c.args.json && c.args.flags["--misses"] {
		return c.usage("cli.eval.misses")
	}
	name := c.args.words[0]
	b, code := c.questions(name)
	if code != success {
		return code
	}
	questions, found := eval.Parse(filepath.Base(name), b, c.Lang)
	if found != nil {
		return c.unfit(found)
	}
	s, err := tresor.Open(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	if found := eval.Unknown(s, filepath.Base(name), questions, c.Lang); found != nil {
		return c.unfit(found)
	}
	results, err := eval.AskAll(c.ctx, s, questions, c.options().Progress)
	if err != nil {
		return c.refuse("cli.eval.ended")
	}
	report := eval.Summarise(results)
	if c.args.json {
		c.evalDocument(results, report)
	} else {
		c.evalLines(results, report)
	}
	return c.keepsTo(limits, report)
}

// limits reads the bounds that are given.
func (c *call) limits() (limits map[string]float64, code int) {
	limits = map[string]float64{}
	for _, b := range bounds() {
		text, ok := c.args.values[b.option]
		if !ok {
			continue
		}
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return nil, c.usage("cli.eval.share", b.option, text)
		}
		limits[b.option] = share
	}
	return limits, success
}

// questions reads the file of questions, which must lie outside the Tresor: what
// lies inside belongs to the release.
func (c *call) questions(name string) (b []byte, code int) {
	path := c.path(name)
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for until somebody writes to it
	if err != nil {
		return nil, c.refuse("cli.eval.unreadable", name, err)
	}
	defer f.Close()
	if inside(path, c.dir()) {
		return nil, c.refuse("cli.eval.inside", name)
	}
	b, err = io.ReadAll(io.LimitReader(f, maxQuestions+1))
	switch {
	case err != nil:
		return nil, c.refuse("cli.eval.unreadable", name, err)
	case len(b) == 0 && !isFile(f):
		return nil, c.refuse("cli.eval.unreadable", name, tree.ErrUnsafe)
	case len(b) > maxQuestions:
		return nil, c.refuse("cli.eval.large", name, maxQuestions)
	}
	return b, success
}

func isFile(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// unfit prints what is wrong with the questions.
func (c *call) unfit(found []tresor.Finding) int {
	c.findings(found)
	return c.refuse("cli.eval.unfit", len(found))
}

func (c *call) evalDocument(results []eval.Result, report eval.Report) {
	c.reports = false
	if c.args.flags["--each"] {
		for _, r := range results {
			c.line(string(r.JSON()))
		}
	}
	c.line(string(report.JSON()))
}

func (c *call) evalLines(results []eval.Result, report eval.Report) {
	if c.args.flags["--each"] {
		for _, r := range results {
			c.line(c.say("cli.eval.each", r.Question.ID, r.Rank, c.share(r.Decision), string(r.Status)))
		}
	}
	if c.args.flags["--misses"] {
		for _, r := range results {
			if r.Miss() {
				c.miss(r)
			}
		}
	}
	c.line(c.say("cli.eval.sum", report.Answerable, report.Unanswerable,
		c.share(report.RAt1), c.share(report.RAt3), c.share(report.RAt8),
		c.share(report.AnsweredCorrect), c.share(report.AnsweredWrong), c.share(report.WronglyAbstained), c.share(report.FalseAnswers)))
}

func (c *call) miss(r eval.Result) {
	key := "cli.eval.false"
	switch r.Kind() {
	case eval.Wrong:
		key = "cli.eval.wrong"
	case eval.Abstained:
		key = "cli.eval.abstained"
	}
	first := r.First
	if first == "" {
		first = "–"
	}
	what := c.say(key, first, c.share(r.Decision), r.Rank, r.Question.Claims)
	c.line("🟡 ", c.say("cli.eval.miss", r.Question.ID, r.Question.Text, what))
}

// share prints a share with three places, as the language writes numbers.
func (c *call) share(f float64) string {
	s := strconv.FormatFloat(f, 'f', 3, 64)
	if c.Lang != "en" {
		s = strings.Replace(s, ".", ",", 1)
	}
	return s
}

// keepsTo compares the report with the bounds. Beside a document the sentences
// go to stderr.
func (c *call) keepsTo(limits map[string]float64, report eval.Report) int {
	var broken []string
	for _, b := range bounds() {
		limit, ok := limits[b.option]
		if !ok {
			continue
		}
		got := b.share(report)
		switch {
		case b.of(report) == 0:
			broken = append(broken, c.say("cli.eval.none", b.option))
		case b.most && got > limit:
			broken = append(broken, c.say("cli.eval.above", b.option, c.share(got), c.share(limit)))
		case !b.most && got < limit:
			broken = append(broken, c.say("cli.eval.below", b.option, c.share(got), c.share(limit)))
		}
	}
	for _, text := range broken {
		if c.args.json {
			c.err.WriteString(text + "\n")
		} else {
			c.line("🔴 ", text)
		}
	}
	if broken != nil {
		return refused
	}
	return success
}
