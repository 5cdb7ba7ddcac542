package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

func (c *call) validate() int {
	r := tresor.Validate(c.dir(), c.options())
	c.set("pages", r.Pages)
	c.set("claims", r.Claims)
	c.set("sources", r.Sources)
	c.set("external", r.External)
	c.findings(r.Warnings)
	c.findings(r.Errors)
	c.findings(r.Hints)
	if !r.OK() {
		c.line()
		c.line(c.say("cli.validate.red", len(r.Errors), len(r.Warnings)))
		return refused
	}
	external := ""
	if r.External > 0 {
		external = c.say("cli.validate.external", r.External)
	}
	c.line("🟢 ", c.say("cli.validate.green", len(r.Warnings), r.Pages, r.Claims, r.Sources), external, ".")
	return success
}

// findings prints findings, each with the sign of its severity.
func (c *call) findings(list []tresor.Finding) {
	c.report.findings = append(c.report.findings, list...)
	for _, f := range list {
		c.line(sign(f.Severity), f.String())
	}
}

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

// fails prints why a command refuses.
func (c *call) fails(err error) int {
	name := c.command.name
	var invalid *tresor.InvalidError
	var write *tresor.WriteError
	var reading *tresor.RefusedError
	switch {
	case errors.As(err, &reading):
		return c.refuse("cli.refused", name, reading.Text)
	case errors.As(err, &invalid) && invalid.State == tresor.VaultBusy:
		return c.refuse("cli.busy", name, invalid.Findings[0].Text)
	case errors.As(err, &invalid):
		c.report.findings = append(c.report.findings, invalid.Findings...)
		for _, f := range invalid.Findings {
			c.line("🔴 ", f.String())
		}
		return c.refuse("cli.invalid", name)
	case errors.As(err, &write) && write.Done:
		return c.refuse("cli.done", name, write.Text)
	case errors.As(err, &write) && write.Recovery:
		return c.refuse("cli.recovery", name, write.Text)
	case errors.As(err, &write):
		return c.refuse("cli.failed", name, write.Text)
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

func (c *call) index() int {
	ctx, release := c.held()
	defer release()
	pages, err := tresor.WriteIndex(ctx, c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("pages", pages)
	c.line("🟢 ", c.say("cli.index", pages))
	return success
}

func (c *call) graph() int {
	if _, ok := c.args.values["--format"]; ok {
		return c.picture()
	}
	if _, ok := c.args.values["--out"]; ok {
		return c.usage("cli.picture.out")
	}
	ctx, release := c.held()
	defer release()
	nodes, edges, err := tresor.WriteGraph(ctx, c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("nodes", nodes)
	c.set("edges", edges)
	c.line("🟢 ", c.say("cli.graph", nodes, edges))
	return success
}

func (c *call) checksum() int {
	if c.args.flags["--verify"] {
		return c.verify()
	}
	ctx, release := c.held()
	defer release()
	files, err := tresor.WriteManifest(ctx, c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("files", files)
	c.line("🟢 ", c.say("cli.checksum", files))
	return success
}

func (c *call) verify() int {
	differences, files, err := tresor.Verify(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("verify", verifyObject(tresor.Verification{Differences: differences, Files: files}))
	c.report.findings = append(c.report.findings, differences...)
	return c.differences(differences, files)
}

// differences prints how the Tresor differs from its manifest.
func (c *call) differences(list []tresor.Finding, files int) int {
	for _, f := range list {
		sign := "🔴 "
		if f.Severity == tresor.Warning {
			sign = "🟡 "
		}
		c.line(sign, f.String())
	}
	if list != nil {
		c.line()
		c.line(c.say("cli.verify.red", len(list)))
		return refused
	}
	c.line("🟢 ", c.say("cli.verify.green", files))
	return success
}

// verifyObject is a comparison with the manifest for --json: the paths that are
// new, missing and changed, and what is wrong with the manifest itself.
func verifyObject(v tresor.Verification) pjson.Object {
	lists := map[string][]string{"MF-12": {}, "MF-13": {}, "MF-14": {}, "": {}}
	for _, f := range v.Differences {
		if _, ok := lists[f.Rule]; ok {
			lists[f.Rule] = append(lists[f.Rule], f.Path)
		} else {
			lists[""] = append(lists[""], f.String())
		}
	}
	return pjson.Object{"compared": v.Quarantine == nil, "files": v.Files, "new": lists["MF-12"], "missing": lists["MF-13"],
		"changed": lists["MF-14"], "problems": lists[""]}
}

func (c *call) query() int {
	question := strings.Join(c.args.words, " ")
	q := tresor.QueryOptions{World: c.args.values["--world"]}
	if s, ok := c.args.values["--limit"]; ok {
		limit, ok := parseLimit(s)
		if !ok {
			return c.usage("cli.limit", s)
		}
		if q.Limit = limit; limit == 0 {
			q.Limit = -1 // 0 is no limit here, but the default there
		}
	}
	r := c.ask(question, q)
	c.out.Write(r.JSON())
	return r.ExitCode()
}

// parseLimit accepts a sign and ASCII digits. What does not fit is out of range
// anyway.
func parseLimit(s string) (int, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	if len(s)-len(digits) > 1 || !text.AllDigits(digits) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1, true
	}
	return n, true
}

func (c *call) queryFailure(text string) {
	r := tresor.Result{State: tresor.InvalidVault, Query: strings.Join(c.args.words, " "), Errors: []string{c.say("cli.internal", "query", text)}}
	c.out.Write(r.JSON())
}

func (c *call) search() int {
	for _, term := range c.args.words {
		if text.IsBlank(term) {
			return c.refuse("cli.search.blank")
		}
	}
	hits, files, err := tresor.Grep(c.dir(), c.args.words, c.options())
	if err != nil {
		return c.fails(err)
	}
	list := make([]any, len(hits))
	for i, h := range hits {
		line := text.Trim(visible(h.Text))
		list[i] = pjson.Object{"path": wording.Printable(h.Path), "line": h.Line, "text": line}
		c.line(wording.Printable(h.Path), ":", strconv.Itoa(h.Line), ": ", first(line, 160))
	}
	c.set("hits", list)
	c.set("files", files)
	c.line()
	c.line(c.say("cli.search.sum", len(hits), c.args.words, files))
	if len(hits) == 0 {
		c.line(c.say("cli.search.none"))
		return refused
	}
	return success
}

// visible blinds control characters and those that turn the direction of
// writing, which could steer a terminal or deceive its reader.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// first returns the first n characters of s.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func (c *call) route() int {
	routes, err := tresor.Suggest(c.dir(), strings.Join(c.args.words, " "), c.options())
	if err != nil {
		return c.fails(err)
	}
	list := make([]any, len(routes))
	for i, r := range routes {
		list[i] = pjson.Object{"domain": r.Domain, "keywords": r.Keywords, "pages": r.Pages}
	}
	c.set("routes", list)
	if len(routes) == 0 {
		c.line(c.say("cli.route.none"))
		return refused
	}
	if len(routes) > 1 {
		var names []string
		for _, r := range routes {
			names = append(names, r.Domain)
		}
		c.line("🟡 ", c.say("cli.route.mixed", len(routes), names))
	}
	for _, r := range routes {
		c.line(c.say("cli.route.domain", r.Domain, r.Keywords))
		for _, p := range r.Pages {
			c.line("       → ", wording.Printable(p))
		}
	}
	c.line(c.say("cli.route.hint"))
	return success
}

// stats prints numbers that other programs read; they are the same in every
// language.
func (c *call) stats() int {
	s, err := tresor.Count(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	for key, n := range map[string]int{"pages": s.Pages, "claims": s.Claims, "sources": s.Sources, "edges": s.Edges,
		"validation_errors": s.Errors, "validation_warnings": s.Warnings, "worlds": s.Worlds, "concepts": s.Concepts, "media": s.Media,
		"external": s.External, "anchors": s.Anchors, "catalogues": s.Catalogues} {
		c.set(key, n)
	}
	for key, m := range map[string]map[string]int{"domains": s.Domains, "types": s.Types, "status": s.Status, "trust_tiers": s.TrustTiers} {
		o := pjson.Object{}
		for value, n := range m {
			o[value] = n
		}
		c.set(key, o)
	}
	c.line(c.say("cli.stats.head", s.Pages, s.Claims, s.Sources, s.Edges, s.Errors, s.Warnings))
	c.line(c.say("cli.stats.concepts", s.Worlds, s.Concepts, s.Media))
	c.line(c.say("cli.stats.external", s.External, s.Anchors, s.Catalogues))
	c.line("  Domänen: ", counts(s.Domains))
	c.line("  Typen: ", counts(s.Types))
	c.line("  Status: ", counts(s.Status))
	c.line("  Trust-Tiers: ", counts(s.TrustTiers))
	return success
}

func counts(m map[string]int) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, wording.Printable(k)+"="+strconv.Itoa(m[k]))
	}
	return strings.Join(list, ", ")
}
