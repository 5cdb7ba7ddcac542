package terminal

import (
	"bytes"
	"unicode/utf8"
)

// Keys as a terminal in raw mode sends them.
const (
	ctrlC     = 3
	lineEnd   = 5  // Ctrl-E of the line editor
	killLine  = 21 // Ctrl-U of the line editor: everything before the cursor
	escape    = 27
	backspace = 127
)

// Marks around pasted text, and how a terminal is asked to send them.
var (
	pasteBegins = []byte("\x1b[200~")
	pasteEnds   = []byte("\x1b[201~")
)

const (
	pasteMarksOn  = "\x1b[?2004h"
	pasteMarksOff = "\x1b[?2004l"
)

// keys turns what a terminal sends into what the line editor understands.
// Ctrl-C becomes an interruption and empties the line; a second one without
// another key in between ends the conversation. Pasted text becomes one line
// without control characters, so that pasting never sends a message. What is no
// UTF-8 becomes a question mark. The zero value is ready; it belongs to one
// goroutine.
type keys struct {
	held    []byte // beginning of a mark
	partial []byte // beginning of a character
	pasting bool
	blank   bool // the last pasted character was a blank
	armed   bool // the last key was Ctrl-C
}

// A stroke is the outcome of a piece of input.
type stroke struct {
	edit            []byte // for the line editor
	interrupt, quit bool
}

// feed takes in a piece of input.
func (k *keys) feed(input []byte) stroke {
	var s stroke
	for _, b := range input {
		k.held = append(k.held, b)
		mark := pasteBegins
		if k.pasting {
			mark = pasteEnds
		}
		switch {
		case bytes.Equal(k.held, mark):
			k.pasting, k.blank = !k.pasting, false
			k.held = k.held[:0]
		case bytes.HasPrefix(mark, k.held):
		default:
			// The byte that broke the mark may begin another one.
			again := len(k.held) > 1 && b == escape
			if again {
				k.held = k.held[:len(k.held)-1]
			}
			for _, h := range k.held {
				k.take(&s, h)
			}
			k.held = k.held[:0]
			if again {
				k.held = append(k.held, escape)
			}
		}
	}
	s.edit = k.valid(s.edit)
	return s
}

// valid returns b without what the line editor would stop at until the next
// key: bytes that are no UTF-8, and the character that stands for them. A
// character that is not complete yet waits for its rest.
func (k *keys) valid(b []byte) []byte {
	if len(k.partial) == 0 && utf8.Valid(b) && !bytes.ContainsRune(b, utf8.RuneError) {
		return b
	}
	b = append(k.partial, b...)
	k.partial = nil
	var edit []byte
	for len(b) > 0 {
		if !utf8.FullRune(b) {
			k.partial = b
			break
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError {
			edit = append(edit, '?')
		} else {
			edit = append(edit, b[:n]...)
		}
		b = b[n:]
	}
	return edit
}

func (k *keys) take(s *stroke, b byte) {
	if b == ctrlC && !k.pasting {
		s.quit = s.quit || k.armed
		s.interrupt, k.armed = true, true
		s.edit = append(s.edit, lineEnd, killLine)
		return
	}
	k.armed = false
	if k.pasting && (b < ' ' || b == backspace) {
		if k.blank {
			return
		}
		b = ' '
	}
	k.blank = b == ' '
	s.edit = append(s.edit, b)
}
