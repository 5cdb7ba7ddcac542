package formatting

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

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
	label := strings.TrimSpace(string(r.text[from:]))
	native := r.p.Dialect.draws(spanAddress)
	same := sameTarget(label, target)
	switch {
	case native && clickable && same && strings.Contains(label, "://") && plainAddress(target):
		r.text = append(r.text[:from], target...)
		r.spans = append(r.spans[:i], span{start: from, kind: spanAddress, arg: target})
		for n := len(r.closed); n > 0 && r.closed[n-1] >= i; n-- {
			r.closed = r.closed[:n-1]
		}
		r.close(i)
	case native && (!clickable || strings.ContainsAny(label, "[]\n") || strings.Contains(label, "://")):
		r.spans[i].kind, clickable = 0, false
	case !clickable:
		r.spans[i].kind = 0
		if host != "" {
			r.spans[i].kind = spanLink
		}
	}
	if same {
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
	n := 4 * len(p.Dialect.escape(nil, snippet{all: url, to: len(url)}))
	return (!p.LimitMarked || p.Limit == 0 || n <= int(p.budget(p.markerSize(0)).seen)) && (p.EntityBytes == 0 || n <= p.EntityBytes) && (p.RawLimit == 0 || n <= p.RawLimit)
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
	r.text = append(r.text, before...)
	if r.p.Dialect.draws(spanAddress) && r.mayAddress(url) {
		i := r.open(spanAddress, url)
		r.text = append(r.text, url...)
		r.close(i)
	} else {
		r.text = append(r.text, url...)
	}
	r.text = append(r.text, after...)
}

// address adds a word of literal text that may hold a web address. Where the
// dialect's clients make such an address a link anyway, it becomes one, so that
// nothing in it has to be escaped.
func (r *run) address(word string) {
	i := strings.Index(word, "://")
	for i > 0 && (word[i-1]|0x20) >= 'a' && (word[i-1]|0x20) <= 'z' {
		i--
	}
	url := word[i:]
	if j := strings.IndexAny(url, "<>\"“”„»«|`"); j >= 0 {
		url = url[:j]
	}
	url = strings.TrimRight(url, ".,:;!?'…")
	for strings.HasSuffix(url, ")") && strings.Count(url, ")") > strings.Count(url, "(") {
		url = strings.TrimRight(strings.TrimSuffix(url, ")"), ".,:;!?'…")
	}
	url = strings.TrimRight(url, "*_~]}")
	if !r.mayAddress(url) {
		r.text = append(r.text, word...)
		return
	}
	r.text = append(r.text, word[:i]...)
	at := r.open(spanAddress, url)
	r.text = append(r.text, url...)
	r.close(at)
	r.text = append(r.text, word[i+len(url):]...)
}

// mayAddress reports whether url can be a spanAddress.
func (r *run) mayAddress(url string) bool {
	return !r.on[spanAddress] && !r.on[spanLink] && webHost(url) != "" && plainAddress(url) && r.p.affords(url)
}

// plainAddress reports whether Markdown takes url between < and > as it is.
// The sign @ would make it a mail address to some.
func plainAddress(url string) bool { return !strings.ContainsAny(url, "<>\"\\`|@ \n") }

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
