package telegram

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// markups maps each tag of the HTML parse mode to the entity that it makes.
// The mode is described at core.telegram.org/bots/api#html-style; what it does
// with broken input is what TDLib 1.8.67 does, offsets and wording included.
var markups = map[string]string{
	"a": "text_link", "b": "bold", "strong": "bold", "i": "italic", "em": "italic",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
	"u": "underline", "ins": "underline", "tg-spoiler": "spoiler", "span": "spoiler",
	"tg-emoji": "custom_emoji", "tg-time": "date_time", "pre": "pre", "code": "code", "blockquote": "blockquote",
}

// An openTag is a tag whose end has not been seen.
type openTag struct {
	name  string
	arg   string // what the attribute that counts for the tag says
	at16  int    // UTF-16 offset in the text
	at    int    // byte offset in the text
	extra bool   // an expandable quote
}

// A markupError is what the server says of broken markup, in its own words,
// which begin with a capital.
type markupError string

func (e markupError) Error() string { return string(e) }

func broken(format string, args ...any) error { return markupError(fmt.Sprintf(format, args...)) }

// An htmlParser holds the state of one parse.
type htmlParser struct {
	in       string
	pos      int
	text     []byte
	units    int // UTF-16 length of text
	stack    []openTag
	entities []Entity
	halves   bool // half a surrogate pair was written as a reference
}

// parseHTML returns the text that a person reads and its entities, or the
// error that the server answers with.
func parseHTML(in string) (string, []Entity, error) {
	p := htmlParser{in: in}
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '<' && p.peek(1) == '/':
			if err := p.closeTag(); err != nil {
				return "", nil, err
			}
		case c == '<':
			if err := p.openTag(); err != nil {
				return "", nil, err
			}
		default:
			r, n := p.next(p.pos)
			p.pos += n
			p.write(r)
		}
	}
	if len(p.stack) > 0 {
		return "", nil, broken("Can't find end tag corresponding to start tag %q", p.stack[len(p.stack)-1].name)
	}
	if p.halves {
		return "", nil, broken("Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units")
	}
	for i := range p.entities {
		if p.entities[i].Type == "code" {
			p.entities[i].Language = ""
		}
	}
	sortEntities(p.entities)
	return string(p.text), p.entities, nil
}

// peek returns the byte n after the present one, or 0 at the end.
func (p *htmlParser) peek(n int) byte {
	if p.pos+n < len(p.in) {
		return p.in[p.pos+n]
	}
	return 0
}

// next returns the character at i, with a reference decoded, and how many
// bytes it takes.
func (p *htmlParser) next(i int) (rune, int) {
	if p.in[i] == '&' {
		if r, n := reference(p.in[i:]); n > 0 {
			return r, n
		}
	}
	return utf8.DecodeRuneInString(p.in[i:])
}

func (p *htmlParser) write(r rune) {
	if r >= 0xd800 && r <= 0xdfff {
		p.halves = true
	}
	p.text = utf8.AppendRune(p.text, r)
	p.units += units(r)
}

// openTag reads a start tag with its attributes.
func (p *htmlParser) openTag() error {
	begin := p.pos
	p.pos++
	nameAt := p.pos
	for p.pos < len(p.in) && !blank(p.in[p.pos]) && p.in[p.pos] != '>' {
		p.pos++
	}
	if p.pos >= len(p.in) {
		return broken("Unclosed start tag at byte offset %d", begin)
	}
	t := openTag{name: lower(p.in[nameAt:p.pos]), at16: p.units, at: len(p.text)}
	if markups[t.name] == "" {
		return broken("Unsupported start tag \"%s\" at byte offset %d", t.name, begin)
	}
	for p.peek(0) != '>' {
		p.skipBlanks()
		if p.peek(0) == '>' {
			break
		}
		if err := p.attribute(&t, begin); err != nil {
			return err
		}
	}
	p.pos++
	if t.name == "span" && t.arg != "spoiler" {
		return broken("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	p.stack = append(p.stack, t)
	return nil
}

// attribute reads one attribute into t.
func (p *htmlParser) attribute(t *openTag, begin int) error {
	nameAt := p.pos
	for p.pos < len(p.in) && !blank(p.in[p.pos]) && p.in[p.pos] != '=' && p.in[p.pos] != '>' {
		p.pos++
	}
	name := p.in[nameAt:p.pos]
	if name == "" {
		if p.pos >= len(p.in) {
			return broken("Unclosed start tag \"%s\" at byte offset %d", t.name, begin)
		}
		return broken("Empty attribute name in the tag \"%s\" at byte offset %d", t.name, begin)
	}
	p.skipBlanks()
	if p.peek(0) != '=' {
		if p.pos >= len(p.in) {
			return broken("Unclosed start tag \"%s\" at byte offset %d", t.name, begin)
		}
		t.note(lower(name), "")
		return nil
	}
	p.pos++
	p.skipBlanks()
	if p.pos >= len(p.in) {
		return broken("Unclosed start tag \"%s\" at byte offset %d", t.name, begin)
	}
	value, err := p.value()
	if err != nil {
		return err
	}
	if p.pos >= len(p.in) {
		return broken("Unclosed start tag at byte offset %d", begin)
	}
	t.note(name, value)
	return nil
}

// value reads an attribute's value: a quoted string or a bare token.
func (p *htmlParser) value() (string, error) {
	at := p.pos
	quote := p.in[p.pos]
	if quote != '"' && quote != '\'' {
		for p.pos < len(p.in) && (alphanumeric(p.in[p.pos]) || p.in[p.pos] == '.' || p.in[p.pos] == '-') {
			p.pos++
		}
		if p.pos < len(p.in) && !blank(p.in[p.pos]) && p.in[p.pos] != '>' {
			return "", broken("Unexpected end of name token at byte offset %d", at)
		}
		return lower(p.in[at:p.pos]), nil
	}
	p.pos++
	var b []byte
	for p.pos < len(p.in) && p.in[p.pos] != quote {
		r, n := p.next(p.pos)
		if r == utf8.RuneError && n == 1 {
			b = append(b, p.in[p.pos])
		} else {
			b = utf8.AppendRune(b, r)
		}
		p.pos += n
	}
	if p.pos < len(p.in) {
		p.pos++
	}
	return string(b), nil
}

// note keeps the value of an attribute that counts for the tag.
func (t *openTag) note(attribute, value string) {
	switch {
	case t.name == "a" && attribute == "href",
		t.name == "tg-emoji" && attribute == "emoji-id",
		t.name == "tg-time" && attribute == "unix":
		t.arg = value
	case t.name == "code" && attribute == "class":
		if lang, ok := strings.CutPrefix(value, "language-"); ok {
			t.arg = lang
		}
	case t.name == "span" && attribute == "class":
		if class, ok := strings.CutPrefix(value, "tg-"); ok {
			t.arg = class
		}
	case t.name == "blockquote" && attribute == "expandable":
		t.extra = true
	}
}

// closeTag reads an end tag and makes the entity.
func (p *htmlParser) closeTag() error {
	begin := p.pos
	if len(p.stack) == 0 {
		return broken("Unexpected end tag at byte offset %d", begin)
	}
	p.pos += 2
	nameAt := p.pos
	for p.pos < len(p.in) && !blank(p.in[p.pos]) && p.in[p.pos] != '>' {
		p.pos++
	}
	name := lower(p.in[nameAt:p.pos])
	p.skipBlanks()
	if p.peek(0) != '>' {
		return broken("Unclosed end tag at byte offset %d", begin)
	}
	p.pos++
	t := p.stack[len(p.stack)-1]
	if name != "" && name != t.name {
		return broken("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, t.name, name)
	}
	p.stack = p.stack[:len(p.stack)-1]
	if p.units == t.at16 {
		return nil
	}
	return p.entity(t)
}

// entity appends what t makes of the text since its start.
func (p *htmlParser) entity(t openTag) error {
	e := Entity{Type: markups[t.name], Offset: t.at16, Length: p.units - t.at16}
	// A block of code with a language is written as two tags around the same text.
	if n := len(p.entities); n > 0 && p.entities[n-1].Offset == e.Offset && p.entities[n-1].Length == e.Length {
		last := &p.entities[n-1]
		if t.name == "pre" && last.Type == "code" && last.Language != "" {
			last.Type = "pre"
			return nil
		}
		if t.name == "code" && last.Type == "pre" && last.Language == "" && t.arg != "" {
			last.Language = t.arg
			return nil
		}
	}
	switch t.name {
	case "code":
		e.Language = t.arg
	case "blockquote":
		if t.extra {
			e.Type = "expandable_blockquote"
		}
	case "tg-emoji":
		id, err := strconv.ParseInt(t.arg, 10, 64)
		if err != nil || id == 0 {
			return broken("Invalid custom emoji identifier specified")
		}
		e.CustomEmojiID = t.arg
	case "tg-time":
		unix, err := strconv.ParseInt(t.arg, 10, 32)
		if err != nil || unix <= 0 {
			return nil
		}
		e.UnixTime = unix
	case "a":
		target := t.arg
		if target == "" {
			target = string(p.text[t.at:])
		}
		if id, ok := userLink(target); ok {
			e.Type, e.User = "text_mention", &User{ID: id}
			break
		}
		if e.URL = checkedLink(target); e.URL == "" {
			return nil
		}
	}
	p.entities = append(p.entities, e)
	return nil
}

func (p *htmlParser) skipBlanks() {
	for p.pos < len(p.in) && blank(p.in[p.pos]) {
		p.pos++
	}
}

// reference decodes the character reference with which s begins; n is 0 when
// it is none and stands for itself.
func reference(s string) (r rune, n int) {
	i := 1
	var code uint32
	switch {
	case strings.HasPrefix(s, "&#x"):
		for i = 3; i < len(s) && hexDigit(s[i]) >= 0; i++ {
			code = code*16 + uint32(hexDigit(s[i]))
		}
	case strings.HasPrefix(s, "&#"):
		for i = 2; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			code = code*10 + uint32(s[i]-'0')
		}
	default:
		for i < len(s) && (s[i]|0x20) >= 'a' && (s[i]|0x20) <= 'z' {
			i++
		}
		code = map[string]uint32{"lt": '<', "gt": '>', "amp": '&', "quot": '"'}[s[1:i]]
	}
	if code == 0 || code >= 0x10ffff || s[1] == '#' && i >= 10 {
		return 0, 0
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	return rune(code), i
}

// priority orders entities that cover the same text, the outer one first.
var priority = map[string]int{
	"blockquote": 0, "expandable_blockquote": 0, "pre": 11, "code": 20, "text_link": 49, "text_mention": 49,
	"bold": 90, "italic": 91, "underline": 92, "strikethrough": 93, "spoiler": 94, "custom_emoji": 99,
}

func sortEntities(entities []Entity) {
	slices.SortStableFunc(entities, func(a, b Entity) int {
		if a.Offset != b.Offset {
			return a.Offset - b.Offset
		}
		if a.Length != b.Length {
			return b.Length - a.Length
		}
		return rank(a) - rank(b)
	})
}

func rank(e Entity) int {
	if e.Type == "pre" && e.Language != "" {
		return 10
	}
	if n, ok := priority[e.Type]; ok {
		return n
	}
	return 50
}

// units returns how many UTF-16 units r takes.
func units(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// lower folds ASCII letters only, as the server does for names.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

func blank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == 0
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || (c|0x20) >= 'a' && (c|0x20) <= 'z'
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case (c|0x20) >= 'a' && (c|0x20) <= 'f':
		return int((c|0x20)-'a') + 10
	}
	return -1
}
