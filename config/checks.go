package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A reference is a place in the file that names something which has to be
// defined elsewhere in it.
type reference struct {
	node *yaml.Node
	path string
	name string
}

func (w *walk) noteModel(f *form, key string) {
	if n := f.get(key); f.is(reading) && n != nil {
		w.modelRefs = append(w.modelRefs, reference{n, f.at(key), n.Value})
	}
}

func (w *walk) noteProvider(f *form, key string) {
	if n := f.get(key); f.is(reading) && n != nil {
		w.providerRefs = append(w.providerRefs, reference{n, f.at(key), n.Value})
	}
}

// checkNames checks what one part of the file says about another.
func (w *walk) checkNames(c *Config) {
	w.checkModels()
	w.checkTresorNames(c)
	for _, t := range w.tasks {
		for _, known := range tasks() {
			if known.name == t.name && !c.Agents[known.agent].Enabled {
				w.warn(t.node, t.path, agentIsOff, t.name, known.agent)
			}
		}
	}
}

// checkTresorNames checks that no Tresor is called like an agent, which @ and its
// name would ask instead.
func (w *walk) checkTresorNames(c *Config) {
	taken := reserved()
	for _, a := range c.Agents {
		taken = append(taken, strings.ToLower(a.Name))
	}
	for _, t := range w.tresorNames {
		if t.name != "" && slices.Contains(taken, t.name) {
			w.fail(t.node, t.path, reservedName, t.name)
		}
	}
}

// checkModels checks that every alias and provider that is used is there, and
// that every alias that is there is used. Agents without a model use "fast"
// and "capable".
func (w *walk) checkModels() {
	used := []string{"fast", "capable"}
	defined := make([]string, len(w.models))
	for i, m := range w.models {
		defined[i] = m.name
	}
	for _, r := range w.modelRefs {
		used = append(used, r.name)
	}
	w.checkReferences(w.modelRefs, defined, noModel, noModelBut)
	for _, m := range w.models {
		if !slices.Contains(used, m.name) {
			w.warn(m.node, m.path, unusedModel, m.name)
		}
	}
	providers := append([]string{"anthropic", "openai", "ollama", "ollama.local", "ollama.cloud"}, w.providers...)
	w.checkReferences(w.providerRefs, providers, noProvider, noProviderBut)
}

// checkReferences reports references to what is not defined, with but where one
// that is defined may be meant.
func (w *walk) checkReferences(references []reference, defined []string, missing, but Code) {
	for _, r := range references {
		if slices.Contains(defined, r.name) {
			continue
		}
		if best := similar(r.name, defined); best != "" {
			w.fail(r.node, r.path, but, r.name, best)
		} else {
			w.fail(r.node, r.path, missing, r.name)
		}
	}
}

// vaultsOf returns where each of the vaults of f stands.
func vaultsOf(f *form, vaults []string) func(i int) (*yaml.Node, string) {
	n := f.get("vault")
	return func(i int) (*yaml.Node, string) {
		if n.Kind == yaml.SequenceNode && len(n.Content) == len(vaults) {
			return n.Content[i], index(f.at("vault"), i)
		}
		return n, f.at("vault")
	}
}

// checkVaults checks that the folders of notes are apart from each other and
// from the human directory, whose vault folder alone may be one
// (spec/outheis.md §10.3). Place says where the i-th is named.
func (w *walk) checkVaults(vaults []string, place func(i int) (*yaml.Node, string)) {
	for i, v := range vaults {
		node, path := place(i)
		if w.dir != "" && within(v, w.dir) && v != filepath.Join(w.dir, "vault") {
			w.fail(node, path, pathInHuman, v)
		}
		if w.dir != "" && v != w.dir && within(w.dir, v) {
			w.fail(node, path, pathNested, w.dir, v)
		}
		for _, before := range vaults[:i] {
			switch {
			case v == before:
				w.fail(node, path, pathTwice, v)
			case within(v, before):
				w.fail(node, path, pathNested, v, before)
			case within(before, v):
				w.fail(node, path, pathNested, before, v)
			}
		}
		if isMissing(v) {
			w.warn(node, path, pathNotThere, v)
		}
	}
}

// checkThere warns when nothing lies at a path. That is no error: a disk may
// come back, and the file may be checked on another machine.
func (w *walk) checkThere(f *form, key, path string) {
	if path != "" && isMissing(path) {
		f.warn(key, pathNotThere, path)
	}
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// SameFolder reports whether two paths name one folder, also by way of links. Of
// what is not there the paths are compared.
func SameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
