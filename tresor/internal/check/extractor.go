package check

import "outheis/tresor/internal/pjson"

// An Extractor is who took the content out of a medium or document.
type Extractor struct{ Kind, Name, Version string }

// ExtractorOf returns what a JSON document says that [Findings.Extractor] has
// accepted.
func ExtractorOf(v any) Extractor {
	o, _ := v.(pjson.Object)
	var e Extractor
	e.Kind, _ = o["kind"].(string)
	e.Name, _ = o["name"].(string)
	e.Version, _ = o["version"].(string)
	return e
}

// Document returns the extractor as JSON.
func (e Extractor) Document() pjson.Object {
	return pjson.Object{"kind": e.Kind, "name": e.Name, "version": e.Version}
}
