package terminal

import (
	"errors"
	"io"
)

var (
	Clean     = clean
	ParseLine = parseLine
)

// Keys is the filter of keys.
type Keys struct{ k keys }

// Feed returns what the line editor gets, and what Ctrl-C means.
func (k *Keys) Feed(input string) (edit string, interrupt, quit bool) {
	s := k.k.feed([]byte(input))
	return string(s.edit), s.interrupt, s.quit
}

// A History is the lines for the arrow keys.
type History = history

// OpenHistory is openHistory.
func OpenHistory(path string) (*History, error) { return openHistory(path) }

// Close is close.
func (h *History) Close() error { return h.close() }

// PipeLines reads all lines of in; a line that was passed over is "…".
func PipeLines(in io.Reader) []string {
	var all []string
	s := newPipeSource(in)
	defer s.Close()
	for {
		line, err := s.Line()
		var long *longLineError
		switch {
		case err == nil:
			all = append(all, line)
		case errors.As(err, &long):
			all = append(all, "…")
		default:
			return all
		}
	}
}

// MaxHistory is maxHistory.
const MaxHistory = maxHistory

// MaxLine is maxLine.
const MaxLine = maxLine
