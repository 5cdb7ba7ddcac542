package check

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// MaxJSON is the largest JSON file in bytes.
const MaxJSON = 2 << 20

// JSON reads a strict JSON file of the tree; it is false after an error.
func (f *Findings) JSON(t *tree.Tree, path string) (any, bool) {
	w := File(path)
	if !t.SafeFile(path) {
		f.Error(w, "JS-1")
		return nil, false
	}
	b, err := t.Read(path, MaxJSON)
	if err != nil {
		f.Unreadable(w, err)
		return nil, false
	}
	return f.ParseJSON(w, b)
}

// ParseJSON reads the bytes of a strict JSON file; it is false after an error.
func (f *Findings) ParseJSON(w Where, b []byte) (any, bool) {
	if len(b) > MaxJSON {
		f.Error(w, "RD-1", MaxJSON)
		return nil, false
	}
	v, err := pjson.Parse(b)
	var se *pjson.SyntaxError
	if errors.As(err, &se) {
		f.Error(w.On(se.Line), "JS-2", se.Line, Reason("json."+string(se.Kind), se.Detail))
		return nil, false
	}
	return v, true
}

// Text reads a text file of the tree that was seen as safe; it is false after
// an error.
func (f *Findings) Text(t *tree.Tree, path string) (string, bool) {
	s, err := t.Text(path)
	if err != nil {
		f.Unreadable(File(path), err)
		return "", false
	}
	f.Odd(File(path), s)
	return s, true
}

// Odd gives hints about what a text file holds that nobody sees and that keeps a
// line from being read.
func (f *Findings) Odd(w Where, s string) {
	if strings.HasPrefix(s, text.BOM) {
		f.Hint(w.On(1), "RD-6")
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		f.Hint(w.On(1+strings.Count(s[:i], "\n")), "RD-7", 1+strings.Count(s[:i], "\n"))
	}
}

// Unreadable reports that a file could not be read whole.
func (f *Findings) Unreadable(w Where, err error) {
	var size *tree.SizeError
	var encoding *tree.EncodingError
	switch {
	case errors.As(err, &size):
		f.Error(w, "RD-1", int(size.Limit))
	case errors.As(err, &encoding):
		f.Error(w, "RD-2", encoding.Offset)
	case errors.Is(err, tree.ErrUnsafe):
		f.Error(w, "RD-3")
	case errors.Is(err, tree.ErrChanged):
		f.Error(w, "RD-4")
	default:
		f.Error(w, "RD-5", err)
	}
}

// Object checks that v is an object with all required keys and none beyond the
// optional ones.
func (f *Findings) Object(w Where, v any, required []string, optional ...string) (pjson.Object, bool) {
	o, ok := v.(pjson.Object)
	if !ok {
		f.Error(w, "OB-1")
		return nil, false
	}
	var missing, unknown []string
	for _, key := range required {
		if _, ok := o[key]; !ok {
			missing = append(missing, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(required, key) && !slices.Contains(optional, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(missing)
	if missing != nil {
		f.Error(w, "OB-2", missing)
	}
	if unknown != nil {
		f.Error(w, "OB-3", unknown)
	}
	return o, missing == nil && unknown == nil
}

// IsPlain reports whether [Findings.Plain] accepts s; for what is checked so often
// that making its label would take the time.
func IsPlain(s string, limit int) bool {
	return s != "" && text.Trim(s) == s && text.Len(s) <= limit && !text.HasControl(s)
}

// Plain checks that v is a text of one line, trimmed and of 1 to limit
// characters.
func (f *Findings) Plain(w Where, v any, limit int) (string, bool) {
	return f.plain(w, v, limit, false)
}

// PlainOrEmpty is [Findings.Plain] that also accepts "".
func (f *Findings) PlainOrEmpty(w Where, v any, limit int) (string, bool) {
	return f.plain(w, v, limit, true)
}

func (f *Findings) plain(w Where, v any, limit int, empty bool) (string, bool) {
	s, ok := v.(string)
	switch {
	case !ok:
		f.Error(w, "PT-1")
	case s == "" && empty:
		return "", true
	case s == "" || text.Trim(s) != s:
		f.Error(w, "PT-2")
	case text.Len(s) > limit:
		f.Error(w, "PT-3", limit)
	case text.HasControl(s):
		f.Error(w, "PT-4")
	default:
		return s, true
	}
	return s, false
}

// PathReason words why a path is refused.
func PathReason(r tree.Reason) any { return Reason(string(r)) }

// Extractor checks who took the content out of a medium or document; rule is
// that of a wrong kind.
func (f *Findings) Extractor(w Where, v any, rule string, maxName, maxVersion int) {
	o, ok := f.Object(w, v, []string{"kind", "name", "version"})
	if !ok {
		return
	}
	if kind, _ := o["kind"].(string); !slices.Contains([]string{"human", "hybrid", "model", "ocr"}, kind) {
		f.Error(w.Field(".kind"), rule)
	}
	f.Plain(w.Field(".name"), o["name"], maxName)
	f.Plain(w.Field(".version"), o["version"], maxVersion)
}
