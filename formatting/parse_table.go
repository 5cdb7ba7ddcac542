package formatting

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tables is the paragraph transformer for GitHub's tables. Unlike goldmark's
// own it drops no surplus cell, adds no cells to short rows, and bounds the
// size of the head.
type tables struct{}

func (tables) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	source := reader.Source()
	for i := 1; i < lines.Len(); i++ {
		delimiter := lines.At(i)
		if delimiter.Len() > maxTableRow {
			continue
		}
		aligns := alignments(delimiter.Value(source))
		if aligns == nil {
			continue
		}
		head := cellSegments(lines.At(i-1), source, maxColumns+1)
		if len(head) != len(aligns) || len(head) > maxColumns || !shortRows(lines, i-1) {
			continue
		}
		table := tableast.NewTable()
		table.Alignments = aligns
		table.SetPos(lines.At(i - 1).Start)
		table.AppendChild(table, tableast.NewTableHeader(tableRow(head, aligns)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, tableRow(cellSegments(lines.At(j), source, len(aligns)), aligns))
		}
		node.Parent().InsertAfter(node.Parent(), node, table)
		if i == 1 {
			node.Parent().RemoveChild(node.Parent(), node)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(source))
		return
	}
}

func shortRows(lines *text.Segments, from int) bool {
	for i := from; i < lines.Len(); i++ {
		if row := lines.At(i); row.Len() > maxTableRow {
			return false
		}
	}
	return true
}

var delimiterCell = regexp.MustCompile(`^:?-+:?$`)

// alignments reads a delimiter row such as |---|:-:|, or returns nil.
func alignments(line []byte) []tableast.Alignment {
	if len(bytes.Trim(line, " \t\r\n|:-")) > 0 || !bytes.ContainsAny(line, "|:") || !bytes.ContainsAny(line, "-") {
		return nil
	}
	if w, _ := util.IndentWidth(line, 0); w > 3 {
		return nil
	}
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|"))
	var aligns []tableast.Alignment
	for cell := range bytes.SplitSeq(line, []byte("|")) {
		cell = bytes.TrimSpace(cell)
		if !delimiterCell.Match(cell) || len(aligns) > maxColumns {
			return nil
		}
		left, right := cell[0] == ':', cell[len(cell)-1] == ':'
		switch {
		case left && right:
			aligns = append(aligns, tableast.AlignCenter)
		case left:
			aligns = append(aligns, tableast.AlignLeft)
		case right:
			aligns = append(aligns, tableast.AlignRight)
		default:
			aligns = append(aligns, tableast.AlignNone)
		}
	}
	return aligns
}

// cellSegments cuts a row at its pipes; the last of at most most cells takes
// all that is left.
func cellSegments(row text.Segment, source []byte, most int) []text.Segment {
	row = row.TrimLeftSpace(source)
	row = row.TrimRightSpace(source)
	line := source[row.Start:row.Stop]
	pos, limit := 0, len(line)
	if pos < limit && line[pos] == '|' {
		pos++
	}
	if limit > pos && line[limit-1] == '|' && (limit < 2 || line[limit-2] != '\\') {
		limit--
	}
	var cells []text.Segment
	for pos <= limit {
		end := pos
		for end < limit && (line[end] != '|' || end > 0 && line[end-1] == '\\') {
			end++
		}
		if len(cells)+1 == most {
			end = limit
		}
		cell := text.NewSegment(row.Start+pos, row.Start+end)
		cell = cell.TrimLeftSpace(source)
		cells = append(cells, cell.TrimRightSpace(source))
		pos = end + 1
	}
	return cells
}

func tableRow(cells []text.Segment, aligns []tableast.Alignment) *tableast.TableRow {
	row := tableast.NewTableRow(aligns)
	for i, s := range cells {
		cell := tableast.NewTableCell()
		cell.Alignment = aligns[i]
		if s.Len() > 0 {
			cell.SetPos(s.Start)
			cell.Lines().Append(s)
		}
		row.AppendChild(row, cell)
	}
	return row
}
