package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// selftestSize is how much a rehearsal of outheis does.
type selftestSize struct {
	people int // who ask in each rehearsal, on each network
	kills  int // how often the process is killed
	flood  int // people who ask at once, on each network
}

func usualSize() selftestSize { return selftestSize{people: 8, kills: 4, flood: 100} }
func longSize() selftestSize  { return selftestSize{people: 20, kills: 40, flood: 1500} }

func (p *program) selftestCommand() *cobra.Command {
	var asJSON, long bool
	c := &cobra.Command{
		Use:   "selftest",
		Short: p.t.Say("cmd.selftest"),
		Long:  p.t.Say("cmd.selftest_long"),
		Args:  p.noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			size := usualSize()
			if long {
				size = longSize()
			}
			return p.selftest(c.Context(), size, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	c.Flags().BoolVar(&long, "long", false, p.t.Say("cmd.flag_selftest_long"))
	c.AddCommand(&cobra.Command{
		Use:    standInVerb,
		Hidden: true,
		Args:   p.noArgs,
		RunE:   func(c *cobra.Command, _ []string) error { return p.rehearse(c.Context()) },
	})
	return c
}

// selftestPrefix begins the name of the folder of a selftest. It holds a file
// claimName, locked, while the selftest runs; without that file it was kept for
// somebody to look into.
const (
	selftestPrefix = "outheis-selftest-"
	claimName      = "running"
)

// removeRemains puts away what selftests have left in temp that were killed.
func removeRemains(temp string) {
	found, _ := filepath.Glob(filepath.Join(temp, selftestPrefix+"*")) // the pattern is right
	for _, dir := range found {
		if isAbandoned(dir) {
			_ = os.RemoveAll(dir) // else the one after
		}
	}
}

// standInVerb runs the outheis that is rehearsed with.
const standInVerb = "serve"

// A rehearsalReport is what came out of one rehearsal.
type rehearsalReport struct {
	Name     string  `json:"name"`
	OK       bool    `json:"ok"`
	Seconds  float64 `json:"seconds"`
	Asked    int     `json:"asked"`
	Answered int     `json:"answered"`
	Lost     int     `json:"lost"`
	// Doubled are second answers that nothing marks; Marked are those that say
	// that they may be second ones.
	Doubled int `json:"doubled"`
	Marked  int `json:"marked"`
	// Facts are numbers of that rehearsal alone.
	Facts map[string]int `json:"facts,omitempty"`
	Error string         `json:"error,omitempty"`
}

type selftestReport struct {
	OK         bool              `json:"ok"`
	Seconds    float64           `json:"seconds"`
	Networks   []string          `json:"networks"`
	Rehearsals []rehearsalReport `json:"rehearsals"`
	Kept       string            `json:"kept,omitempty"` // the folder, when something failed
}

// selftest rehearses with stand-ins of all networks, on this machine alone, and
// prints a line for each rehearsal.
func (p *program) selftest(ctx context.Context, size selftestSize, asJSON bool) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	begun := time.Now()
	temp := p.env("TMPDIR")
	if temp == "" {
		temp = os.TempDir()
	}
	removeRemains(temp)
	dir, err := os.MkdirTemp(temp, selftestPrefix)
	if err != nil {
		return err
	}
	claimed, err := claim(dir)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	defer claimed.Close()
	s, err := p.newStage(dir)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	report := selftestReport{OK: true, Networks: s.networks()}
	for _, r := range rehearsals() {
		one := s.rehearse(ctx, r, size)
		if ctx.Err() != nil {
			break
		}
		report.OK = report.OK && one.OK
		report.Rehearsals = append(report.Rehearsals, one)
		if !asJSON {
			p.printRehearsal(one)
		}
		if s.process == nil && r.name != "stop" || len(report.Rehearsals) == 1 && !one.OK {
			break // what comes would only say the same
		}
	}
	s.close()
	report.Seconds = seconds(time.Since(begun))
	if report.OK || ctx.Err() != nil {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	} else {
		report.Kept = dir
		_ = os.Remove(filepath.Join(dir, claimName)) // or the next selftest would put it away
	}
	switch {
	case asJSON:
		err = p.printIndented(report)
	case ctx.Err() != nil:
	case report.OK:
		_, err = fmt.Fprintln(p.out, "🟢 "+p.t.Say("cmd.selftest_good", strings.Join(report.Networks, ", "), report.Seconds))
	}
	if err == nil && ctx.Err() != nil {
		return &exitError{code: exitFailed}
	}
	if err == nil && !report.OK {
		return p.fail(exitFailed, "cmd.selftest_bad", dir)
	}
	return err
}

func seconds(d time.Duration) float64 { return d.Round(10 * time.Millisecond).Seconds() }

func (p *program) printRehearsal(r rehearsalReport) {
	mark := "🟢"
	if !r.OK {
		mark = "🔴"
	}
	line := p.t.Say("cmd.rehearsal_" + r.Name)
	if r.Asked > 0 {
		line += " " + p.t.Say("cmd.rehearsal_numbers", r.Asked, r.Answered, r.Lost, r.Doubled, r.Marked)
	}
	for _, fact := range sortedNames(r.Facts) {
		line += " " + p.t.Say("cmd.rehearsal_fact_"+fact, r.Facts[fact])
	}
	fmt.Fprintf(p.out, "%s %s (%.1f s)\n", mark, line, r.Seconds)
	if r.Error != "" {
		fmt.Fprintln(p.out, "   "+r.Error)
	}
}

// rehearse serves the stand-ins, with waits that are short enough for a rehearsal.
// It connects to this machine only, and ends with standard input, which the
// selftest holds open for as long as it lives.
func (p *program) rehearse(ctx context.Context) error {
	c, err := p.load()
	if err != nil {
		return err
	}
	for _, address := range addresses(c) {
		if !isThisMachine(address) {
			return p.fail(exitUsage, "cmd.selftest_foreign", address)
		}
	}
	p.unsure = 300 * time.Millisecond
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() { // nothing ends a read of standard input but its end, or ours
		_, _ = io.Copy(io.Discard, p.in)
		end()
	}()
	return p.serve(ctx)
}
