package tresor

import (
	"slices"

	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/wording"
)

// external examines the listed external sources on this machine. The network is
// never read, and drift of what lies outside is a warning, never an error.
func (x *examination) external() []ExternalState {
	if len(x.Externals) == 0 {
		return nil
	}
	file := bindung.Load(x.tree, x.Findings)
	x.bindings(file)
	var states []ExternalState
	for _, id := range register.IDs(x.Externals) {
		source := x.Externals[id]
		status := file.Status(source, x.tree.Root())
		states = append(states, ExternalState{ID: id, Art: source.Art, Mode: string(status.Mode)})
		x.scope(source)
		switch status.Mode {
		case bindung.Unbound:
			x.Hint(listed(source, id), "DR-19", *status.Reason)
		case bindung.Local:
			x.anchors(id, status.Root)
		}
	}
	return states
}

// listed is a finding about a row of the register of external sources.
func listed(source register.External, label string) check.Where {
	return check.Where{Label: label, Path: profil.ExternFile, Line: source.Line}
}

// bindings compares the binding file with the register (deviation D-59).
func (x *examination) bindings(file bindung.File) {
	for _, id := range register.IDs(x.Externals) {
		source := x.Externals[id]
		if b, ok := file.Binding(id); ok && b.Key != source.Key {
			x.Hint(check.Where{Label: id, Path: profil.BindingFile}, "DR-20", b.Key, source.Key)
		}
	}
	for _, b := range file.Bindings {
		if _, ok := x.Externals[b.SourceID]; !ok {
			x.Hint(check.Where{Label: b.SourceID, Path: profil.BindingFile}, "DR-21", b.SourceID)
		}
	}
}

// scope looks for foreign Tresore with fewer readers than this one, as far as
// its name says how many it has (deviation D-61).
func (x *examination) scope(source register.External) {
	scopes := profil.Scopes()
	own := slices.Index(scopes, profil.ScopeOf(x.tree.Name()))
	if own >= 0 && slices.Index(scopes, source.Scope) > own {
		x.Hint(listed(source, source.ID), "DR-22", source.Scope)
	}
}

// anchors looks for the sentences that claims may cite in the bound folder as it
// is now.
func (x *examination) anchors(source string, root bindung.Root) {
	anchors := x.Anchors[source]
	if len(anchors) == 0 {
		return
	}
	where := func(what string) check.Where {
		return check.Where{Label: source + "/" + what, Path: profil.Derived + "/" + source + "__anchors.json"}
	}
	documents := documents{root: root, read: map[string]document{}}
	documents.dir, documents.why = root.Open()
	if documents.dir != nil {
		defer documents.dir.Close()
	}
	for i, id := range register.IDs(anchors) {
		x.tree.Progress(string(StageAnchors), i, len(anchors))
		a := anchors[id]
		d := documents.get(a.Document)
		at := d.positions[a.TextSHA256]
		switch {
		case d.why != nil:
			x.Warn(where(wording.Printable(a.Document)), "DR-23", *d.why)
		case at == nil:
			x.Warn(where(id), "DR-24")
		case !slices.Contains(at, a.SentenceIndex):
			x.Warn(where(id), "DR-25", at[0], a.SentenceIndex)
		}
	}
}

// documents reads each document of a bound folder once.
type documents struct {
	root bindung.Root
	dir  *bindung.Dir
	why  *wording.Sentence // why the folder cannot be read
	read map[string]document
}

type document struct {
	why       *wording.Sentence // why it cannot be read
	positions map[string][]int  // of its sentences by digest
}

func (d *documents) get(path string) document {
	if d.why != nil {
		return document{why: d.why}
	}
	if known, ok := d.read[path]; ok {
		return known
	}
	found := document{positions: map[string][]int{}}
	content, why := d.dir.Read(path)
	if found.why = why; why == nil {
		for _, s := range extern.Sentences(content.Text) {
			digest := extern.Digest(s.Text)
			found.positions[digest] = append(found.positions[digest], s.Index)
		}
	}
	d.read[path] = found
	return found
}
