package formatting

// Doc makes a document of blocks.
func Doc(blocks ...Block) Document { return Document{Blocks: blocks} }

// Add appends blocks to the document.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Text returns the document's words without markup, for logs, JSON and other
// places that are no chat network.
func (d Document) Text() string {
	parts := Render(d, Profile{})
	if len(parts) == 0 {
		return ""
	}
	return parts[0].Plain
}

// Para makes a paragraph.
func Para(inlines ...Inline) Paragraph { return Paragraph{Inlines: inlines} }

// Head makes a heading.
func Head(level int, inlines ...Inline) Heading { return Heading{Level: level, Inlines: inlines} }

// Line makes one line of text, as [Bullets] and [Numbered] take them.
func Line(inlines ...Inline) []Inline { return inlines }

// Bullets makes a list of one-line items.
func Bullets(lines ...[]Inline) List { return List{Items: items(lines)} }

// Numbered makes a list of one-line items that are counted from 1.
func Numbered(lines ...[]Inline) List { return List{Ordered: true, Start: 1, Items: items(lines)} }

func items(lines [][]Inline) []Item {
	items := make([]Item, len(lines))
	for i, line := range lines {
		items[i] = Item{Blocks: []Block{Para(line...)}}
	}
	return items
}

// Quoted makes a quote of blocks.
func Quoted(blocks ...Block) Quote { return Quote{Blocks: blocks} }

// Bold makes text that is emphasised strongly.
func Bold(s string) Strong { return Strong{Inlines: []Inline{Text(s)}} }

// Italic makes text that is emphasised.
func Italic(s string) Emphasis { return Emphasis{Inlines: []Inline{Text(s)}} }
