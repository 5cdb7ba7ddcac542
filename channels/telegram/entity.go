package telegram

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An entity is a special part of a text. Offset and Length count UTF-16 units
// and are not to be trusted.
type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	User   *user  `json:"user"`
}

// spans translates the UTF-16 offsets of entities into a text. All slicing by
// entities goes through it.
type spans struct {
	text  string
	bytes []int // byte offset of each UTF-16 unit, and of the end; -1 inside a pair
}

func newSpans(text string) spans {
	s := spans{text: text, bytes: make([]int, 0, len(text)+1)}
	for i, r := range text {
		s.bytes = append(s.bytes, i)
		if r >= 0x10000 {
			s.bytes = append(s.bytes, -1)
		}
	}
	s.bytes = append(s.bytes, len(text))
	return s
}

// bounds returns the byte offsets of length units from offset. It reports
// false for a range that is empty, negative, outside of the text, or that cuts
// a character.
func (s spans) bounds(offset, length int) (start, end int, ok bool) {
	last := len(s.bytes) - 1
	if offset < 0 || length <= 0 || offset > last || length > last-offset {
		return 0, 0, false
	}
	start, end = s.bytes[offset], s.bytes[offset+length]
	return start, end, start >= 0 && end >= 0
}

// slice returns what an entity covers, or false as bounds does.
func (s spans) slice(e entity) (string, bool) {
	start, end, ok := s.bounds(e.Offset, e.Length)
	if !ok {
		return "", false
	}
	return s.text[start:end], true
}

// A reading is what a text says beside its words.
type reading struct {
	text      string // without mentions of us; for a command its argument
	command   string // lower case, without slash and account; "" for none
	mentioned bool   // our account is mentioned
	foreign   bool   // a command for another bot
}

// read takes a text apart for the bot me. Only entities count: a name inside
// of code, of an address or of a longer name is no mention.
func read(text string, entities []entity, me user) reading {
	r := reading{text: text}
	if !hasSigns(entities) {
		r.text = strings.TrimSpace(text)
		return r
	}
	s := newSpans(text)
	at := make(map[int]entity) // what begins at a byte: mentions of us, commands
	for _, e := range entities {
		part, ok := s.slice(e)
		if !ok {
			continue
		}
		start, _, _ := s.bounds(e.Offset, e.Length)
		switch {
		case e.Type == "mention" && me.Username != "" && strings.EqualFold(part, "@"+me.Username),
			e.Type == "text_mention" && e.User != nil && me.ID != 0 && e.User.ID == me.ID:
			r.mentioned = true
			at[start] = e
		case e.Type == "bot_command" && strings.HasPrefix(part, "/"):
			at[start] = e
		}
	}
	from := 0
	for {
		from += blanks(text[from:])
		e, ok := at[from]
		if !ok || e.Type == "bot_command" {
			break
		}
		_, from, _ = s.bounds(e.Offset, e.Length)
		from += len(text[from:]) - len(strings.TrimLeft(text[from:], ",:"))
	}
	r.text = s.withoutMentions(from, at)
	if e, ok := at[from]; ok && e.Type == "bot_command" {
		part, _ := s.slice(e)
		r.readCommand(part, s.withoutMentions(from+len(part), at), me)
	}
	return r
}

// withoutMentions returns the text from a byte on without the mentions of us in
// at: they say whom the text is for, and are none of its words. The blanks and
// the comma before one belong to it.
func (s spans) withoutMentions(from int, at map[int]entity) string {
	var b strings.Builder
	for _, start := range slices.Sorted(maps.Keys(at)) {
		if at[start].Type == "bot_command" || start < from {
			continue
		}
		b.WriteString(strings.TrimSuffix(strings.TrimRight(s.text[from:start], " \t"), ","))
		_, from, _ = s.bounds(at[start].Offset, at[start].Length)
	}
	b.WriteString(s.text[from:])
	return strings.TrimSpace(b.String())
}

// readCommand reads /name or /name@bot.
func (r *reading) readCommand(part, rest string, me user) {
	name, bot, directed := strings.Cut(part[1:], "@")
	if directed && !strings.EqualFold(bot, me.Username) {
		r.foreign = true
		return
	}
	if name == "" {
		return
	}
	r.command = strings.ToLower(name)
	r.text = rest
}

// hasSigns reports whether any entity can be a mention or a command.
func hasSigns(entities []entity) bool {
	for _, e := range entities {
		switch e.Type {
		case "mention", "text_mention", "bot_command":
			return true
		}
	}
	return false
}

// blanks returns how many bytes of white space s begins with.
func blanks(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsSpace(r) {
			break
		}
		n += size
	}
	return n
}
