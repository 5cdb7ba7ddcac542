// Package bindung is where external sources lie on this machine: the binding
// file .vault-extern.json, which names a folder for a registered local source,
// and the safe reading of what lies in that folder (1-format section 12,
// 5-extern sections 3 and 4).
//
// What may be reached at all is decided by the register of external sources;
// this package only says where, and reads no byte outside of a bound root. It
// knows nothing of the network.
package bindung

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// Schema is the binding file's schema.
const Schema = "skillsafe.bindung/v1"

// DefaultTTL is how many seconds a document from the network may be kept, where
// the file does not say.
const DefaultTTL = 21600

// A Binding is the place of one source on this machine.
type Binding struct {
	Key      string // of the source's row when it was bound
	SourceID string // X-nnnn
	Root     any    // as the file has it; a text in a file of ours. See [Resolve]
	BoundAt  string // JJJJ-MM-TT
}

// A File is the content of the binding file. [Empty] is that of no file.
type File struct {
	Bindings []Binding // in file order, one a source
	TTL      int       // seconds that a document from the network may be kept; 0 for never
}

// Empty binds nothing.
func Empty() File { return File{TTL: DefaultTTL} }

// Load reads the binding file of the Tresor. Without one nothing is bound, which
// is the normal state; one that is no safe regular file is an error (deviation
// D-59).
func Load(t *tree.Tree, f *check.Findings) File {
	where := check.File(profil.BindingFile)
	if !t.Exists(profil.BindingFile) {
		return Empty()
	}
	if !t.SafeFile(profil.BindingFile) {
		f.Error(where, "BI-1")
		return Empty()
	}
	v, ok := f.JSON(t, profil.BindingFile)
	if !ok {
		return Empty()
	}
	return read(where, v, f)
}

// LoadAlone is [Load] for the Tresor whose resolved path is vault, and looks at no
// other file of it. The error is about the folder.
func LoadAlone(vault string, f *check.Findings) (File, error) {
	root, err := tree.OpenFolder(vault)
	if err != nil {
		return Empty(), err
	}
	defer root.Close()
	where := check.File(profil.BindingFile)
	seen, err := root.Lstat(profil.BindingFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Empty(), nil
	case err != nil:
		return Empty(), err
	case !seen.Mode().IsRegular() || links(seen) != 1:
		f.Error(where, "BI-1")
		return Empty(), nil
	}
	file, size, why := (&Dir{root, device(seen)}).openIn(root, profil.BindingFile)
	if why != nil {
		f.Error(where, why.Key, why.Args...)
		return Empty(), nil
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, check.MaxJSON+1))
	switch {
	case err != nil:
		f.Error(where, "RD-5", err)
	case max(size, int64(len(b))) > check.MaxJSON:
		f.Error(where, "RD-1", check.MaxJSON)
	default:
		return Parse(b, f), nil
	}
	return Empty(), nil
}

// Parse reads the bytes of a binding file like [Load].
func Parse(b []byte, f *check.Findings) File {
	where := check.File(profil.BindingFile)
	v, ok := f.ParseJSON(where, b)
	if !ok {
		return Empty()
	}
	return read(where, v, f)
}

func read(where check.Where, v any, f *check.Findings) File {
	file := Empty()
	o, ok := f.Object(where, v, []string{"schema", "bindings"}, "cache_ttl_seconds")
	if !ok {
		return file
	}
	if o["schema"] != Schema {
		f.Error(where.Field(".schema"), "EX-1", Schema)
	}
	if v, given := o["cache_ttl_seconds"]; given {
		n, _ := v.(pjson.Number)
		if ttl, ok := n.Int(); ok && ttl >= 0 {
			file.TTL = int(ttl)
		} else {
			f.Error(where.Field(".cache_ttl_seconds"), "BI-2")
		}
	}
	list, ok := o["bindings"].([]any)
	if !ok {
		f.Error(where.Field(".bindings"), "BI-3")
		return file
	}
	for i, v := range list {
		where := where.Field(".bindings").Item(i + 1)
		b, ok := entry(where, v, f)
		if !ok {
			continue
		}
		if _, twice := file.Binding(b.SourceID); twice {
			f.Error(where.Field(".source_id"), "BI-6", b.SourceID)
			continue
		}
		file.Bindings = append(file.Bindings, b)
	}
	return file
}

func entry(where check.Where, v any, f *check.Findings) (b Binding, ok bool) {
	o, ok := f.Object(where, v, []string{"key", "source_id", "root", "bound_at"})
	if !ok {
		return b, false
	}
	if b.Key, _ = o["key"].(string); !profil.IsBindingKey(b.Key) {
		f.Error(where.Field(".key"), "BI-4")
		return b, false
	}
	if b.SourceID, _ = o["source_id"].(string); !profil.IsID("X", b.SourceID) {
		f.Error(where.Field(".source_id"), "EX-2")
		return b, false
	}
	if b.BoundAt, _ = o["bound_at"].(string); !text.IsDate(b.BoundAt) {
		f.Error(where.Field(".bound_at"), "BI-5")
	}
	b.Root = o["root"]
	return b, true
}

// Binding returns the binding of a source.
func (f File) Binding(id string) (Binding, bool) {
	i := slices.IndexFunc(f.Bindings, func(b Binding) bool { return b.SourceID == id })
	if i < 0 {
		return Binding{}, false
	}
	return f.Bindings[i], true
}

// Without returns f without the binding of a source, sorted by source.
func (f File) Without(id string) File {
	f.Bindings = slices.DeleteFunc(slices.Clone(f.Bindings), func(b Binding) bool { return b.SourceID == id })
	slices.SortFunc(f.Bindings, func(a, b Binding) int { return strings.Compare(a.SourceID, b.SourceID) })
	return f
}

// With returns f with b in the place of any other binding of its source, sorted
// by source.
func (f File) With(b Binding) File {
	f.Bindings = append(f.Without(b.SourceID).Bindings, b)
	return f.Without("")
}

// Render returns the bytes of the file: what [Load] reads without an error and
// gives back alike.
func (f File) Render() []byte {
	list := []any{}
	for _, b := range f.Bindings {
		list = append(list, pjson.Object{"key": b.Key, "source_id": b.SourceID, "root": b.Root, "bound_at": b.BoundAt})
	}
	return pjson.Encode(pjson.Object{"schema": Schema, "bindings": list, "cache_ttl_seconds": f.TTL})
}

// Mode is how a registered source can be read here.
type Mode string

// The modes.
const (
	Net     Mode = "netz"    // over https, which needs no binding
	Local   Mode = "lokal"   // below its bound root
	Unbound Mode = "unbound" // not at all
)

// A Status is how, and where, a registered source can be read here.
type Status struct {
	Source register.External
	Mode   Mode
	Root   Root              // of a local source
	Reason *wording.Sentence // why a source is unbound; else nil
}

// Status returns the status of a registered source of the Tresor whose resolved
// path is vault, which is "" for one that lies in no folder.
func (f File) Status(source register.External, vault string) Status {
	s := Status{Source: source, Mode: Unbound}
	if source.IsNetwork() {
		s.Mode = Net
		return s
	}
	b, ok := f.Binding(source.ID)
	if !ok {
		s.Reason = reason("BI-7", source.ID)
		return s
	}
	root, why := Resolve(b.Root, vault)
	if why != nil {
		s.Reason = reason("BI-0", source.ID, *why)
		return s
	}
	s.Mode, s.Root = Local, root
	return s
}

func reason(key string, args ...any) *wording.Sentence {
	return &wording.Sentence{Key: key, Args: args}
}

// At is a reason with the path in front that it concerns.
func At(path string, why wording.Sentence) *wording.Sentence { return reason("BI-0", path, why) }
