package tresor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
)

func TestWritersRefuse(t *testing.T) {
	write := map[string]func(dir string) error{
		"index": func(dir string) error {
			_, err := tresor.WriteIndex(context.Background(), dir, tresor.Options{})
			return err
		},
		"graph": func(dir string) error {
			_, _, err := tresor.WriteGraph(context.Background(), dir, tresor.Options{})
			return err
		},
		"checksum": func(dir string) error {
			_, err := tresor.WriteManifest(context.Background(), dir, tresor.Options{})
			return err
		},
	}
	tests := []struct {
		name    string
		damage  func(t *testing.T, dir string)
		writers string
		text    string
	}{
		{"errors", func(t *testing.T, dir string) { put(t, dir, "ROUTER.md", "") }, "index graph", "ROUTER.md: "},
		{"quarantine", func(t *testing.T, dir string) { put(t, dir, "sources/quarantine/x.md", "x") }, "index graph checksum", "sources/quarantine/x.md"},
		{"no folder graph", func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, "graph"))) }, "graph", "graph: "},
		{"link", func(t *testing.T, dir string) { link(t, "ROUTER.md", filepath.Join(dir, "x.md")) }, "index graph checksum", "x.md: "},
		{"lock", func(t *testing.T, dir string) { put(t, dir, ".vault-release.lock", "") }, "index graph checksum", ".vault-release.lock: "},
	}
	for _, tt := range tests {
		for _, name := range strings.Fields(tt.writers) {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				dir := halle3(t)
				tt.damage(t, dir)
				before := digest(t, filepath.Join(dir, "MANIFEST.sha256"))
				err := write[name](dir)
				if err == nil || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("got %v", err)
				}
				if after := digest(t, filepath.Join(dir, "MANIFEST.sha256")); after != before {
					t.Error("the manifest changed")
				}
				if tt.name != "lock" {
					if _, err := os.Lstat(filepath.Join(dir, ".vault-release.lock")); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("lock: %v", err)
					}
				}
				if list, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(list) != 1 {
					t.Errorf("beside the Tresor: %v, %v", list, err)
				}
			})
		}
	}
}

// A mistake of ours leaves no lock behind, which would stop every question.
func TestAPanicReleasesTheLock(t *testing.T) {
	dir := halle3(t)
	func() {
		defer func() {
			if p := recover(); p != "mistake" {
				t.Errorf("recovered %v", p)
			}
		}()
		_ = tresor.Mutate(t.Context(), dir, "index", tresor.Options{}, func() error { panic("mistake") })
		t.Error("the panic was swallowed")
	}()
	if _, err := os.Lstat(filepath.Join(dir, ".vault-release.lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("lock: %v", err)
	}
	open(t, dir)
}

func TestVerify(t *testing.T) {
	dir := halle3(t)
	differences, files, err := tresor.Verify(dir, tresor.Options{})
	if differences != nil || files != 16 || err != nil {
		t.Errorf("got %v, %d, %v", differences, files, err)
	}
	put(t, dir, "neu.md", "x")
	put(t, dir, "VERSION", "2.0.0\n")
	put(t, dir, "log.md", "anders\n")
	remove(t, dir, "ROUTER.md")
	differences, _, err = tresor.Verify(dir, tresor.Options{})
	var got []string
	for _, f := range differences {
		got = append(got, f.String())
	}
	if s := strings.Join(got, ", "); s != "NEU neu.md, FEHLT ROUTER.md, GEÄNDERT VERSION" || err != nil || differences[0].Severity != tresor.Warning {
		t.Errorf("got %s, %v", s, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
