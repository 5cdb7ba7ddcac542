package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// The names of the file. Only one of them may be there.
const (
	JSONName = "config.json"
	YAMLName = "config.yaml"
)

// Load reads the configuration of the human directory dir: defaults, over them
// the file, over that the environment (env is [os.Getenv] or a stand-in; see
// [WithFlags] for flags). Without a file the defaults hold.
//
// The error says that a file could not be read at all. Everything else that is
// wrong is in the problems, all of it at once, in the order of the file. With
// an [Error] among them the Config is that of [Default], which admits nobody,
// with the language that the file asks for.
func Load(dir string, env func(string) string) (Config, []Problem, error) {
	return load(&walk{dir: dir, env: env})
}

// LoadUnresolved is [Load] for whoever connects to nothing: no reference to a
// secret is followed, so that what it names may be missing. The tokens of a
// service usually stand in the environment of that service alone.
func LoadUnresolved(dir string, env func(string) string) (Config, []Problem, error) {
	return load(&walk{dir: dir, env: env, unresolved: true})
}

func load(w *walk) (Config, []Problem, error) {
	b, err := w.open()
	if err != nil {
		return Default(), nil, fmt.Errorf("config: %w", err)
	}
	c := w.load(b)
	return c, w.problems, nil
}

// open returns the content of the file, or nil when there is none or it must
// not be read.
func (w *walk) open() ([]byte, error) {
	var names []string
	for _, name := range []string{JSONName, YAMLName} {
		_, err := os.Lstat(filepath.Join(w.dir, name))
		switch {
		case err == nil:
			names = append(names, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	switch len(names) {
	case 2:
		w.file = filepath.Join(w.dir, names[1])
		w.fail(nil, "", bothFiles, names[0], names[1])
		return nil, nil
	case 0:
		w.otherNames()
		return nil, nil
	}
	w.file = filepath.Join(w.dir, names[0])
	return w.readFile()
}

// otherNames reports files that somebody may take for the configuration.
func (w *walk) otherNames() {
	for _, name := range []string{"config.yml", "outheis.yaml", "outheis.json"} {
		if path := filepath.Join(w.dir, name); !isMissing(path) {
			w.problems = append(w.problems, Problem{File: path, Severity: Error, Code: otherName, Args: []any{name, YAMLName}})
		}
	}
}

func (w *walk) readFile() ([]byte, error) {
	f, err := os.OpenFile(w.file, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", w.file)
	}
	perm := fi.Mode().Perm()
	switch {
	case isForeign(fi):
		w.fail(nil, "", fileForeign)
		return nil, nil
	case hasModes && perm&0o022 != 0:
		w.fail(nil, "", fileWritable, fmt.Sprintf("%04o", perm), w.file)
		return nil, nil
	}
	if hasModes && perm&0o077 != 0 {
		w.exposed = fmt.Sprintf("%04o", perm)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// load makes the configuration of the content b.
func (w *walk) load(b []byte) Config {
	w.written = make(map[*yaml.Node]string)
	w.later = make(map[string]any)
	w.known = allKeys()
	c := Default()
	if b != nil {
		if root := w.parse(w.file, b); root != nil {
			w.reshape(root)
			f := w.root(root)
			everything(f, &c)
			f.unknown()
			w.checkNames(&c)
			w.checkLiterals()
			w.noteUnused()
		}
	}
	w.environment(&c)
	sortProblems(w.problems)
	if HasErrors(w.problems) {
		safe := Default()
		safe.Human.Language = c.Human.Language
		return safe
	}
	c.File, c.later = w.file, w.later
	return c
}

// environment puts the variables that override the file over it.
func (w *walk) environment(c *Config) {
	file := w.file
	w.file = ""
	defer func() { w.file = file }()
	if v := w.env(EnvVault); v != "" {
		if p, bad := w.path().read(scalar("!!str", v)); bad != nil {
			w.fail(nil, EnvVault, bad.code, bad.args...)
		} else {
			c.Human.Vaults = []string{p}
			w.checkVaults(c.Human.Vaults, func(int) (*yaml.Node, string) { return nil, EnvVault })
		}
	}
	if v := w.env(EnvLanguage); v != "" {
		lang := strings.ToLower(v)
		if i := strings.IndexAny(lang, "-_.@"); i > 0 {
			lang = lang[:i]
		}
		if l, bad := language().read(scalar("!!str", lang)); bad != nil {
			w.fail(nil, EnvLanguage, wantLanguage, clip(v))
		} else {
			c.Human.Language = l
		}
	}
}

// checkLiterals reports secrets in the file: a warning where nobody else can
// read it, an error where somebody can.
func (w *walk) checkLiterals() {
	for _, l := range w.literals {
		if w.exposed != "" {
			w.fail(l.node, l.path, secretExposed, w.exposed, w.file)
		} else {
			w.warn(l.node, l.path, secretLiteral)
		}
	}
}

// noteUnused says once what of the file no part of outheis reads yet.
func (w *walk) noteUnused() {
	var all []string
	for _, s := range w.unused {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) > 0 {
		w.warn(nil, "", notUsedYet, strings.Join(all, ", "))
	}
}

// allKeys lists every key that a file may have.
func allKeys() []key {
	w := &walk{mode: listing, env: func(string) string { return "" }}
	c := Default()
	everything(w.root(nil), &c)
	return w.keys
}

// Masked returns the configuration as it holds, defaults and environment
// included, in its canonical form as YAML. Secrets are shown as the reference
// that they came from, or as "***".
func (c Config) Masked() []byte {
	w := &walk{mode: writing, env: func(string) string { return "" }, later: c.later}
	f := w.root(nil)
	everything(f, &c)
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(f.out), e.Close()); err != nil {
		panic("config: " + err.Error()) // a tree of our own making encodes
	}
	return []byte(b.String())
}
