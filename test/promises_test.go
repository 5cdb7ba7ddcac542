package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesNameTheirTests holds docs/reliability.md to the tree: every test
// and script that it names is there.
func TestPromisesNameTheirTests(t *testing.T) {
	page, err := os.ReadFile("../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		tests.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(page), -1)
	if len(names) < 10 {
		t.Errorf("the page names %d tests; is it still the page of promises?", len(names))
	}
	for _, name := range names {
		if !strings.Contains(tests.String(), "func "+name+"(t *testing.T)") {
			t.Errorf("there is no test %s", name)
		}
	}
	for _, script := range regexp.MustCompile(`\b\w+\.txtar\b`).FindAllString(string(page), -1) {
		if _, err := os.Stat(filepath.Join("testdata", "script", script)); err != nil {
			t.Errorf("there is no script %s", script)
		}
	}
}
