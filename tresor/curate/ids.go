package curate

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// next returns the ID behind the highest one in use that was never used before,
// as far as the log and the last release remember. Whatever gives an ID logs it in
// the same transaction, so that the log knows all that were not written by hand;
// of those, graph.json and the manifest still have what was deleted since. Behind
// 9999 there is none; the bool is false then.
func next(prefix string, used []string, retired map[string]bool) (string, bool) {
	highest := 0
	for _, id := range used {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, prefix+"-")); err == nil && profil.IsID(prefix, id) {
			highest = max(highest, n)
		}
	}
	for n := highest + 1; n <= 9999; n++ {
		if id := fmt.Sprintf("%s-%04d", prefix, n); !retired[id] {
			return id, true
		}
	}
	return "", false
}

// newID is [next] as a step of the plan.
func (p *plan) newID(prefix string, used []string, retired map[string]bool) (string, error) {
	id, ok := next(prefix, used, retired)
	if !ok {
		return "", p.refuse("", "CU-2", prefix+"-9999")
	}
	return id, nil
}

// once returns what look finds, which looks through whole files and so is called
// once for the IDs of a kind, however many are given.
func (p *plan) once(prefix string, look func() map[string]bool) map[string]bool {
	if p.retired[prefix] == nil {
		p.retired[prefix] = look()
	}
	return p.retired[prefix]
}

func (p *plan) nextClaim() (string, error) {
	return p.newID("C", slices.Collect(maps.Keys(p.Bestand.Claims)), p.once("C", func() map[string]bool { return merge(p.logged("C"), p.inGraph("claims")) }))
}

func (p *plan) nextSource() (string, error) {
	return p.newID("S", slices.Collect(maps.Keys(p.Bestand.Sources)), p.once("S", func() map[string]bool {
		waiting := idsIn("S", strings.Join(p.Tree.Names(profil.Raw), "\n")) // orphans among them
		return merge(waiting, merge(p.logged("S"), p.released("S")))
	}))
}

func (p *plan) nextWorld() (string, error) {
	return p.newID("BW", slices.Collect(maps.Keys(p.Bestand.Concepts.Worlds)), p.logged("BW"))
}

func (p *plan) nextConcept() (string, error) {
	return p.newID("B", slices.Collect(maps.Keys(p.Bestand.Concepts.Concepts)), merge(p.logged("B"), p.inGraph("begriffe")))
}

func (p *plan) nextAnchor() (string, error) {
	var used []string
	for _, anchors := range p.Bestand.Anchors {
		used = slices.AppendSeq(used, maps.Keys(anchors))
	}
	retired := p.logged("A")
	for _, c := range p.Bestand.Claims {
		for _, id := range c.Anchors() {
			retired[id] = true
		}
	}
	return p.newID("A", used, retired)
}

// logged returns the IDs of a kind that log.md names. A log that cannot be read
// names none: whoever gives an ID writes to it, and fails there.
func (p *plan) logged(prefix string) map[string]bool {
	found := make(map[string]bool)
	_ = p.Tree.Copy(&lineWriter{each: func(line string) { merge(found, idsIn(prefix, line)) }}, profil.LogFile)
	return found
}

// loggedRegions returns the regions that log.md names together with their source,
// within which they are unique.
func (p *plan) loggedRegions(source string) map[string]bool {
	found := make(map[string]bool)
	_ = p.Tree.Copy(&lineWriter{each: func(line string) {
		if idsIn("S", line)[source] {
			merge(found, idsIn("R", line))
		}
	}}, profil.LogFile)
	return found
}

// A lineWriter calls each for every line that is written to it and ended.
type lineWriter struct {
	each func(line string)
	rest []byte
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			w.rest = append([]byte(nil), w.rest...)
			return len(b), nil
		}
		w.each(string(line))
		w.rest = rest
	}
}

// released returns the IDs of a kind that begin a file name in the manifest.
func (p *plan) released(prefix string) map[string]bool {
	b, err := p.Tree.Read(profil.ManifestFile, tree.MaxText)
	if err != nil {
		return map[string]bool{}
	}
	return idsIn(prefix, string(b))
}

// idsIn returns the IDs that s names. Before one stands no letter or digit, and
// behind it no digit.
func idsIn(prefix, s string) map[string]bool {
	found := make(map[string]bool)
	length := len(prefix) + len("-0001")
	for at := 0; ; {
		i := strings.Index(s[at:], prefix+"-")
		if i < 0 || at+i+length > len(s) {
			return found
		}
		begin, end := at+i, at+i+length
		at = begin + 1
		if id := s[begin:end]; profil.IsID(prefix, id) && (begin == 0 || !text.IsASCIIAlnum(s[begin-1])) && (end == len(s) || !text.IsDigit(s[end])) {
			found[id] = true
		}
	}
}

// inGraph returns the IDs in a list of the nodes of graph.json.
func (p *plan) inGraph(list string) map[string]bool {
	found := make(map[string]bool)
	b, err := p.Tree.Read(profil.GraphFile, tree.MaxText)
	if err != nil {
		return found
	}
	v, err := pjson.Parse(b)
	if err != nil {
		return found
	}
	graph, _ := v.(pjson.Object)
	nodes, _ := graph["knoten"].([]any)
	for _, node := range nodes {
		o, _ := node.(pjson.Object)
		ids, _ := o[list].([]any)
		for _, id := range ids {
			if s, ok := id.(string); ok {
				found[s] = true
			}
		}
	}
	return found
}

func merge(a, b map[string]bool) map[string]bool {
	maps.Copy(a, b)
	return a
}
