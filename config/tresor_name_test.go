package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"outheis/config"
)

// A Tresor without an id has a name that can stand behind an @.
func TestTresorName(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	for path, want := range map[string]string{
		"/srv/Werkstatt":                      "werkstatt",
		"/srv/wissenstresor-Projekt_x-1":      "wissenstresor-projekt_x-1",
		"/srv/wissenstresor-persönlich":       "wissenstresor-persoenlich",
		"/srv/wissenstresor-perso\u0308nlich": "wissenstresor-persoenlich",
		"/srv/Ordner mit Ä":                   "ordner-mit-ae",
		"/srv/[x](http:a)":                    "x-http-a",
		"/srv/e\x1b[31m":                      "e-31m",
		"/srv/-_-":                            "srv",
		"/srv/RELAY":                          "srv-relay",
		"/srv/haus/tresor":                    "haus-tresor",
		"/srv/haus/handbuch":                  "haus-handbuch",
		"/":                                   "folder",
		"/日本":                                 "folder",
		"/srv/ein-name-der-laenger-ist-als-namen-sein": "ein-name-der-laenger-ist-als-nam",
	} {
		got := config.TresorVault{Path: path}.Name()
		if got != want || !valid.MatchString(got) {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
	if got := (config.TresorVault{ID: "haus", Path: "/srv/RELAY"}).Name(); got != "haus" {
		t.Errorf("got %q, want the id", got)
	}
}

func TestSameFolder(t *testing.T) {
	dir := t.TempDir()
	one, two, link := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "link")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(one, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{one, one + "/", true}, {one, link, true}, {one, dir + "/two/../one", true}, {one, two, false}, {two, link, false},
		{dir + "/none", dir + "/none", true}, {dir + "/none", dir + "/nothing", false}, {one, dir + "/none", false},
	} {
		if got := config.SameFolder(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: got %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
