package tresor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/okf"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// A target is a folder that an export may be written to.
type target struct {
	path     string // absolute and clean
	resolved string // with its links followed; what does not exist stays as it is
	there    bool
	empty    bool
	id       disk.ID // if it is there
}

// checkTarget refuses every folder that is not the export's own (7-export
// section 2, deviations D-77 and D-81).
func (x *exporter) checkTarget(out, home string) (target, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return target{}, x.refuse(err, "XP-10", err)
	}
	to := target{path: abs}
	info, err := os.Lstat(abs)
	if err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		return target{}, x.refuse(nil, "XP-11")
	}
	if to.resolved, err = tree.Follow(abs); err != nil {
		return target{}, x.refuse(err, "XP-10", err)
	}
	root := x.tree.Root()
	switch {
	case tree.Within(to.resolved, root):
		return target{}, x.refuse(nil, "XP-12")
	case tree.Within(root, to.path) || tree.Within(root, to.resolved):
		return target{}, x.refuse(nil, "XP-13")
	case filepath.Dir(abs) == abs || filepath.Dir(to.resolved) == to.resolved || home != "" && (isSame(abs, home) || isSame(to.resolved, home)):
		return target{}, x.refuse(nil, "XP-14")
	}
	if hits := skillFolders(to); hits != nil {
		return target{}, x.refuse(nil, "XP-15", hits)
	}
	if info, err = os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		return to, nil
	}
	if err != nil {
		return target{}, x.refuse(err, "XP-10", err)
	}
	if !info.IsDir() {
		return target{}, x.refuse(nil, "XP-16")
	}
	return x.checkContent(to)
}

// checkContent looks at a folder that is there: it must be empty or an earlier
// export.
func (x *exporter) checkContent(to target) (target, error) {
	folder, err := disk.Open(to.path, nil)
	if err != nil {
		return target{}, x.refuse(err, "XP-10", err)
	}
	defer folder.Close()
	info, err := folder.Self()
	if err != nil {
		return target{}, x.refuse(err, "XP-10", err)
	}
	names, err := folder.Names()
	if err != nil {
		return target{}, x.refuse(err, "XP-10", err)
	}
	to.there, to.empty, to.id = true, len(names) == 0, info.ID
	if !to.empty && !isExport(folder) {
		return target{}, x.refuse(nil, "XP-17")
	}
	return to, nil
}

// isExport recognises an earlier export by the head of its root index.
func isExport(folder *disk.Folder) bool {
	info, err := folder.Info(okf.IndexFile)
	if err != nil || !info.Plain() || info.Size > tree.MaxText {
		return false
	}
	f, err := folder.Open(okf.IndexFile)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, tree.MaxText))
	if err != nil {
		return false
	}
	s, bad := text.Decode(b)
	if bad >= 0 {
		return false
	}
	lines := strings.Split(s, "\n")
	if text.Trim(lines[0]) != "---" {
		return false
	}
	for _, line := range lines[1:] {
		switch {
		case text.Trim(line) == "---":
			return false
		case strings.HasPrefix(line, "okf_version:"):
			return true
		}
	}
	return false
}

// skillFolders returns the components of the target by which programs load what
// lies below as instructions to themselves, as they are spelled.
func skillFolders(to target) []string {
	var hits []string
	for part := range strings.SplitSeq(to.path+string(filepath.Separator)+to.resolved, string(filepath.Separator)) {
		if strings.EqualFold(part, ".claude") || strings.EqualFold(part, ".codex") {
			hits = append(hits, part)
		}
	}
	slices.Sort(hits)
	return slices.Compact(hits)
}

// isSame reports whether two paths lead to the same file.
func isSame(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
