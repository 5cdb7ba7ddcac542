package formatting

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A run is the text of one paragraph with its spans, before it is broken into
// lines. Forced line ends are line feeds. Spans are sorted by start, outer
// ones first; empty ones may be among them.
type run struct {
	p     *Profile
	text  []byte
	spans []span
	glued []int
	on    [spanPrefix + 1]bool // the kinds of span that are open
	caps  bool
}

func (r *run) inlines(list []Inline) {
	for _, in := range list {
		switch in := in.(type) {
		case Text:
			r.words(string(in))
		case Strong:
			r.within(spanStrong, "", in.Inlines)
		case Emphasis:
			r.within(spanEmphasis, "", in.Inlines)
		case Strike:
			r.strike(in)
		case Code:
			r.code(string(in))
		case Link:
			r.link(in)
		case Break:
			r.trim()
			if len(r.text) > 0 {
				r.text = append(r.text, '\n')
			}
		case Citation:
			r.citation(string(in))
		}
	}
}

// within adds list with a span around it. Bold in bold, and whatever else is
// open already, adds no span: that bounds how deep spans nest.
func (r *run) within(kind spanKind, arg string, list []Inline) {
	if r.on[kind] {
		r.inlines(list)
		return
	}
	i := r.open(kind, arg)
	r.inlines(list)
	r.close(i)
}

// strike adds text that is crossed out. Where the dialect cannot show that, it
// gets signs: unmarked it would say the opposite.
func (r *run) strike(s Strike) {
	mark := ""
	if !r.p.Dialect.draws(spanStrike) && !r.on[spanStrike] {
		mark = "~~"
	}
	from := len(r.text)
	r.text = append(r.text, mark...)
	r.within(spanStrike, "", s.Inlines)
	if len(r.text) == from+len(mark) {
		r.text = r.text[:from]
		return
	}
	r.text = append(r.text, mark...)
}

func (r *run) open(kind spanKind, arg string) int {
	r.on[kind] = true
	r.spans = append(r.spans, span{start: len(r.text), kind: kind, arg: arg})
	return len(r.spans) - 1
}

func (r *run) close(i int) {
	r.on[r.spans[i].kind] = false
	r.spans[i].end = len(r.text)
}

// words adds literal text. Runs of white space count as one blank, and vanish
// at the start of a line.
func (r *run) words(s string) {
	s = Clean(s)
	if r.caps {
		s = strings.ToUpper(s)
	}
	for s != "" {
		i := strings.IndexAny(s, " \t\n")
		if i < 0 {
			r.text = append(r.text, s...)
			return
		}
		r.text = append(r.text, s[:i]...)
		if n := len(r.text); n > 0 && r.text[n-1] != ' ' && r.text[n-1] != '\n' {
			r.text = append(r.text, ' ')
		}
		s = s[i+1:]
	}
}

func (r *run) code(s string) {
	s = oneLine(s)
	if s == "" {
		return
	}
	i := r.open(spanCode, "")
	r.text = append(r.text, s...)
	r.close(i)
}

func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		return c
	}, Clean(s))
}

// citation adds the mark and glues it to what stands before it.
func (r *run) citation(id string) {
	r.glue()
	if last, _ := utf8.DecodeLastRune(r.text); len(r.text) > 0 && !unicode.IsSpace(last) && !unicode.In(last, unicode.Ps, unicode.Pi) {
		r.glued = append(r.glued, len(r.text))
		r.text = append(r.text, ' ')
	}
	i := r.open(spanCitation, "")
	r.text = append(r.text, '[')
	r.text = append(r.text, strings.TrimSpace(oneLine(id))...)
	r.text = append(r.text, ']')
	r.close(i)
}

// glue forbids cutting the text at the white space that it ends with.
func (r *run) glue() {
	from := len(r.text)
	for from > 0 && (r.text[from-1] == ' ' || r.text[from-1] == '\n') {
		from--
	}
	for ; from < len(r.text); from++ {
		if n := len(r.glued); n == 0 || r.glued[n-1] < from {
			r.glued = append(r.glued, from)
		}
	}
}

// trim removes the white space at the end.
func (r *run) trim() { r.trimTo(0) }

// trimTo removes the white space at the end, but nothing before from, and
// reports whether there was any.
func (r *run) trimTo(from int) bool {
	n := len(r.text)
	for n > from && (r.text[n-1] == ' ' || r.text[n-1] == '\n') {
		n--
	}
	trimmed := n < len(r.text)
	r.text = r.text[:n]
	for i := len(r.spans) - 1; i >= 0; i-- {
		if s := &r.spans[i]; s.start > n || s.end > n {
			s.start, s.end = min(s.start, n), min(s.end, n)
		}
	}
	for len(r.glued) > 0 && r.glued[len(r.glued)-1] >= n {
		r.glued = r.glued[:len(r.glued)-1]
	}
	return trimmed
}

// link adds a link so that its target can be seen: the host beside the label
// where the dialect makes the label clickable, else the whole URL
// (spec/reliability.md T14). A target that is no plain web address is never
// made clickable.
func (r *run) link(l Link) {
	target := cleanURL(l.URL)
	if target == "" {
		r.inlines(l.Inlines)
		return
	}
	if r.on[spanLink] { // an image in a link
		r.inlines(l.Inlines)
		r.target(target)
		return
	}
	host := webHost(target)
	clickable := host != "" && r.p.Dialect.draws(spanLink) && r.p.affords(target)
	i := r.open(spanLink, target)
	from := len(r.text)
	r.inlines(l.Inlines)
	if r.trimTo(from) {
		defer r.words(" ")
	}
	if len(r.text) == from {
		r.text = append(r.text, target...)
	}
	r.close(i)
	if !clickable {
		r.spans[i].kind = 0
		if host != "" {
			r.spans[i].kind = spanLink
		}
	}
	label := strings.TrimSpace(string(r.text[from:]))
	if sameTarget(label, target) {
		return
	}
	if !clickable {
		r.target(strings.TrimPrefix(target, "mailto:"))
		return
	}
	if strings.EqualFold(label, host) {
		return
	}
	r.blank()
	r.text = append(r.text, '(')
	i = -1
	if r.p.Limit == 0 || r.p.Measure.Of(target) <= r.p.Limit/4 {
		i = r.open(spanAlt, target)
	}
	r.text = append(r.text, host...)
	if i >= 0 {
		r.close(i)
	}
	r.text = append(r.text, ')')
}

// affords reports whether a link to url takes no more than a quarter of a part.
func (p *Profile) affords(url string) bool {
	n := 4 * len(p.Dialect.escape(nil, url))
	return (p.EntityBytes == 0 || n <= p.EntityBytes) && (p.RawLimit == 0 || n <= p.RawLimit)
}

// target adds the URL of a link for people to read.
func (r *run) target(url string) {
	before, after := "(", ")"
	switch r.p.Looks.Link {
	case LinkAngle:
		before, after = "<", ">"
	case LinkColon:
		before, after = "", ""
		r.text = append(r.text, ':')
	}
	r.blank()
	r.text = append(append(append(r.text, before...), url...), after...)
}

// blank adds a blank at which the text is not cut.
func (r *run) blank() {
	r.glue()
	if n := len(r.text); n > 0 && r.text[n-1] != ' ' && r.text[n-1] != '\n' {
		r.glued = append(r.glued, n)
		r.text = append(r.text, ' ')
	}
}

func cleanURL(u string) string {
	return strings.ReplaceAll(strings.TrimSpace(oneLine(u)), " ", "%20")
}

// maxURL is the length over which an address is shown, not linked.
const maxURL = 2048

// webHost returns the host of a web address that a network will take as a
// link, or "". User names in front of the host are a way to fake it, so
// addresses with one are not taken; nor are hosts without a dot, which
// Telegram drops without a word.
func webHost(u string) string {
	if len(u) > maxURL {
		return ""
	}
	p, err := url.Parse(u)
	if err != nil || p.User != nil || p.Opaque != "" {
		return ""
	}
	if s := strings.ToLower(p.Scheme); s != "http" && s != "https" {
		return ""
	}
	host := p.Hostname()
	if !strings.Contains(host, ".") || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return ""
	}
	for _, c := range host {
		if c != '.' && c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) {
			return ""
		}
	}
	if port := p.Port(); port != "" {
		if _, err := netip.ParseAddrPort("127.0.0.1:" + port); err != nil || strings.Trim(port, "0") == "" {
			return ""
		}
	}
	return host
}

// sameTarget reports whether the label says where the link leads.
func sameTarget(label, target string) bool {
	short := func(s string) string {
		for _, scheme := range [...]string{"https://", "http://", "mailto:"} {
			if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
				s = s[len(scheme):]
				break
			}
		}
		return strings.TrimSuffix(s, "/")
	}
	return short(label) == short(target)
}
