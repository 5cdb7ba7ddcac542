package formatting

// A Document is a text in channel-neutral form: a list of blocks. It is made
// by [Parse] from Markdown, or block by block by whoever words an answer. The
// text in it is data: whatever it holds, rendering shows it and never lets it
// act as markup.
type Document struct {
	Blocks []Block
	// Buttons stand below the whole text: below its last part, or in words where
	// the profile has none.
	Buttons []Button
}

// A Block is one of [Paragraph], [Heading], [List], [Quote], [CodeBlock],
// [Table], [Footnotes] and [Rule].
type Block interface{ block() }

// An Inline is one of [Text], [Strong], [Emphasis], [Strike], [Code], [Link],
// [Break] and [Citation].
type Inline interface{ inline() }

type (
	// A Paragraph is a run of text.
	Paragraph struct{ Inlines []Inline }
	// A Heading is a title; Level is 1 to 6.
	Heading struct {
		Level   int
		Inlines []Inline
	}
	// A List holds items; an ordered one counts from Start.
	List struct {
		Ordered bool
		Start   int
		Items   []Item
	}
	// A Quote is somebody else's words. Expandable lets networks that can do
	// so show it folded.
	Quote struct {
		Blocks     []Block
		Expandable bool
	}
	// A CodeBlock is literal text; Lang may be empty.
	CodeBlock struct{ Lang, Text string }
	// A Table has one row of head cells, and rows that are at most as long.
	Table struct {
		Head  [][]Inline
		Align []Align
		Rows  [][][]Inline
	}
	// Footnotes are the legend of a document's citations, as a block of its own
	// and not inside another. A [Citation] of one of the notes is shown by the
	// note's number, which counts from 1 in their order; others by what they
	// are. Networks that can fold text show the legend folded.
	Footnotes struct {
		Title []Inline // stands above the notes; may be empty
		Notes []Note
	}
	// A Rule separates.
	Rule struct{}
)

// A Note says what the citation ID refers to.
type Note struct {
	ID      string
	Inlines []Inline
}

// An Item of a List.
type Item struct {
	Task   Task
	Blocks []Block
}

// Task says whether a list item is a task.
type Task int

// The states of a task.
const (
	NoTask Task = iota
	TaskOpen
	TaskDone
)

// Align is how a column of a table stands.
type Align int

// The alignments.
const (
	AlignNone Align = iota
	AlignLeft
	AlignCenter
	AlignRight
)

type (
	// Text is literal text; line feeds count as blanks.
	Text string
	// Strong is emphasised strongly.
	Strong struct{ Inlines []Inline }
	// Emphasis is emphasised.
	Emphasis struct{ Inlines []Inline }
	// Strike is crossed out.
	Strike struct{ Inlines []Inline }
	// Code is literal text inside a line.
	Code string
	// A Link shows Inlines (or URL where they are empty) and leads to URL.
	Link struct {
		URL     string
		Inlines []Inline
	}
	// Break is a forced line end.
	Break struct{}
	// A Citation is a mark such as "C-0001". Splitting never parts it from the
	// sentence before it.
	Citation string
)

func (Paragraph) block() {}
func (Heading) block()   {}
func (List) block()      {}
func (Quote) block()     {}
func (CodeBlock) block() {}
func (Table) block()     {}
func (Footnotes) block() {}
func (Rule) block()      {}

func (Text) inline()     {}
func (Strong) inline()   {}
func (Emphasis) inline() {}
func (Strike) inline()   {}
func (Code) inline()     {}
func (Link) inline()     {}
func (Break) inline()    {}
func (Citation) inline() {}
