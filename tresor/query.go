package tresor

import (
	"errors"
	"slices"

	"outheis/tresor/internal/hybrid"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// The limits of a question.
const (
	MaxQuestion  = 1000 // characters
	MaxLimit     = 20   // claims
	DefaultLimit = 8
)

// QueryOptions narrow a query. The zero value asks for all worlds and for
// [DefaultLimit] claims.
type QueryOptions struct {
	World   string // BW-nnnn, or "" for all
	InWorld bool   // a world was named, so that "" is an unknown one and not all
	Limit   int    // 1 to MaxLimit claims; 0 for DefaultLimit
}

// Query opens the Tresor in dir, asks it one question and returns the envelope
// of whatever came of it. What is wrong with the question shows before the
// folder is looked at.
func Query(dir, question string, q QueryOptions, o Options) Result {
	if r, ok := checkQuestion(question, q, o.Lang); !ok {
		return r
	}
	s, err := Open(dir, o)
	if err != nil {
		return refusal(question, err)
	}
	return s.Query(question, q)
}

// Query ranks all claims for the question by hybrid-local/v1. It is a pure
// function of the snapshot and its arguments. A question that cannot be ranked
// gives a result with another state than the two of a ranking.
func (s *Snapshot) Query(question string, q QueryOptions) Result {
	if r, ok := checkQuestion(question, q, s.lang); !ok {
		return r
	}
	r := Result{Query: question, Version: s.version, Manifest: s.manifest, Warnings: texts(s.warnings)}
	if (q.InWorld || q.World != "") && !s.index.HasWorld(q.World) {
		return r.refuse(InvalidQuery, 2, wording.Say(s.lang, "QE-6", q.World))
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	ranking := s.index.Rank(question, q.World, q.Limit)
	if ranking.Ambiguous != nil {
		var errs []string
		for _, a := range ranking.Ambiguous {
			errs = append(errs, wording.Say(s.lang, "QE-7", a.Phrase, a.Concepts))
		}
		return r.refuse(Ambiguous, 2, errs...)
	}
	s.fill(&r, ranking)
	r.Fingerprint = s.index.Fingerprint(ranking, s.manifest, q.World)
	return r
}

// checkQuestion returns the refusal of a question that cannot be asked at all.
func checkQuestion(question string, q QueryOptions, lang string) (Result, bool) {
	r := Result{Query: question}
	say := func(key string, args ...any) string { return wording.Say(lang, key, args...) }
	switch bad := text.InvalidAt([]byte(question)); {
	case q.Limit < 0 || q.Limit > MaxLimit:
		return r.refuse(InvalidQuery, 2, say("QE-4", MaxLimit)), false
	case bad >= 0:
		r.Query = string([]rune(question))
		return r.refuse(InvalidQuery, 1, say("QE-5")), false
	case text.IsBlank(question):
		return r.refuse(InvalidQuery, 1, say("QE-1")), false
	case text.Len(question) > MaxQuestion:
		return r.refuse(InvalidQuery, 1, say("QE-2", MaxQuestion)), false
	case text.HasControl(question):
		return r.refuse(InvalidQuery, 1, say("QE-3")), false
	}
	return r, true
}

func (r Result) refuse(state State, exit int, errs ...string) Result {
	r.State, r.exit, r.Errors = state, exit, errs
	return r
}

// refusal is the envelope for a Tresor that cannot be opened.
func refusal(question string, err error) Result {
	r := Result{Query: question}
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return r.refuse(InvalidVault, 1, err.Error())
	}
	r.Manifest, r.Version, r.Warnings = invalid.Manifest, invalid.Version, texts(invalid.Warnings)
	var errs []string
	for _, f := range invalid.Findings {
		errs = append(errs, f.String())
	}
	return r.refuse(invalid.State, 1, errs...)
}

// texts returns findings as the envelope lists warnings: each once, sorted.
func texts(found []Finding) []string {
	var list []string
	for _, f := range found {
		list = append(list, f.String())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// fill turns a ranking into the result of a completed query.
func (s *Snapshot) fill(r *Result, ranking hybrid.Ranking) {
	r.State, r.Complete, r.ClaimsScanned = CandidatesFound, true, len(s.claims)
	if ranking.Claims == nil {
		r.State, r.ReviewRequired = NoCandidates, true
	}
	r.PagePaths = make([]string, len(s.pages))
	for i, p := range s.pages {
		r.PagePaths[i] = p.Path
	}
	r.ExternalAvailable = len(s.bestand.Externals) > 0
	for _, m := range ranking.Matched {
		c := s.bestand.Concepts.Concepts[m.Concept]
		r.Matched = append(r.Matched, MatchedConcept{ID: c.ID, World: c.World, Preferred: c.Preferred, Labels: m.Labels})
	}
	for _, e := range ranking.Expanded {
		c := s.bestand.Concepts.Concepts[e.Concept]
		r.Expanded = append(r.Expanded, ExpandedConcept{ID: c.ID, World: c.World, Preferred: c.Preferred,
			Via: e.Via, Relation: e.Relation, Weight: e.Weight})
	}
	for _, h := range ranking.Pages {
		r.Pages = append(r.Pages, PageHit{Page: s.pages[h.Index], Score: h.Score, Reasons: h.Reasons})
	}
	for _, h := range ranking.Claims {
		at := s.claims[h.Index]
		r.Evidence = append(r.Evidence, s.evidence(s.pages[at.page], s.pages[at.page].Claims[at.claim], h))
	}
}

func (s *Snapshot) evidence(p Page, c Claim, h hybrid.Hit) Evidence {
	e := Evidence{Claim: c, Page: p, Score: h.Score, Reasons: h.Reasons}
	source, ok := s.sourceByID[c.Source]
	if !ok {
		source = Source{ID: c.Source, Kind: "lokal"}
		if c.Source[0] == 'X' {
			source.Kind = "extern"
		}
	}
	e.Source = source
	if media := s.bestand.Media[c.Source]; media != nil && c.Region != "" {
		if region, ok := media.Regions[c.Region]; ok {
			e.Media = &Media{Representation: media.Path, MediaType: media.MediaType, RegionID: region.ID, RegionKind: region.Kind,
				Confidence: jsonNumber(region.Confidence)}
		}
	}
	if anchor, ok := s.bestand.Anchors[c.Source][c.Anchor]; ok {
		e.Anchor = &Anchor{ID: anchor.ID, Document: anchor.Document, SentenceIndex: anchor.SentenceIndex, Block: anchor.Block,
			TextSHA256: anchor.TextSHA256}
	}
	e.Signals = signals(e)
	return e
}

func jsonNumber(n pjson.Number) Number { return Number(n.Canonical()) }

// signals names what an answer must say about a claim, in the format's order.
func signals(e Evidence) []string {
	var list []string
	if e.Claim.Art == "Auslegung" {
		list = append(list, "interpretation")
	}
	if e.Page.Status != "aktiv" {
		list = append(list, "page_status:"+e.Page.Status)
	}
	if e.Page.Confidence == "niedrig" {
		list = append(list, "low_confidence")
	}
	if e.Source.Trust == "T3" {
		list = append(list, "source_trust:T3")
	}
	if e.Page.TrustTier == "unverified" {
		list = append(list, "trust_tier:unverified")
	}
	if e.Anchor != nil {
		list = append(list, "external_source")
	}
	return list
}
