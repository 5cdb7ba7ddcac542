package tresor

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
)

// LookupState is how a look into the listed external sources ended.
type LookupState string

// The states of the format, and LookupNotBound, which is ours (deviation D-50).
const (
	PointersFound      LookupState = "external_candidates_found"
	NoPointers         LookupState = "no_external_candidates"
	NotDeclared        LookupState = "not_declared"            // the Tresor lists no external source
	LookupInvalid      LookupState = "invalid_query"           // a source was named that is not listed
	LookupBadSource    LookupState = "invalid_external_source" // a foreign Tresor is not what its manifest says
	LookupNotBound     LookupState = "not_bound"               // nothing could be read, so nothing was searched
	lookupNotRequested LookupState = "not_requested"
)

// A Lookup is what a question found in the external sources that the Tresor
// lists: pointers for a person, no evidence, and never a replacement for "Nicht
// im Bestand". Its texts are untrusted.
type Lookup struct {
	State       LookupState
	Live        bool // the sources were searched as they are now
	FetchedAt   string
	Sources     []LookupSource // those that were asked, by ID
	Pointers    []Pointer      // best first
	Reason      string         // why there are none; "" if there are
	Notes       []string       // what was left out and why
	Fingerprint string         // "" where the lookup was refused
	Documents   []string       // that were read, as "X-0001:regeln/laser.md", sorted
}

// A LookupSource is a listed source as it could be asked on this machine.
type LookupSource struct {
	Source Source
	Scope  string // readers of a foreign Tresor, else ""
	Mode   string // "lokal", "netz" or "unbound"
	Bound  bool
}

// A Pointer is a sentence of an external document that fits the question best in
// it. It is no evidence.
type Pointer struct {
	Source     Source
	Document   string
	Index      int    // of the sentence, from 1
	Block      string // that it stands in, as "absatz"
	Text       string // the sentence; for a suspicious one see Suspicious
	TextSHA256 string
	Score      int
	Catalogue  int // score of the catalogue's entry
	Coverage   int // percent of the question's words that the document has
	// Suspicious says that the sentence looks like an instruction to a language
	// model. The envelope leaves its text out, and whoever hands it to a model
	// must do so too.
	Suspicious bool
}

func (l *Lookup) object() pjson.Object {
	if l == nil {
		l = &Lookup{State: lookupNotRequested}
	}
	sources, hits := []any{}, []any{}
	for _, s := range l.Sources {
		sources = append(sources, pjson.Object{"id": s.Source.ID, "title": s.Source.Title, "kind": s.Source.Art, "scope": orNull(s.Scope),
			"trust": s.Source.Trust, "rights": s.Source.Rights, "target": s.Source.Ziel, "bound": s.Bound, "mode": s.Mode})
	}
	for _, p := range l.Pointers {
		hits = append(hits, p.object())
	}
	return pjson.Object{"state": string(l.State), "algorithm": profil.ExternalRetrieval, "live": l.Live, "fetched_at": orNull(l.FetchedAt),
		"sources": sources, "hits": hits, "reason": orNull(l.Reason), "notes": l.Notes, "external_fingerprint": orNull(l.Fingerprint)}
}

func (p Pointer) object() pjson.Object {
	text, signals := any(p.Text), []string{}
	if p.Suspicious {
		text, signals = nil, []string{"suspicious_instruction"}
	}
	return pjson.Object{"source_id": p.Source.ID, "role": "external_pointer", "is_evidence": false, "document": p.Document,
		"sentence_index": p.Index, "block": p.Block, "text": text, "text_sha256": p.TextSHA256, "score": p.Score, "score_catalog": p.Catalogue,
		"score_inventory": p.Score, "coverage_percent": p.Coverage, "trust": p.Source.Trust, "signals": signals}
}

// used reports whether external_live_lookup_used is true: something was read
// (deviation D-51), or the lookup was refused, which is told by its state.
func (l *Lookup) used() bool {
	return l != nil && (l.Documents != nil || l.State == LookupInvalid || l.State == LookupBadSource)
}

// lookupFingerprint is the SHA-256 over the C-JSON of what the result depends on.
// Roots are pairs of source and digest, sorted.
func lookupFingerprint(question string, pointers []Pointer, roots [][2]string) string {
	b := pjson.AppendString([]byte(`{"algorithm":`), profil.ExternalRetrieval)
	b = append(b, `,"hits":[`...)
	for i, p := range pointers {
		if i > 0 {
			b = append(b, ',')
		}
		b = pjson.AppendString(append(b, '['), p.Source.ID)
		b = pjson.AppendString(append(b, ','), p.Document)
		b = strconv.AppendInt(append(b, ','), int64(p.Index), 10)
		b = strconv.AppendInt(append(b, ','), int64(p.Score), 10)
		b = append(b, ']')
	}
	b = pjson.AppendString(append(b, `],"query":`...), question)
	b = append(b, `,"roots":[`...)
	for i, r := range roots {
		if i > 0 {
			b = append(b, ',')
		}
		b = pjson.AppendString(append(b, '['), r[0])
		b = pjson.AppendString(append(b, ','), r[1])
		b = append(b, ']')
	}
	sum := sha256.Sum256(append(b, "]}"...))
	return hex.EncodeToString(sum[:])
}
