package bindung

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// A ForeignTresor is what another Tresor holds: data, of which nothing is
// executed and no claim becomes one of ours.
type ForeignTresor struct {
	Pages    []Document // by path
	Manifest string     // digest of the manifest's bytes
	Verified int        // entries of the manifest
}

// MaxHashed is how many bytes are hashed of one foreign Tresor, a file that its
// manifest names twice counting twice. It is a limit of our own: the budgets of
// 5-extern section 3.3 are about documents, and a manifest may name anything,
// also a file of any size that takes no room on disk. It holds two media of the
// largest size that a Tresor takes in. How many files a manifest names is limited
// by [MaxDocument], the size of the manifest itself.
const MaxHashed = 4 << 30

// ForeignTresor reads the Tresor at the root after it compared every file that
// its manifest names. More than [MaxHashed] bytes are refused by the size that
// the files have, before the one that is too much is read. Only pages that the manifest names are read, and what was
// hashed is what is returned (5-extern section 7, deviation D-53). The error is
// that of ctx.
func (d *Dir) ForeignTresor(ctx context.Context) (f ForeignTresor, why *wording.Sentence, err error) {
	m, why := d.Read(profil.ManifestFile)
	if why != nil {
		return f, At(profil.ManifestFile, *why), nil
	}
	f.Manifest = m.SHA256
	pages := make(map[string]*Document) // nil for one that is too large
	total, room := 0, int64(MaxHashed)
	for line := range strings.SplitSeq(m.Text, "\n") {
		if text.IsBlank(line) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return f, nil, err
		}
		sum, p, ok := manifestLine(line)
		if !ok {
			return f, reason("BF-1"), nil
		}
		if why := CheckPath(p); why != nil {
			return f, reason("BF-2", p, *why), nil
		}
		p = path.Clean(p)
		page, got, why, err := d.verified(ctx, p, &room)
		switch {
		case err != nil:
			return f, nil, err
		case why != nil:
			return f, At(p, *why), nil
		case got != sum:
			return f, At(p, *reason("BF-3")), nil
		}
		f.Verified++
		if _, twice := pages[p]; isPage(p) && !twice {
			pages[p] = page
			if page != nil {
				total += len(page.Text)
			}
			if total > MaxTotal {
				return f, reason("BD-9", MaxTotal), nil
			}
		}
	}
	if f.Verified == 0 {
		return f, reason("BF-4"), nil
	}
	f.Pages, why = d.pages(pages)
	return f, why, nil
}

// manifestLine splits a line into digest and path.
func manifestLine(line string) (sum, p string, ok bool) {
	line = text.Trim(line)
	i := strings.IndexFunc(line, text.IsSpace)
	if i < 0 || !profil.IsSHA256(line[:i]) {
		return "", "", false
	}
	return line[:i], strings.TrimPrefix(text.Trim(line[i:]), "*"), true
}

func isPage(p string) bool { return strings.HasPrefix(p, profil.Knowledge+"/") && isMarkdown(p) }

// verified returns the digest of a file and, if it is a page within the limit of
// a document, the page. Room is how many bytes may still be hashed.
func (d *Dir) verified(ctx context.Context, p string, room *int64) (page *Document, sum string, why *wording.Sentence, err error) {
	f, size, why := d.open(p)
	if why != nil {
		return nil, "", why, nil
	}
	defer f.Close()
	if *room -= size; *room < 0 {
		return nil, "", reason("BF-5", MaxHashed>>30), nil
	}
	if isPage(p) && size <= MaxDocument {
		doc, why := document(f, p)
		return &doc, doc.SHA256, why, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, whileLive{ctx, io.LimitReader(f, size+1)}); err != nil {
		if ctx.Err() != nil {
			return nil, "", nil, ctx.Err()
		}
		return nil, "", reason("BD-1", err), nil
	}
	return nil, hex.EncodeToString(h.Sum(nil)), nil, nil
}

// whileLive reads until ctx ends: a hashed file may be large.
type whileLive struct {
	ctx context.Context
	r   io.Reader
}

func (w whileLive) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(b)
}

// pages returns those of the verified pages that lie where pages belong.
func (d *Dir) pages(verified map[string]*Document) ([]Document, *wording.Sentence) {
	info, err := d.root.Lstat(profil.Knowledge)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	entries, why := d.walk(profil.Knowledge)
	if why != nil {
		return nil, why
	}
	var pages []Document
	for _, e := range entries {
		page, ok := verified[e.path]
		switch {
		case !ok || !e.info.Mode().IsRegular() || links(e.info) != 1:
			continue
		case len(pages) == MaxDocuments:
			return nil, reason("BD-8", MaxDocuments)
		case page == nil:
			return nil, At(e.path, *reason("BD-4", MaxDocument))
		}
		pages = append(pages, *page)
	}
	return pages, nil
}
