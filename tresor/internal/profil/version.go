package profil

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"outheis/tresor/internal/text"
)

// Why a version cannot be raised.
var (
	ErrVersion     = errors.New("no version like 1.0.0")
	ErrLastVersion = errors.New("no version follows")
)

// maxVersion is the largest number in a version (deviation D-32).
const maxVersion = 1 << 53

// IsVersion reports whether s is three numbers with points between them, none
// above 2^53.
func IsVersion(s string) bool {
	_, err := ParseVersion(s)
	return err == nil
}

// ParseVersion reads a version; leading zeros vanish. Its error is [ErrVersion].
func ParseVersion(s string) (n [3]int64, err error) {
	parts := strings.Split(s, ".")
	if len(parts) != len(n) {
		return n, ErrVersion
	}
	for i, part := range parts {
		if !text.AllDigits(part) {
			return n, ErrVersion
		}
		if n[i], err = strconv.ParseInt(part, 10, 64); err != nil || n[i] > maxVersion {
			return n, ErrVersion
		}
	}
	return n, nil
}

// RaiseVersion returns the version that follows in a part, without leading zeros
// (deviation D-32), for the Bestand and for pages: 0 is the major part, 1
// the minor one, 2 the patch. Its errors are [ErrVersion] and [ErrLastVersion].
func RaiseVersion(s string, part int) (string, error) {
	n, err := ParseVersion(s)
	if err != nil {
		return "", err
	}
	n[part]++
	clear(n[part+1:])
	if n[part] > maxVersion {
		return "", ErrLastVersion
	}
	return fmt.Sprintf("%d.%d.%d", n[0], n[1], n[2]), nil
}
