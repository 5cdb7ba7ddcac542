package extern

import (
	"crypto/sha256"
	"encoding/hex"

	"golang.org/x/text/unicode/norm"

	"outheis/tresor/internal/text"
)

// QuoteForm returns a sentence as an anchor holds it: NFC, with single blanks.
func QuoteForm(s string) string { return text.CollapseSpace(norm.NFC.String(s)) }

// Digest returns the SHA-256 of a sentence's quote form in hex.
func Digest(sentence string) string {
	sum := sha256.Sum256([]byte(QuoteForm(sentence)))
	return hex.EncodeToString(sum[:])
}
