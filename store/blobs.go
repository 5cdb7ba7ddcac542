package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
)

// A Blob names bytes that are too large for a record: a long message, an
// attachment. It is what the record holds in their place.
type Blob struct {
	Hash string `json:"sha256"` // lower-case hex of the content's SHA-256
	Size int64  `json:"size"`
}

// PutBlob stores what r yields below blobs/sha256 and names it. When PutBlob
// returns nil the content survives a power cut; a record that names it is
// appended after that, never before. The same content is stored once. More
// than limit bytes are a [*TooLargeError] and leave nothing behind.
func (h *Human) PutBlob(r io.Reader, limit int64) (Blob, error) {
	b, err := h.putBlob(r, limit)
	if err != nil {
		return Blob{}, fmt.Errorf("store: put blob: %w", err)
	}
	return b, nil
}

func (h *Human) putBlob(r io.Reader, limit int64) (Blob, error) {
	if err := h.writable(); err != nil {
		return Blob{}, err
	}
	tmp := path.Join("blobs", tempPrefix+rand.Text())
	b, err := h.spool(tmp, r, limit)
	if err != nil {
		return Blob{}, err
	}
	name, err := blobName(b.Hash)
	if err != nil {
		return Blob{}, err
	}
	if err := h.mkdirAll(path.Dir(name)); err != nil {
		return Blob{}, errors.Join(err, h.root.Remove(tmp))
	}
	if h.checkBlob(b) == nil {
		err = h.root.Remove(tmp)
	} else if err = h.root.Rename(tmp, name); err != nil {
		err = errors.Join(err, h.root.Remove(tmp))
	}
	if err != nil {
		return Blob{}, err
	}
	// Also for content that was there: its name may not be on disk yet.
	return b, h.syncDir(path.Dir(name))
}

// spool writes r to the new file tmp, fsyncs it and names its content.
func (h *Human) spool(tmp string, r io.Reader, limit int64) (b Blob, err error) {
	f, err := h.createFile(tmp, os.O_WRONLY)
	if err != nil {
		return Blob{}, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, h.root.Remove(tmp))
		}
	}()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(r, limit+1))
	if err != nil {
		return Blob{}, err
	}
	if n > limit {
		return Blob{}, &TooLargeError{What: "blob", Limit: limit}
	}
	return Blob{Hash: hex.EncodeToString(sum.Sum(nil)), Size: n}, f.Sync()
}

// checkBlob reads the whole blob and compares it with its name.
func (h *Human) checkBlob(b Blob) error {
	r, err := h.openBlob(b)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}

// OpenBlob opens the content that b names; the caller closes it. The last Read
// returns a [*DamagedError] in place of io.EOF when what was read is not what
// was stored: act on content only after io.EOF. A blob that is not there is
// [fs.ErrNotExist].
func (h *Human) OpenBlob(b Blob) (io.ReadCloser, error) {
	r, err := h.openBlob(b)
	if err != nil {
		return nil, fmt.Errorf("store: open blob: %w", err)
	}
	return r, nil
}

func (h *Human) openBlob(b Blob) (*blobReader, error) {
	name, err := blobName(b.Hash)
	if err != nil {
		return nil, err
	}
	f, err := h.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &blobReader{f: f, sum: sha256.New(), want: b, path: h.path(name)}, nil
}

// ReadBlob returns the content that b names, checked. It holds all of it in
// memory: b.Size is the caller's to look at first.
func (h *Human) ReadBlob(b Blob) ([]byte, error) {
	r, err := h.openBlob(b)
	if err != nil {
		return nil, fmt.Errorf("store: read blob: %w", err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("store: read blob: %w", err)
	}
	return content, nil
}

// RemoveBlob removes the content that b names; one that is not there is no
// error. The caller knows that no record names it any more.
func (h *Human) RemoveBlob(b Blob) error {
	if err := h.removeBlob(b); err != nil {
		return fmt.Errorf("store: remove blob: %w", err)
	}
	return nil
}

func (h *Human) removeBlob(b Blob) error {
	if err := h.writable(); err != nil {
		return err
	}
	name, err := blobName(b.Hash)
	if err != nil {
		return err
	}
	switch err := h.root.Remove(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return h.syncDir(path.Dir(name))
}

// blobName returns the path of a blob. Hashes come from records, which people
// can edit, so what is not a hash is refused.
func blobName(sum string) (string, error) {
	if b, err := hex.DecodeString(sum); err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != sum {
		return "", fmt.Errorf("%.80q is not a hash", sum)
	}
	return path.Join("blobs/sha256", sum[:2], sum), nil
}

// A blobReader reads a blob and checks it at its end. It yields no byte more
// than the blob's size.
type blobReader struct {
	f    *os.File
	sum  hash.Hash
	n    int64
	want Blob
	path string
}

func (r *blobReader) Read(p []byte) (int, error) {
	n, err := r.f.Read(p)
	r.n += int64(n)
	r.sum.Write(p[:n])
	switch {
	case r.n > r.want.Size:
		return 0, &DamagedError{Path: r.path}
	case err == io.EOF && (r.n != r.want.Size || hex.EncodeToString(r.sum.Sum(nil)) != r.want.Hash):
		return n, &DamagedError{Path: r.path}
	}
	return n, err
}

func (r *blobReader) Close() error { return r.f.Close() }
