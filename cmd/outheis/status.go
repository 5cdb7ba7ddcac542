package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outheis/config"
	"outheis/gateway"
)

// A report is how a running outheis stands; `status --json` prints it.
type report struct {
	Version string         `json:"version"`
	Process processReport  `json:"process"`
	Human   string         `json:"human"`
	Gateway gateway.Status `json:"gateway"`
	Queue   queueReport    `json:"queue"`
	Tresore []tresorReport `json:"tresore"`
	// Restart names what has been changed in the configuration and holds only
	// after the next start.
	Restart []string `json:"restart,omitempty"`
}

// A processReport says what the process needs, for whoever watches it.
type processReport struct {
	PID        int    `json:"pid"`
	Goroutines int    `json:"goroutines"`
	Heap       uint64 `json:"heap_bytes"`    // of objects in use and not yet collected
	Runtime    uint64 `json:"runtime_bytes"` // all that the runtime has from the system
}

type queueReport struct {
	Lines    int64     `json:"lines"`
	Bytes    int64     `json:"bytes"`
	Seq      uint64    `json:"seq"`
	Open     int       `json:"open"`
	Damage   int       `json:"damage"`
	Torn     int       `json:"torn"`
	Foreign  int       `json:"foreign"`
	Rotated  time.Time `json:"rotated,omitzero"`
	Degraded string    `json:"degraded,omitempty"`
}

type tresorReport struct {
	ID       string `json:"id"`
	Scope    string `json:"scope,omitempty"`
	Version  string `json:"version,omitempty"`
	Manifest string `json:"manifest,omitempty"`
	Claims   int    `json:"claims"`
	Problem  string `json:"problem,omitempty"`
}

// status answers the control socket.
func (e *engine) status() any {
	s := e.queue.Stats()
	r := report{
		Version: versionLine(), Process: ownProcess(), Human: e.human.Dir(), Gateway: e.gateway.Status(),
		Queue: queueReport{Lines: s.Lines, Bytes: s.Bytes, Seq: s.Seq, Open: s.Open, Damage: s.Damage, Torn: s.Torn, Foreign: s.Foreign, Rotated: s.Rotated},
	}
	r.Restart = config.Diff(e.began, e.current()).Process
	for _, err := range []error{s.Degraded, s.Failed, s.ReadOnly, s.Housekeeping} {
		if err != nil {
			r.Queue.Degraded = err.Error()
			break
		}
	}
	for _, t := range e.tresore.agent.Tresore() {
		one := tresorReport{ID: t.ID, Scope: string(t.Scope)}
		if t.Snapshot != nil {
			one.Version, one.Manifest, one.Claims = t.Snapshot.Version(), t.Snapshot.Manifest(), t.Snapshot.Claims()
		} else if t.Err != nil {
			one.Problem = e.p.tresorReason(e.tresore.path(t.ID), t.Err)
		}
		r.Tresore = append(r.Tresore, one)
	}
	return r
}

func ownProcess() processReport {
	sizes := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(sizes)
	return processReport{os.Getpid(), runtime.NumGoroutine(), sizes[0].Value.Uint64(), sizes[1].Value.Uint64()}
}

func (p *program) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: p.t.Say("cmd.status"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.status(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	return c
}

// status prints how the running gateway stands.
func (p *program) status(ctx context.Context, asJSON bool) error {
	r, raw, err := p.askStatus(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		_, err = fmt.Fprintf(p.out, "%s\n", raw)
		return err
	}
	p.printStatus(r)
	return nil
}

// statusTime is how long a gateway may take to say how it stands: one that does
// not is halted, or has no time for anybody.
const statusTime = 5 * time.Second

// askStatus asks the running gateway how it stands.
func (p *program) askStatus(ctx context.Context) (r report, raw json.RawMessage, err error) {
	c, err := p.control()
	if err != nil {
		return r, nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	raw, err = c.Status(ctx)
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return r, nil, p.fail(exitUnavailable, "cmd.status_silent", statusTime)
	default:
		return r, nil, p.refused(ctx, err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, nil, fmt.Errorf("status: answer of the gateway: %w", err)
	}
	return r, raw, nil
}

func (p *program) printStatus(r report) {
	say := func(key string, args ...any) { fmt.Fprintln(p.out, p.t.Say("cmd."+key, args...)) }
	g := r.Gateway
	say("status_state_"+string(g.State), (time.Duration(g.Uptime) * time.Second).String(), r.Human)
	if g.Reason != "" {
		fmt.Fprintln(p.out, "  "+p.t.Say("cmd.status_reason", g.Reason))
	}
	for _, a := range g.Accounts {
		p.printAccount(a)
	}
	say("status_work", g.Taken, g.Running, g.Waiting)
	var refused uint64
	for _, n := range g.Refused {
		refused += n
	}
	if refused > 0 {
		say("status_refused", refused)
		for _, line := range g.WhyRefused(p.t) {
			fmt.Fprintln(p.out, "  "+line)
		}
	}
	say("status_queue", r.Queue.Lines, r.Queue.Bytes, r.Queue.Open)
	if r.Queue.Damage+r.Queue.Torn+r.Queue.Foreign > 0 {
		say("status_damage", r.Queue.Damage, r.Queue.Torn, r.Queue.Foreign)
	}
	if r.Queue.Degraded != "" && g.Reason == "" { // else it has been said
		fmt.Fprintln(p.out, "  "+p.t.Say("cmd.status_reason", r.Queue.Degraded))
	}
	for _, t := range r.Tresore {
		if t.Problem != "" {
			say("status_tresor_bad", t.ID, t.Problem)
		} else {
			say("status_tresor", t.ID, t.Version, t.Claims)
		}
	}
	p.printRestart(r)
}

// printRestart says what of the configuration is not in force yet.
func (p *program) printRestart(r report) {
	if len(r.Restart) > 0 {
		fmt.Fprintln(p.out, "🟡 "+p.t.Say("cmd.status_restart", strings.Join(r.Restart, ", ")))
	}
}

// light is the sign of a channel's health.
func light(state string) string {
	switch state {
	case "green":
		return "🟢"
	case "yellow", "starting":
		return "🟡"
	}
	return "🔴"
}
