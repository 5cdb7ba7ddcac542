package tresor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
)

// D-59: a binding file that is there but no plain file binds nothing, and every
// use says so.
func TestUnsafeBindingFileD59(t *testing.T) {
	dir := halle3(t)
	s := open(t, dir)
	other := filepath.Join(t.TempDir(), "bindung.json")
	file := filepath.Join(dir, ".vault-extern.json")
	put(t, filepath.Dir(other), "bindung.json", `{"schema": "skillsafe.bindung/v1", "bindings": []}`)
	for name, lay := range map[string]func() error{
		"link":      func() error { return os.Symlink(other, file) },
		"hard link": func() error { return os.Link(other, file) },
		"folder":    func() error { return os.Mkdir(file, 0o755) },
	} {
		if err := lay(); err != nil {
			t.Fatal(err)
		}
		var invalid *tresor.InvalidError
		if _, err := tresor.Places(dir, day); !errors.As(err, &invalid) || len(invalid.Findings) != 1 || invalid.Findings[0].Label != ".vault-extern.json" {
			t.Errorf("%s: listed, %v", name, err)
		}
		if _, err := tresor.Bind(t.Context(), dir, "X-0001", regelwerk(t), day); !errors.As(err, &invalid) {
			t.Errorf("%s: bound, %v", name, err)
		}
		if _, err := tresor.Unbind(t.Context(), dir, "X-0001", day); !errors.As(err, &invalid) {
			t.Errorf("%s: released, %v", name, err)
		}
		l := s.QueryExternal(t.Context(), "Laser", tresor.QueryOptions{}, tresor.LookupOptions{}).Lookup
		if l.State != tresor.LookupNotBound || len(l.Notes) != 4 || !strings.HasPrefix(l.Notes[0], ".vault-extern.json: ") {
			t.Errorf("%s: %+v", name, l)
		}
		if tm := tresor.AnchorTemplate(t.Context(), dir, "X-0001", "a.md", nil, day); refusalOf(t, tm).State != "not_bound" {
			t.Errorf("%s: %s", name, tm.JSON)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlaces(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	bindSource(t, dir, "X-0001", root)
	places, err := tresor.Places(dir, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range places {
		got = append(got, fmt.Sprint(p.Source.ID, " ", p.Mode, " ", p.Root, " ", p.Reason != ""))
	}
	if want := []string{"X-0001 lokal " + root + " false", "X-0002 unbound  true", "X-0003 netz  false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// D-58: binding is a locked mutation; releasing what is not bound writes nothing.
func TestBindingIsLockedD58(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	file := filepath.Join(dir, ".vault-extern.json")
	if was, err := tresor.Unbind(t.Context(), dir, "X-0001", tresor.Options{}); was || err != nil {
		t.Errorf("not bound: %v, %v", was, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("written")
	}
	put(t, dir, ".vault-release.lock", "pid=1\n")
	var invalid *tresor.InvalidError
	if _, err := tresor.Bind(t.Context(), dir, "X-0001", root, tresor.Options{}); !errors.As(err, &invalid) || invalid.State != tresor.VaultBusy {
		t.Errorf("locked: %v", err)
	}
	if _, err := tresor.Unbind(t.Context(), dir, "X-0001", tresor.Options{}); !errors.As(err, &invalid) || invalid.State != tresor.VaultBusy {
		t.Errorf("locked: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, ".vault-release.lock")); err != nil {
		t.Fatal(err)
	}
	bindSource(t, dir, "X-0001", root)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if was, err := tresor.Unbind(t.Context(), dir, "X-0001", tresor.Options{}); !was || err != nil {
		t.Errorf("bound: %v, %v", was, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".vault-release.lock")); err == nil {
		t.Error("the lock stayed")
	}
}

func TestBindRefuses(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	bindSource(t, dir, "X-0001", root)
	before := digest(t, filepath.Join(dir, ".vault-extern.json"))
	for _, tt := range [][2]string{
		{"X-0009", root}, {"S-0001", root}, {"X-0003", root}, {"X-0002", "baum"}, {"X-0002", root}, {"X-0002", root + "/regeln"}, {"X-0002", filepath.Dir(root)},
		{"X-0002", dir}, {"X-0002", "/a\xff"}, {"X-0002", root + "/fehlt"}, {"X-0002", root + "/regeln/laser.md"},
	} {
		var refused *tresor.BindingError
		if _, err := tresor.Bind(t.Context(), dir, tt[0], tt[1], tresor.Options{Lang: "en"}); !errors.As(err, &refused) || refused.Text == "" {
			t.Errorf("%q: %v", tt, err)
		}
	}
	if digest(t, filepath.Join(dir, ".vault-extern.json")) != before {
		t.Error("written")
	}
}
