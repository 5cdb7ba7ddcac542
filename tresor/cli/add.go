package cli

import (
	"path/filepath"
	"strconv"
	"strings"

	"outheis/tresor/curate"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/wording"
)

// addOptions are what is to be known about a source.
func addOptions(medium bool) []option {
	options := []option{
		{name: "title", question: "cli.ask.title"},
		{name: "stand", need: true, question: "cli.ask.stand"},
		{name: "trust", need: true, question: "cli.ask.trust"},
		{name: "rights", need: true, question: "cli.ask.rights"},
		{name: "name"},
	}
	media := []option{
		{name: "alt", want: true, question: "cli.ask.alt"},
		{name: "language", question: "cli.ask.language"},
		{name: "extractor", want: true, question: "cli.ask.extractor"},
		{name: "region", want: true, list: true, each: true, question: "cli.ask.region"},
		{name: "verified", want: true, flag: true, question: "cli.ask.verified"},
	}
	if !medium {
		for i := range media {
			media[i].question = ""
		}
	}
	return append(options, media...)
}

// add takes in sources.
func (c *call) add() int {
	if code := c.releaseLevel(); code != success {
		return code
	}
	if len(c.args.words) > 1 {
		for _, one := range []string{"--title", "--name", "--alt", "--extractor"} {
			if c.args.values[one] != "" {
				return c.usage("cli.add.single", one)
			}
		}
		if len(c.args.all["--region"]) > 0 || c.args.flags["--verified"] {
			return c.usage("cli.add.single", "--region")
		}
	}
	var sources []curate.Source
	var asked []*answers
	for _, file := range c.args.words {
		s, a, code := c.examined(file)
		if code != success {
			return code
		}
		sources, asked = append(sources, s), append(asked, a)
	}
	ctx, release := c.held()
	defer release()
	for {
		done, added, err := curate.Add(ctx, c.dir(), sources, c.options())
		if err != nil && len(asked) == 1 && asked[0].again(err) {
			if s, ok := sourceFrom(c.path(c.args.words[0]), asked[0]); ok {
				sources[0] = s
				continue
			}
		}
		if err != nil {
			return c.refusedBy(err)
		}
		c.added(added)
		return c.did(done)
	}
}

// examined looks at a file and finds out what is to be known about it.
func (c *call) examined(file string) (curate.Source, *answers, int) {
	path := c.path(file)
	x, err := curate.Examine(c.ctx, path, c.args.values["--name"], c.options())
	if err != nil {
		return curate.Source{}, nil, c.refusedBy(err)
	}
	if c.In != nil {
		c.tell(c.say("cli.add.about", wording.Printable(filepath.Base(path)), x.Title))
	}
	for _, s := range x.Suspicions {
		c.line("🟡 ", c.say("cli.add.suspicion", wording.Printable(file)+":"+strconv.Itoa(s.Line), s.Excerpt))
	}
	if x.Opaque {
		c.line("🟡 ", c.say("cli.add.opaque", wording.Printable(file)))
	}
	a := c.answers(addOptions(x.Medium))
	if missing := a.complete(); missing != nil {
		return curate.Source{}, nil, c.usage("cli.missing", c.command.name, missing)
	}
	s, ok := sourceFrom(path, a)
	if !ok {
		return curate.Source{}, nil, c.usage("cli.add.region")
	}
	return s, a, success
}

// sourceFrom puts the answers together. It is false for a region that is none.
func sourceFrom(path string, a *answers) (curate.Source, bool) {
	s := curate.Source{File: path, Name: a.one("name"), Title: a.one("title"), Stand: a.one("stand"), Trust: strings.ToUpper(a.one("trust")),
		Rights: a.one("rights"), Medium: curate.Medium{Alt: a.one("alt"), Language: a.one("language"), Extractor: a.one("extractor"), Verified: a.yes("verified")}}
	for _, text := range a.all("region") {
		r, ok := curate.ParseRegion(text)
		if !ok {
			return s, false
		}
		s.Medium.Regions = append(s.Medium.Regions, r)
	}
	return s, true
}

// added prints what was taken in.
func (c *call) added(list []curate.Added) {
	var documents []any
	for _, a := range list {
		suspicions := []any{}
		for _, s := range a.Suspicions {
			suspicions = append(suspicions, pjson.Object{"line": s.Line, "excerpt": s.Excerpt})
		}
		documents = append(documents, pjson.Object{"id": a.ID, "file": wording.Printable(a.File), "path": a.Path, "title": a.Title, "moved": a.Moved,
			"open": append([]string{}, a.Open...), "suspicions": suspicions, "opaque": a.Opaque})
		sign := "🟢 "
		if a.Open != nil {
			sign = "🟡 "
		}
		if a.Moved {
			c.line(sign, c.say("cli.add.moved", a.ID, a.Title, a.Path))
		} else {
			c.line(sign, c.say("cli.add.copied", a.ID, a.Title, a.Path))
		}
		if n := len(a.Suspicions); n > 0 {
			c.line("🟡 ", c.say("cli.add.suspicious", a.ID, n))
		}
	}
	c.set("sources", documents)
}
