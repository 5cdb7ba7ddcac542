package formatting

import "strings"

// DiscordDialect is the Markdown that Discord's clients read in a message.
// They look for the nearest end of what a mark begins, so nothing may stay
// unescaped that could begin something: marks, mentions, time stamps, emoji
// names, addresses.
func DiscordDialect() Dialect { return discordDialect{} }

type discordDialect struct{}

func (discordDialect) mode() string { return "Markdown" }

func (discordDialect) draws(kind spanKind) bool {
	switch kind {
	case spanHeading, spanStrong, spanEmphasis, spanStrike, spanCode, spanLink, spanAddress, spanPre, spanPrefix:
		return true
	}
	return false
}

func (discordDialect) escape(dst []byte, s snippet) []byte {
	switch s.in {
	case spanCode, spanAddress, spanIndent, spanPrefix:
		return append(dst, s.text()...)
	case spanPre:
		return breakFences(dst, s.text())
	}
	from := s.from
	starts := lineStart{fresh: s.fresh}
	for i := s.from; i < s.to; i++ {
		before, after := "", ""
		if starts.marks(s.all, i) {
			before = `\`
		}
		switch c := s.all[i]; c {
		case '\\', '*', '_', '~', '`', '<':
			before = `\`
		case '|':
			if i > 0 && s.all[i-1] == '|' || next(s.all, i) == '|' || i+1 == s.to {
				before = `\`
			}
		case '[':
			if opensLink(s.all, i) {
				before = `\`
			}
		case ':':
			if strings.HasPrefix(s.all[i:], "://") || namesEmoji(s.all, i) {
				before = `\`
			}
		case '@':
			if rest := s.all[i+1:]; strings.HasPrefix(rest, "everyone") || strings.HasPrefix(rest, "here") || rest != "" && strings.IndexByte("!&0123456789", rest[0]) >= 0 {
				after = gap
			}
		}
		if before != "" {
			dst = append(append(dst, s.all[from:i]...), before...)
			from = i
		}
		if after != "" {
			dst = append(append(dst, s.all[from:i+1]...), after...)
			from = i + 1
		}
	}
	return append(dst, s.all[from:s.to]...)
}

// breakFences keeps the text of a code block from ending it: Discord knows no
// longer fences.
func breakFences(dst []byte, text string) []byte {
	for {
		i := strings.Index(text, "```")
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:i+2]...), gap...)
		text = text[i+2:]
	}
}

func (discordDialect) open(dst []byte, s span, _ []span) []byte {
	switch s.kind {
	case spanHeading:
		return append(append(dst, "###"[:min(max(s.n, 1), 3)]...), ' ')
	case spanLink:
		return append(dst, '[')
	case spanPre:
		return append(append(append(dst, "```"...), s.arg...), '\n')
	}
	return openMarkdown(dst, s)
}

func (discordDialect) close(dst []byte, s span, _ []span) []byte {
	switch s.kind {
	case spanLink: // the angle brackets ask for no preview
		return append(appendTarget(append(dst, "](<"...), s.arg), ">)"...)
	case spanPre:
		return append(dst, "\n```"...)
	}
	return closeMarkdown(dst, s)
}
