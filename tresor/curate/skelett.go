package curate

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// The files that a new Tresor begins with. Their text is German, as what a
// Tresor holds; it is the curator's from then on.
//
//go:embed skelett
var skelett embed.FS

// facts fill the files of a new Tresor.
type facts struct {
	Title       string
	QuotedTitle string // for a place between single quotes of YAML
	Skill       string // name of the skill
	Scope       string
	ScopeName   string // as it is spelled in a sentence
	Readers     string
	Domain      string
	Date        string
}

// files returns the files of a new Tresor, by path.
func (f facts) files() (map[string][]byte, error) {
	all := make(map[string][]byte)
	err := fs.WalkDir(skelett, "skelett", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := skelett.ReadFile(path)
		if err != nil {
			return err
		}
		t, err := template.New(path).Option("missingkey=error").Parse(string(b))
		if err != nil {
			return fmt.Errorf("read the text of a new Tresor: %w", err)
		}
		var out bytes.Buffer
		if err := t.Execute(&out, f); err != nil {
			return fmt.Errorf("fill the text of a new Tresor: %w", err)
		}
		all[strings.TrimPrefix(path, "skelett/")] = out.Bytes()
		return nil
	})
	return all, err
}
