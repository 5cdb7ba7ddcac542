package store

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A NameError means that a file or folder may not be made under that name
// (spec/outheis.md §1.4).
type NameError struct {
	Name   string
	Reason string // such as "control character"
}

func (e *NameError) Error() string { return fmt.Sprintf("name %.300q: %s", e.Name, e.Reason) }

// CheckName returns a [*NameError] unless name may be given to a file of the
// user's that outheis makes: one element of a path, good on every system that
// the directory may be carried to. A leading dot is for the system's own files
// and refused. Existing files with odd names can still be read.
func CheckName(name string) error {
	if strings.HasPrefix(name, ".") {
		return &NameError{name, "leading dot"}
	}
	return checkElement(name)
}

// checkPath checks every element of a path that is about to be made.
func checkPath(name string) error {
	for element := range strings.SplitSeq(name, "/") {
		if err := checkElement(element); err != nil {
			return err
		}
	}
	return nil
}

func checkElement(name string) error {
	reason := ""
	switch {
	case name == "", name == ".", name == "..":
		reason = "not a name"
	case len(name) > 255:
		reason = "longer than 255 bytes"
	case !utf8.ValidString(name):
		reason = "not UTF-8"
	case strings.IndexFunc(name, unicode.IsControl) >= 0:
		reason = "control character"
	case strings.ContainsAny(name, `/\:*?"<>|`):
		reason = `one of / \ : * ? " < > |`
	case strings.TrimFunc(name, unicode.IsSpace) != name:
		reason = "blank at the beginning or end"
	case strings.HasSuffix(name, "."):
		reason = "dot at the end"
	case isDevice(name):
		reason = "name of a device on Windows"
	case !norm.NFC.IsNormalString(name):
		reason = "not in Unicode form NFC"
	default:
		return nil
	}
	return &NameError{name, reason}
}

// isDevice reports whether Windows would take name for a device, whatever its
// extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	stem = strings.TrimRight(stem, " ")
	if slices.Contains([]string{"con", "prn", "aux", "nul", "conin$", "conout$"}, stem) {
		return true
	}
	for _, port := range []string{"com", "lpt"} {
		if n, ok := strings.CutPrefix(stem, port); ok && strings.Contains("0123456789¹²³", n) && utf8.RuneCountInString(n) == 1 {
			return true
		}
	}
	return false
}
