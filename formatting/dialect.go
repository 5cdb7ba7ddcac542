package formatting

// A Dialect is a way of marking text up. The families are [HTMLDialect],
// [DiscordDialect], [MattermostDialect], [ANSIDialect] and [PlainDialect]; a
// further one is one more file in this package that implements the methods
// below.
type Dialect interface {
	// mode is what goes into Part.Mode.
	mode() string
	// draws reports whether the dialect itself shows what the span stands for;
	// where it does not, the layout uses signs. A dialect that draws prefixes is
	// one whose marks of lists, quotes and tables are text at the start of a
	// line, as in Markdown.
	draws(kind spanKind) bool
	// escape appends literal text.
	escape(dst []byte, s snippet) []byte
	// open appends the beginning of s, around which the spans of around are
	// open, or nothing where the dialect has no markup for it.
	open(dst []byte, s span, around []span) []byte
	// close appends the end of s; the spans of around stay open.
	close(dst []byte, s span, around []span) []byte
}

// PlainDialect has no markup at all.
func PlainDialect() Dialect { return plainDialect{} }

type plainDialect struct{}

func (plainDialect) mode() string                              { return "" }
func (plainDialect) draws(spanKind) bool                       { return false }
func (plainDialect) escape(dst []byte, s snippet) []byte       { return append(dst, s.text()...) }
func (plainDialect) open(dst []byte, _ span, _ []span) []byte  { return dst }
func (plainDialect) close(dst []byte, _ span, _ []span) []byte { return dst }

var _ = [...]Dialect{plainDialect{}, htmlDialect{}, ansiDialect{}, discordDialect{}, mattermostDialect{}}
