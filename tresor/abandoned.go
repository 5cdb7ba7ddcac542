package tresor

import (
	"os"
	"path/filepath"
	"regexp"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/wording"
)

// What an init or an export makes beside its target before that gets its place.
// Nothing finds what a killed one leaves but those who look there next.
var (
	initForm   = regexp.MustCompile(`(?s)^\.(.+)-init-[0-9]+$`)
	exportForm = regexp.MustCompile(`(?s)^\..+\.okf-staging-[a-z2-7]{10}$`)
)

// Abandoned words, in the language of the options, what lies in a folder that an
// init or an export prepared there and did not put in its place, each with its
// age and what to do. It may be one that is at work; nothing is changed.
func Abandoned(folder string, o Options) []string {
	var list []string
	for _, s := range abandoned(folder) {
		list = append(list, s.In(o.Lang))
	}
	return list
}

func abandoned(folder string) []wording.Sentence {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // a folder need not be readable
	}
	var list []wording.Sentence
	for _, e := range entries {
		command := ""
		switch {
		case !e.IsDir():
			continue
		case isInit(folder, e.Name()):
			command = "init"
		case exportForm.MatchString(e.Name()):
			command = "export"
		default:
			continue
		}
		if info, err := e.Info(); err == nil {
			since := info.ModTime().Format("2006-01-02 15:04")
			list = append(list, wording.Sentence{Key: "AB-1", Args: []any{filepath.Join(folder, e.Name()), command, since}})
		}
	}
	return list
}

// isInit reports whether a folder is one that an init works in: nothing else is
// in it but the Tresor of that name.
func isInit(folder, name string) bool {
	m := initForm.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	in, err := os.ReadDir(filepath.Join(folder, name))
	return err == nil && (len(in) == 0 || len(in) == 1 && in[0].Name() == m[1] && in[0].IsDir())
}

// abandoned looks for what an init or an export left beside the Tresor.
func (x *examination) abandoned() {
	if x.tree.Root() == "" {
		return
	}
	for _, s := range abandoned(filepath.Dir(x.tree.Root())) {
		x.Hint(check.Where{}, "DR-30", s)
	}
}
