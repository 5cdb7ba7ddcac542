package formatting

// ANSIDialect marks up with the SGR sequences that every terminal knows.
// There are no hyperlinks (OSC 8) in it: they would hide a link's target.
func ANSIDialect() Dialect { return ansiDialect{} }

type ansiDialect struct{}

func (ansiDialect) mode() string { return "ANSI" }

func (ansiDialect) draws(kind spanKind) bool {
	switch kind {
	case spanHeading, spanStrong, spanEmphasis, spanStrike, spanCode:
		return true
	}
	return false
}

func (ansiDialect) escape(dst []byte, s snippet) []byte { return append(dst, s.text()...) }

func sgr(kind spanKind) string {
	switch kind {
	case spanHeading, spanStrong:
		return "\x1b[1m"
	case spanEmphasis:
		return "\x1b[3m"
	case spanStrike:
		return "\x1b[9m"
	case spanCode:
		return "\x1b[33m"
	case spanLink:
		return "\x1b[4m"
	case spanCitation:
		return "\x1b[36m"
	case spanPrefix:
		return "\x1b[0;90m" // decoration shows nothing of the style around it
	}
	return ""
}

func (ansiDialect) open(dst []byte, s span, _ []span) []byte { return append(dst, sgr(s.kind)...) }

func (ansiDialect) close(dst []byte, s span, around []span) []byte {
	if sgr(s.kind) == "" {
		return dst
	}
	dst = append(dst, "\x1b[0m"...)
	for _, a := range around {
		dst = append(dst, sgr(a.kind)...)
	}
	return dst
}
