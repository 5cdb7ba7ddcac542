package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/watch"
)

// watch validates after every change until it is ended. With --json it prints
// one line a change.
func (c *call) watch() int {
	ctx, release := c.held()
	defer release()
	if there(c.dir()) && !tresor.IsTresor(c.dir()) {
		return c.noTresor()
	}
	c.reports = false
	if !c.args.json {
		c.line(c.say("cli.watch.begin", c.dir()))
		c.flush()
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	polling := false
	watch.Run(ctx, c.dir(), watch.Options{Tresor: c.options(), Now: c.Now}, func(change watch.Change) {
		if change.Polling != nil && !polling {
			polling = true
			c.err.WriteString(c.say("cli.watch.polling", change.Polling) + "\n")
		}
		if c.args.json {
			c.changeLine(change)
		} else {
			c.change(change)
		}
		if c.flush(); c.gone {
			leave()
		}
	})
	return success
}

// there reports whether a folder exists; watch waits for one that does not.
func there(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// change prints what a validation found that the one before did not, and the
// other way round.
func (c *call) change(change watch.Change) {
	at := change.At.Format(time.TimeOnly)
	if change.Missing {
		c.line("🔴 ", c.say("cli.watch.missing", at, c.told(change.New[0])))
		return
	}
	mark, gone := "", ""
	if !change.First {
		mark, gone = c.say("cli.watch.new")+" ", c.say("cli.watch.gone")+" "
	}
	c.marked(gone, change.Gone)
	c.marked(mark, change.New)
	r := change.Report
	sign := "🟢 "
	if !r.OK() {
		sign = "🔴 "
	}
	c.line(sign, c.say("cli.watch.sum", at, len(r.Errors), len(r.Warnings), r.Pages, r.Claims, r.Sources))
}

// marked prints findings behind a mark.
func (c *call) marked(mark string, list []tresor.Finding) {
	for _, f := range list {
		c.line(mark, sign(f.Severity), c.told(f))
	}
}

// changeLine prints a change as one line of JSON.
func (c *call) changeLine(change watch.Change) {
	objects := func(list []tresor.Finding) []any {
		all := []any{}
		for _, f := range list {
			all = append(all, findingObject(f))
		}
		return all
	}
	r := change.Report
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(pjson.Object{
		"at": change.At.UTC().Format(time.RFC3339), "missing": change.Missing, "polling": change.Polling != nil,
		"errors": len(r.Errors), "warnings": len(r.Warnings), "hints": len(r.Hints),
		"pages": r.Pages, "claims": r.Claims, "sources": r.Sources, "external": r.External,
		"new": objects(change.New), "gone": objects(change.Gone),
	})
	if err != nil {
		panic(err) // texts and numbers only
	}
	c.out.Write(b.Bytes())
}
