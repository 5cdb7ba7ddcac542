//go:build linux || darwin

package store_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"outheis/store"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{
		"notiz.md", "gartenhaus-notizen.md", "Zählerstand.md", "2027-02-03.jsonl", "a b.md", "日本.md", "COM.md", "console.md",
		"com10.md", "lpt.md", strings.Repeat("x", 255),
	} {
		if err := store.CheckName(name); err != nil {
			t.Errorf("CheckName(%q) = %v", name, err)
		}
	}
	for _, name := range []string{
		"", ".", "..", "...", ".hidden", "a/b", "/etc", `a\b`, "C:x", "a*", "a?", `a"b`, "<a", "a>", "a|b", " a", "a ", "\u00a0a",
		"a\n", "a\x00b", "a\x7f", "a\u0085", "\xff", "x.", "CON", "con.md", "Aux.tar.gz", "nul", "COM1", "com¹.txt", "lpt9.md", "nul .md",
		"a\u0308.md", strings.Repeat("x", 256), strings.Repeat("ä", 128),
	} {
		var ne *store.NameError
		if err := store.CheckName(name); !errors.As(err, &ne) || ne.Name != name {
			t.Errorf("CheckName(%q) = %v, want a NameError", name, err)
		}
	}
}

func TestOddNamesAreReadButNotMade(t *testing.T) {
	h := openHuman(t, store.Options{})
	const odd = "was?.md"
	if f, err := h.OpenFile(odd, os.O_CREATE|os.O_WRONLY); err == nil {
		f.Close()
		t.Error("openFile made it")
	}
	if err := h.WriteAtomic(odd, nil); err == nil {
		t.Error("writeAtomic made it")
	}
	if err := h.MkdirAll("rules/con"); err == nil {
		t.Error("mkdirAll made a device")
	}
	d := h.Doc(odd, store.DocOptions{})
	if err := d.Edit(appendLine("x")); err == nil {
		t.Error("Edit made it")
	}
	write(t, h.Dir()+"/"+odd, "da\n")
	if err := d.Edit(appendLine("x")); err != nil {
		t.Errorf("an existing file: %v", err)
	}
	if text, _, err := d.Read(); err != nil || string(text) != "da\nx\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

// A name that passes is one element below the directory, on this system too.
func FuzzCheckName(f *testing.F) {
	f.Add("notiz.md")
	f.Add("..")
	f.Add("a/b")
	f.Add("con .x")
	h, err := store.Open(f.TempDir()+"/human", store.Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer h.Close()
	f.Fuzz(func(t *testing.T, name string) {
		if store.CheckName(name) != nil {
			return
		}
		if err := h.Root().WriteFile(name, nil, 0o600); err != nil {
			if _, there := h.Root().Lstat(name); there == nil {
				return // archive, blobs and so on
			}
			t.Fatalf("%q: %v", name, err)
		}
		defer h.Root().Remove(name)
		entries, err := fs.ReadDir(h.Root().FS(), ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == name {
				return
			}
		}
		t.Errorf("%q is not in the directory", name)
	})
}
