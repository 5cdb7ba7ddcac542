package tresor

import (
	"slices"

	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
)

// State is how a query ended.
type State string

// The states of the format.
const (
	CandidatesFound State = "candidates_found"
	NoCandidates    State = "no_candidates" // proves no absence: all pages must be read
	Ambiguous       State = "ambiguous"     // a term belongs to several Begriffe; name a world
	InvalidQuery    State = "invalid_query"
	VaultBusy       State = "vault_busy"
	InvalidVault    State = "invalid_vault"
	SnapshotChanged State = "snapshot_changed"
)

// A Result is what a query found: candidates that a person, an agent or a model
// still has to compare with the question. [Result.JSON] gives the exact bytes
// of the format's envelope.
type Result struct {
	State             State
	Query             string
	Version           string // of the Tresor; "" where unknown
	Manifest          string // its digest; "" where unknown
	Complete          bool   // all claims were ranked
	ClaimsScanned     int
	ReviewRequired    bool     // nothing was found, the pages of PagePaths must be read
	PagePaths         []string // of all pages, sorted
	ExternalAvailable bool     // there are external sources to look into
	Matched           []MatchedConcept
	Expanded          []ExpandedConcept
	Pages             []PageHit  // that have a claim among Evidence, best first
	Evidence          []Evidence // best first
	Warnings          []string
	Errors            []string
	Fingerprint       string  // "" without a ranking
	Lookup            *Lookup // what external sources have, or nil where they were not asked

	exit int
}

// MatchedConcept is a concept that the question names.
type MatchedConcept struct {
	ID, World, Preferred string
	Labels               []string // that were found
}

// ExpandedConcept is a concept one hop from a matched one.
type ExpandedConcept struct {
	ID, World, Preferred string
	Via                  string // the matched concept
	Relation             string // broader, narrower or related
	Weight               int
}

// A PageHit is a page with claims among the evidence.
type PageHit struct {
	Page    Page
	Score   int
	Reasons []string
}

// Evidence is one candidate.
type Evidence struct {
	Claim   Claim
	Page    Page
	Source  Source // zero except for ID and Kind where the register has no row
	Score   int
	Reasons []string
	Signals []string // what an answer must say about it, as "interpretation"
	Media   *Media   // the region that the claim cites, or nil
	Anchor  *Anchor  // the anchor that the claim cites, or nil
}

// Media is the region of an image or PDF that a claim cites.
type Media struct {
	Representation string // path of the description
	MediaType      string
	RegionID       string
	RegionKind     string
	Confidence     Number // of the extraction, 0 to 1
}

// A Number is a JSON number in the format's spelling.
type Number string

// Anchor is the sentence of an external document that a claim cites.
type Anchor struct {
	ID            string
	Document      string
	SentenceIndex int
	Block         string
	TextSHA256    string
}

// ExitCode returns the exit status of the command query: 0 for a ranking, 1 for
// a Tresor or question that is refused, 2 for one that cannot be ranked.
func (r Result) ExitCode() int { return r.exit }

// MarshalJSON implements [encoding/json.Marshaler] with the content of
// [Result.JSON]; package json formats it anew.
func (r Result) MarshalJSON() ([]byte, error) { return r.JSON(), nil }

// JSON returns the envelope skillsafe.query/v1, byte for byte and with the line
// end.
func (r Result) JSON() []byte {
	matched, expanded, pages, evidence := []any{}, []any{}, []any{}, []any{}
	for _, c := range r.Matched {
		matched = append(matched, pjson.Object{"id": c.ID, "world": c.World, "preferred": c.Preferred, "matched_labels": c.Labels})
	}
	for _, c := range r.Expanded {
		expanded = append(expanded, pjson.Object{"id": c.ID, "world": c.World, "preferred": c.Preferred,
			"via": c.Via, "relation": c.Relation, "weight": c.Weight})
	}
	for _, h := range r.Pages {
		pages = append(pages, h.object())
	}
	for _, e := range r.Evidence {
		evidence = append(evidence, e.object())
	}
	var reason, externalReason any
	if r.ReviewRequired {
		reason = "no_retrieval_candidates"
	}
	documents := []string{}
	if r.Lookup != nil {
		externalReason, documents = orNull(r.Lookup.Reason), r.Lookup.Documents
	}
	return pjson.Encode(pjson.Object{
		"schema":    profil.SchemaQuery,
		"profile":   profil.Name,
		"retrieval": profil.Retrieval,
		"state":     string(r.State),
		"query":     r.Query,
		"vault":     pjson.Object{"version": orNull(r.Version), "manifest_sha256": orNull(r.Manifest)},
		"coverage": pjson.Object{
			"retrieval_complete": r.Complete,
			"semantic_coverage":  "not_assessed",
			"mode":               "exhaustive_validated_claim_ranking",
			"claims_scanned":     r.ClaimsScanned,
		},
		"fallback": pjson.Object{
			"exhaustive_review_required": r.ReviewRequired,
			"reason":                     reason,
			"page_paths":                 r.PagePaths,
			"external_lookup_available":  r.ExternalAvailable,
			"external_live_lookup_used":  r.Lookup.used(),
			"external_reason":            externalReason,
			"external_document_paths":    documents,
		},
		"concepts":              pjson.Object{"matched": matched, "expanded": expanded},
		"external":              r.Lookup.object(),
		"pages":                 pages,
		"evidence":              evidence,
		"warnings":              r.Warnings,
		"errors":                r.Errors,
		"retrieval_fingerprint": orNull(r.Fingerprint),
	})
}

func (h PageHit) object() pjson.Object {
	p := h.Page
	return pjson.Object{
		"path": p.Path, "title": p.Title, "domain": p.Domain, "status": p.Status, "confidence": p.Confidence, "stand": p.Stand,
		"reviewed_by": orNull(p.ReviewedBy), "reviewed_at": orNull(p.ReviewedAt), "trust_tier": p.TrustTier,
		"score": h.Score, "reasons": h.Reasons, "concepts": slices.Sorted(slices.Values(p.Concepts)),
	}
}

func (e Evidence) object() pjson.Object {
	s := e.Source
	source := pjson.Object{"id": s.ID, "kind": s.Kind, "locator": e.Claim.Fundstelle,
		"title": orNull(s.Title), "stand": orNull(s.Stand), "trust": orNull(s.Trust), "rights": orNull(s.Rights)}
	var media, anchor any
	if m := e.Media; m != nil {
		media = pjson.Object{"representation": m.Representation, "media_type": m.MediaType, "region_id": m.RegionID,
			"region_kind": m.RegionKind, "confidence": pjson.Number(m.Confidence)}
	}
	if a := e.Anchor; a != nil {
		anchor = pjson.Object{"anchor_id": a.ID, "document": a.Document, "sentence_index": a.SentenceIndex, "block": a.Block,
			"text_sha256": a.TextSHA256}
	}
	return pjson.Object{
		"claim_id": e.Claim.ID, "role": "retrieval_candidate", "page": e.Page.Path,
		"page_status": e.Page.Status, "page_confidence": e.Page.Confidence,
		"page_reviewed_by": orNull(e.Page.ReviewedBy), "page_reviewed_at": orNull(e.Page.ReviewedAt), "page_trust_tier": e.Page.TrustTier,
		"score": e.Score, "reasons": e.Reasons, "kind": e.Claim.Art, "text": e.Claim.Text, "source": source,
		"signals": e.Signals, "media": media, "anchor": anchor,
	}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
