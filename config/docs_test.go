package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"outheis/config"
)

func documentation(t *testing.T) string { return page(t, "configuration.md") }

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every example of the documentation is a good file.
func TestDocumentedExamples(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte(goodToken+"x"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := environ("OUTHEIS_TELEGRAM_TOKEN", goodToken, "HAUS_TOKEN", goodToken, "OUTHEIS_DISCORD_TOKEN", discordToken,
		"OUTHEIS_MATTERMOST_TOKEN", mattermostToken, "HAUS_COMMAND_TOKEN", mattermostToken)
	blocks := regexp.MustCompile("(?s)```(yaml|json)\n(.*?)```").FindAllStringSubmatch(documentation(t)+page(t, "channels.md"), -1)
	if len(blocks) < 12 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		file := strings.ReplaceAll(b[2], "/etc/outheis/werkstatt.token", secret)
		_, problems := loadFile(t, "config."+b[1], file, env)
		for _, p := range problems {
			switch p.Code {
			case "config.path_not_there", "config.not_used_yet":
			default:
				t.Errorf("%v in\n%s", p, file)
			}
		}
	}
}

// Every key is documented, with the default that holds, and no other.
func TestDocumentedKeys(t *testing.T) {
	doc := documentation(t)
	var shown yaml.Node
	c, problems := loadFile(t, "config.yaml", `
tresor: {vaults: [/usr]}
channels:
  telegram: {allowed: [5], groups: [{id: -5, allowed: [6]}]}
  discord: {allowed: [123456789012345678], groups: [{id: 223456789012345678, allowed: [123456789012345678]}]}
  mattermost: {allowed: [ow8ye3q4mjnkfxt7i5a6b9c1de], groups: [{id: pw8ye3q4mjnkfxt7i5a6b9c1de, allowed: [ow8ye3q4mjnkfxt7i5a6b9c1de]}]}
`, environ())
	if config.HasErrors(problems) {
		t.Fatal(lines(problems))
	}
	if err := yaml.Unmarshal(c.Masked(), &shown); err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]string)
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.\\[\\]]+)` \\|[^|]*\\| *([^|]*?) *\\|").FindAllStringSubmatch(doc, -1) {
		rows[m[1]] = m[2]
	}
	if len(rows) < 50 {
		t.Fatalf("%d keys found in the documentation", len(rows))
	}
	known := make(map[string]bool)
	for _, k := range config.Keys() {
		known[k.Path] = true
		if k.Kind == "object" || k.Kind == "object[]" {
			continue
		}
		value, documented := rows[k.Path]
		switch {
		case k.Later:
			if !mentioned(doc, k.Path) {
				t.Errorf("%s is not mentioned", k.Path)
			}
			if documented {
				t.Errorf("%s is documented as used", k.Path)
			}
		case !documented && strings.HasPrefix(k.Path, "agents."):
		case !documented:
			t.Errorf("%s is not documented", k.Path)
		default:
			if got := defaultOf(&shown, k.Path); got != value {
				t.Errorf("%s: the documented default is %q, the real one %q", k.Path, value, got)
			}
		}
	}
	for path := range rows {
		if !known[path] {
			t.Errorf("%s is documented and does not exist", path)
		}
	}
}

// mentioned reports whether a path, or the section that it is in, stands in
// backticks.
func mentioned(doc, path string) bool {
	parts := strings.Split(path, ".")
	for i := range parts {
		if strings.Contains(doc, "`"+strings.Join(parts[:i+1], ".")+"`") || strings.Contains(doc, "`"+parts[i]+"`") && i > 0 {
			return true
		}
	}
	return false
}

// defaultOf returns the value at a path as the documentation writes it.
func defaultOf(n *yaml.Node, path string) string {
	n = n.Content[0]
	for part := range strings.SplitSeq(path, ".") {
		key, list := strings.CutSuffix(part, "[]")
		var next *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				next = n.Content[i+1]
			}
		}
		if list && next != nil && len(next.Content) > 0 {
			next = next.Content[0]
		}
		if next == nil {
			return ""
		}
		n = next
	}
	switch {
	case n.Kind == yaml.ScalarNode && (strings.HasSuffix(path, ".id") || strings.HasSuffix(path, ".path")):
		return "" // what the test made up
	case n.Kind == yaml.ScalarNode:
		return n.Value
	}
	var all []string
	for _, item := range n.Content {
		all = append(all, item.Value)
	}
	return strings.Join(all, ", ")
}
