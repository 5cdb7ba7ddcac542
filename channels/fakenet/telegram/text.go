package telegram

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxText     = 4096      // characters after parsing
	maxCaption  = 1024      // characters after parsing
	maxRaw      = 1 << 15   // bytes before parsing
	maxEntities = 100       // further ones are not shown
	maxDownload = 20 << 20  // bytes
	maxUpload   = 50 << 20  // bytes
	maxPhoto    = 10 << 20  // bytes
	maxBody     = 100 << 20 // bytes of one request
)

// clean is what the server does to every text before it is shown: control
// characters become blanks, line and direction controls go, and white space
// at both ends is cut. Entities follow their text.
func clean(text string, entities []Entity) (string, []Entity) {
	var b strings.Builder
	at := []int{0} // new offset of each old UTF-16 unit
	n := 0
	for _, r := range text {
		keep := r
		switch {
		case r == '\r', r >= 0x2028 && r <= 0x202e:
			keep = -1
		case r < 0x20 && r != '\n' && r != '\t':
			keep = ' '
		}
		for range units(r) - 1 {
			at = append(at, n)
		}
		if keep >= 0 {
			b.WriteRune(keep)
			n += units(keep)
		}
		at = append(at, n)
	}
	out := b.String()
	cut := utf16Len(out) - utf16Len(strings.TrimLeftFunc(out, unicode.IsSpace))
	out = strings.TrimSpace(out)
	most := utf16Len(out)
	var kept []Entity
	for _, e := range entities {
		from := min(max(at[min(e.Offset, len(at)-1)]-cut, 0), most)
		to := min(max(at[min(e.Offset+e.Length, len(at)-1)]-cut, 0), most)
		if to > from {
			e.Offset, e.Length = from, to-from
			kept = append(kept, e)
		}
	}
	return out, kept
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += units(r)
	}
	return n
}

// found matches what the server marks in a text by itself. It is coarser than
// the server, which knows top-level domains, card numbers and more.
var found = regexp.MustCompile(`(?:https?://|www\.)[^\s<>"]+|@[A-Za-z][A-Za-z0-9_]{3,31}|/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?|#[\pL\pN_]+`)

// findEntities returns the mentions, commands, hashtags and links of text.
func findEntities(text string) []Entity {
	var all []Entity
	offset, last := 0, 0
	for _, m := range found.FindAllStringIndex(text, -1) {
		offset += utf16Len(text[last:m[0]])
		last = m[0]
		match := text[m[0]:m[1]]
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		after, _ := utf8.DecodeRuneInString(text[m[1]:])
		e := Entity{Offset: offset}
		switch match[0] {
		case '@':
			e.Type = "mention"
		case '/':
			e.Type = "bot_command"
		case '#':
			e.Type = "hashtag"
		default:
			e.Type = "url"
			match = strings.TrimRight(match, ".,:;!?)'\"")
		}
		if m[0] > 0 && (wordRune(before) || match[0] == '/' && (before == '/' || before == '<' || before == '.')) {
			continue
		}
		if match[0] == '/' && (wordRune(after) || after == '/') || match[0] == '@' && wordRune(after) {
			continue
		}
		e.Length = utf16Len(match)
		all = append(all, e)
	}
	return all
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// withFound adds what the server finds by itself to the formatting that the
// bot gave. Code and links hide what lies in them, and code holds no other
// formatting.
func withFound(text string, given []Entity) []Entity {
	opaque := func(e Entity) bool { return e.Type == "pre" || e.Type == "code" }
	var all []Entity
	for _, e := range given {
		inside := func(o Entity) bool { return opaque(o) && overlap(o, e) }
		if opaque(e) || e.Type == "blockquote" || e.Type == "expandable_blockquote" || !slices.ContainsFunc(given, inside) {
			all = append(all, e)
		}
	}
	for _, e := range findEntities(text) {
		hidden := func(o Entity) bool {
			return (opaque(o) || o.Type == "text_link" || o.Type == "text_mention") && overlap(o, e)
		}
		if !slices.ContainsFunc(given, hidden) {
			all = append(all, e)
		}
	}
	sortEntities(all)
	return all[:min(len(all), maxEntities)]
}

func overlap(a, b Entity) bool {
	return a.Offset < b.Offset+b.Length && b.Offset < a.Offset+a.Length
}

// userLink reads tg://user?id=N.
func userLink(s string) (int64, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || !strings.EqualFold(u.Scheme, "tg") || !strings.EqualFold(u.Host, "user") {
		return 0, false
	}
	id, err := strconv.ParseInt(u.Query().Get("id"), 10, 64)
	return id, err == nil && id > 0
}

// checkedLink returns the target that the server keeps for s, or "" when it
// shows the text without a link.
func checkedLink(s string) string {
	s = strings.TrimSpace(s)
	scheme, _, ok := strings.Cut(s, "://")
	if !ok {
		s = "http://" + s
		scheme = "http"
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return ""
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		if !strings.Contains(strings.Trim(u.Hostname(), "."), ".") && !strings.Contains(u.Hostname(), ":") {
			return ""
		}
	case "tg", "ton", "tonsite":
	default:
		return ""
	}
	u.Host = strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}
