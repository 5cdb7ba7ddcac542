package cli

import (
	"context"
	"errors"

	"outheis/tresor"
)

// findings prints findings, each with the sign of its severity.
func (c *call) findings(list []tresor.Finding) {
	c.report.findings = append(c.report.findings, list...)
	for _, f := range list {
		c.line(sign(f.Severity), c.told(f))
	}
}

// told is the line of a finding.
func (c *call) told(f tresor.Finding) string { return c.typed(f.String()) }

// sign is what a finding of the severity begins with.
func sign(s tresor.Severity) string {
	switch s {
	case tresor.Warning:
		return "🟡 WARNUNG  "
	case tresor.Hint:
		return "ℹ️  "
	}
	return "🔴 FEHLER   "
}

// concludes prints the sentence that sums up why a command refuses, and returns
// its exit code.
func (c *call) concludes(sign, text string) int {
	c.report.errors = append(c.report.errors, text)
	c.line(sign, text)
	return refused
}

// fails prints why a command refuses.
func (c *call) fails(err error) int {
	name := c.command.name
	var invalid *tresor.InvalidError
	var write *tresor.WriteError
	var reading *tresor.RefusedError
	switch {
	case errors.As(err, &reading):
		return c.refuse("cli.refused", name, c.typed(reading.Text))
	case errors.As(err, &invalid) && invalid.State == tresor.VaultBusy:
		return c.refuse("cli.busy", name, c.typed(invalid.Findings[0].Text))
	case errors.As(err, &invalid):
		c.report.findings = append(c.report.findings, invalid.Findings...)
		for _, f := range invalid.Findings {
			c.line("🔴 ", c.told(f))
		}
		return c.refuse("cli.invalid", name)
	case errors.As(err, &write) && write.Done:
		return c.refuse("cli.done", name, c.typed(write.Text))
	case errors.As(err, &write) && write.Recovery:
		return c.refuse("cli.recovery", name, c.typed(write.Text))
	case errors.As(err, &write):
		return c.refuse("cli.failed", name, c.typed(write.Text))
	}
	return c.refuse("cli.failed", name, err)
}

// held lets a writer come to its end, or stop before it wrote anything.
func (c *call) held() (ctx context.Context, release func()) {
	if c.Hold == nil {
		return c.ctx, func() {}
	}
	return c.Hold(c.ctx)
}
