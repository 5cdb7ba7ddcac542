// Package graph derives graph/graph.json, the pages and their relations, from a
// Bestand (3-artefacts section 2). Its bytes are part of the format.
package graph

import (
	"cmp"
	"slices"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
)

// An Edge is a relation.
type Edge struct{ From, To, Type string }

// Edges returns the relations of all pages by from, to and type; repeated ones
// stay.
func Edges(pages []*bestand.Page) []Edge {
	var edges []Edge
	for _, p := range pages {
		for _, r := range p.Relations {
			edges = append(edges, Edge{p.Path, r.Target, r.Type})
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type))
	})
	return edges
}

// Render returns graph.json for pages in path order.
func Render(pages []*bestand.Page) []byte {
	edges, nodes := []any{}, []any{}
	for _, e := range Edges(pages) {
		edges = append(edges, pjson.Object{"von": e.From, "nach": e.To, "typ": e.Type})
	}
	for _, p := range pages {
		var claims []string
		for _, c := range p.Claims {
			claims = append(claims, c.ID)
		}
		nodes = append(nodes, pjson.Object{
			"id":        p.Path,
			"domaene":   p.Front.TextOf("domain"),
			"typ":       p.Front.TextOf("type"),
			"titel":     p.Front.TextOf("title"),
			"status":    p.Front.TextOf("status"),
			"konfidenz": p.Front.TextOf("confidence"),
			"stand":     p.Front.TextOf("stand"),
			"begriffe":  sorted(p.Front.ListOf("concepts")),
			"claims":    sorted(claims),
		})
	}
	return pjson.Encode(pjson.Object{"profil": profil.Name, "knoten": nodes, "kanten": edges})
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
