package cli

import (
	"context"
	"slices"
	"strings"

	"outheis/tresor"
	"outheis/tresor/curate"
)

// A kind is what "new" can make.
type kind struct {
	name     string
	min, max int // further words; -1 for any number
	options  []option
	run      func(n *newCall) (curate.Done, error)
}

// A newCall is one run of a kind.
type newCall struct {
	ctx   context.Context
	dir   string
	words []string // behind the kind
	*answers
	o tresor.Options
}

func kinds() []kind {
	release := option{name: "release"}
	stand := option{name: "stand"}
	return []kind{
		{"domain", 1, 1, []option{{name: "keyword", need: true, list: true, question: "cli.ask.keyword"}, release}, newDomain},
		{"page", 1, 1, []option{
			{name: "title", need: true, question: "cli.ask.pagetitle"},
			{name: "type", need: true, question: "cli.ask.type"},
			{name: "source", need: true, list: true, question: "cli.ask.sources"},
			{name: "tag", list: true, question: "cli.ask.tag"},
			{name: "keyword", list: true, question: "cli.ask.pagekeyword"},
			{name: "summary", question: "cli.ask.summary"},
			{name: "concept", list: true}, {name: "status"}, {name: "confidence"}, stand, release,
		}, newPage},
		{"claim", 1, -1, []option{
			{name: "source", need: true, question: "cli.ask.source"},
			{name: "fundstelle", need: true, question: "cli.ask.fundstelle"},
			{name: "art", need: true, question: "cli.ask.art"},
			{name: "text", need: true, question: "cli.ask.text"},
			stand, release,
		}, newClaim},
		{"world", 1, 1, []option{{name: "description", need: true, question: "cli.ask.description"}, release}, newWorld},
		{"concept", 1, 1, []option{
			{name: "world"},
			{name: "definition", need: true, question: "cli.ask.definition"},
			{name: "alias", list: true, question: "cli.ask.alias"},
			{name: "broader", list: true}, {name: "related", list: true}, release,
		}, newConcept},
		{"region", 1, 1, []option{
			{name: "kind", need: true, question: "cli.ask.kind"},
			{name: "locator", need: true, question: "cli.ask.locator"},
			{name: "text", need: true, question: "cli.ask.content"},
			{name: "confidence"}, {name: "bbox"}, {name: "suspicious", flag: true}, {name: "alt"}, {name: "language"}, {name: "extractor"},
			{name: "verified", want: true, flag: true, question: "cli.ask.verified"}, release,
		}, newRegion},
		{"pointer", 1, 1, []option{
			{name: "title", need: true, question: "cli.ask.pointertitle"},
			{name: "stand", need: true, question: "cli.ask.stand"},
			{name: "trust", need: true, question: "cli.ask.trust"},
			{name: "rights", need: true, question: "cli.ask.rights"},
			{name: "retrieved"}, release,
		}, newPointer},
		{"extern", 1, 1, []option{
			{name: "kind", need: true, question: "cli.ask.externkind"},
			{name: "target", question: "cli.ask.externtarget"},
			{name: "stand", need: true, question: "cli.ask.externstand"},
			{name: "key", need: true, question: "cli.ask.key"},
			{name: "trust", need: true, question: "cli.ask.trust"},
			{name: "rights", need: true, question: "cli.ask.externrights"}, release,
		}, newExternal},
		{"anchor", 2, 2, []option{
			{name: "sentence", need: true, question: "cli.ask.sentence"},
			{name: "locator", need: true, question: "cli.ask.locator"},
			{name: "language"}, {name: "extractor"},
			{name: "verified", want: true, flag: true, question: "cli.ask.verified"}, release,
		}, newAnchor},
		{"type", 1, 1, []option{
			{name: "beschreibung", need: true, question: "cli.ask.beschreibung"},
			{name: "kriterien", need: true, question: "cli.ask.kriterien"},
			{name: "besonderheiten", need: true, question: "cli.ask.besonderheiten"},
			{name: "pflicht-extra", need: true, question: "cli.ask.pflichtextra"},
			{name: "graph-rolle", need: true, question: "cli.ask.graphrolle"},
			{name: "relation-type", list: true, question: "cli.ask.relationtype"}, release,
		}, newType},
		{"relation", 1, 1, []option{
			{name: "type", need: true, question: "cli.ask.relation"},
			{name: "target", need: true, question: "cli.ask.target"}, stand, release,
		}, newRelation},
	}
}

// newOptions are the options of all kinds.
func newOptions() (list []option) {
	for _, k := range kinds() {
		list = append(list, k.options...)
	}
	return list
}

// kindNames are the names of what new makes.
func kindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// newThing makes a page, claim, concept or the like.
func (c *call) newThing() int {
	for _, k := range kinds() {
		if k.name == c.args.words[0] {
			return c.newKind(k)
		}
	}
	return c.usage("cli.new.kind", c.args.words[0], kindNames())
}

func (c *call) newKind(k kind) int {
	c.command.name = "new " + k.name
	words := c.args.words[1:]
	for name := range c.args.all {
		if !k.has(name) {
			return c.usage("cli.option", c.command.name, name)
		}
	}
	for name := range c.args.flags {
		if !k.has(name) {
			return c.usage("cli.option", c.command.name, name)
		}
	}
	switch {
	case len(words) < k.min:
		return c.usage("cli.few", c.command.name)
	case k.max >= 0 && len(words) > k.max:
		return c.usage("cli.many", c.command.name, words[k.max])
	}
	if code := c.releaseLevel(); code != success {
		return code
	}
	a := c.answers(k.options)
	if k.max < 0 && len(words) > k.min { // the text of a claim
		a.values["text"] = []string{strings.Join(words[k.min:], " ")}
	}
	if missing := a.complete(); missing != nil {
		return c.usage("cli.missing", c.command.name, missing)
	}
	ctx, release := c.held()
	defer release()
	for {
		done, err := k.run(&newCall{ctx, c.dir(), words, a, c.options()})
		if err != nil && a.again(err) {
			continue
		}
		if err != nil {
			return c.refusedBy(err)
		}
		what := done.ID
		if what == "" {
			what = words[0]
		}
		c.line("🟢 ", c.say("cli.new.done", c.command.name, what, done.Path))
		return c.did(done)
	}
}

// has reports whether a kind has an option, "--" included.
func (k kind) has(name string) bool {
	return slices.ContainsFunc(k.options, func(o option) bool { return "--"+o.name == name })
}

func newDomain(n *newCall) (curate.Done, error) {
	return curate.NewDomain(n.ctx, n.dir, n.words[0], n.all("keyword"), n.o)
}

func newPage(n *newCall) (curate.Done, error) {
	domain, name, ok := curate.SplitPage(n.words[0])
	if !ok {
		name = n.words[0]
	}
	return curate.NewPage(n.ctx, n.dir, curate.Page{Domain: domain, Name: name, Title: n.one("title"), Type: n.one("type"), Sources: n.all("source"),
		Tags: n.all("tag"), Concepts: n.all("concept"), Keywords: n.all("keyword"), Summary: n.one("summary"), Status: n.one("status"),
		Confidence: n.one("confidence"), Stand: n.one("stand")}, n.o)
}

func newClaim(n *newCall) (curate.Done, error) {
	return curate.NewClaim(n.ctx, n.dir, curate.Claim{Page: n.words[0], Source: n.one("source"), Fundstelle: n.one("fundstelle"), Art: n.one("art"),
		Text: n.one("text"), Stand: n.one("stand")}, n.o)
}

func newWorld(n *newCall) (curate.Done, error) {
	return curate.NewWorld(n.ctx, n.dir, n.words[0], n.one("description"), n.o)
}

func newConcept(n *newCall) (curate.Done, error) {
	return curate.NewConcept(n.ctx, n.dir, curate.Concept{Preferred: n.words[0], World: n.one("world"), Aliases: n.all("alias"),
		Broader: n.all("broader"), Related: n.all("related"), Definition: n.one("definition")}, n.o)
}

func newRegion(n *newCall) (curate.Done, error) {
	return curate.NewRegion(n.ctx, n.dir, curate.RegionOf{Source: n.words[0], Region: curate.Region{Kind: n.one("kind"), Locator: n.one("locator"),
		Text: n.one("text"), Confidence: n.one("confidence"), Box: n.one("bbox"), Suspicious: n.yes("suspicious")},
		Alt: n.one("alt"), Language: n.one("language"), Extractor: n.one("extractor"), Verified: n.yes("verified")}, n.o)
}

func newPointer(n *newCall) (curate.Done, error) {
	return curate.NewPointer(n.ctx, n.dir, curate.Pointer{URL: n.words[0], Title: n.one("title"), Retrieved: n.one("retrieved"), Stand: n.one("stand"),
		Trust: strings.ToUpper(n.one("trust")), Rights: n.one("rights")}, n.o)
}

func newExternal(n *newCall) (curate.Done, error) {
	return curate.NewExternal(n.ctx, n.dir, curate.External{Title: n.words[0], Kind: n.one("kind"), Target: n.one("target"), Stand: n.one("stand"),
		Key: n.one("key"), Trust: strings.ToUpper(n.one("trust")), Rights: n.one("rights")}, n.o)
}

func newAnchor(n *newCall) (curate.Done, error) {
	return curate.NewAnchor(n.ctx, n.dir, curate.Anchor{Source: n.words[0], Document: n.words[1], Sentence: n.one("sentence"), Locator: n.one("locator"),
		Language: n.one("language"), Extractor: n.one("extractor"), Verified: n.yes("verified")}, n.c.network(), n.o)
}

func newType(n *newCall) (curate.Done, error) {
	return curate.NewType(n.ctx, n.dir, curate.Type{Name: n.words[0], Beschreibung: n.one("beschreibung"), Kriterien: n.one("kriterien"),
		Besonderheiten: n.one("besonderheiten"), PflichtExtra: n.one("pflicht-extra"), GraphRolle: n.one("graph-rolle"),
		Relations: n.all("relation-type")}, n.o)
}

func newRelation(n *newCall) (curate.Done, error) {
	return curate.NewRelation(n.ctx, n.dir, curate.Relation{Page: n.words[0], Type: n.one("type"), Target: n.one("target"), Stand: n.one("stand")}, n.o)
}
