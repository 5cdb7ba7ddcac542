//go:build linux || darwin

package store_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"outheis/store"
)

func blobPath(h *store.Human, b store.Blob) string {
	return filepath.Join(h.Dir(), "blobs", "sha256", b.Hash[:2], b.Hash)
}

func TestBlobRoundTrip(t *testing.T) {
	h := openHuman(t, store.Options{})
	for _, content := range []string{"", "Zählerstand", strings.Repeat("x", 3<<20)} {
		sum := sha256.Sum256([]byte(content))
		want := store.Blob{Hash: hex.EncodeToString(sum[:]), Size: int64(len(content))}
		for range 2 { // the second time it is there
			got, err := h.PutBlob(strings.NewReader(content), 4<<20)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("PutBlob = %+v, want %+v", got, want)
			}
		}
		b, err := h.ReadBlob(want)
		if err != nil || string(b) != content {
			t.Errorf("ReadBlob = %d bytes, %v; want %d", len(b), err, len(content))
		}
		if got := mode(t, blobPath(h, want)); got != 0o600 {
			t.Errorf("mode %04o, want 0600", got)
		}
	}
	noTemps(t, h.Dir())
}

func TestBlobLimit(t *testing.T) {
	h := openHuman(t, store.Options{})
	if _, err := h.PutBlob(strings.NewReader("12345"), 5); err != nil {
		t.Error(err)
	}
	var te *store.TooLargeError
	if _, err := h.PutBlob(strings.NewReader("123456"), 5); !errors.As(err, &te) || te.Limit != 5 {
		t.Errorf("got %v, want a TooLargeError of 5", err)
	}
	broken := errors.New("connection lost")
	if _, err := h.PutBlob(io.MultiReader(strings.NewReader("12"), iotest.ErrReader(broken)), 5); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	noTemps(t, h.Dir())
}

func TestDamagedBlobIsNoticedAndHealed(t *testing.T) {
	h := openHuman(t, store.Options{})
	content := bytes.Repeat([]byte("Protokoll "), 10_000)
	b, err := h.PutBlob(bytes.NewReader(content), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(content)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{
		"flipped bit": flipped,
		"shorter":     content[:len(content)-1],
		"longer":      append(bytes.Clone(content), 'x'),
		"empty":       nil,
	} {
		write(t, blobPath(h, b), string(damaged))
		var de *store.DamagedError
		if got, err := h.ReadBlob(b); !errors.As(err, &de) || got != nil {
			t.Errorf("%s: got %d bytes, %v; want a DamagedError", name, len(got), err)
		}
		if _, err := h.PutBlob(bytes.NewReader(content), 1<<20); err != nil {
			t.Errorf("%s: put again: %v", name, err)
		}
		if got, err := h.ReadBlob(b); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: not healed: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestBlobNames(t *testing.T) {
	h := openHuman(t, store.Options{})
	for _, sum := range []string{
		"", "ab", "../../config.json", strings.Repeat("..", 32), strings.Repeat("AB", 32), strings.Repeat("zz", 32),
		strings.Repeat("ab", 33), "ab/" + strings.Repeat("ab", 31) + "x",
	} {
		if _, err := h.ReadBlob(store.Blob{Hash: sum}); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadBlob(%q): %v, want a refusal", sum, err)
		}
		if err := h.RemoveBlob(store.Blob{Hash: sum}); err == nil {
			t.Errorf("RemoveBlob(%q) = nil", sum)
		}
	}
}

func TestRemoveBlob(t *testing.T) {
	h := openHuman(t, store.Options{})
	b, err := h.PutBlob(strings.NewReader("x"), 9)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := h.RemoveBlob(b); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.OpenBlob(b); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestPutBlobConcurrently(t *testing.T) {
	h := openHuman(t, store.Options{})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			b, err := h.PutBlob(strings.NewReader("dasselbe"), 99)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := h.ReadBlob(b); err != nil || string(got) != "dasselbe" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(filepath.Join(h.Dir(), "blobs"))
	if err != nil || len(entries) != 1 {
		t.Errorf("blobs has %v, %v; want sha256 alone", entries, err)
	}
}
