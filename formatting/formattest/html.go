package formattest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An Entity is a marked-up range of a Telegram message, in UTF-16 units.
type Entity struct {
	Type           string // the tag: "b", "i", "s", "code", "pre", "a", "blockquote", "expandable"
	Offset, Length int
	Arg            string // language of pre, URL of a
}

// ParseHTML reads text as Telegram does in HTML mode: only the tags of the Bot
// API, properly nested, attributes in quotes; of character references only
// lt, gt, amp, quot and numeric ones. It is stricter than Telegram in one
// point: it refuses a bare ">" and a bare "&" or quote, which a careful
// renderer escapes.
func ParseHTML(s string) (string, []Entity, error) {
	if !utf8.ValidString(s) {
		return "", nil, fmt.Errorf("not UTF-8")
	}
	p := htmlParser{in: s}
	for p.pos < len(s) {
		if err := p.step(); err != nil {
			return "", nil, fmt.Errorf("byte %d: %w", p.pos, err)
		}
	}
	if n := len(p.open); n > 0 {
		return "", nil, fmt.Errorf("unclosed %q", p.open[n-1].name)
	}
	return p.text.String(), p.entities, nil
}

type htmlParser struct {
	in       string
	pos      int
	text     strings.Builder
	units    int // of text so far
	open     []tag
	entities []Entity
}

type tag struct {
	name   string
	entity int // index, or -1
}

func (p *htmlParser) step() error {
	c := p.in[p.pos]
	switch c {
	case '<':
		end := strings.IndexByte(p.in[p.pos:], '>')
		if end < 0 {
			return fmt.Errorf("unclosed tag")
		}
		inner := p.in[p.pos+1 : p.pos+end]
		p.pos += end + 1
		if name, ok := strings.CutPrefix(inner, "/"); ok {
			return p.closeTag(name)
		}
		return p.openTag(inner)
	case '&':
		end := strings.IndexByte(p.in[p.pos:], ';')
		if end < 0 {
			return fmt.Errorf("bare &")
		}
		r, ok := entityRune(p.in[p.pos+1 : p.pos+end])
		if !ok {
			return fmt.Errorf("unknown reference %q", p.in[p.pos:p.pos+end+1])
		}
		p.pos += end + 1
		p.rune(r)
	case '>', '"':
		return fmt.Errorf("bare %q", c)
	default:
		r, n := utf8.DecodeRuneInString(p.in[p.pos:])
		p.pos += n
		p.rune(r)
	}
	return nil
}

func (p *htmlParser) rune(r rune) {
	p.text.WriteRune(r)
	p.units += utf16.RuneLen(r)
}

func entityRune(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil || n == 0 || !strings.HasPrefix(name, "#") {
		return 0, false
	}
	return rune(n), true
}

func (p *htmlParser) openTag(inner string) error {
	e := Entity{Offset: p.units}
	name, attributes, _ := strings.Cut(inner, " ")
	switch name {
	case "b", "i", "s", "u", "pre":
		e.Type = name
	case "code":
		if lang, ok := strings.CutPrefix(attributes, `class="language-`); ok {
			lang, ok := strings.CutSuffix(lang, `"`)
			if !ok || lang == "" || strings.ContainsAny(lang, `" `) {
				return fmt.Errorf("bad class %q", attributes)
			}
			n := len(p.open)
			if n == 0 || p.open[n-1].name != "pre" || p.entities[p.open[n-1].entity].Offset != p.units {
				return fmt.Errorf("code with a language outside pre")
			}
			p.entities[p.open[n-1].entity].Arg = unescape(lang)
			p.open = append(p.open, tag{name, -1})
			return nil
		}
		e.Type = name
	case "a":
		url, ok := strings.CutPrefix(attributes, `href="`)
		url, ok2 := strings.CutSuffix(url, `"`)
		if !ok || !ok2 || strings.ContainsAny(url, "\"<> \n") {
			return fmt.Errorf("bad link %q", attributes)
		}
		e.Type, e.Arg = name, unescape(url)
		attributes = ""
	case "blockquote":
		e.Type = name
		if attributes == "expandable" {
			e.Type, attributes = attributes, ""
		}
		for _, t := range p.open {
			if t.name == name {
				return fmt.Errorf("nested blockquote")
			}
		}
	default:
		return fmt.Errorf("unsupported start tag %q", name)
	}
	if attributes != "" {
		return fmt.Errorf("unexpected attributes %q", attributes)
	}
	p.open = append(p.open, tag{name, len(p.entities)})
	p.entities = append(p.entities, e)
	return nil
}

func (p *htmlParser) closeTag(name string) error {
	n := len(p.open)
	if n == 0 {
		return fmt.Errorf("unexpected end tag %q", name)
	}
	t := p.open[n-1]
	if t.name != name {
		return fmt.Errorf("end tag %q closes %q", name, t.name)
	}
	p.open = p.open[:n-1]
	if t.entity < 0 {
		return nil
	}
	e := &p.entities[t.entity]
	if e.Length = p.units - e.Offset; e.Length == 0 {
		return fmt.Errorf("empty %q", name)
	}
	return nil
}

var references = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&")

func unescape(s string) string { return references.Replace(s) }

// Plain returns what a message that shows text with entities has to look like
// without them: the same text, and instead of the host behind the label of a
// link its whole URL where shown allows it.
func Plain(text string, entities []Entity, shown func(url string) bool) string {
	units := make([]int, 0, len(text)+1) // the byte offset of each UTF-16 unit
	for i, r := range text {
		for range utf16.RuneLen(r) {
			units = append(units, i)
		}
	}
	units = append(units, len(text))
	var b strings.Builder
	from := 0
	for _, e := range entities {
		if e.Type != "a" || units[e.Offset] < from || !shown(e.Arg) {
			continue
		}
		end := units[e.Offset+e.Length]
		rest, ok := strings.CutPrefix(text[end:], " (")
		host, _, closed := strings.Cut(rest, ")")
		if !ok || !closed || !isHostOf(host, e.Arg) {
			continue
		}
		b.WriteString(text[from:end] + " (" + e.Arg + ")")
		from = end + len(" (") + len(host) + len(")")
	}
	b.WriteString(text[from:])
	return b.String()
}

func isHostOf(host, url string) bool {
	_, rest, ok := strings.Cut(url, "://")
	rest, ok2 := strings.CutPrefix(rest, host)
	return ok && ok2 && (rest == "" || strings.ContainsAny(rest[:1], "/:?#"))
}
