package netz

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// A prefix is the place that a listed source allows to read: everything below
// it on one host and port (deviation D-42).
type prefix struct {
	url      *url.URL
	host     string // ASCII, lower case
	port     string
	segments []string // decoded
	folder   bool     // it ended with a slash, so that itself does not lie below it
}

const defaultPort = "443"

// parsePrefix reads a prefix of the register. What the register accepts and no
// URL can be made of lies in no public network (deviation D-45).
func parsePrefix(s string) (*prefix, error) {
	if !strings.HasPrefix(s, "https://") {
		return nil, abruf.Refuse(abruf.OutsidePrefix, nil)
	}
	u, err := url.Parse(s)
	if err != nil || !isHost(u.Hostname()) || !isPort(u.Port()) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, abruf.Refuse(abruf.NotPublic, nil, hostOf(s))
	}
	p := &prefix{url: u, host: lower(u.Hostname()), port: portOf(u)}
	path := u.EscapedPath()
	p.folder = strings.HasSuffix(path, "/")
	u.RawPath, u.Path = strings.TrimRight(path, "/"), strings.TrimRight(u.Path, "/")
	if u.Path != "" {
		segments, ok := segmentsOf(u)
		if !ok {
			return nil, abruf.Refuse(abruf.OutsidePrefix, nil)
		}
		p.segments = segments
	}
	return p, nil
}

// hostOf returns the host of a prefix that is no URL, without what could be a
// password before it.
func hostOf(s string) string {
	s = strings.TrimPrefix(s, "https://")
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	return s[strings.LastIndexByte(s, '@')+1:]
}

// join returns the URL of a document below the prefix, each segment encoded
// (deviation D-43).
func (p *prefix) join(path string) (*url.URL, error) {
	if reason := tree.CheckRel(path); reason != "" {
		return nil, abruf.Refuse(abruf.BadPath, nil, pathReason(reason))
	}
	u, err := url.Parse(p.url.String() + "/" + escape(path))
	if err != nil || !p.covers(u) {
		return nil, abruf.Refuse(abruf.OutsidePrefix, nil)
	}
	return u, nil
}

// escape encodes everything but slashes and unreserved characters.
func escape(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case text.IsASCIIAlnum(c) || strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// covers reports whether the URL lies below the prefix, however a server reads
// its path.
func (p *prefix) covers(u *url.URL) bool {
	if u.Scheme != "https" || u.Opaque != "" || u.User != nil || lower(u.Hostname()) != p.host || !isPort(u.Port()) || portOf(u) != p.port {
		return false
	}
	if strings.ContainsFunc(u.RawQuery, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false // it would stand in the request as it is
	}
	segments, ok := segmentsOf(u)
	if !ok || len(segments) < len(p.segments) || p.folder && len(segments) == len(p.segments) {
		return false
	}
	for i, s := range p.segments {
		if segments[i] != s {
			return false
		}
	}
	return true
}

// segmentsOf returns the decoded segments of a URL's path; none may be, or turn
// into, something that leads elsewhere.
func segmentsOf(u *url.URL) ([]string, bool) {
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || !harmless(decoded) {
			return nil, false
		}
		segments[i] = decoded
	}
	return segments, true
}

// harmless reports whether a decoded segment holds no dot segment, also where a
// server decodes once more, takes "\" for "/" or drops what follows a ";".
func harmless(segment string) bool {
	for {
		if text.HasControl(segment) || !utf8.ValidString(segment) {
			return false
		}
		for part := range strings.FieldsFuncSeq(segment, func(r rune) bool { return r == '/' || r == '\\' }) {
			part, _, _ = strings.Cut(part, ";")
			if part = strings.TrimSpace(part); part == "." || part == ".." {
				return false
			}
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil || decoded == segment {
			return true
		}
		segment = decoded
	}
}

// isHost reports whether s is a host as the register allows it.
func isHost(s string) bool {
	for i := range len(s) {
		if !text.IsASCIIAlnum(s[i]) && (i == 0 || i == len(s)-1 || s[i] != '.' && s[i] != '-') {
			return false
		}
	}
	return s != ""
}

func isPort(s string) bool {
	if s == "" {
		return true
	}
	n, err := strconv.Atoi(s)
	return err == nil && text.AllDigits(s) && n > 0 && n <= 65535
}

func portOf(u *url.URL) string {
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		return defaultPort
	}
	return strconv.Itoa(n)
}

// lower is strings.ToLower for ASCII alone: no other letter may become one.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// pathReason is the sentence for why a path is none.
func pathReason(r tree.Reason) wording.Sentence { return wording.Sentence{Key: string(r)} }
