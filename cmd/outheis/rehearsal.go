package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config"
	"outheis/config/texts"
	"outheis/gateway"
)

// A stage is an outheis in a process of its own, connected to a stand-in of each
// network, in a folder that is made for it and holds its human directory. It
// belongs to one goroutine.
type stage struct {
	p       *program
	human   string
	nets    []standIn
	probes  []probe
	mark    string // begins what may be a second answer
	people  int    // who have spoken so far, on each network
	process *exec.Cmd
	ended   chan error
	output  *os.File // what outheis printed
}

// A probe is a question to the handbook, and words of its answer.
type probe struct{ question, answer string }

// handbookQuestions are in the language of the handbook.
func handbookQuestions() []string {
	return []string{"Was ist ein Claim?", "Was ist ein Tresor?", "Was ist ein Beleg?"}
}

// standInAccount is the account at each stand-in.
const standInAccount = "main"

// newStage makes a stage in the folder dir. Nothing runs yet but the stand-ins.
func (p *program) newStage(dir string) (_ *stage, err error) {
	s := &stage{p: p, human: filepath.Join(dir, "human"), mark: texts.For("de").Say("gateway.maybe_twice")}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.probes, err = p.probes(); err != nil {
		return nil, err
	}
	if s.nets, err = standIns(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.human, 0o700); err != nil {
		return nil, err
	}
	if s.output, err = os.OpenFile(filepath.Join(dir, "outheis.log"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	return s, s.configure(dir)
}

// probes asks the handbook itself what it will have to answer.
func (p *program) probes() ([]probe, error) {
	c := config.Default()
	t, err := p.openTresore(context.Background(), c, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	var all []probe
	for _, question := range handbookQuestions() {
		a, err := t.agent.Answer(context.Background(), agents.Request{Text: question, Lang: "de"})
		if err != nil {
			return nil, fmt.Errorf("selftest: handbook: %w", err)
		}
		said := a.Statements()
		if len(said) == 0 {
			return nil, fmt.Errorf("selftest: the handbook does not answer %q", question)
		}
		words := strings.Fields(said[0].Text)
		all = append(all, probe{question, strings.Join(words[:min(len(words), 4)], " ")})
	}
	return all, nil
}

// configure writes the configuration and the tokens.
func (s *stage) configure(dir string) error {
	sections := make(map[string]any)
	for _, n := range s.nets {
		path := filepath.Join(dir, n.kind()+".token")
		if err := os.WriteFile(path, []byte(n.token()+"\n"), 0o600); err != nil {
			return err
		}
		section := n.section()
		section["name"] = standInAccount
		section["enabled"], section["token"], section["allowed"] = true, "${file:"+path+"}", []any{"*"}
		sections[n.kind()] = section
	}
	b, err := json.MarshalIndent(map[string]any{
		"human":    map[string]any{"language": "de"},
		"limits":   map[string]any{"per_user": map[string]any{"burst": 10000, "daily": 10000}, "waiting": 1000, "open": 1000000},
		"channels": sections,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.human, config.JSONName), b, 0o600)
}

func (s *stage) networks() []string {
	var all []string
	for _, n := range s.nets {
		all = append(all, n.kind())
	}
	return all
}

// start runs outheis until it receives from every network.
func (s *stage) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.process = exec.Command(self, "--human", s.human, "--lang", "de", "selftest", standInVerb)
	s.process.Env = append(s.environment(), s.p.childEnv...)
	s.process.Stdout, s.process.Stderr = s.output, s.output
	if _, err := s.process.StdinPipe(); err != nil { // it ends with us, however we end
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	process := s.process
	go func() { ended <- process.Wait() }()
	s.ended = ended
	return s.until(ctx, "start", func() (bool, error) {
		select {
		case err := <-ended:
			s.process = nil
			return false, fmt.Errorf("it ended at once: %v", err)
		default:
		}
		r, err := s.status(ctx)
		if err != nil {
			return false, nil // not yet
		}
		return !slices.ContainsFunc(r.Gateway.Accounts, func(a gateway.AccountStatus) bool {
			return a.Account == standInAccount && a.Health.State != channels.Green
		}), nil
	})
}

// environment is ours, without what would change the rehearsal or lead it out of
// this machine.
func (s *stage) environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{
			config.EnvHuman, config.EnvHumanDir, config.EnvVault, config.EnvLanguage,
			config.EnvTelegramToken, config.EnvDiscordToken, config.EnvMattermostToken,
		}, name) || strings.HasSuffix(strings.ToLower(name), "_proxy")
	})
}

// kill ends outheis as the loss of power does.
func (s *stage) kill() error {
	if s.process == nil {
		return errors.New("nothing runs")
	}
	process := s.process
	s.process = nil
	if err := process.Process.Kill(); err != nil {
		return fmt.Errorf("it had ended before: %w", err)
	}
	<-s.ended
	return nil
}

// stop ends outheis in order and returns how long that took.
func (s *stage) stop(ctx context.Context) (time.Duration, error) {
	if s.process == nil {
		return 0, errors.New("nothing runs")
	}
	begun, process := time.Now(), s.process
	s.process = nil
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case err := <-s.ended:
		return time.Since(begun), err
	case <-ctx.Done():
		_ = process.Process.Kill()
		<-s.ended
		return 0, errors.New("it did not stop")
	}
}

// close ends what runs.
func (s *stage) close() {
	if s.process != nil {
		_ = s.kill() // it is done with
	}
	for _, n := range s.nets {
		_ = n.close()
	}
	if s.output != nil {
		_ = s.output.Close()
	}
}

// status asks outheis how it stands.
func (s *stage) status(ctx context.Context) (report, error) {
	var r report
	c, err := gateway.DialControl(s.human)
	if err != nil {
		return r, err
	}
	defer c.Close()
	raw, err := c.Status(ctx)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(raw, &r)
}

// until waits until f is true.
func (s *stage) until(ctx context.Context, what string, f func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := f(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s did not come in time", what)
		}
	}
}

// An asking is what a person asked in a rehearsal, how often, and how many answers
// there were to it before.
type asking struct {
	net    standIn
	person int
	probe  probe
	times  int
	before answered
}

// answered counts answers, and of them apart those that say that they may be
// second ones.
type answered struct{ plain, marked int }

func (a answered) all() int { return a.plain + a.marked }

// An audience is what people ask in a rehearsal. It is made by [stage.audience].
type audience struct {
	s     *stage
	known bool // by the network: only those speak who have spoken before
	asked []*asking
	next  int
}

// audience begins a rehearsal. In one of known people nobody is new to the bot: of
// what a stranger writes first while nobody is there, some networks tell nothing
// later.
func (s *stage) audience(known bool) *audience { return &audience{s: s, known: known} }

// ask makes some people ask, on each network.
func (a *audience) ask(people int) {
	s := a.s
	for range people {
		if !a.known {
			s.people++
		}
		person := s.people
		if a.known {
			person = 1 + a.next%s.people
		}
		a.next++
		probe := s.probes[a.next%len(s.probes)]
		for _, n := range s.nets {
			a.of(n, person, probe).times++
			n.say(person, probe.question)
		}
	}
}

func (a *audience) of(n standIn, person int, p probe) *asking {
	for _, one := range a.asked {
		if one.net == n && one.person == person && one.probe == p {
			return one
		}
	}
	one := &asking{net: n, person: person, probe: p, before: a.s.answers(n, person, p)}
	a.asked = append(a.asked, one)
	return one
}

// settle waits until everything that was asked is answered and nothing is on its
// way any more.
func (a *audience) settle(ctx context.Context) error {
	s, waiting := a.s, slices.Clone(a.asked)
	err := s.until(ctx, "the last answer", func() (bool, error) {
		waiting = slices.DeleteFunc(waiting, func(one *asking) bool {
			return s.answers(one.net, one.person, one.probe).all()-one.before.all() >= one.times
		})
		return len(waiting) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %d people miss one, the first on %s", err, len(waiting), waiting[0].net.kind())
	}
	return s.until(ctx, "the end of all requests", func() (bool, error) {
		r, err := s.status(ctx)
		return err == nil && r.Queue.Open == 0, err
	})
}

// answers counts what a person was answered to a probe.
func (s *stage) answers(n standIn, person int, p probe) answered {
	var a answered
	for _, text := range n.got(person) {
		switch {
		case !strings.Contains(text, p.answer):
		case strings.Contains(text, s.mark):
			a.marked++
		default:
			a.plain++
		}
	}
	return a
}

// judge holds what arrived against what was asked.
func (a *audience) judge(r *rehearsalReport) {
	for _, one := range a.asked {
		now := a.s.answers(one.net, one.person, one.probe)
		plain, marked := now.plain-one.before.plain, now.marked-one.before.marked
		r.Asked += one.times
		missing := max(one.times-plain-marked, 0)
		r.Lost += missing
		r.Answered += one.times - missing
		if one.net.repeats() {
			r.Doubled += max(plain-one.times, 0)
			r.Marked += marked
		} else { // there a mark is no excuse
			r.Doubled += max(plain+marked-one.times, 0)
		}
	}
}

// secretsIn returns the files that hold a token: those of the human directory, and
// what outheis printed.
func (s *stage) secretsIn() ([]string, error) {
	var found []string
	has := func(b []byte) bool {
		return slices.ContainsFunc(s.nets, func(n standIn) bool { return bytes.Contains(b, []byte(n.token())) })
	}
	check := func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if has(b) {
			found = append(found, path)
		}
		return err
	}
	printed, err := os.ReadFile(s.output.Name())
	if has(printed) {
		found = append(found, s.output.Name())
	}
	return found, errors.Join(err, filepath.WalkDir(s.human, check))
}
