package formatting

// HTMLDialect is the HTML subset of Telegram's Bot API. It escapes the four
// characters that mean something there; no other dialect of Telegram's can be
// escaped that simply.
func HTMLDialect() Dialect { return htmlDialect{} }

type htmlDialect struct{}

func (htmlDialect) mode() string { return "HTML" }

func (htmlDialect) draws(kind spanKind) bool {
	switch kind {
	case spanHeading, spanStrong, spanEmphasis, spanStrike, spanCode, spanLink, spanPre, spanQuote, spanFolded:
		return true
	}
	return false
}

func (htmlDialect) escape(dst []byte, s snippet) []byte { return escapeHTML(dst, s.text()) }

func escapeHTML(dst []byte, text string) []byte {
	from := 0
	for i := range len(text) {
		var e string
		switch text[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '"':
			e = "&quot;"
		default:
			continue
		}
		dst = append(append(dst, text[from:i]...), e...)
		from = i + 1
	}
	return append(dst, text[from:]...)
}

func (htmlDialect) open(dst []byte, s span, _ []span) []byte {
	switch s.kind {
	case spanHeading, spanStrong:
		return append(dst, "<b>"...)
	case spanEmphasis:
		return append(dst, "<i>"...)
	case spanStrike:
		return append(dst, "<s>"...)
	case spanCode:
		return append(dst, "<code>"...)
	case spanLink:
		return append(escapeHTML(append(dst, `<a href="`...), s.arg), `">`...)
	case spanPre:
		if s.arg == "" {
			return append(dst, "<pre>"...)
		}
		return append(escapeHTML(append(dst, `<pre><code class="language-`...), s.arg), `">`...)
	case spanQuote:
		return append(dst, "<blockquote>"...)
	case spanFolded:
		return append(dst, "<blockquote expandable>"...)
	}
	return dst
}

func (htmlDialect) close(dst []byte, s span, _ []span) []byte {
	switch s.kind {
	case spanHeading, spanStrong:
		return append(dst, "</b>"...)
	case spanEmphasis:
		return append(dst, "</i>"...)
	case spanStrike:
		return append(dst, "</s>"...)
	case spanCode:
		return append(dst, "</code>"...)
	case spanLink:
		return append(dst, "</a>"...)
	case spanPre:
		if s.arg == "" {
			return append(dst, "</pre>"...)
		}
		return append(dst, "</code></pre>"...)
	case spanQuote, spanFolded:
		return append(dst, "</blockquote>"...)
	}
	return dst
}
