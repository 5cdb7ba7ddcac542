package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

func (c *call) search() int {
	for _, term := range c.args.words {
		if text.IsBlank(term) {
			return c.refuse("cli.search.blank")
		}
	}
	hits, files, err := tresor.Grep(c.dir(), c.args.words, c.options())
	if err != nil {
		return c.fails(err)
	}
	list := make([]any, len(hits))
	for i, h := range hits {
		line := text.Trim(blinded(h.Text))
		list[i] = pjson.Object{"path": wording.Printable(h.Path), "line": h.Line, "text": line}
		c.line(wording.Printable(h.Path), ":", strconv.Itoa(h.Line), ": ", first(line, 160))
	}
	c.set("hits", list)
	c.set("files", files)
	c.line()
	c.line(c.say("cli.search.sum", len(hits), c.args.words, files))
	if len(hits) == 0 {
		c.line(c.say("cli.search.none"))
		return refused
	}
	return success
}

// blinded returns s with a replacement for control characters and for those that
// turn the direction of writing, which could steer a terminal or deceive its
// reader.
func blinded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// first returns the first n characters of s.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
