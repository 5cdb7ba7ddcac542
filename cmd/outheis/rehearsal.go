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
	"sync"
	"syscall"
	"time"

	"outheis/agents"
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
	output  tailBuffer
}

// A probe is a question to the handbook, and words of its answer.
type probe struct{ question, answer string }

// handbookQuestions are in the language of the handbook.
func handbookQuestions() []string {
	return []string{"Was ist ein Claim?", "Was ist ein Tresor?", "Was ist ein Beleg?"}
}

// newStage makes a stage in the folder dir. Nothing runs yet but the stand-ins.
func (p *program) newStage(dir string) (*stage, error) {
	s := &stage{p: p, human: filepath.Join(dir, "human"), mark: texts.For("de").Say("gateway.maybe_twice")}
	var err error
	if s.probes, err = p.probes(); err != nil {
		return nil, err
	}
	if s.nets, err = standIns(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.human, 0o700); err != nil {
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

// start runs outheis until it takes questions.
func (s *stage) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.process = exec.Command(self, "--human", s.human, "--lang", "de", "selftest", standInVerb)
	s.process.Env = s.environment()
	s.process.Stdout, s.process.Stderr = &s.output, &s.output
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
		c, err := gateway.DialControl(s.human)
		if err != nil {
			return false, nil
		}
		defer c.Close()
		_, err = c.Ping(ctx)
		return err == nil, nil
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

// An asking is what a person asked in a rehearsal.
type asking struct {
	net    standIn
	person int
	probe  probe
}

// ask makes people ask that have not spoken before, so many on each network.
func (s *stage) ask(people int) []asking {
	var all []asking
	for range people {
		s.people++
		for _, n := range s.nets {
			one := asking{n, s.people, s.probes[s.people%len(s.probes)]}
			n.say(one.person, one.probe.question)
			all = append(all, one)
		}
	}
	return all
}

// settle waits until everything that was asked is answered and nothing is on its
// way any more.
func (s *stage) settle(ctx context.Context, asked []asking) error {
	waiting := slices.Clone(asked)
	err := s.until(ctx, "the last answer", func() (bool, error) {
		waiting = slices.DeleteFunc(waiting, func(a asking) bool {
			plain, marked := s.answers(a)
			return plain+marked > 0
		})
		return len(waiting) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %d of %d are missing, the first on %s", err, len(waiting), len(asked), waiting[0].net.kind())
	}
	return s.until(ctx, "the end of all requests", func() (bool, error) {
		r, err := s.status(ctx)
		return err == nil && r.Queue.Open == 0, err
	})
}

// answers counts the answers that came, and of them those that say that they may
// be second ones.
func (s *stage) answers(a asking) (plain, marked int) {
	for _, text := range a.net.got(a.person) {
		switch {
		case !strings.Contains(text, a.probe.answer):
		case strings.Contains(text, s.mark):
			marked++
		default:
			plain++
		}
	}
	return plain, marked
}

// judge holds what arrived against what was asked.
func (s *stage) judge(r *rehearsalReport, asked []asking) {
	r.Asked = len(asked)
	for _, a := range asked {
		plain, marked := s.answers(a)
		switch {
		case plain+marked == 0:
			r.Lost++
			continue
		case !a.net.repeats(): // there a mark is no excuse
			r.Doubled += plain + marked - 1
		default:
			r.Doubled += max(plain-1, 0)
			r.Marked += marked
		}
		r.Answered++
	}
}

// secretsIn returns the files below the human directory, and "output", that hold
// a token.
func (s *stage) secretsIn() ([]string, error) {
	var found []string
	has := func(b []byte) bool {
		return slices.ContainsFunc(s.nets, func(n standIn) bool { return bytes.Contains(b, []byte(n.token())) })
	}
	err := filepath.WalkDir(s.human, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if has(b) {
			found = append(found, path)
		}
		return err
	})
	if has([]byte(s.output.String())) {
		found = append(found, "output")
	}
	return found, err
}

// A tailBuffer keeps the end of what is written to it. It may be used by many
// goroutines.
type tailBuffer struct {
	mu sync.Mutex // guards b
	b  []byte
}

// mostOutput is how much of what outheis prints is kept, in bytes.
const mostOutput = 8 << 20

// Write implements [io.Writer].
func (t *tailBuffer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if n := len(t.b) - mostOutput; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(b), nil
}

// String returns what is kept.
func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
