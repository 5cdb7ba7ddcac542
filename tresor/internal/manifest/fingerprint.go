package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
)

// Fingerprint returns the digest of everything that a release is made from: the
// tracked files without those that it derives, and the log (3-artefacts section
// 3). The problem is why the tree cannot be pinned.
func Fingerprint(t *tree.Tree) (string, *Problem) {
	entries, p := Entries(t, nil)
	if p != nil {
		return "", p
	}
	delete(entries, profil.IndexFile)
	delete(entries, profil.GraphFile)
	if t.SafeFile(profil.LogFile) {
		digest, err := t.Digest(profil.LogFile)
		if err != nil {
			return "", unreadable(profil.LogFile, err)
		}
		entries[profil.LogFile] = digest
	}
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		h.Write([]byte(path + "\x00" + entries[path] + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
