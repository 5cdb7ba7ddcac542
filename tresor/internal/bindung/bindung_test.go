//go:build unix

package bindung_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
)

// found returns rule and label of each error.
func found(f check.Findings) []string {
	var list []string
	for _, e := range f.Errors {
		list = append(list, e.Key+" "+e.Label)
	}
	return list
}

func TestParse(t *testing.T) {
	const one = `{"key": "a", "source_id": "X-0001", "root": "/a", "bound_at": "2026-01-01"}`
	tests := []struct {
		name, in string
		want     []string
		ids      string
		ttl      int
	}{
		{"nothing bound", `{"schema": "skillsafe.bindung/v1", "bindings": []}`, nil, "", 21600},
		{"one", `{"schema": "skillsafe.bindung/v1", "bindings": [` + one + `], "cache_ttl_seconds": 0}`, nil, "X-0001", 0},
		{"no JSON", `{`, []string{"JS-2 .vault-extern.json"}, "", 21600},
		{"repeated key", `{"schema": "skillsafe.bindung/v1", "schema": 1, "bindings": []}`, []string{"JS-2 .vault-extern.json"}, "", 21600},
		{"list", `[]`, []string{"OB-1 .vault-extern.json"}, "", 21600},
		{"keys", `{"schema": "skillsafe.bindung/v1", "x": 1}`, []string{"OB-2 .vault-extern.json", "OB-3 .vault-extern.json"}, "", 21600},
		{"schema goes on", `{"schema": "v2", "bindings": [` + one + `]}`, []string{"EX-1 .vault-extern.json.schema"}, "X-0001", 21600},
		{"no list keeps the age", `{"schema": "skillsafe.bindung/v1", "bindings": {}, "cache_ttl_seconds": 5}`,
			[]string{"BI-3 .vault-extern.json.bindings"}, "", 5},
		{"entries", `{"schema": "x", "bindings": [{"key": "K", "source_id": "X-0001", "root": "/a", "bound_at": "2026-01-01"},
			{"key": "k", "source_id": "X-0001", "root": "/a", "bound_at": "gestern"}, {"key": "k", "source_id": "X-0001", "root": "/b", "bound_at": "2026-01-01"},
			{"key": "k"}, {"key": "k", "source_id": "X-٠٠٠١", "root": 7, "bound_at": "2026-01-01"}, 1,
			{"key": "k", "source_id": "X-0002", "root": [], "bound_at": "2026-01-01"}], "cache_ttl_seconds": -1}`,
			[]string{"EX-1 .vault-extern.json.schema", "BI-2 .vault-extern.json.cache_ttl_seconds", "BI-4 .vault-extern.json.bindings[1].key",
				"BI-5 .vault-extern.json.bindings[2].bound_at", "BI-6 .vault-extern.json.bindings[3].source_id", "OB-2 .vault-extern.json.bindings[4]",
				"EX-2 .vault-extern.json.bindings[5].source_id", "OB-1 .vault-extern.json.bindings[6]"}, "X-0001 X-0002", 21600},
		{"age true", `{"schema": "skillsafe.bindung/v1", "bindings": [], "cache_ttl_seconds": true}`, []string{"BI-2 .vault-extern.json.cache_ttl_seconds"}, "", 21600},
		{"age 1.0", `{"schema": "skillsafe.bindung/v1", "bindings": [], "cache_ttl_seconds": 1.0}`, []string{"BI-2 .vault-extern.json.cache_ttl_seconds"}, "", 21600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f check.Findings
			got := bindung.Parse([]byte(tt.in), &f)
			var ids []string
			for _, b := range got.Bindings {
				ids = append(ids, b.SourceID)
			}
			if !slices.Equal(found(f), tt.want) || strings.Join(ids, " ") != tt.ids || got.TTL != tt.ttl {
				t.Errorf("errors %q, bound %q, age %d; want %q, %q, %d", found(f), ids, got.TTL, tt.want, tt.ids, tt.ttl)
			}
			for _, e := range f.Errors {
				if e.In("de") == "" || e.In("en") == "" {
					t.Error(e.Key)
				}
			}
		})
	}
}

// D-59: a binding file that is there but no plain file is an error, and binds
// nothing; none at all is the normal state.
func TestUnsafeFileD59(t *testing.T) {
	const content = `{"schema": "skillsafe.bindung/v1", "bindings": []}`
	for name, lay := range map[string]func(dir, file string) error{
		"":      func(string, string) error { return nil },
		"plain": func(dir, file string) error { return os.WriteFile(file, []byte(content), 0o600) },
		"pipe":  func(_, file string) error { return syscall.Mkfifo(file, 0o600) },
		"too large": func(_, file string) error {
			return os.WriteFile(file, make([]byte, check.MaxJSON+1), 0o600)
		},
		"no JSON":  func(_, file string) error { return os.WriteFile(file, []byte("{"), 0o600) },
		"folder":   func(dir, file string) error { return os.Mkdir(file, 0o755) },
		"dangling": func(dir, file string) error { return os.Symlink("fehlt", file) },
		"link": func(dir, file string) error {
			other := filepath.Join(dir, "andere.json")
			if err := os.WriteFile(other, []byte(content), 0o600); err != nil {
				return err
			}
			return os.Symlink(other, file)
		},
		"hard link": func(dir, file string) error {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				return err
			}
			return os.Link(file, filepath.Join(dir, "andere.json"))
		},
	} {
		dir := t.TempDir()
		must(t, lay(dir, filepath.Join(dir, ".vault-extern.json")))
		tr, err := tree.Open(dir)
		must(t, err)
		var f check.Findings
		got := bindung.Load(tr, &f)
		tr.Close()
		var alone check.Findings
		if other, err := bindung.LoadAlone(dir, &alone); err != nil || !reflect.DeepEqual(other, got) || !slices.Equal(found(alone), found(f)) {
			t.Errorf("%s: alone %+v, %q, %v", name, other, found(alone), err)
		}
		want := []string{"BI-1 .vault-extern.json"}
		switch name {
		case "", "plain":
			want = nil
		case "too large":
			want = []string{"RD-1 .vault-extern.json"}
		case "no JSON":
			want = []string{"JS-2 .vault-extern.json"}
		}
		if !slices.Equal(found(f), want) || got.Bindings != nil || got.TTL != bindung.DefaultTTL {
			t.Errorf("%s: errors %q, %+v", name, found(f), got)
		}
	}
}

func TestRender(t *testing.T) {
	f := bindung.Empty().With(bindung.Binding{Key: "b", SourceID: "X-0002", Root: "/srv/b", BoundAt: "2026-05-06"}).
		With(bindung.Binding{Key: "alt", SourceID: "X-0001", Root: "/srv/alt", BoundAt: "2026-05-05"}).
		With(bindung.Binding{Key: "laser-regeln", SourceID: "X-0001", Root: "/srv/regelwerk", BoundAt: "2026-05-06"}).
		Without("X-0002")
	const want = `{
  "bindings": [
    {
      "bound_at": "2026-05-06",
      "key": "laser-regeln",
      "root": "/srv/regelwerk",
      "source_id": "X-0001"
    }
  ],
  "cache_ttl_seconds": 21600,
  "schema": "skillsafe.bindung/v1"
}
`
	if got := string(f.Render()); got != want {
		t.Errorf("got %s", got)
	}
}

func TestRenderIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := bindung.File{TTL: rapid.IntRange(0, 1<<40).Draw(t, "ttl")}
		for _, id := range rapid.SliceOfDistinct(rapid.StringMatching(`X-[0-9]{4}`), rapid.ID).Draw(t, "ids") {
			file = file.With(bindung.Binding{Key: rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,63}`).Draw(t, "key"), SourceID: id,
				Root: rapid.String().Draw(t, "root"), BoundAt: "2026-05-06"})
		}
		var f check.Findings
		if got := bindung.Parse(file.Render(), &f); f.Errors != nil || !reflect.DeepEqual(got, file) {
			t.Fatalf("errors %q, got %+v, want %+v", found(f), got, file)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema": "skillsafe.bindung/v1", "bindings": [{"key": "a", "source_id": "X-0001", "root": "/a", "bound_at": "2026-01-01"}], "cache_ttl_seconds": 3}`))
	f.Add([]byte(`{"schema": 1, "bindings": [{"key": [], "source_id": {}, "root": 1e999, "bound_at": null}], "cache_ttl_seconds": 99999999999999999999}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first check.Findings
		file := bindung.Parse(b, &first)
		if first.Errors != nil {
			return
		}
		var second check.Findings
		again := file.Render()
		if got := bindung.Parse(again, &second); second.Errors != nil || !bytes.Equal(got.Render(), again) {
			t.Fatalf("%q accepted, but its rendering %q not: %q", b, again, found(second))
		}
		for _, e := range file.Bindings {
			_, _ = bindung.Resolve(e.Root, "")
		}
	})
}

func TestStatus(t *testing.T) {
	vault, outside := t.TempDir(), t.TempDir()
	file := bindung.Empty().With(bindung.Binding{SourceID: "X-0001", Root: outside}).With(bindung.Binding{SourceID: "X-0002", Root: outside + "/fehlt"}).
		With(bindung.Binding{SourceID: "X-0005", Root: vault})
	for id, want := range map[string]string{"X-0001": "lokal ", "X-0002": "unbound BI-0", "X-0003": "unbound BI-7", "X-0004": "netz ", "X-0005": "unbound BI-0"} {
		source := register.External{ID: id, Ziel: register.Local}
		if id == "X-0004" {
			source.Ziel = "https://regeln.example.org/"
		}
		s := file.Status(source, vault)
		key := ""
		if s.Reason != nil {
			key = s.Reason.Key
			if !strings.Contains(s.Reason.In("de"), id) {
				t.Errorf("%s: reason %s", id, s.Reason.In("de"))
			}
		}
		if got := string(s.Mode) + " " + key; got != want || (s.Mode == bindung.Local) != (s.Root.Path != "") {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// A Tresor that lies in no folder, such as an embedded one, has no bindings and
// loads all the same.
func TestLoadFromAFileSystem(t *testing.T) {
	var f check.Findings
	if got := bindung.Load(tree.OpenFS(fstest.MapFS{"a.md": {}}, "n"), &f); f.Errors != nil || got.Bindings != nil {
		t.Errorf("%+v, %q", got, found(f))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
