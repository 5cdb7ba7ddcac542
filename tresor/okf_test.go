//go:build unix

package tresor_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
)

// exportTo exports the Tresor in dir to a folder.
func exportTo(t *testing.T, dir, out string, withSources bool) (tresor.Exported, error) {
	t.Helper()
	return tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out, Sources: withSources}, tresor.Options{})
}

// filesBelow returns the files below a folder by path; links and the like by their
// kind.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			files[rel] = d.Type().String()
			return nil
		}
		b, err := os.ReadFile(p)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// hiddenIn returns the hidden names in a folder.
func hiddenIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// refusedExport checks that an export was refused by the rule and that the
// target's parent holds no rest.
func refusedExport(t *testing.T, err error, part string) *tresor.ExportError {
	t.Helper()
	var refused *tresor.ExportError
	if !errors.As(err, &refused) || !strings.Contains(refused.Text, part) {
		t.Fatalf("got %v, want one with %q", err, part)
	}
	return refused
}

// The golden values of 7-export section 10.
func TestExportOfTheExample(t *testing.T) {
	dir := halle3(t)
	before := filesBelow(t, dir)
	out := filepath.Join(t.TempDir(), "neu", "paket")
	done, err := exportTo(t, dir, out, false)
	if err != nil {
		t.Fatal(err)
	}
	if done != (tresor.Exported{Dir: out, Documents: 5}) {
		t.Errorf("got %+v", done)
	}
	want := map[string]string{
		"index.md":               "981d04fa7d9381d9a30c1ad721ad493734084cd549c591369cf0b39077aa502e",
		"log.md":                 "c0cdcdb5ab2c1e2174514615df8e76e2e5ae32551bc41a80d820b3c59c106abb",
		"werkstatt/halle3.md":    "6024836ba0a53582f62dabc2a9a0bf02032337ef515fa73b37b8b7f4f7dc0dcc",
		"werkstatt/index.md":     "cd9a6910c70bf3f8995caed9e79158ea6e326fb0f621339153691b05c9da6e09",
		"werkstatt/laserraum.md": "132de50b7b4b586b87dad1eb0cd52c61115cd826e9d52dc7439bae154583678a",
	}
	got := filesBelow(t, out)
	for path, sum := range want {
		if digest(t, filepath.Join(out, path)) != sum {
			t.Errorf("%s differs:\n%s", path, got[path])
		}
	}
	if len(got) != len(want) {
		t.Errorf("files %v", slices.Sorted(maps.Keys(got)))
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder: %v, %v", info.Mode(), err)
	}
	if !maps.Equal(before, filesBelow(t, dir)) {
		t.Error("the Tresor was changed")
	}
	if rest := hiddenIn(t, filepath.Dir(out)); rest != nil {
		t.Errorf("left behind: %v", rest)
	}
}

func TestExportWithSources(t *testing.T) {
	dir, out := halle3(t), filepath.Join(t.TempDir(), "paket")
	done, err := exportTo(t, dir, out, true)
	if err != nil || done.Documents != 5 || done.Raw != 2 {
		t.Fatalf("got %+v, %v", done, err)
	}
	for _, name := range []string{"sources/raw/S-0001__werkstattordnung.md", "sources/raw/S-0002__hallenplan.png"} {
		if digest(t, filepath.Join(out, name)) != digest(t, filepath.Join(dir, name)) {
			t.Errorf("%s differs", name)
		}
	}
	page := filesBelow(t, out)["werkstatt/halle3.md"]
	if !strings.Contains(page, "    resource: /sources/raw/S-0001__werkstattordnung.md\n") || strings.Contains(page, "not exported\n    title: Werk") {
		t.Errorf("page %s", page)
	}
}

// Two exports are the same bytes; the earlier one is kept under its own name
// (D-78).
func TestExportTwice(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	out := filepath.Join(parent, "paket")
	if _, err := exportTo(t, dir, out, true); err != nil {
		t.Fatal(err)
	}
	first := filesBelow(t, out)
	if err := os.WriteFile(filepath.Join(out, "eigenes.md"), []byte("von Hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := exportTo(t, dir, out, true)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(first, filesBelow(t, out)) {
		t.Error("the second export differs")
	}
	if filepath.Dir(done.Former) != parent || !strings.HasPrefix(filepath.Base(done.Former), ".paket.okf-alt-") {
		t.Fatalf("former export in %q", done.Former)
	}
	first["eigenes.md"] = "von Hand"
	if !maps.Equal(first, filesBelow(t, done.Former)) {
		t.Errorf("former export: %v", slices.Sorted(maps.Keys(filesBelow(t, done.Former))))
	}
	if rest := hiddenIn(t, parent); len(rest) != 1 {
		t.Errorf("beside the target: %v", rest)
	}
}

// A Tresor without VERSION cannot be released, but what is pinned is exported.
func TestExportWithoutVersionAndLog(t *testing.T) {
	dir, out := halle3(t), filepath.Join(t.TempDir(), "paket")
	for _, name := range []string{"VERSION", "log.md"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	pin(t, dir)
	if done, err := exportTo(t, dir, out, false); err != nil || done.Documents != 4 {
		t.Fatalf("got %+v, %v", done, err)
	}
	if got := filesBelow(t, out)["index.md"]; !strings.Contains(got, "Bestand v?)") {
		t.Errorf("index %s", got)
	}
	put(t, dir, "log.md", "## [2026-05-06] note | gr\xfc\xdfe\n")
	if done, err := exportTo(t, dir, filepath.Join(t.TempDir(), "b"), false); err != nil || done.Documents != 4 {
		t.Errorf("a log that is no UTF-8: %+v, %v", done, err)
	}
}

// D-84: a domain in the way of the bundle's own files.
func TestExportCollision(t *testing.T) {
	dir := halle3(t)
	for _, name := range []string{"INDEX.md", "ROUTER.md", "knowledge/werkstatt/halle3.md", "knowledge/werkstatt/laserraum.md"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s := strings.NewReplacer("## werkstatt", "## sources", "/werkstatt/", "/sources/", "domain: werkstatt", "domain: sources", "-> werkstatt/", "-> sources/").Replace(string(b))
		put(t, dir, strings.Replace(name, "werkstatt", "sources", 1), s)
	}
	if err := os.RemoveAll(filepath.Join(dir, "knowledge/werkstatt")); err != nil {
		t.Fatal(err)
	}
	pin(t, dir)
	parent := t.TempDir()
	_, err := exportTo(t, dir, filepath.Join(parent, "paket"), true)
	refusedExport(t, err, "sources")
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("written: %v, %v", entries, err)
	}
	if _, err := exportTo(t, dir, filepath.Join(parent, "paket"), false); err != nil {
		t.Error(err)
	}
}
