// Package test holds what only shows from outside: the import table, the
// built binary driven by scripts, and long runs against real processes.
package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "outheis"

// imports is the import table of the architecture: which packages of ours a
// package may import. A pattern ending in /** matches everything below it, one
// ending in /* the next level. The first row that matches decides; a package
// that no row matches fails the test.
var imports = []struct {
	pkg   string
	allow []string
}{
	{"cmd/outheis", []string{"**"}},
	{"test", []string{"**"}},
	{"test/**", []string{"**"}},
	{"channels/channeltest", []string{"**"}},
	{"agents/agenttest", []string{"**"}},
	{"formatting/formattest", nil},

	{"tresor/search", nil},
	{"tresor/handbuch", nil},
	{"tresor", []string{"tresor/**"}},
	{"tresor/**", []string{"tresor", "tresor/**"}},
	{"store", []string{"store/internal/**"}},
	{"store/internal/**", []string{"store", "store/internal/**"}},
	{"store/notes", nil},
	{"formatting", nil},
	{"config", nil},
	{"config/texts", nil},
	{"channels", []string{"formatting"}},
	{"channels/fakenet/**", nil},
	{"channels/*", []string{"channels", "formatting", "config/texts"}},
	{"agents", nil},
	{"agents/llm", nil},
	{"agents/evidence", []string{"agents", "tresor/search"}},
	{"agents/tresor", []string{"agents", "agents/llm", "agents/evidence", "tresor", "config/texts"}},
	{"agents/data", []string{"agents", "agents/llm", "agents/evidence", "store", "store/notes", "tresor/search", "config/texts"}},
	{"agents/pattern", []string{"agents", "agents/llm", "store", "relay", "config/texts"}},
	{"agents/*", []string{"agents", "agents/llm", "store", "store/notes", "config/texts"}},
	{"relay", []string{"agents", "formatting", "store", "config/texts"}},
	{"gateway", []string{"agents", "channels", "relay", "store", "config/texts"}},
	{"gateway/admin", []string{"gateway", "config", "config/texts", "store", "tresor", "relay", "formatting"}},
}

// alone lists libraries that exactly one package may import, so that their
// types and their network stay behind it. "" stands for nobody but tests.
var alone = map[string]string{
	"github.com/go-telegram-bot-api/telegram-bot-api/v5": "channels/telegram",
	"github.com/bwmarrin/discordgo":                      "channels/discord",
	"github.com/yuin/goldmark":                           "formatting",
	"github.com/spf13/cobra":                             "cmd/outheis",
	"github.com/blevesearch/snowballstem":                "tresor/search",
	"pgregory.net/rapid":                                 "",
	"github.com/mattermost/mattermost/server/public":     "channels/mattermost",
	"github.com/mattermost/mattermost/server/v8":         "", // the server itself, which is AGPL
	"go.uber.org/goleak":                                 "",
	"github.com/rogpeppe/go-internal":                    "",
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportTable(t *testing.T) {
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		allow, ok := row(name)
		if !ok {
			t.Errorf("%s is missing from the import table", name)
			continue
		}
		for _, imp := range p.Imports {
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			if !slices.ContainsFunc(allow, func(pattern string) bool { return match(pattern, short(imp)) }) {
				t.Errorf("%s imports %s; it may import %q", name, short(imp), allow)
			}
		}
	}
}

func TestLibrariesStayInOnePackage(t *testing.T) {
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		for _, imp := range p.Imports {
			for lib, owner := range alone {
				if imp != lib && !strings.HasPrefix(imp, lib+"/") {
					continue
				}
				if name != owner && !isTestPackage(name) {
					t.Errorf("%s imports %s, which belongs to %q", name, lib, owner)
				}
			}
		}
	}
}

// The engine of the Tresor has no network: the command line hands it the reader
// of tresor/netz.
func TestTheEngineHasNoNetwork(t *testing.T) {
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		for _, imp := range p.Imports {
			network := imp == "net" || strings.HasPrefix(imp, "net/") && imp != "net/url" && imp != "net/netip"
			if network && name != "tresor/netz" && (name == "tresor" || strings.HasPrefix(name, "tresor/")) {
				t.Errorf("%s imports %s", name, imp)
			}
			if short(imp) == "tresor/netz" && name != "tresor/cli" && name != "cmd/outheis" {
				t.Errorf("%s imports %s, which is for the command line", name, short(imp))
			}
		}
	}
}

// The engine runs no program: nothing in a Tresor is ever executed. Graphviz, which
// draws a picture of it, gets text made for it alone.
func TestTheEngineRunsNoProgram(t *testing.T) {
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		engine := name == "tresor" || strings.HasPrefix(name, "tresor/")
		if engine && name != "tresor/picture" && !isTestPackage(name) && slices.Contains(p.Imports, "os/exec") {
			t.Errorf("%s imports os/exec", name)
		}
	}
}

func TestHelpersOfTestsStayInTests(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			if name := short(p.ImportPath); !isTestPackage(name) && (imp == "testing" || strings.HasPrefix(imp, module+"/") && isTestPackage(imp)) {
				t.Errorf("%s imports %s", name, imp)
			}
		}
	}
}

func isTestPackage(name string) bool {
	return strings.HasSuffix(path.Base(name), "test")
}

func row(name string) (allow []string, ok bool) {
	for _, r := range imports {
		if match(r.pkg, name) {
			return r.allow, true
		}
	}
	return nil, false
}

func match(pattern, name string) bool {
	if base, ok := strings.CutSuffix(pattern, "/**"); ok {
		return strings.HasPrefix(name, base+"/")
	}
	if pattern == "**" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func short(importPath string) string {
	return strings.TrimPrefix(importPath, module+"/")
}

// packages lists the module's packages with what their non-test files import,
// on every platform that is built.
func packages(t *testing.T) []goPackage {
	t.Helper()
	lookAtSources(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list output: %v", err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Fatal("go list found no package")
	}
	return all
}
