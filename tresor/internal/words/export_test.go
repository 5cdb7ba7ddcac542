package words

import "golang.org/x/text/unicode/norm"

// NormAny is [Norm] without its short cut.
func NormAny(s string) string { return join(fold(norm.NFKC.String(s))) }
