package discord

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Plain returns what a person reads of a message: Discord's Markdown without its
// marks. Mentions stay as they are. It follows the client coarsely; a mark that
// has no partner stays a character.
func Plain(content string) string {
	var b strings.Builder
	rest := content
	for rest != "" {
		open := strings.Index(rest, "```")
		end := -1
		if open >= 0 {
			end = strings.Index(rest[open+3:], "```")
		}
		if end < 0 {
			b.WriteString(plainLines(rest))
			break
		}
		b.WriteString(plainLines(rest[:open]))
		b.WriteString(codeBlock(rest[open+3 : open+3+end]))
		rest = rest[open+3+end+3:]
	}
	return b.String()
}

var fenceInfo = regexp.MustCompile(`^[A-Za-z0-9_+.#-]+\n`)

// codeBlock returns what shows of the inside of a fence: not the language, and
// not the line breaks beside the fence.
func codeBlock(inside string) string {
	if info := fenceInfo.FindString(inside); info != "" {
		inside = inside[len(info):]
	}
	return strings.TrimSuffix(strings.TrimPrefix(inside, "\n"), "\n")
}

var lineMark = regexp.MustCompile(`^(\s*)(#{1,3} |-# |>>> |> )`)

// plainLines takes the marks off the beginning of each line, then those inside.
func plainLines(text string) string {
	lines := strings.Split(text, "\n")
	quoted := false
	for i, line := range lines {
		if !quoted {
			for m := lineMark.FindStringSubmatchIndex(line); m != nil; m = lineMark.FindStringSubmatchIndex(line) {
				quoted = quoted || line[m[4]:m[5]] == ">>> "
				line = line[:m[3]] + line[m[1]:]
			}
		}
		lines[i] = line
	}
	return inline(strings.Join(lines, "\n"))
}

var (
	inlineMarks = []string{"***", "**", "__", "~~", "||", "*", "_"}
	maskedLink  = regexp.MustCompile(`^\[([^\]\n]+)\]\(<?(https?://[^\s)>]+)>?\)`)
	shownLink   = regexp.MustCompile(`^<(https?://[^\s>]+)>`)
	bareLink    = regexp.MustCompile(`^https?://[^\s<>]+`)
)

// inline takes the marks out of a text without line marks and fences.
func inline(text string) string {
	var b strings.Builder
next:
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && isMark(text[i+1]):
			b.WriteByte(text[i+1])
			i += 2
			continue
		case c == '`':
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			fence := strings.Repeat("`", n)
			if end := strings.Index(text[i+n:], fence); end > 0 {
				b.WriteString(strings.Trim(text[i+n:i+n+end], " "))
				i += n + end + n
				continue
			}
		case c == '[':
			if m := maskedLink.FindStringSubmatch(text[i:]); m != nil {
				b.WriteString(inline(m[1]))
				i += len(m[0])
				continue
			}
		case c == '<':
			if m := shownLink.FindStringSubmatch(text[i:]); m != nil {
				b.WriteString(m[1])
				i += len(m[0])
				continue
			}
		case c == 'h':
			if m := bareLink.FindString(text[i:]); m != "" {
				b.WriteString(m)
				i += len(m)
				continue
			}
		}
		for _, mark := range inlineMarks {
			inside, ok := between(text, i, mark)
			if ok {
				b.WriteString(inline(inside))
				i += len(mark) + len(inside) + len(mark)
				continue next
			}
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
		i += size
	}
	return b.String()
}

// between returns what stands between a mark at i and its partner. An underline
// inside a word, and a star beside a space, are no marks.
func between(text string, i int, mark string) (string, bool) {
	if !strings.HasPrefix(text[i:], mark) {
		return "", false
	}
	from := i + len(mark)
	for at := from; ; {
		end := strings.Index(text[at:], mark)
		if end < 0 {
			return "", false
		}
		end += at
		if len(mark) == 2 && end+2 < len(text) && text[end+2] == mark[0] {
			end++ // of three stars the last two close
		}
		inside := text[from:end]
		single := len(mark) == 1
		switch {
		case inside == "":
			return "", false
		case strings.HasSuffix(inside, `\`) && !strings.HasSuffix(inside, `\\`),
			single && end+1 < len(text) && text[end+1] == mark[0],
			mark == "_" && end+1 < len(text) && isWord(text[end+1]):
			at = end + len(mark)
			if single && at < len(text) && text[at] == mark[0] {
				at++
			}
			continue
		case mark == "_" && i > 0 && isWord(text[i-1]),
			mark == "*" && (inside[0] == ' ' || inside[0] == '\n' || inside[len(inside)-1] == ' '):
			return "", false
		}
		return inside, true
	}
}

func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func isMark(b byte) bool {
	return b > ' ' && b < 0x7f && !isWord(b)
}
