package bindung

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// A Root is a folder that a source is bound to, as it was found.
type Root struct {
	Path string // absolute, links resolved
	info fs.FileInfo
}

// Resolve checks what a binding has for its root and resolves it. It is the only
// place where an absolute path is accepted, and the only one where links are
// followed: a person wrote it down on this machine. Vault is the Tresor's
// resolved path; neither may contain the other.
func Resolve(root any, vault string) (Root, *wording.Sentence) {
	s, _ := root.(string)
	switch {
	case !utf8.ValidString(s):
		return Root{}, reason("path.utf8")
	case text.IsBlank(s):
		return Root{}, reason("BR-2")
	case text.Trim(s) != s:
		return Root{}, reason("path.blanks")
	case text.HasControl(s):
		return Root{}, reason("path.control")
	case !filepath.IsAbs(s):
		return Root{}, reason("BR-3")
	case slices.Contains(strings.Split(filepath.ToSlash(s), "/"), ".."):
		return Root{}, reason("path.dotdot")
	}
	path, err := filepath.EvalSymlinks(s)
	if err != nil {
		return Root{}, reason("BR-4", err)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return Root{}, reason("BR-5", err)
	case !info.IsDir():
		return Root{}, reason("BR-6")
	}
	r := Root{path, info}
	if vault != "" {
		v, err := os.Lstat(vault)
		if err != nil {
			return Root{}, reason("BR-5", err)
		}
		if r.Overlaps(Root{vault, v}) {
			return Root{}, reason("BR-7")
		}
	}
	return r, nil
}

// Overlaps reports whether one of two roots is, or lies in, the other.
func (r Root) Overlaps(other Root) bool {
	return tree.Within(r.Path, other.Path) || tree.Within(other.Path, r.Path)
}
