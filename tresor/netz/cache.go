package netz

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// A place is where the cache keeps a document: ‹base›/outheis/tresor/‹SHA-256 of
// the Tresor's root›/‹X-nnnn›/‹SHA-256 of the URL›.md, and beside it its digest,
// time and URL as .meta (deviation D-48). The zero place keeps nothing.
//
// A cache that cannot be used is no error: what is not there is fetched.
type place struct {
	base    string
	folders []string
	url     string
}

func (r *Reader) placeOf(q Request, url string) place {
	if r.options.CacheBase == "" || q.Vault == "" || !profil.IsID("X", q.Source) {
		return place{}
	}
	return place{r.options.CacheBase, []string{"outheis", "tresor", digest([]byte(q.Vault)), q.Source}, url}
}

func (p place) name() string { return digest([]byte(p.url)) }

// maxMeta bounds a .meta in bytes.
const maxMeta = 16 << 10

// read returns the document and the time when it was fetched. A document that
// is not the one that was written, or no UTF-8, is not there.
func (p place) read() (document []byte, at time.Time, ok bool) {
	dir, err := p.open(false)
	if err != nil {
		return nil, time.Time{}, false
	}
	defer dir.Close()
	meta, err := readFile(dir, p.name()+".meta", maxMeta)
	if err != nil {
		return nil, time.Time{}, false
	}
	var sum, when, url string
	if n, err := fmt.Sscanf(string(meta), "sha256=%s\nat=%s\nurl=%s\n", &sum, &when, &url); n != 3 || err != nil || url != p.url {
		return nil, time.Time{}, false
	}
	if at, err = time.Parse(time.RFC3339Nano, when); err != nil {
		return nil, time.Time{}, false
	}
	document, err = readFile(dir, p.name()+".md", MaxDocument)
	if err != nil || digest(document) != sum || text.InvalidAt(document) >= 0 {
		return nil, time.Time{}, false
	}
	return document, at, true
}

// write keeps a document. Of two writers at a time the digest shows whether the
// two files belong together.
func (p place) write(document []byte, rec Record) {
	dir, err := p.open(true)
	if err != nil {
		return
	}
	defer dir.Close()
	meta := fmt.Sprintf("sha256=%s\nat=%s\nurl=%s\n", rec.SHA256, rec.At.Format(time.RFC3339Nano), p.url)
	if writeFile(dir, p.name()+".md", document) == nil {
		_ = writeFile(dir, p.name()+".meta", []byte(meta)) // without it the document is not there
	}
}

var errPlace = errors.New("no folder of ours")

// open opens the folder of the place, through no link below the base.
func (p place) open(create bool) (*os.Root, error) {
	if p.base == "" {
		return nil, errPlace
	}
	if create {
		if err := os.MkdirAll(p.base, 0o700); err != nil {
			return nil, err
		}
	}
	dir, err := tree.OpenFolder(p.base)
	if err != nil {
		return nil, err
	}
	for _, name := range p.folders {
		next, err := enter(dir, name, create)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// enter opens a folder that nobody else may write to.
func enter(dir *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := dir.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() || seen.Mode().Perm()&0o022 != 0 {
		return nil, errPlace
	}
	next, err := tree.EnterFolder(dir, name)
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(seen, opened) {
		next.Close()
		return nil, errPlace
	}
	return next, nil
}

// readFile reads a regular file of at most limit bytes, through no link.
func readFile(dir *os.Root, name string, limit int64) ([]byte, error) {
	f, info, err := tree.OpenFileIn(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, errPlace
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// writeFile puts a file in place at once.
func writeFile(dir *os.Root, name string, content []byte) error {
	temp := ".neu-" + strings.ToLower(rand.Text())
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		_ = dir.Remove(temp) // the first error says more
	}
	return err
}
