//go:build unix

package tresor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor"
)

// Somebody changes the Tresor while it is read, at each stage of reading. No
// command hangs or shows a byte from outside, and Open hands out no snapshot
// that is not the released one.
func TestExchangeWhileReading(t *testing.T) {
	exchanges := map[string]func(t *testing.T, dir string){
		"folder for a link": func(t *testing.T, dir string) {
			domain := filepath.Join(dir, "knowledge/werkstatt")
			must(t, os.Rename(domain, filepath.Join(t.TempDir(), "weg")))
			secret := outside(t)
			for _, name := range []string{"halle3.md", "laserraum.md"} {
				must(t, os.Rename(filepath.Join(secret, "geheim.md"), filepath.Join(secret, name)))
				put(t, secret, "geheim.md", "Geheim.")
			}
			link(t, secret, domain)
		},
		"page for a link": func(t *testing.T, dir string) {
			page := filepath.Join(dir, "knowledge/werkstatt/laserraum.md")
			must(t, os.Remove(page))
			link(t, filepath.Join(outside(t), "geheim.md"), page)
		},
		"page for a pipe": func(t *testing.T, dir string) {
			page := filepath.Join(dir, "knowledge/werkstatt/laserraum.md")
			must(t, os.Remove(page))
			must(t, syscall.Mkfifo(page, 0o644))
		},
		"growing page": func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, "knowledge/werkstatt/laserraum.md")) },
		"growing source": func(t *testing.T, dir string) {
			appendTo(t, filepath.Join(dir, "sources/raw/S-0001__werkstattordnung.md"))
		},
		"vanished folder": func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, "sources"))) },
	}
	read := map[string]func(dir string, o tresor.Options) (said string, ok bool){
		"Open": func(dir string, o tresor.Options) (string, bool) {
			s, err := tresor.Open(dir, o)
			if err != nil {
				return err.Error(), false
			}
			return fmt.Sprint(s.Pages()), true
		},
		"Validate": func(dir string, o tresor.Options) (string, bool) {
			r := tresor.Validate(dir, o)
			return fmt.Sprint(r), r.OK()
		},
		"Verify": func(dir string, o tresor.Options) (string, bool) {
			found, _, err := tresor.Verify(dir, o)
			return fmt.Sprint(found, err), found == nil && err == nil
		},
		"Count": func(dir string, o tresor.Options) (string, bool) {
			stats, err := tresor.Count(dir, o)
			return fmt.Sprint(stats, err), true
		},
		"Grep": func(dir string, o tresor.Options) (string, bool) {
			lines, _, err := tresor.Grep(dir, []string{"geheim", "laser"}, o)
			return fmt.Sprint(lines, err), true
		},
	}
	base := halle3(t)
	for name, exchange := range exchanges {
		for command, read := range read {
			for _, stage := range []string{"look", "hash", "sources", "pages"} {
				t.Run(name+"/"+command+"/"+stage, func(t *testing.T) {
					dir := copyOf(t, base)
					done := false
					said, ok := read(dir, tresor.Options{Progress: func(at tresor.Stage, _, _ int) {
						if !done && string(at) == stage {
							done = true
							exchange(t, dir)
						}
					}})
					if strings.Contains(said, "Geheim") {
						t.Errorf("a byte from outside: %s", said)
					}
					if command == "Open" && (ok || !done) {
						t.Errorf("handed out %v, exchanged %v", ok, done)
					}
				})
			}
		}
	}
}

func appendTo(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("mehr\n")
	must(t, err)
	must(t, f.Close())
}
