//go:build unix

package tresor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor/cli"
)

// A hostile is something that somebody put into a released Tresor.
type hostile struct {
	name string
	lay  func(t *testing.T, dir string)
	// path is what validation must name with a reason, and green says that this is
	// only a hint: the format allows it.
	path  string
	green bool
	// served says that even a question is answered: what was changed is no part of a
	// release.
	served bool
	// large says that reading it takes its time; only the first commands do.
	large bool
	// mib bounds what a command may allocate in all; 0 for the common bound.
	mib uint64
}

func hostiles() []hostile {
	return []hostile{
		{name: "link to a file", path: "knowledge/werkstatt/x.md", lay: func(t *testing.T, dir string) {
			link(t, "halle3.md", filepath.Join(dir, "knowledge/werkstatt/x.md"))
		}},
		{name: "link to a folder outside", path: "knowledge/fremd", lay: func(t *testing.T, dir string) {
			link(t, outside(t), filepath.Join(dir, "knowledge/fremd"))
		}},
		{name: "link instead of the register", path: "sources/REGISTER.md", lay: func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "sources/REGISTER.md"), filepath.Join(dir, "sources/ALT.md")))
			link(t, "ALT.md", filepath.Join(dir, "sources/REGISTER.md"))
		}},
		{name: "link loop", path: "knowledge/a", lay: func(t *testing.T, dir string) {
			link(t, "b", filepath.Join(dir, "knowledge/a"))
			link(t, "a", filepath.Join(dir, "knowledge/b"))
		}},
		{name: "dangling link", path: "notes.md", lay: func(t *testing.T, dir string) { link(t, "/nirgends", filepath.Join(dir, "notes.md")) }},
		{name: "second hard link", path: "ROUTER.md", lay: func(t *testing.T, dir string) {
			must(t, os.Link(filepath.Join(dir, "ROUTER.md"), filepath.Join(dir, "evals.md")))
		}},
		{name: "pipe as a page (D-20)", path: "knowledge/werkstatt/p.md", lay: node("knowledge/werkstatt/p.md", syscall.S_IFIFO, 0)},
		{name: "pipe as VERSION", path: "VERSION", lay: node("VERSION", syscall.S_IFIFO, 0)},
		{name: "pipe as the manifest", path: "MANIFEST.sha256", lay: node("MANIFEST.sha256", syscall.S_IFIFO, 0)},
		{name: "socket (D-20)", path: "knowledge/s.md", lay: node("knowledge/s.md", syscall.S_IFSOCK, 0)},
		{name: "device (D-20)", path: "sources/raw/S-0001__null.md", lay: node("sources/raw/S-0001__null.md", syscall.S_IFCHR, 1<<8|3)},
		{name: "sparse page", large: true, path: "knowledge/werkstatt/leer.md", lay: sparse("knowledge/werkstatt/leer.md")},
		{name: "sparse register", large: true, path: "sources/REGISTER.md", lay: sparse("sources/REGISTER.md")},
		{name: "sparse raw file", large: true, path: "sources/raw/S-0003__leer.md", lay: sparse("sources/raw/S-0003__leer.md")},
		{name: "sparse registered file", large: true, path: "REGISTER S-0001", lay: sparse("sources/raw/S-0001__werkstattordnung.md")},
		{name: "sparse manifest", large: true, green: true, lay: sparse("MANIFEST.sha256")},
		{name: "sparse concepts", large: true, path: "schema/begriffswelten.json", lay: sparse("schema/begriffswelten.json")},
		{name: "huge manifest", large: true, green: true, mib: huge >> 16, lay: func(t *testing.T, dir string) {
			put(t, dir, "MANIFEST.sha256", strings.Repeat("x\n", huge/2))
		}},
		{name: "huge router", large: true, path: "ROUTER.md", mib: huge >> 15, lay: func(t *testing.T, dir string) {
			put(t, dir, "ROUTER.md", strings.Repeat("## a\n", huge/5))
		}},
		{name: "huge types", large: true, path: "schema/types.yaml", mib: huge >> 15, lay: func(t *testing.T, dir string) {
			put(t, dir, "schema/types.yaml", strings.Repeat("a:\n", huge/3))
		}},
		{name: "huge register", large: true, path: "sources/REGISTER.md", mib: huge >> 15, lay: func(t *testing.T, dir string) {
			put(t, dir, "sources/REGISTER.md", strings.Repeat("| S-1 |\n", huge/8))
		}},
		{name: "huge binding", green: true, served: true, mib: 256, lay: func(t *testing.T, dir string) {
			put(t, dir, ".vault-extern.json", `{"schema": "skillsafe.bindung/v1", "bindings": [`+strings.Repeat("{},", min(huge, 1<<20)/3-50)+"{}]}")
		}},
		{name: "link as the binding", path: ".vault-extern.json", lay: func(t *testing.T, dir string) {
			link(t, "/etc/passwd", filepath.Join(dir, ".vault-extern.json"))
		}},
		{name: "many pages", large: true, path: "knowledge/werkstatt/", mib: many / 100, lay: func(t *testing.T, dir string) {
			for i := range many {
				must(t, os.WriteFile(fmt.Sprintf("%s/knowledge/werkstatt/s%06d.md", dir, i), []byte("x"), 0o644))
			}
		}},
		{name: "many folders", large: true, path: "ROUTER.md", mib: many / 100, lay: func(t *testing.T, dir string) {
			for i := range many {
				must(t, os.Mkdir(fmt.Sprintf("%s/knowledge/d%06d", dir, i), 0o755))
			}
		}},
		{name: "path longer than PATH_MAX", path: "notes/ddd", lay: func(t *testing.T, dir string) {
			root, err := os.OpenRoot(dir)
			must(t, err)
			must(t, root.Mkdir("notes", 0o755))
			for i, name := 0, "notes"; i < 30; i, name = i+1, strings.Repeat("d", 200) {
				must(t, root.MkdirAll(name, 0o755))
				next, err := root.OpenRoot(name)
				root.Close()
				must(t, err)
				root = next
			}
			f, err := root.Create("tief.exe")
			must(t, err)
			f.Close()
			root.Close()
		}},
		{name: "deep folders", path: "notes/d/d", lay: func(t *testing.T, dir string) {
			must(t, os.MkdirAll(filepath.Join(dir, "notes", strings.Repeat("d/", 200)), 0o755))
		}},
		{name: "names that differ in case", path: "notes/Plan.md", green: true, lay: func(t *testing.T, dir string) {
			put(t, dir, "notes/Plan.md", "a")
			put(t, dir, "notes/plan.md", "b")
		}},
		{name: "NFC and NFD twins", path: "notes/T\u00fcr.md", green: true, lay: func(t *testing.T, dir string) {
			put(t, dir, "notes/T\u00fcr.md", "a")
			put(t, dir, "notes/Tu\u0308r.md", "b")
		}},
		{name: "name that is no UTF-8", path: `notes/a\xff.md`, lay: func(t *testing.T, dir string) { put(t, dir, "notes/a\xff.md", "a") }},
		{name: "folder that is no UTF-8", path: `notes/\xff/a.md`, lay: func(t *testing.T, dir string) { put(t, dir, "notes/\xff/a.md", "a") }},
		{name: "name with a line break", path: `notes/a\nb.md`, lay: func(t *testing.T, dir string) { put(t, dir, "notes/a\nb.md", "a") }},
		{name: "name with a backslash", path: `notes/a\\b.md`, lay: func(t *testing.T, dir string) { put(t, dir, `notes/a\b.md`, "a") }},
		{name: "executable", path: "knowledge/werkstatt/halle3.md", lay: func(t *testing.T, dir string) {
			must(t, os.Chmod(filepath.Join(dir, "knowledge/werkstatt/halle3.md"), 0o755))
		}},
		{name: "page that is no UTF-8", path: "knowledge/werkstatt/laserraum.md", lay: add("knowledge/werkstatt/laserraum.md", "\xff\xfe")},
		{name: "register that is no UTF-8", path: "sources/REGISTER.md", lay: add("sources/REGISTER.md", "\xff")},
		{name: "router that is no UTF-8", path: "ROUTER.md", lay: add("ROUTER.md", "\xff")},
		{name: "types that are no UTF-8", path: "schema/types.yaml", lay: add("schema/types.yaml", "\xff")},
		{name: "page with CRLF", green: true, lay: rewrite("knowledge/werkstatt/halle3.md", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })},
		{name: "page with a byte-order mark", path: "knowledge/werkstatt/halle3.md", lay: rewrite("knowledge/werkstatt/halle3.md", func(s string) string { return "\ufeff" + s })},
		{name: "register with a byte-order mark", path: "sources/REGISTER.md", green: true, lay: rewrite("sources/REGISTER.md", func(s string) string { return "\ufeff" + s })},
		{name: "claim with NUL", path: "knowledge/werkstatt/halle3.md:", lay: rewrite("knowledge/werkstatt/halle3.md", func(s string) string { return strings.Replace(s, "Schutzbrille zu", "Schutz\x00brille zu", 1) })},
		{name: "page with NUL", path: "knowledge/werkstatt/halle3.md", green: true, lay: add("knowledge/werkstatt/halle3.md", "\x00\n")},
		{name: "deep JSON (D-06)", path: "schema/begriffswelten.json", lay: func(t *testing.T, dir string) {
			put(t, dir, "schema/begriffswelten.json", strings.Repeat(`{"a":[`, 1<<17))
		}},
		{name: "wide JSON", large: true, path: "sources/derived/S-0002__media.json", mib: 256, lay: func(t *testing.T, dir string) {
			put(t, dir, "sources/derived/S-0002__media.json", `{"regions": [`+strings.Repeat("{},", huge/4)+"{}]}")
		}},
		{name: "repeated key", path: "sources/derived/S-0002__media.json", lay: rewrite("sources/derived/S-0002__media.json", func(s string) string {
			return strings.Replace(s, "{", `{"verified": true, `, 1)
		})},
		{name: "huge with claims", large: true, path: "knowledge/werkstatt/laserraum.md", mib: huge >> 16, lay: add("knowledge/werkstatt/laserraum.md", strings.Repeat("- **C-9\n", huge/8))},
		{name: "huge with a line", large: true, path: "knowledge/werkstatt/laserraum.md", mib: huge >> 16, lay: add("knowledge/werkstatt/laserraum.md", "- **C-0009** [S-0001 | Punkt 2 | Auslegung] "+strings.Repeat("<a](", huge/4))},
		{name: "huge with a head", large: true, path: "knowledge/werkstatt/laserraum.md", mib: huge >> 15, lay: rewrite("knowledge/werkstatt/laserraum.md", func(s string) string {
			return "---\n" + strings.Repeat("tags: [a, b]\nx\n", huge/15) + strings.TrimPrefix(s, "---\n")
		})},
	}
}

// readers are the commands that write nothing into the Tresor; they answer with 0,
// 1 or 2 whatever there is.
func readers() [][]string {
	return [][]string{
		{"validate"}, {"query", "Was gilt in Halle 3?"}, {"query", "--extern", "laser"}, {"stats"}, {"search", "laser"}, {"route", "laser"},
		{"checksum", "--verify"}, {"doctor"}, {"graph", "--format", "dot"}, {"extern", "list"}, {"anchor-template", "X-0001", "regeln/laser.md"},
		{"orchestrator-template", "X-0001"}, {"media-template", "S-0002"}, {"source", "{tresor}/ROUTER.md"}, {"source", "{tresor}/VERSION"},
		{"eval", "{fragen}"}, {"export", "--okf", "--with-sources", "--out", "{out}"},
	}
}

// Whatever lies in a Tresor, validation names it with a reason, no command
// crashes, hangs or takes more memory than its files are worth, and none writes.
func TestHostileTrees(t *testing.T) {
	base := halle3(t)
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			dir := copyOf(t, base)
			h.lay(t, dir)
			before := state(t, filepath.Dir(dir))
			elsewhere := t.TempDir()
			put(t, elsewhere, "fragen.jsonl", `{"id": "1", "frage": "Gilt in Halle 3 eine Pflicht?", "claims": ["C-0001"]}`+"\n")
			replace := strings.NewReplacer("{tresor}", dir, "{fragen}", elsewhere+"/fragen.jsonl", "{out}", elsewhere+"/out")
			commands := readers()
			if h.large {
				commands = commands[:8]
			}
			for _, args := range commands {
				for i := range args {
					args[i] = replace.Replace(args[i])
				}
				out, code, mib := run(t, dir, args...)
				if bound := max(h.mib, 96); mib > bound {
					t.Errorf("%s allocated %d MiB, more than %d", args[0], mib, bound)
				}
				if strings.Contains(out, "interner Fehler") || out == "" {
					t.Errorf("%s: %s", args[0], out)
				}
				t.Logf("%s: exit code %d, %d MiB", args[0], code, mib)
				switch args[0] {
				case "validate":
					if got, want := code, 1; h.green == (got == want) {
						t.Errorf("validate: exit code %d\n%.2000s", got, out)
					}
					if h.path != "" && !names(out, h.path) {
						t.Errorf("validate does not name %s:\n%.2000s", h.path, out)
					}
				case "query":
					refused := code == 1 && strings.Contains(out, `"state": "invalid_vault"`)
					if len(args) == 2 && refused == h.served {
						t.Errorf("query: exit code %d\n%.2000s", code, out)
					}
				}
			}
			if after := state(t, filepath.Dir(dir)); after != before {
				t.Errorf("before:\n%.2000s\nafter:\n%.2000s", before, after)
			}
			if h.green || h.large {
				return
			}
			// What validation refuses is not released, and nothing is derived from it. The
			// lock comes and goes, so the times of folders change.
			before = folderTimes.ReplaceAllString(before, "")
			for _, args := range [][]string{{"index"}, {"graph"}, {"release"}, {"new", "page", "--domain", "werkstatt", "--title", "Neu"}} {
				if out, code, _ := run(t, dir, args...); code == 0 || strings.Contains(out, "interner Fehler") {
					t.Errorf("%s: exit code %d\n%.2000s", args[0], code, out)
				}
			}
			if after := folderTimes.ReplaceAllString(state(t, filepath.Dir(dir)), ""); after != before {
				t.Errorf("before:\n%.2000s\nafter:\n%.2000s", before, after)
			}
		})
	}
}

var folderTimes = regexp.MustCompile(`(?m) d[rwx-]{9} .*$`)

// copyOf returns a copy of the Tresor in dir.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	c := filepath.Join(t.TempDir(), "halle3")
	must(t, os.CopyFS(c, os.DirFS(dir)))
	return c
}

// names reports whether a line of the output has the path and a sentence.
func names(out, path string) bool {
	for line := range strings.Lines(out) {
		if _, rest, ok := strings.Cut(line, path); ok && len(strings.TrimSpace(rest)) > 5 {
			return true
		}
	}
	return false
}

// run runs a command and returns what it printed, its exit code and how many MiB
// it allocated in all.
func run(t *testing.T, dir string, args ...string) (out string, code int, mib uint64) {
	t.Helper()
	var before, after runtime.MemStats
	var b bytes.Buffer
	runtime.ReadMemStats(&before)
	code = cli.Main(t.Context(), append([]string{"--root", dir}, args...), &b, &b, cli.Options{Env: offline})
	runtime.ReadMemStats(&after)
	return b.String(), code, (after.TotalAlloc - before.TotalAlloc) >> 20
}

// offline is an environment without a network.
func offline(name string) string {
	if name == "SKILLSAFE_OFFLINE" {
		return "1"
	}
	return ""
}

// state returns everything below dir but the contents of its files, which
// nobody writes without touching the times.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintln(&b, p, err)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			fmt.Fprintln(&b, p, err)
			return nil
		}
		target, _ := os.Readlink(p)
		fmt.Fprintln(&b, p, info.Mode(), info.Size(), info.ModTime().UnixNano(), target)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// outside returns a folder with a page that belongs to nobody.
func outside(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "geheim.md", "---\ntype: regel\n---\n- **C-0666** [S-0001 | Punkt 1 | Wortlaut] Geheim.\n")
	return dir
}

// node puts a special file in the place of whatever is there.
func node(path string, mode uint32, device int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		full := filepath.Join(dir, path)
		if err := os.Remove(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := syscall.Mknod(full, mode|0o644, device); err != nil {
			t.Skip("the system makes no such file: ", err)
		}
	}
}

// sparse makes a file large that takes no room.
func sparse(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		f, err := os.OpenFile(filepath.Join(dir, path), os.O_CREATE|os.O_WRONLY, 0o644)
		must(t, err)
		must(t, f.Truncate(sparseSize))
		must(t, f.Close())
	}
}

func add(path, content string) func(*testing.T, string) {
	return rewrite(path, func(s string) string { return s + content })
}

func rewrite(path string, change func(string) string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		b, err := os.ReadFile(filepath.Join(dir, path))
		must(t, err)
		put(t, dir, path, change(string(b)))
	}
}
