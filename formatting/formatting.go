// Package formatting renders a channel-neutral [Document] for a chat network.
//
// A network is described by a [Profile], which is data: the dialect of its
// markup, how long a message may be and in which unit, whether it shows
// tables. [Render] turns a document into the parts that are sent one after the
// other. Whatever the document holds, each part is valid in its dialect by
// itself, stays within the limit, and no word is lost between the parts; no
// part ends inside an entity, a code fence, a grapheme cluster, or between a
// sentence and its citation.
//
// The package knows no network's API and no agent; it does not log and touches
// no file.
package formatting

// A Part is one message in a network's dialect.
type Part struct {
	Text  string `json:"text"`           // with markup
	Plain string `json:"plain"`          // the same words without any markup, within the same limit
	Mode  string `json:"mode,omitempty"` // what the network calls the markup, such as "HTML"; "" for none
}
