package netz

import (
	"path/filepath"
	"time"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// reference returns a document that the reference engine of the profile keeps,
// ‹base›/skillsafe/‹name of the Tresor's folder›/‹X-nnnn›/‹SHA-256 of the URL›.md,
// and the time when it was fetched, which is the file's. So whoever comes from
// there, or uses both, fetches nothing twice. It is only read, through no link,
// and never written: it has no digest, and Tresore of one name share it.
func (r *Reader) reference(q Request, url string) (document []byte, at time.Time, ok bool) {
	if r.options.CacheBase == "" || q.Vault == "" || !profil.IsID("X", q.Source) {
		return nil, at, false
	}
	p := place{r.options.CacheBase, []string{"skillsafe", filepath.Base(q.Vault), q.Source}, url}
	dir, err := p.open(false)
	if err != nil {
		return nil, at, false
	}
	defer dir.Close()
	info, err := dir.Lstat(p.name() + ".md")
	if err != nil {
		return nil, at, false
	}
	document, err = readFile(dir, p.name()+".md", MaxDocument)
	if err != nil || text.InvalidAt(document) >= 0 {
		return nil, at, false
	}
	return document, info.ModTime(), true
}
