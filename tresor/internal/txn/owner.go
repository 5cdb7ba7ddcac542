package txn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor/internal/disk"
)

// Whose a staging folder is, its list says: the path of the Tresor, and the
// folder itself, which keeps its number wherever on the disk it moves to. The
// name alone proves little: the folders of a Tresor "v-release-2026" begin as
// those of a Tresor "v" do.
const (
	rootLine   = "root="
	folderLine = "folder="
)

// stagingPrefix is how the names of staging folders begin, which lie beside the
// Tresor at the path root.
func stagingPrefix(root string) string { return "." + filepath.Base(root) + "-release-" }

var (
	// ourForm is how staging folders of ours are named, ourSuffix their random part.
	ourForm   = regexp.MustCompile(`(?s)^\..+-release-[a-z2-7]{12}$`)
	ourSuffix = regexp.MustCompile(`^[a-z2-7]{12}$`)
	// firstSuffix is the random part of those of the format's first engine.
	firstSuffix = regexp.MustCompile(`^[a-z0-9_]{8}$`)
)

// Suffix returns the random part of a staging folder's name.
func Suffix(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }

func ownerLines(root string, id disk.ID) string {
	return fmt.Sprintf("%s%s\n%s%d:%d\n", rootLine, strconv.Quote(root), folderLine, id.Device, id.Inode)
}

func isOwnerLine(line string) bool {
	return strings.HasPrefix(line, rootLine) || strings.HasPrefix(line, folderLine)
}

// An owner is the Tresor that a list names; without a root it names none.
type owner struct {
	root string
	id   disk.ID
}

func parseOwner(list string) (o owner) {
	for line := range strings.Lines(list) {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			break
		}
		if s, ok := strings.CutPrefix(line, rootLine); ok {
			o.root, _ = strconv.Unquote(s) // "" is none
		}
		if s, ok := strings.CutPrefix(line, folderLine); ok {
			device, inode, _ := strings.Cut(s, ":")
			o.id.Device, _ = strconv.ParseUint(device, 10, 64) // no folder has the number 0
			o.id.Inode, _ = strconv.ParseUint(inode, 10, 64)
		}
	}
	return o
}

// A Foreign staging folder lies beside a Tresor that it does not belong to.
type Foreign struct {
	Name string
	Root string // path that the Tresor that it belongs to had then
}

// Leftovers returns the names of the staging folders beside the Tresor at the
// resolved path root that are its own, sorted: those of its present name, those
// from before it was moved or renamed, and the one that its lock names, with the
// name named ("" without). Foreign are those that look like its own and are not.
func Leftovers(root, named string, hook disk.Hook) (own []string, foreign []Foreign, err error) {
	beside, err := disk.Open(filepath.Dir(root), hook)
	if err != nil {
		return nil, nil, err
	}
	defer beside.Close()
	self, err := openFolder(root, ".", hook)
	if err != nil {
		return nil, nil, err
	}
	defer self.Close()
	names, err := beside.Names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		rest, begins := strings.CutPrefix(name, stagingPrefix(root))
		first, ours := begins && firstSuffix.MatchString(rest), begins && ourSuffix.MatchString(rest)
		if !first && !ourForm.MatchString(name) {
			continue
		}
		if info, err := beside.Info(name); err == nil && !info.Mode.IsDir() {
			continue
		}
		o, err := ownerOf(beside, name)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case o.root == "":
			if ours || first {
				own = append(own, name)
			}
		case o.id == self.id:
			own = append(own, name)
		case (o.root == root || name == named) && !isBeside(beside, names, o.id):
			own = append(own, name)
		case ours || name == named:
			foreign = append(foreign, Foreign{name, o.root})
		}
	}
	return own, foreign, nil
}

// ownerOf reads whose a staging folder says it is.
func ownerOf(beside *disk.Folder, name string) (owner, error) {
	staging, err := beside.Folder(name)
	if err == nil {
		defer staging.Close()
		var info disk.Info
		if info, err = staging.Info(listName); err == nil && info.Plain() {
			return readOwner(staging)
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		err = nil // it says nothing; [Inspect] says the rest
	}
	return owner{}, err
}

func readOwner(staging *disk.Folder) (owner, error) {
	file, err := staging.Open(listName)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return owner{}, nil
	}
	if err != nil {
		return owner{}, err
	}
	defer file.Close()
	const enough = 64 << 10
	head, err := io.ReadAll(io.LimitReader(file, enough))
	return parseOwner(string(head)), err
}

// isBeside reports whether one of the names is the folder with an ID.
func isBeside(beside *disk.Folder, names []string, id disk.ID) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := beside.Info(name)
		return err == nil && info.Mode.IsDir() && info.ID == id
	})
}
