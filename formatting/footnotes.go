package formatting

import "strconv"

// numbers returns the number of each note in a document: its place in the
// [Footnotes], so that it is the same in every part and on every network.
func numbers(d Document) map[string]int {
	var numbers map[string]int
	for _, b := range d.Blocks {
		notes, ok := b.(Footnotes)
		if !ok {
			continue
		}
		for _, note := range notes.Notes {
			if numbers == nil {
				numbers = make(map[string]int)
			}
			if _, known := numbers[note.ID]; !known {
				numbers[note.ID] = len(numbers) + 1
			}
		}
	}
	return numbers
}

// blocks returns the footnotes as other blocks: folded where the dialect can
// do so, else as a numbered list. Of several notes with one ID the first counts.
func (f Footnotes) blocks(numbers map[string]int, folds bool, written int) []Block {
	list := List{Ordered: true, Start: written + 1}
	lines := append([]Inline(nil), f.Title...)
	for _, note := range f.Notes {
		if numbers[note.ID] != written+1 {
			continue
		}
		written++
		list.Items = append(list.Items, Item{Blocks: []Block{Para(note.Inlines...)}})
		if len(lines) > 0 {
			lines = append(lines, Break{})
		}
		lines = append(lines, Text(strconv.Itoa(written)+". "))
		lines = append(lines, note.Inlines...)
	}
	switch {
	case len(list.Items) == 0:
		return nil
	case folds:
		return []Block{Quote{Expandable: true, Blocks: []Block{Para(lines...)}}}
	case len(f.Title) > 0:
		return []Block{Para(f.Title...), list}
	}
	return []Block{list}
}

// last returns the greatest number among the notes.
func (f Footnotes) last(numbers map[string]int) int {
	most := 0
	for _, note := range f.Notes {
		most = max(most, numbers[note.ID])
	}
	return most
}
