package formatting

// buttons returns the document as it stands above its buttons, and those of
// them that are shown as such when a part may have at most most. The others
// become a last line of what can be written instead.
func (d Document) buttons(most int) (Document, []Button) {
	var shown []Button
	var words []Inline
	for _, b := range d.Buttons {
		if len(shown) < most {
			b.Label = oneLine(b.Label)
			shown = append(shown, b)
			continue
		}
		if isBlank(Clean(b.Words)) {
			continue
		}
		if len(words) > 0 {
			words = append(words, Text(" · "))
		}
		words = append(words, Code(b.Words))
	}
	if len(words) > 0 && len(d.Blocks) > 0 {
		blocks := make([]Block, 0, len(d.Blocks)+1)
		d.Blocks = append(append(blocks, d.Blocks...), Para(words...))
	}
	return d, shown
}
