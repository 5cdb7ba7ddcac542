// Package formatting renders a channel-neutral [Document] for a chat network.
//
// A network is described by a [Profile], which is data: the dialect of its
// markup, how long a message may be and in which unit, how wide a table may
// get. [Render] turns a document into the parts that are sent one after the
// other. Whatever the document holds, each part is valid in its dialect by
// itself, stays within the limit, and no word is lost or glued between the
// parts; no part ends inside a link, a code fence, a grapheme cluster, or
// between a sentence and its citation, unless that alone is too long for one.
// Styles and fences that go on in the next part are closed and opened again.
//
// A document is built by hand ([Doc], [Para], [Bullets] …) or read by [Parse].
// Rendering has three steps, each in files of its own: the layout writes the
// text as people will see it, with spans over it (layout, inline, link, lines,
// footnotes, flow); the splitter chooses where parts end by what each border
// costs (split, sentence); a dialect prints text and spans through a pen (pen,
// dialect). A further family of markup is one more implementation of [Dialect].
//
// Where a dialect is Markdown, the marks of lists, quotes and tables are text
// that the layout writes (layout_native); what surrounds a text decides what
// has to be escaped in it (markdown), and a part that begins inside a list
// begins at the margin (lists). In such a part only Text is safe to send: Plain
// is for people and for networks whose markup can be switched off.
//
// The package knows no network's API and no agent; it does not log and touches
// no file.
package formatting

// A Part is one message in a network's dialect.
type Part struct {
	Text  string `json:"text"`           // with markup
	Plain string `json:"plain"`          // the same words without any markup, within the same limit
	Mode  string `json:"mode,omitempty"` // what the network calls the markup, such as "HTML"; "" for none
	// Buttons stand below the part, on networks that have them.
	Buttons []Button `json:"buttons,omitempty"`
}

// A Button is something to press under a message.
type Button struct {
	// ID comes back when it is pressed: at most 48 printable ASCII characters.
	ID    string `json:"id"`
	Label string `json:"label"` // what people read, one line
	// Words are what can be written instead, on networks without buttons; empty
	// for a button that is left out there.
	Words string `json:"words,omitempty"`
}
