package tresor

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// A Network reads documents of listed network sources; package netz has one. It
// counts the fetches of its life, so each question gets its own.
type Network = abruf.Reader

// The budgets of a lookup.
const (
	maxCandidates = 24 // documents of a source that its catalogue chooses
	maxPointers   = 8
)

// LookupOptions narrow a look into the listed external sources.
type LookupOptions struct {
	Sources []string // X-nnnn; none for all that are listed
	Network Network  // nil: sources on the network are left out
}

// QueryExternal is [Query] that also looks into the external sources which the
// Tresor lists and which can be read on this machine, as they are now. What it
// finds is in the field Lookup of the result and changes nothing else in it.
// Every fetch from the network is written to log.md. Where ctx ends, the sources
// that are left are left out with a note.
func QueryExternal(ctx context.Context, dir, question string, q QueryOptions, l LookupOptions, o Options) Result {
	if r, ok := checkQuestion(question, q, o.Lang); !ok {
		return r
	}
	s, err := Open(dir, o)
	if err != nil {
		return refusal(question, err)
	}
	return s.queryExternal(ctx, question, q, l, o)
}

// QueryExternal is [Snapshot.Query] with a look into the listed external sources;
// see [QueryExternal]. It reads the binding file of the Tresor's folder anew, so
// that a source bound meanwhile is found.
func (s *Snapshot) QueryExternal(ctx context.Context, question string, q QueryOptions, l LookupOptions) Result {
	return s.queryExternal(ctx, question, q, l, s.options)
}

func (s *Snapshot) queryExternal(ctx context.Context, question string, q QueryOptions, l LookupOptions, o Options) Result {
	r := s.Query(question, q)
	if r.Manifest != "" { // a question that can be asked, whatever came of it
		r.Lookup = s.lookUp(ctx, question, l, o)
	}
	return r
}

// A lookup is one run of section 8 of 5-extern.
type lookup struct {
	*Lookup
	s        *Snapshot
	o        Options
	question *extern.Question
	network  Network
	bindings bindung.File
	roots    [][2]string
	read     map[string]bool
	records  []abruf.Record
	skipped  bool // a source or document was left out
}

func (s *Snapshot) lookUp(ctx context.Context, question string, lo LookupOptions, o Options) *Lookup {
	l := &lookup{Lookup: &Lookup{State: NoPointers, Live: true}, s: s, o: o, question: extern.NewQuestion(question), network: lo.Network,
		read: make(map[string]bool)}
	l.loadBindings()
	ids := register.IDs(s.bestand.Externals)
	if len(ids) == 0 {
		return l.refuse(NotDeclared, "XQ-1")
	}
	if len(lo.Sources) > 0 {
		wanted := slices.Compact(slices.Sorted(slices.Values(lo.Sources)))
		listed := func(id string) bool { return slices.Contains(ids, id) }
		if unlisted := slices.DeleteFunc(slices.Clone(wanted), listed); len(unlisted) > 0 {
			return l.refuse(LookupInvalid, "XQ-2", unlisted, ids)
		}
		ids = wanted
	}
	defer l.log(ctx)
	for _, id := range ids {
		if !l.ask(ctx, s.bestand.Externals[id]) {
			return l.Lookup
		}
	}
	l.finish()
	return l.Lookup
}

// refuse ends a lookup before anything was searched.
func (l *lookup) refuse(state LookupState, key string, args ...any) *Lookup {
	l.State, l.Live, l.Reason = state, false, wording.Say(l.o.Lang, key, args...)
	return l.Lookup
}

// note says what was left out.
func (l *lookup) note(key string, args ...any) {
	l.Notes = append(l.Notes, wording.Say(l.o.Lang, key, args...))
}

// loadBindings reads the binding file; its errors are notes, and bind nothing.
func (l *lookup) loadBindings() {
	l.bindings = bindung.Empty()
	if l.s.root == "" {
		return
	}
	var f check.Findings
	var err error
	if l.bindings, err = bindung.LoadAlone(l.s.root, &f); err != nil {
		l.note("XQ-3", err)
	}
	for _, e := range findings(f.Errors, Error, l.o) {
		l.Notes = append(l.Notes, e.String())
	}
}

// ask searches one source. It is false if the whole lookup ends there.
func (l *lookup) ask(ctx context.Context, source register.External) bool {
	status := l.bindings.Status(source, l.s.root)
	offline := status.Mode == bindung.Net && (l.network == nil || l.network.Offline())
	l.Sources = append(l.Sources, LookupSource{Source: l.s.sourceByID[source.ID], Scope: source.Scope, Mode: string(status.Mode),
		Bound: status.Mode != bindung.Unbound && !offline})
	skip := func(key string, args ...any) bool {
		l.skipped = true
		l.note(key, args...)
		return true
	}
	catalogue := l.s.bestand.Catalogues[source.ID]
	switch foreign := source.Art == register.ForeignTresor; {
	case status.Mode == bindung.Unbound:
		return skip(status.Reason.Key, status.Reason.Args...)
	case offline && l.network == nil:
		return skip("XQ-4", source.ID)
	case offline:
		return skip("BI-0", source.ID, check.Reason(abruf.Offline))
	case foreign && status.Mode == bindung.Net:
		return skip("XQ-5", source.ID)
	case !foreign && catalogue == nil:
		return skip("XQ-6", source.ID)
	case ctx.Err() != nil:
		return skip("XQ-7", source.ID)
	case foreign:
		return l.askTresor(ctx, source, status.Root)
	}
	l.askTree(ctx, source, status, catalogue)
	return true
}

// askTresor searches the pages of a foreign Tresor. One that is not what its
// manifest says refuses the whole lookup.
func (l *lookup) askTresor(ctx context.Context, source register.External, root bindung.Root) bool {
	refuse := func(why wording.Sentence) bool {
		l.State, l.Pointers = LookupBadSource, nil
		l.Reason = wording.Say(l.o.Lang, "BI-0", source.ID, why)
		l.read = nil
		return false
	}
	dir, why := root.Open()
	if why != nil {
		return refuse(*why)
	}
	defer dir.Close()
	foreign, why, err := dir.ForeignTresor(ctx)
	switch {
	case err != nil:
		l.skipped = true
		l.note("XQ-7", source.ID)
		return true
	case why != nil:
		return refuse(*why)
	}
	l.roots = append(l.roots, [2]string{source.ID, foreign.Manifest})
	for i, page := range foreign.Pages {
		l.o.progress(StageLookup, i, len(foreign.Pages))
		l.match(source, page.Path, page.Text, 0)
	}
	return true
}

// askTree searches the documents that the catalogue of a tree ranks highest.
func (l *lookup) askTree(ctx context.Context, source register.External, status bindung.Status, catalogue *extern.Catalogue) {
	l.roots = append(l.roots, [2]string{source.ID, cmp.Or(catalogue.GeneratedFrom, "netz")})
	reader := documentReader{vault: l.s.root, source: source, network: l.network, ttl: l.bindings.TTL}
	if status.Mode == bindung.Local {
		dir, why := status.Root.Open()
		if why != nil {
			l.skipped = true
			l.note("BI-0", source.ID, *why)
			return
		}
		defer dir.Close()
		reader.dir = dir
	}
	type candidate struct {
		extern.Document
		score int
	}
	var candidates []candidate
	for _, d := range catalogue.Documents {
		candidates = append(candidates, candidate{d, l.question.Score(d)})
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.Path, b.Path))
	})
	candidates = candidates[:min(maxCandidates, len(candidates))]
	for i, c := range candidates {
		l.o.progress(StageLookup, i, len(candidates))
		doc, record, why := reader.read(ctx, c.Path)
		if record.URL != "" {
			l.records = append(l.records, record)
		}
		where := source.ID + "/" + c.Path
		if why != nil {
			l.skipped = true
			l.note("BI-0", where, *why)
			continue
		}
		if reader.dir != nil && doc.SHA256 != c.SHA256 {
			l.note("XQ-8", where)
		}
		l.match(source, c.Path, doc.Text, c.score)
	}
}

// match searches the text of one document.
func (l *lookup) match(source register.External, path, content string, catalogue int) {
	l.read[source.ID+":"+path] = true
	m, found := l.question.Match(content)
	if !found {
		return
	}
	l.Pointers = append(l.Pointers, Pointer{Source: l.s.sourceByID[source.ID], Document: path, Index: m.Best.Index, Block: m.Best.Block,
		Text: m.Best.Text, TextSHA256: extern.Digest(m.Best.Text), Score: m.Score, Catalogue: catalogue, Coverage: m.Coverage,
		Suspicious: text.Signature(m.Best.Text)})
}

// finish orders what was found and says what was not.
func (l *lookup) finish() {
	slices.SortFunc(l.Pointers, func(a, b Pointer) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Source.ID, b.Source.ID), strings.Compare(a.Document, b.Document),
			cmp.Compare(a.Index, b.Index))
	})
	l.Pointers = l.Pointers[:min(maxPointers, len(l.Pointers))]
	if n := len(l.records); n > 0 {
		oldest, youngest := l.records[0].Age, l.records[0].Age
		for _, r := range l.records {
			oldest, youngest = max(oldest, r.Age), min(youngest, r.Age)
		}
		l.FetchedAt = l.o.now().Format(time.DateOnly)
		l.note("XQ-9", n, youngest, oldest)
	}
	slices.SortFunc(l.roots, func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) })
	l.Fingerprint = lookupFingerprint(l.question.Norm, l.Pointers, l.roots)
	l.Documents = slices.Sorted(maps.Keys(l.read))
	switch {
	case len(l.Pointers) > 0:
		l.State = PointersFound
	case len(l.read) == 0 && l.skipped:
		l.State, l.Live, l.Reason = LookupNotBound, false, wording.Say(l.o.Lang, "XQ-10")
	default:
		l.Reason = wording.Say(l.o.Lang, "XQ-11", l.question.Distinct())
	}
}

// log writes the fetches to log.md (deviation D-49); what cannot be written is a
// note.
func (l *lookup) log(ctx context.Context) {
	l.s.fetchLog.Lock() // two questions at a time would lock each other out
	defer l.s.fetchLog.Unlock()
	if why := logFetches(ctx, l.s.root, l.records, l.o); why != "" {
		l.note("XQ-12", why)
	}
}

// logFetches writes an entry for each record of a fetch and returns why that
// failed, or "". What was fetched is logged even if ctx has ended since.
func logFetches(ctx context.Context, dir string, records []abruf.Record, o Options) string {
	ctx = context.WithoutCancel(ctx)
	for _, r := range records {
		if !r.Fetched {
			continue
		}
		if dir == "" {
			return wording.Say(o.Lang, "XQ-13")
		}
		_, err := Log(ctx, dir, "extern", fetchEntry(r), o)
		var invalid *InvalidError
		var write *WriteError
		switch {
		case errors.As(err, &invalid):
			return invalid.Findings[0].String()
		case errors.As(err, &write):
			return write.Text
		case err != nil:
			return err.Error()
		}
	}
	return ""
}
