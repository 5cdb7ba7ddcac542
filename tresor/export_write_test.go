//go:build unix

package tresor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// D-80: a Tresor that changes while the bundle is prepared is not exported.
func TestExportNoticesAChange(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"page": func(dir string) error { return os.WriteFile(filepath.Join(dir, "notes.md"), nil, 0o644) },
		"lock": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".vault-release.lock"), nil, 0o600) },
		"raw": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sources/raw/S-0001__werkstattordnung.md"), nil, 0o644)
		},
		"moved": func(dir string) error {
			return os.Rename(filepath.Join(dir, "MANIFEST.sha256"), filepath.Join(dir, "evals.md"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, parent := halle3(t), t.TempDir()
			done := false
			o := tresor.Options{}.WithHook(func(c disk.Call) error {
				if c.Op != "create" || done {
					return nil
				}
				done = true
				return change(dir)
			})
			_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "paket"), Sources: true}, o)
			var refused *tresor.ExportError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v", err)
			}
			if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

// Whatever call fails, the Tresor and the earlier export are whole afterwards,
// and the error says where the latter is (D-79).
func TestExportFailsAnywhere(t *testing.T) {
	dir := halle3(t)
	vault := filesBelow(t, dir)
	run := func(t *testing.T, kind string, fail func(n int, c disk.Call) error) (calls int, parent string, before map[string]string, done tresor.Exported, err error) {
		t.Helper()
		parent = t.TempDir()
		out := filepath.Join(parent, "paket")
		switch kind {
		case "earlier":
			put(t, out, "index.md", "---\nokf_version: \"0.2\"\n---\n")
			put(t, out, "eigenes.md", "von Hand")
		case "empty":
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		before = map[string]string{}
		if kind == "earlier" {
			before = filesBelow(t, out)
		}
		o := tresor.Options{}.WithHook(func(c disk.Call) error {
			calls++
			return fail(calls, c)
		})
		done, err = tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out, Sources: true}, o)
		return calls, parent, before, done, err
	}
	for i, kind := range []string{"absent", "empty", "earlier"} {
		total, _, _, _, err := run(t, kind, func(int, disk.Call) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for one := 1 + i; one <= total; one += max(1, faultStep/4) {
			for _, all := range []bool{false, true} {
				var failed disk.Call
				_, parent, before, done, err := run(t, kind, func(n int, c disk.Call) error {
					if n == one || all && n > one {
						if n == one {
							failed = c
						}
						return syscall.EIO
					}
					return nil
				})
				where := fmt.Sprintf("%s, call %d (%s %s), all further %v", kind, one, failed.Op, filepath.Base(failed.Path), all)
				out := filepath.Join(parent, "paket")
				if err == nil {
					if done.Former != "" {
						out = done.Former
					} else if kind == "earlier" {
						t.Errorf("%s: no former export", where)
					}
					if kind != "earlier" {
						continue
					}
				} else {
					var refused *tresor.ExportError
					if !errors.As(err, &refused) {
						t.Fatalf("%s: %v", where, err)
					}
					if rest := hiddenIn(t, parent); kind == "earlier" && len(rest) > 0 && strings.Contains(rest[0], ".okf-alt-") {
						out = filepath.Join(parent, rest[0])
						if !strings.Contains(refused.Text, out) {
							t.Errorf("%s: says %q, the former export is in %s", where, refused.Text, out)
						}
					}
					if kind == "absent" {
						if _, err := os.Lstat(out); err == nil {
							t.Errorf("%s: something is at the target", where)
						}
						continue
					}
					if rest := hiddenIn(t, parent); !all && len(rest) > 0 {
						t.Errorf("%s: left behind %v", where, rest)
					}
				}
				if !maps.Equal(before, filesBelow(t, out)) {
					t.Errorf("%s: the former export is no longer whole (%v)", where, err)
				}
			}
		}
		t.Logf("%s: %d calls", kind, total)
	}
	if !maps.Equal(vault, filesBelow(t, dir)) {
		t.Error("the Tresor was changed")
	}
}

// A program that is killed at any call leaves the earlier export whole: at its
// place or under its other name.
func TestExportKilledAnywhere(t *testing.T) {
	dir := halle3(t)
	type killed struct{}
	for n := 1; ; n++ {
		parent := t.TempDir()
		out := filepath.Join(parent, "paket")
		put(t, out, "index.md", "---\nokf_version: \"0.2\"\n---\n")
		put(t, out, "eigenes.md", "von Hand")
		before := filesBelow(t, out)
		calls := 0
		dead := func() (dead bool) {
			defer func() {
				if p := recover(); p != nil {
					if _, dead = p.(killed); !dead {
						panic(p)
					}
				}
			}()
			o := tresor.Options{}.WithHook(func(disk.Call) error {
				if calls++; calls == n {
					panic(killed{})
				}
				return nil
			})
			if _, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out}, o); err != nil {
				t.Fatal(err)
			}
			return false
		}()
		if !dead {
			break
		}
		whole := false
		for _, name := range append(hiddenIn(t, parent), "paket") {
			if _, err := os.Stat(filepath.Join(parent, name)); err == nil {
				whole = whole || maps.Equal(before, filesBelow(t, filepath.Join(parent, name)))
			}
		}
		if !whole {
			t.Errorf("killed at call %d: the former export is lost", n)
		}
	}
}

// Nothing that others put into the staging folder is removed with it.
func TestExportRemovesOnlyItsOwn(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	o := tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op != "rename" {
			return nil
		}
		if err := os.WriteFile(filepath.Join(c.Path, "fremd.md"), []byte("fremd"), 0o644); err != nil {
			t.Error(err)
		}
		return syscall.EIO
	})
	_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "paket")}, o)
	refusedExport(t, err, "Ziel ist unverändert")
	rest := hiddenIn(t, parent)
	if len(rest) != 1 {
		t.Fatalf("left behind %v", rest)
	}
	if got := filesBelow(t, filepath.Join(parent, rest[0])); len(got) != 1 || got["fremd.md"] != "fremd" {
		t.Errorf("left behind %v", got)
	}
}

// What appears at the target while the bundle is prepared is not replaced.
func TestExportDoesNotReplaceWhatCameMeanwhile(t *testing.T) {
	for _, kind := range []string{"absent", "empty", "earlier"} {
		dir, parent := halle3(t), t.TempDir()
		out := filepath.Join(parent, "paket")
		switch kind {
		case "empty":
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
		case "earlier":
			put(t, out, "index.md", "---\nokf_version: \"0.2\"\n---\n")
		}
		done := false
		o := tresor.Options{}.WithHook(func(c disk.Call) error {
			if c.Op != "create" || done {
				return nil
			}
			done = true
			if kind == "earlier" {
				if err := os.Rename(out, out+".weg"); err != nil {
					return err
				}
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(out, "fremd.md"), []byte("fremd"), 0o644)
		})
		_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out}, o)
		refusedExport(t, err, "Ziel ist unverändert")
		if got := filesBelow(t, out); len(got) != 1 || got["fremd.md"] != "fremd" {
			t.Errorf("%s: at the target: %v", kind, got)
		}
		if rest := hiddenIn(t, parent); rest != nil {
			t.Errorf("%s: left behind %v", kind, rest)
		}
	}
}

// D-86: folders made on the way to the target stay.
func TestExportLeavesFoldersAbove(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	o := tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op == "mkdir" {
			return syscall.ENOSPC
		}
		return nil
	})
	_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "neu/tief/paket")}, o)
	refusedExport(t, err, "neben dem Ziel")
	if entries, err := os.ReadDir(filepath.Join(parent, "neu/tief")); err != nil || len(entries) > 0 {
		t.Errorf("above the target: %v, %v", entries, err)
	}
}

func TestExportIsStopped(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	o := tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op == "write" {
			cancel()
		}
		return nil
	})
	_, err := tresor.Export(ctx, dir, tresor.ExportOptions{Out: filepath.Join(parent, "paket")}, o)
	if refusedExport(t, err, "abgebrochen"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
