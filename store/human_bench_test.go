//go:build linux || darwin

package store_test

import (
	"fmt"
	"strings"
	"testing"

	"outheis/store"
)

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir() + "/human"
	for b.Loop() {
		h, err := store.Open(dir, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchHuman(b *testing.B) *store.Human {
	b.Helper()
	h, err := store.Open(b.TempDir()+"/human", store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close() })
	return h
}

func BenchmarkWriteAtomic(b *testing.B) {
	h, content := benchHuman(b), []byte(strings.Repeat("x", 4096))
	for b.Loop() {
		if err := h.WriteAtomic("state.json", content); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEdit(b *testing.B) {
	h := benchHuman(b)
	d, i := h.Doc("x.md", store.DocOptions{}), 0
	for b.Loop() {
		if err := d.Edit(func([]byte) ([]byte, error) { i++; return fmt.Append(nil, i), nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPutBlob(b *testing.B) {
	h, rest, i := benchHuman(b), strings.Repeat("x", 300<<10), 0
	b.SetBytes(300 << 10)
	for b.Loop() {
		i++
		if _, err := h.PutBlob(strings.NewReader(fmt.Sprint(i)+rest), 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
