// Package relay turns what an agent answered into what a person reads: a
// [Reply] of parts in the look of one channel and the language of one reader.
//
// [Compose] words an answer in the envelope of the Tresor's protocol
// (spec/tresor/8-answering.md §1.3): the statements, each with its citations;
// the Belege; Stand and Konfidenz; remarks; what is not covered. An abstention
// begins with the words "Nicht im Bestand" and says how much was compared.
// Where the Belege have numbers they are in the order of [agents.Answer.Belege]:
// what is said as "Beleg 2" later means the same for ever. [Evidence] words such a Beleg in
// full, with what has become of it since. [Say] words a sentence of the program.
//
// The package adds no statement and changes none: the text of a claim is data
// and is shown as it stands. It decides nothing about who reads or when, and
// sends nothing.
package relay

import (
	"outheis/agents"
	"outheis/formatting"
)

// A Target is where a reply will be read.
type Target struct {
	// Profile is what the channel can show.
	Profile formatting.Profile
	// Lang is the reader's language, see texts.For.
	Lang string
	// Remarks are finished sentences of the program about this reply. They stand
	// behind the answer.
	Remarks []string
	// Numbered gives the Belege numbers by which they can be asked for later.
	Numbered bool
	// Buttons stand below the reply.
	Buttons []Button
}

// A Reply is ready to be sent, part by part.
type Reply struct {
	Parts []Part `json:"parts,omitempty"`
}

// A Part is one message of a reply, and a Button something to press below it.
type (
	Part   = formatting.Part
	Button = formatting.Button
)

// Compose words an answer. The zero Answer gives a Reply without parts.
func Compose(a agents.Answer, t Target) Reply {
	w := newWording(t.Lang)
	w.fold, w.numbered = t.Profile.Folds(), t.Numbered
	return t.render(w.answer(a))
}

// Say words a text of the program: paragraphs between blank lines, lines that
// begin with "- " as a list, and `code` in backticks. Everything else is
// literal, so that names and numbers can stand in it.
func Say(text string, t Target) Reply {
	return t.render(formatting.Doc(paragraphs(text)...))
}

// render ends a document with what belongs to the target.
func (t Target) render(d formatting.Document) Reply {
	for _, r := range t.Remarks {
		d.Add(formatting.Para(formatting.Emphasis{Inlines: literal(r)}))
	}
	if len(d.Blocks) > 0 {
		d.Buttons = t.Buttons
	}
	return Reply{formatting.Render(d, t.Profile)}
}

// Text words an answer without any markup and in one piece, for programs that
// read it.
func Text(a agents.Answer, lang string) string {
	return newWording(lang).answer(a).Text()
}
