// Package conformancetest runs conformance cases against a command line of the
// engine: one Tresor, one command, and what must come of it. The cases were
// measured from the reference engine; facts are compared, wording is not.
package conformancetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Case is a folder with case.json, and beside it files to lay over a base and
// files that are expected.
type Case struct {
	Dir  string `json:"-"`
	Name string `json:"-"` // of the folder

	About       string            `json:"about"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Today       string            `json:"today"`
	Base        string            `json:"base"`
	OutsideBase map[string]string `json:"outside_base"`
	Delete      []string          `json:"delete"`
	Dirs        []string          `json:"dirs"`
	Write       []write           `json:"write"`
	Subst       []string          `json:"subst"`
	Symlinks    []symlink         `json:"symlinks"`
	Hardlinks   []hardlink        `json:"hardlinks"`
	FIFOs       []string          `json:"fifos"`
	Chmod       map[string]string `json:"chmod"`
	MTimes      map[string]int    `json:"mtimes"`

	Exit     int      `json:"exit"`
	Stdout   string   `json:"stdout"` // exact, json, findings, lines-set or ignore
	Stderr   string   `json:"stderr"`
	Contains []string `json:"contains"`
	Absent   []string `json:"absent"`
	Changed  []string `json:"changed"`
	After    []string `json:"after"`
	Ours     bool     `json:"ours"`
}

type write struct {
	Path, Text, Head, Tail string
	Times, Repeat          *int
}

type symlink struct{ Path, Target string }

type hardlink struct{ Path, To string }

// Load reads all cases of a set, a folder with bases and numbered cases.
func Load(set string) ([]*Case, error) {
	names, err := filepath.Glob(filepath.Join(set, "[0-9]*", "case.json"))
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c := &Case{Dir: filepath.Dir(name), Name: filepath.Base(filepath.Dir(name))}
		if err := json.Unmarshal(b, c); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// build lays the Tresor of the case to tmp/vault.
func (c *Case) build(tmp string) error {
	b := &builder{tmp: tmp, set: filepath.Dir(c.Dir)}
	b.mkdir(b.real(""))
	if c.Base != "" {
		b.base(c.Base, b.real(""))
	}
	for dest, name := range c.OutsideBase {
		b.base(name, filepath.Join(tmp, dest))
	}
	for _, p := range c.Delete {
		b.try(os.RemoveAll(b.real(p)))
	}
	b.merge(filepath.Join(c.Dir, "vault"), b.real(""))
	b.merge(filepath.Join(c.Dir, "overlay"), b.real(""))
	b.merge(filepath.Join(c.Dir, "outside"), tmp)
	for _, p := range c.Dirs {
		b.mkdir(b.real(p))
	}
	for _, w := range c.Write {
		b.write(w)
	}
	for _, p := range c.Subst {
		content, err := os.ReadFile(b.real(p))
		b.try(err)
		b.file(b.real(p), []byte(b.expand(string(content))))
	}
	b.plainModes()
	for _, l := range c.Hardlinks {
		b.try(os.Link(b.real(l.To), b.real(l.Path)))
	}
	for _, l := range c.Symlinks {
		b.mkdir(filepath.Dir(b.real(l.Path)))
		b.try(os.Symlink(b.expand(l.Target), b.real(l.Path)))
	}
	for _, p := range c.FIFOs {
		b.try(mkfifo(b.real(p)))
	}
	for p, mode := range c.Chmod {
		var m uint32
		_, err := fmt.Sscanf(mode, "%o", &m)
		b.try(err)
		b.try(os.Chmod(b.real(p), os.FileMode(m)))
	}
	for p, delta := range c.MTimes {
		at := time.Now().Add(time.Duration(delta) * time.Second)
		b.try(os.Chtimes(b.real(p), at, at))
	}
	return b.err
}

// A builder remembers the first error.
type builder struct {
	tmp, set string
	err      error
}

func (b *builder) try(err error) {
	if b.err == nil {
		b.err = err
	}
}

// real is the place of a path of the case: in the Tresor, or anchored.
func (b *builder) real(p string) string {
	if rest, ok := strings.CutPrefix(p, "{tmp}/"); ok {
		return filepath.Join(b.tmp, rest)
	}
	return filepath.Join(b.tmp, "vault", strings.TrimPrefix(p, "{root}/"))
}

func (b *builder) expand(s string) string {
	return strings.NewReplacer("{root}", b.real(""), "{tmp}", b.tmp).Replace(s)
}

func (b *builder) mkdir(p string) { b.try(os.MkdirAll(p, 0o755)) }

func (b *builder) file(p string, content []byte) {
	b.mkdir(filepath.Dir(p))
	b.try(os.WriteFile(p, content, 0o644))
}

// base lays a base: a folder, or one JSON object from path to text.
func (b *builder) base(name, dest string) {
	dir := filepath.Join(b.set, "bases", name)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		b.merge(dir, dest)
		return
	}
	content, err := os.ReadFile(dir + ".json")
	b.try(err)
	var files map[string]string
	b.try(json.Unmarshal(content, &files))
	for p, text := range files {
		b.file(filepath.Join(dest, p), []byte(text))
	}
}

func (b *builder) merge(src, dest string) {
	if _, err := os.Stat(src); err != nil {
		return
	}
	b.try(filepath.WalkDir(src, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dest, rel), 0o755)
		}
		content, err := os.ReadFile(p)
		b.file(filepath.Join(dest, rel), content)
		return err
	}))
}

// write lays small or repeated files: head + text × times + tail. {n} counts in
// the text, or in the path, which then makes one file each.
func (b *builder) write(w write) {
	times, repeat := 1, 1
	if w.Times != nil {
		times = *w.Times
	}
	if w.Repeat != nil {
		repeat = *w.Repeat
	}
	numbered := func(s string, i int) string { return strings.ReplaceAll(s, "{n}", fmt.Sprintf("%04d", i)) }
	if strings.Contains(w.Path, "{n}") {
		for i := 1; i <= times; i++ {
			b.file(b.real(numbered(w.Path, i)), []byte(w.Head+strings.Repeat(numbered(w.Text, i), repeat)+w.Tail))
		}
		return
	}
	var body strings.Builder
	body.WriteString(w.Head)
	for i := 1; i <= times; i++ {
		body.WriteString(numbered(w.Text, i))
	}
	body.WriteString(w.Tail)
	b.file(b.real(w.Path), []byte(body.String()))
}

// plainModes makes the modes independent of umask and checkout.
func (b *builder) plainModes() {
	b.try(filepath.WalkDir(b.tmp, func(p string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(p, 0o755)
		case d.Type().IsRegular():
			return os.Chmod(p, 0o644)
		}
		return nil
	}))
}
