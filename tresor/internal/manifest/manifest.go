// Package manifest pins the files of a release: which of them count, what
// MANIFEST.sha256 says about them, and how a tree differs from it (3-artefacts
// section 3).
package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// Tracked reports whether the file at a path belongs into the manifest.
func Tracked(p string) bool {
	switch p {
	case ".", profil.ManifestFile, profil.LogFile, profil.LockFile, profil.BindingFile:
		return false
	}
	if below, ok := strings.CutPrefix(p, profil.Quarantine); ok && (below == "" || below[0] == '/') {
		return below == "/README.md"
	}
	first, _, _ := strings.Cut(p, "/")
	return first != "evals" && profil.Suffix(path.Base(p)) != ".pyc" && !slices.Contains(strings.Split(p, "/"), "__pycache__")
}

// Portable reports whether a path can stand in a manifest.
func Portable(p string) bool {
	return text.InvalidAt([]byte(p)) < 0 && tree.CheckRel(p) == "" && path.Clean(p) == p
}

// A Problem is why a tree cannot be pinned, or how it differs from its manifest.
type Problem struct {
	check.Where
	wording.Sentence
	New bool // a file that the manifest does not know
}

func problem(w check.Where, key string, args ...any) *Problem {
	return &Problem{Where: w, Sentence: wording.Sentence{Key: key, Args: args}}
}

// StageHash is the stage of [Entries], by entries of the tree.
const StageHash = "hash"

// Entries returns the digests of all tracked files by path, or the first reason
// why there can be no manifest. What override holds for a tracked path counts
// instead of, or beside, the file.
func Entries(t *tree.Tree, override map[string][]byte) (map[string]string, *Problem) {
	if err := t.WalkError(); err != nil {
		return nil, problem(check.File(err.Path), "MF-1", err.Err)
	}
	entries := make(map[string]string)
	for i, e := range t.Entries() {
		t.Progress(StageHash, i, len(t.Entries()))
		switch where := check.File(e.Path); {
		case e.Kind == tree.Alias:
			return nil, problem(where, "MF-2")
		case e.Kind == tree.Dir:
			continue
		case e.Kind != tree.File:
			return nil, problem(where, "MF-3")
		case e.Links != 1:
			return nil, problem(where, "MF-4")
		case !Tracked(e.Path):
			continue
		case !Portable(e.Path):
			return nil, problem(where, "MF-5")
		}
		if _, ok := override[e.Path]; ok {
			continue
		}
		digest, err := t.Digest(e.Path)
		if err != nil {
			return nil, unreadable(e.Path, err)
		}
		entries[e.Path] = digest
	}
	for p, b := range override {
		if Tracked(p) {
			sum := sha256.Sum256(b)
			entries[p] = hex.EncodeToString(sum[:])
		}
	}
	return entries, nil
}

func unreadable(path string, err error) *Problem { return problem(check.File(path), "MF-1", err) }

// Bytes returns the manifest of entries.
func Bytes(entries map[string]string) []byte {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(entries)) {
		b.WriteString(entries[p] + "  " + p + "\n")
	}
	return []byte(b.String())
}

// Status compares the tree with its manifest. Without problems n is the number
// of files that the manifest pins.
func Status(t *tree.Tree) (problems []*Problem, n int) {
	current, p := Entries(t, nil)
	if p != nil {
		return []*Problem{problem(check.Where{Label: "MANIFEST", Path: p.Path}, "MF-6", p.Label, p.Sentence)}, 0
	}
	if !t.SafeFile(profil.ManifestFile) {
		return []*Problem{problem(check.Where{Path: profil.ManifestFile}, "MF-7")}, 0
	}
	s, err := t.Text(profil.ManifestFile)
	if err != nil {
		return []*Problem{problem(check.Where{Path: profil.ManifestFile}, "MF-8", err)}, 0
	}
	pinned, problems := Parse(s)
	if problems != nil {
		return problems, len(pinned)
	}
	return compare(current, pinned), len(pinned)
}

func compare(current, pinned map[string]string) []*Problem {
	var added, missing, changed []*Problem
	for _, p := range slices.Sorted(maps.Keys(current)) {
		switch digest, ok := pinned[p]; {
		case !ok:
			one := problem(check.Where{Path: p}, "MF-12", p)
			one.New = true
			added = append(added, one)
		case digest != current[p]:
			changed = append(changed, problem(check.Where{Path: p}, "MF-14", p))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(pinned)) {
		if _, ok := current[p]; !ok {
			missing = append(missing, problem(check.Where{Path: p}, "MF-13", p))
		}
	}
	return slices.Concat(added, missing, changed)
}

// maxProblems bounds what [Parse] says of a file that is none: each of its
// millions of lines would be a problem.
const maxProblems = 10_000

// Parse reads a manifest: the digests by path, and what is wrong with its lines.
func Parse(s string) (pinned map[string]string, problems []*Problem) {
	pinned = make(map[string]string)
	i := -1
	for line := range strings.SplitSeq(s, "\n") {
		i++
		if text.IsBlank(line) {
			continue
		}
		if len(problems) == maxProblems {
			return pinned, append(problems, problem(check.Where{Path: profil.ManifestFile}, "MX-1", maxProblems))
		}
		where := check.Where{Path: profil.ManifestFile, Line: i + 1}
		digest, p, ok := strings.Cut(line, "  ")
		switch {
		case !ok || !profil.IsSHA256(digest) || p == "" || text.LeadsWithSpace(p):
			problems = append(problems, problem(where, "MF-9", i+1))
		case !Portable(p) || !Tracked(p):
			problems = append(problems, problem(where, "MF-10", i+1, p))
		case pinned[p] != "":
			problems = append(problems, problem(where, "MF-11", i+1, p))
		default:
			pinned[p] = digest
		}
	}
	return pinned, problems
}
