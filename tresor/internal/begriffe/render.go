package begriffe

import (
	"maps"
	"slices"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
)

// Document returns the registry as the JSON document that [Parse] reads, worlds
// and concepts by ID.
func (r Registry) Document() pjson.Object {
	worlds, concepts := []any{}, []any{}
	for _, id := range slices.Sorted(maps.Keys(r.Worlds)) {
		w := r.Worlds[id]
		worlds = append(worlds, pjson.Object{"id": w.ID, "name": w.Name, "description": w.Description})
	}
	for _, id := range r.IDs() {
		c := r.Concepts[id]
		concepts = append(concepts, pjson.Object{"id": c.ID, "world": c.World, "preferred": c.Preferred, "aliases": c.Aliases,
			"broader": c.Broader, "related": c.Related, "definition_claim": c.DefinitionClaim})
	}
	return pjson.Object{"schema": profil.SchemaConcepts, "worlds": worlds, "concepts": concepts}
}

// Render returns the registry as the file schema/begriffswelten.json. What
// [Parse] finds wrong gives a [*check.Refusal].
func (r Registry) Render() ([]byte, error) {
	b := pjson.Encode(r.Document())
	if _, err := parseFile(b); err != nil {
		return nil, err
	}
	return b, nil
}

// AddWorld returns the registry in b with a world more, as P-JSON. A registry
// with errors, an ID that is taken and what validation would refuse give a
// [*check.Refusal].
func AddWorld(b []byte, w World) ([]byte, error) {
	r, err := parseFile(b)
	if err != nil {
		return nil, err
	}
	if _, taken := r.Worlds[w.ID]; taken {
		return nil, check.Refuse(check.File(profil.ConceptsFile).Field(".worlds"), "CO-6", w.ID)
	}
	r.Worlds[w.ID] = w
	return r.Render()
}

// AddConcept returns the registry in b with a concept more; otherwise like
// [AddWorld]. Whether its definition claim exists and stands on a page that
// lists the concept is for validation.
func AddConcept(b []byte, c Concept) ([]byte, error) {
	r, err := parseFile(b)
	if err != nil {
		return nil, err
	}
	if r.Concepts[c.ID] != nil {
		return nil, check.Refuse(check.File(profil.ConceptsFile).Field(".concepts"), "CO-10", c.ID)
	}
	r.Concepts[c.ID] = &c
	return r.Render()
}

// parseFile reads a registry that has no errors.
func parseFile(b []byte) (Registry, error) {
	var f check.Findings
	var r Registry
	if v, ok := f.ParseJSON(check.File(profil.ConceptsFile), b); ok {
		r = Parse(v, &f)
	}
	return r, f.Refused()
}
