//go:build linux || darwin

package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"outheis/store"
)

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func appendLine(line string) func([]byte) ([]byte, error) {
	return func(old []byte) ([]byte, error) { return append(old[:len(old):len(old)], line+"\n"...), nil }
}

func TestEditKeepsHowTheFileIsWritten(t *testing.T) {
	const mark = "\uFEFF"
	for _, tt := range []struct{ name, file, text, want string }{
		{"LF", "a\nb\n", "a\nb\n", "a\nb\nneu\n"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n", "a\r\nb\r\nneu\r\n"},
		{"BOM", mark + "a\n", "a\n", mark + "a\nneu\n"},
		{"BOM and CRLF", mark + "a\r\n", "a\n", mark + "a\r\nneu\r\n"},
		{"mixed", "a\r\nb\n", "a\r\nb\n", "a\r\nb\nneu\n"},
		{"lone CR", "a\rb\n", "a\rb\n", "a\rb\nneu\n"},
		{"empty", "", "", "neu\n"},
		{"no end of line", "a", "a", "aneu\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := openHuman(t, store.Options{})
			path := filepath.Join(h.Dir(), "x.md")
			write(t, path, tt.file)
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			d := h.Doc("x.md", store.DocOptions{})
			text, _, err := d.Read()
			if err != nil || string(text) != tt.text {
				t.Errorf("Read = %q, %v; want %q", text, err, tt.text)
			}
			if err := d.Edit(appendLine("neu")); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); got != tt.want {
				t.Errorf("the file is %q, want %q", got, tt.want)
			}
			if got := mode(t, path); got != 0o640 {
				t.Errorf("mode became %04o", got)
			}
			noTemps(t, h.Dir())
		})
	}
}

// What nobody changed is written back byte for byte, whatever it was.
func TestTextIsLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"a", "ü", "\r\n", "\n", "\r", "\uFEFF", "\x00", "\xff"})).Draw(t, "file")
		file := strings.Join(parts, "")
		text, encode := store.DecodeText([]byte(file))
		if got := string(encode(text)); got != file {
			t.Fatalf("got %q, want %q", got, file)
		}
		if got, want := string(encode(append([]byte("#"), text...))), strings.TrimPrefix(file, "\uFEFF"); strings.Replace(strings.TrimPrefix(got, "\uFEFF"), "#", "", 1) != want {
			t.Fatalf("changed in front: got %q, want # and %q", got, want)
		}
	})
}

func TestEditMissingFile(t *testing.T) {
	h := openHuman(t, store.Options{})
	d := h.Doc("x.md", store.DocOptions{Backup: true})
	if _, f, err := d.Read(); !errors.Is(err, fs.ErrNotExist) || f.Exists {
		t.Errorf("Read: %v, %+v", err, f)
	}
	if err := d.Edit(func(old []byte) ([]byte, error) { return old, nil }); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(h.Dir(), "x.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an edit that changes nothing made the file: %v", err)
	}
	if err := d.Edit(appendLine("neu")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(h.Dir(), "x.md")); got != "neu\n" {
		t.Errorf("got %q", got)
	}
	if got := mode(t, filepath.Join(h.Dir(), "x.md")); got != 0o600 {
		t.Errorf("mode %04o, want 0600", got)
	}
	if _, err := os.Lstat(filepath.Join(h.Dir(), "x.md.bak")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup of nothing: %v", err)
	}
}

func TestEditBackup(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "config.json")
	write(t, path, "{\"a\":1}\r\n")
	d := h.Doc("config.json", store.DocOptions{Backup: true})
	if err := d.Edit(func([]byte) ([]byte, error) { return []byte("{\"a\":2}\n"), nil }); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path+".bak"); got != "{\"a\":1}\r\n" {
		t.Errorf("the backup is %q", got)
	}
	if err := d.Edit(func(old []byte) ([]byte, error) { return old, nil }); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path+".bak"); got != "{\"a\":1}\r\n" {
		t.Errorf("an edit that changes nothing made the backup %q", got)
	}
}

func TestEditMayChangeTheTextInPlace(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	write(t, path, "alt")
	err := h.Doc("x.md", store.DocOptions{Backup: true}).Edit(func(old []byte) ([]byte, error) {
		old[0] = 'A'
		return old, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, kept := read(t, path), read(t, path+".bak"); got != "Alt" || kept != "alt" {
		t.Errorf("the file is %q, its backup %q", got, kept)
	}
}

func TestEditErrorWritesNothing(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	write(t, path, "old")
	want := errors.New("no")
	if err := h.Doc("x.md", store.DocOptions{}).Edit(func([]byte) ([]byte, error) { return []byte("new"), want }); err != want {
		t.Errorf("got %v, want %v", err, want)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("got %q", got)
	}
}

func TestEditSeesWhatAPersonSavedMeanwhile(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	write(t, path, "alt\n")
	calls := 0
	err := h.Doc("x.md", store.DocOptions{}).Edit(func(old []byte) ([]byte, error) {
		if calls++; calls == 1 {
			write(t, path, "von Hand\n")
		}
		return append(old, "neu\n"...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "von Hand\nneu\n" || calls != 2 {
		t.Errorf("after %d calls the file is %q", calls, got)
	}
	noTemps(t, h.Dir())
}

func TestEditGivesUpOnAFileThatNeverRests(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	calls := 0
	err := h.Doc("x.md", store.DocOptions{}).Edit(func([]byte) ([]byte, error) {
		calls++
		write(t, path, fmt.Sprint("Fassung ", calls))
		return []byte("unsere"), nil
	})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	if got, want := read(t, path), fmt.Sprint("Fassung ", calls); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	noTemps(t, h.Dir())
}

func TestEditNoticesRemoval(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	write(t, path, "alt\n")
	var seen []string
	err := h.Doc("x.md", store.DocOptions{}).Edit(func(old []byte) ([]byte, error) {
		seen = append(seen, fmt.Sprintf("%q %t", old, old == nil))
		if len(seen) == 1 {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		return append(old, "neu\n"...), nil
	})
	if err != nil || read(t, path) != "neu\n" {
		t.Errorf("got %q, %v", read(t, path), err)
	}
	if want := []string{`"alt\n" false`, `"" true`}; fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("edit saw %v, want %v", seen, want)
	}
}

func TestEditRefusesALinkPutInItsPlace(t *testing.T) {
	h := openHuman(t, store.Options{})
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "secret")
	path := filepath.Join(h.Dir(), "x.md")
	write(t, path, "alt\n")
	err := h.Doc("x.md", store.DocOptions{}).Edit(func(old []byte) ([]byte, error) {
		if err := errors.Join(os.Remove(path), os.Symlink(outside, path)); err != nil {
			t.Fatal(err)
		}
		return []byte("neu\n"), nil
	})
	var ue *store.UnsafeError
	if !errors.As(err, &ue) {
		t.Errorf("got %v, want an UnsafeError", err)
	}
	if got := read(t, outside); got != "secret" {
		t.Errorf("the file outside became %q", got)
	}
	noTemps(t, h.Dir())
}

func TestReplace(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	d := h.Doc("x.md", store.DocOptions{})
	_, none, err := d.Read()
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := d.Replace(none, []byte("eins\n")); err != nil {
		t.Fatal(err)
	}
	if err := d.Replace(none, []byte("zwei\n")); !errors.Is(err, store.ErrConflict) {
		t.Errorf("made meanwhile: got %v, want ErrConflict", err)
	}
	_, f, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "eins\n") // touched, not changed
	if err := d.Replace(f, []byte("zwei\n")); err != nil {
		t.Errorf("a touched file: %v", err)
	}
	if err := d.Replace(f, []byte("drei\n")); !errors.Is(err, store.ErrConflict) {
		t.Errorf("changed meanwhile: got %v, want ErrConflict", err)
	}
	if got := read(t, path); got != "zwei\n" {
		t.Errorf("got %q", got)
	}
}

func TestDocTooLarge(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	write(t, path, "")
	d := h.Doc("x.md", store.DocOptions{})
	large := make([]byte, 8<<20+1)
	var te *store.TooLargeError
	if err := d.Edit(func([]byte) ([]byte, error) { return large, nil }); !errors.As(err, &te) {
		t.Errorf("Edit: got %v, want a TooLargeError", err)
	}
	if err := os.Truncate(path, int64(len(large))); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Read(); !errors.As(err, &te) {
		t.Errorf("Read: got %v, want a TooLargeError", err)
	}
}

func TestConcurrentEditsAllCount(t *testing.T) {
	h := openHuman(t, store.Options{})
	const writers, each = 8, 5
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			d := h.Doc("x.md", store.DocOptions{})
			for j := range each {
				if err := d.Edit(appendLine(fmt.Sprintf("%d-%d", i, j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSpace(read(t, filepath.Join(h.Dir(), "x.md"))), "\n")
	if len(lines) != writers*each {
		t.Errorf("%d lines, want %d", len(lines), writers*each)
	}
}

// A person's editor saves while we edit. Whatever the order, our edit ends on
// their text or beside it, never over it.
func TestNoSaveOfAPersonIsLost(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "x.md")
	tmp := filepath.Join(t.TempDir(), "save")
	d := h.Doc("x.md", store.DocOptions{})
	write(t, path, "")
	beside := 0
	for round := range 150 {
		theirs, ours := fmt.Sprintf("von Hand %d\n", round), fmt.Sprintf("wir %d\n", round)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := d.Edit(func(old []byte) ([]byte, error) { return append(old, ours...), nil }); err != nil {
				t.Error(err)
			}
		})
		write(t, tmp, theirs)
		for range round % 30 {
			read(t, path) // lets time pass, differently in each round
		}
		if err := os.Rename(tmp, path); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		switch got := read(t, path); got {
		case theirs: // they saved after us
		case theirs + ours:
			beside++
		default:
			t.Fatalf("round %d: the file is %q", round, got)
		}
	}
	t.Logf("%d of 150 saves fell into an edit or before it", beside)
	noTemps(t, h.Dir())
}
