package bindung

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/wording"
)

// A seen is a name below a root, as the walk saw it.
type seen struct {
	path string
	info fs.FileInfo
}

// Documents reads all Markdown documents of the tree in path order: every name
// that ends in .md, in whatever case, and has no component that begins with a
// dot. There is no part of a tree: one name that is no regular file with a
// single link, one document that cannot be read or one budget that is exceeded
// refuses all.
func (d *Dir) Documents() ([]Document, *wording.Sentence) {
	entries, why := d.walk(".")
	if why != nil {
		return nil, why
	}
	var documents []Document
	total := 0
	for _, e := range entries {
		switch {
		case hidden(e.path) || !isMarkdown(e.path):
			continue
		case !e.info.Mode().IsRegular() || links(e.info) != 1:
			return nil, At(e.path, *reason("BD-3"))
		case len(documents) == MaxDocuments:
			return nil, reason("BD-8", MaxDocuments)
		}
		doc, why := d.Read(e.path)
		if why != nil {
			return nil, At(e.path, *why)
		}
		if total += len(doc.Text); total > MaxTotal {
			return nil, reason("BD-9", MaxTotal)
		}
		documents = append(documents, doc)
	}
	return documents, nil
}

// walk lists what lies below the folder dir, by path. Links are listed and never
// entered. What cannot be listed completely is refused.
func (d *Dir) walk(dir string) ([]seen, *wording.Sentence) {
	var found []seen
	type folder struct {
		path  string
		depth int
	}
	for stack := []folder{{dir, 0}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.depth > MaxDepth {
			return nil, At(at.path, *reason("BD-10", MaxDepth))
		}
		infos, why := d.list(at.path, MaxEntries-len(found))
		if why != nil {
			return nil, why
		}
		slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(b.Name(), a.Name()) })
		for _, info := range infos {
			e := seen{path.Join(at.path, info.Name()), info}
			found = append(found, e)
			if info.IsDir() {
				stack = append(stack, folder{e.path, at.depth + 1})
			}
		}
	}
	slices.SortFunc(found, func(a, b seen) int { return strings.Compare(a.path, b.path) })
	return found, nil
}

// list returns what a folder has, if it is no more than limit names.
func (d *Dir) list(dir string, limit int) ([]fs.FileInfo, *wording.Sentence) {
	folder, why := d.folder(dir)
	if why != nil {
		return nil, At(dir, *why)
	}
	if folder != d.root {
		defer folder.Close()
	}
	f, err := folder.Open(".")
	if err != nil {
		return nil, At(dir, *reason("BD-11", err))
	}
	defer f.Close()
	var infos []fs.FileInfo
	for {
		names, err := f.Readdirnames(1000)
		if len(infos)+len(names) > limit {
			return nil, At(".", *reason("BD-12", MaxEntries))
		}
		for _, name := range names {
			info, err := folder.Lstat(name)
			if err != nil {
				return nil, At(path.Join(dir, name), *reason("BD-13", err))
			}
			infos = append(infos, info)
		}
		if errors.Is(err, io.EOF) {
			return infos, nil
		}
		if err != nil {
			return nil, At(dir, *reason("BD-11", err))
		}
	}
}

func hidden(p string) bool {
	return strings.HasPrefix(p, ".") || strings.Contains(p, "/.")
}

// isMarkdown reports whether the name ends in .md, in whatever case.
func isMarkdown(p string) bool { return strings.EqualFold(profil.Suffix(path.Base(p)), ".md") }
