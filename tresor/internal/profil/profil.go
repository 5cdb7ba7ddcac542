// Package profil is the profile oksv-lite/1.3: its names, limits and grammars,
// the front matter of a page and the registry of page types.
package profil

import (
	"strings"

	"outheis/tresor/internal/text"
)

// The names of the profile and of what it consists of.
const (
	Name = "oksv-lite/1.3"

	SchemaConcepts  = "skillsafe.begriffswelten/v1"
	SchemaMedia     = "skillsafe.media/v1"
	SchemaAnchors   = "skillsafe.anchors/v1"
	SchemaCatalogue = "skillsafe.orchestrator/v1"
	SchemaQuery     = "skillsafe.query/v1"

	Retrieval         = "hybrid-local/v1"
	ExternalRetrieval = "extern-zweistufig/v1"
	Segmentation      = "satzsegmentierung/v1"
)

// The files and folders of a Tresor.
const (
	Knowledge    = "knowledge"
	Quarantine   = "sources/quarantine"
	Raw          = "sources/raw"
	Derived      = "sources/derived"
	RegisterFile = "sources/REGISTER.md"
	ExternFile   = "sources/EXTERN.md"
	TypesFile    = "schema/types.yaml"
	ConceptsFile = "schema/begriffswelten.json"
	RouterFile   = "ROUTER.md"
	IndexFile    = "INDEX.md"
	GraphFile    = "graph/graph.json"
	VersionFile  = "VERSION"
	ManifestFile = "MANIFEST.sha256"
	LogFile      = "log.md"
	LockFile     = ".vault-release.lock"
	BindingFile  = ".vault-extern.json"
	EngineFile   = "scripts/vault.py" // of the reference; data to us
)

// Fill stands in a template where a person has still to write something.
const Fill = "AUSFÜLLEN"

// IsID reports whether s is an ID with the prefix, as "C" for C-0001.
func IsID(prefix, s string) bool {
	digits, ok := strings.CutPrefix(s, prefix+"-")
	return ok && len(digits) == 4 && text.AllDigits(digits)
}

// Mentions returns the IDs with a one-letter prefix that s names, in order, not
// touching an ASCII letter or digit. With fold a lower-case prefix counts too
// and is returned in upper case.
func Mentions(prefix byte, s string, fold bool) []string {
	var ids []string
	const length = len("C-0001")
	for i := 0; i+length <= len(s); i++ {
		c := s[i]
		if c != prefix && (!fold || c != prefix+'a'-'A') {
			continue
		}
		end := i + length
		if s[i+1] != '-' || !text.AllDigits(s[i+2:end]) ||
			i > 0 && text.IsASCIIAlnum(s[i-1]) || end < len(s) && text.IsASCIIAlnum(s[end]) {
			continue
		}
		ids = append(ids, string(prefix)+s[i+1:end])
		i = end - 1
	}
	return ids
}

// IsSHA256 reports whether s is a SHA-256 in lower-case hex.
func IsSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// IsBindingKey reports whether s names a binding of an external source.
func IsBindingKey(s string) bool {
	return len(s) <= 64 && first(s, lowDigit) && every(s, func(b byte) bool { return lowDigit(b) || b == '-' })
}

// IsActor reports whether s names a reviewer: mensch:…, prozess:… or
// agent:…/….
func IsActor(s string) bool {
	kind, name, _ := strings.Cut(s, ":")
	switch kind {
	case "mensch", "prozess":
		return len(name) <= 64 && first(name, lowDigit) && every(name, func(b byte) bool { return lowDigit(b) || nameMark(b) })
	case "agent":
		agent, version, ok := strings.Cut(name, "/")
		return ok && mixed(agent) && mixed(version)
	}
	return false
}

func mixed(s string) bool {
	return len(s) <= 64 && first(s, text.IsASCIIAlnum) &&
		every(s, func(b byte) bool { return text.IsASCIIAlnum(b) || nameMark(b) })
}

// IsLanguage reports whether s is "und" or a short BCP 47 tag.
func IsLanguage(s string) bool {
	parts := strings.Split(s, "-")
	if n := len(parts[0]); n < 2 || n > 3 || !every(parts[0], low) {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) < 2 || len(p) > 8 || !every(p, text.IsASCIIAlnum) {
			return false
		}
	}
	return true
}

// IsTypeName reports whether s may name a page type.
func IsTypeName(s string) bool {
	return first(s, low) && every(s, func(b byte) bool { return lowDigit(b) || b == '_' || b == '-' })
}

// IsRelationType reports whether s may name a type of relation.
func IsRelationType(s string) bool {
	return first(s, low) && every(s, func(b byte) bool { return lowDigit(b) || b == '_' })
}

// ParseRelation splits an entry "typ -> ziel"; the target is trimmed.
func ParseRelation(s string) (typ, target string, ok bool) {
	typ, target, ok = strings.Cut(s, " -> ")
	ok = ok && typ != "" && target != "" && every(typ, func(b byte) bool { return low(b) || b == '_' }) && !strings.Contains(target, "\n")
	return typ, text.Trim(target), ok
}

// Suffix returns what follows the last dot of a file name, the dot included and
// as written; "" if that dot is the first or the last character.
func Suffix(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || i == len(name)-1 {
		return ""
	}
	return name[i:]
}

// TrustTier derives how far a page was reviewed from its field geprueft_von.
func TrustTier(reviewer string) string {
	switch {
	case reviewer == "":
		return "unverified"
	case strings.HasPrefix(reviewer, "mensch:"):
		return "human-reviewed"
	}
	return "machine-confirmed"
}

func low(b byte) bool      { return b >= 'a' && b <= 'z' }
func lowDigit(b byte) bool { return low(b) || text.IsDigit(b) }
func nameMark(b byte) bool { return b == '.' || b == '_' || b == '-' }

func first(s string, ok func(byte) bool) bool { return s != "" && ok(s[0]) }

func every(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}
