package config

import "os"

// A Key is a key that may stand in the file, as the test of the documentation
// looks at it.
type Key struct {
	Path, Kind string
	Later      bool
}

// Keys lists every key.
func Keys() []Key {
	var all []Key
	for _, k := range allKeys() {
		all = append(all, Key{k.path, k.kind, k.later})
	}
	return all
}

// Read loads content as if it were the file of that name.
func Read(name string, content []byte, env func(string) string) (Config, []Problem) {
	w := &walk{file: name, dir: string(os.PathSeparator) + "human", env: env}
	c := w.load(content)
	return c, w.problems
}
