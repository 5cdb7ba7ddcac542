package curate

import (
	"errors"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/wording"
)

// A Refusal is why nothing was changed: what was asked for cannot stand in this
// Tresor.
type Refusal struct {
	// Field is the answer to blame, by the name of its option ("fundstelle");
	// "" if it is none or the call as a whole.
	Field    string
	Text     string           // with the remedy, in the language of the options
	Findings []tresor.Finding // what validation says; may be nil
}

func (r *Refusal) Error() string {
	if r.Field == "" {
		return "curate: " + r.Text
	}
	return "curate: " + r.Field + ": " + r.Text
}

func refuse(o tresor.Options, field, key string, args ...any) error {
	return &Refusal{Field: field, Text: wording.Say(o.Lang, key, args...)}
}

// blamed turns what a parser's writer or validation refuses into a [*Refusal];
// any other error stays.
func blamed(err error, o tresor.Options) error {
	var refusal *check.Refusal
	var invalid *tresor.InvalidError
	switch {
	case errors.As(err, &refusal):
		return &Refusal{Field: fieldOf(refusal.Key, refusal.Label, refusal.Args), Text: refusal.Text(o.Lang)}
	case errors.As(err, &invalid) && invalid.State == tresor.InvalidVault && len(invalid.Findings) > 0 && invalid.Findings[0].Rule != "LD-10":
		first := invalid.Findings[0]
		return &Refusal{Field: fieldOf(first.Rule, first.Label, nil), Text: first.String(), Findings: invalid.Findings}
	}
	return err
}

// blame puts the option in the place of an unclear one where validation complains
// of a rule of the kind, as "LK-" for links.
func blame(done Done, err error, kind, option string) (Done, error) {
	var r *Refusal
	if errors.As(err, &r) && r.Field == "" && len(r.Findings) > 0 && strings.HasPrefix(r.Findings[0].Rule, kind) {
		r.Field = option
	}
	return done, err
}

// fieldOf returns the option whose value a rule complains of.
func fieldOf(rule, label string, args []any) string {
	fields := map[string]string{
		"CL-4a": "fundstelle", "CL-4b": "text", "CL-6": "source", "CL-8": "source", "CL-10": "fundstelle", "CL-11": "fundstelle",
		"CL-12": "fundstelle", "CL-13": "fundstelle", "CL-14": "fundstelle", "CL-15": "fundstelle", "CL-16": "fundstelle",
		"CL-17": "fundstelle", "CL-18": "art",
		"PG-6": "type", "PG-10": "status", "PG-11": "confidence", "PG-12": "stand", "PG-20": "source", "PG-21": "source",
		"PG-23": "source", "PG-24": "source", "PG-25": "tag", "PG-26": "tag", "PG-28": "concept", "PG-29": "concept",
		"RL-1": "type", "RL-2": "type", "RL-3": "target", "RL-4": "target", "RL-5": "target", "RL-6": "target", "RO-6": "keyword",
		"CO-11": "world", "CO-13": "definition", "CO-17": "alias", "CD-1": "definition",
		"MD-15": "language", "MD-16": "alt", "MD-17": "extractor", "MD-21c": "kind", "MD-21d": "confidence", "MD-22b": "suspicious",
		"MD-23": "bbox", "AN-8": "language", "AN-9": "extractor", "RM-1": "trust", "RM-2": "rights", "TY-6": "relation-type",
		"XR-5": "kind", "XR-6": "trust", "XR-7": "key", "XR-8": "key", "XR-9": "target", "XR-10": "stand",
	}
	if field, ok := fields[rule]; ok {
		return field
	}
	argument := func(i int) string {
		if i >= len(args) {
			return ""
		}
		name, _ := args[i].(string)
		return columns()[name]
	}
	switch rule {
	case "ED-1", "ED-7", "RG-5", "XR-4":
		return argument(0)
	case "CO-19", "CO-20", "CO-21":
		return argument(1)
	case "PT-1", "PT-2", "PT-3", "PT-4":
		for end, field := range columns() {
			if strings.HasSuffix(label, " "+end) || strings.HasSuffix(label, "."+end) {
				return field
			}
		}
	}
	return ""
}

// columns are the options for the names that fields have in the files.
func columns() map[string]string {
	return map[string]string{
		"Titel": "title", "Stand/Version": "stand", "Trust": "trust", "Rechte": "rights", "Ablage": "name",
		"Art": "kind", "Ziel": "target", "Bindungsschlüssel": "key",
		"title": "title", "type": "type", "tags": "tag", "status": "status", "confidence": "confidence", "stand": "stand",
		"relations": "target", "sources": "source", "externe_quellen": "source", "concepts": "concept",
		"Fundstelle": "fundstelle", "Aussagetext": "text",
		"broader": "broader", "related": "related", "description": "description",
		"locator": "locator", "text": "text", "alt_text": "alt", "extractor.name": "extractor", "extractor.version": "extractor",
		"beschreibung": "beschreibung", "kriterien": "kriterien", "besonderheiten": "besonderheiten",
		"pflicht_extra": "pflicht-extra", "graph_rolle": "graph-rolle",
	}
}
