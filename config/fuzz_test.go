package config_test

import (
	"strings"
	"testing"

	"outheis/config"
	"outheis/config/texts"
)

// Whatever the file holds: no panic; every problem can be said and points into
// the file; with an error nobody is admitted; without one, what `config show`
// prints loads to the same and shows no secret.
func FuzzLoad(f *testing.F) {
	for _, c := range problemCases {
		if len(c.file) < 10_000 {
			f.Add(strings.HasPrefix(c.file, "{") || strings.HasPrefix(c.file, "["), c.file)
		}
	}
	f.Add(false, full)
	env := fullEnvironment("GOOD", goodToken)
	say := texts.For("de").Say
	f.Fuzz(func(t *testing.T, json bool, content string) {
		name := "config.yaml"
		if json {
			name = "config.json"
		}
		c, problems := config.Read(name, []byte(content), env)
		most := 1 // as YAML counts lines
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
			most += strings.Count(content, end)
		}
		for _, p := range problems {
			if s := p.Say(say); s == "" || strings.Contains(s, "%!") && !strings.Contains(content, "%!") {
				t.Errorf("%v is said as %q", p, s)
			}
			if p.Line < 0 || p.Line > most+1 {
				t.Errorf("%v: the file has %d lines", p, most)
			}
		}
		if config.HasErrors(problems) {
			if len(c.Accounts()) > 0 {
				t.Errorf("admitted in spite of an error: %+v", c.Accounts())
			}
			return
		}
		shown := string(c.Masked())
		if strings.Contains(shown, goodToken) {
			t.Errorf("a secret is shown:\n%s", shown)
		}
		again, problems := config.Read("config.yaml", []byte(strings.ReplaceAll(shown, "'***'", "${env:GOOD}")), env)
		if config.HasErrors(problems) {
			t.Fatalf("what is shown does not load: %v\n%s", problems, shown)
		}
		if got := strings.ReplaceAll(string(again.Masked()), "${env:GOOD}", "'***'"); got != strings.ReplaceAll(shown, "${env:GOOD}", "'***'") {
			t.Fatalf("shown\n%s\nloads as\n%s", shown, got)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	env := fullEnvironment()
	for b.Loop() {
		if _, problems := config.Read("config.yaml", []byte(full), env); config.HasErrors(problems) {
			b.Fatal(problems)
		}
	}
}
