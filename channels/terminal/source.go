package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// maxLine is the longest line that is read from a pipe, in bytes, maxEdited the
// longest that the line editor holds, in characters: it ignores what is typed
// or pasted beyond it.
const (
	maxLine   = 1 << 20
	maxEdited = 4096
)

// A longLineError says that a line was too long, and has been passed over.
type longLineError struct {
	key  string // of the sentence for the person
	args []any
}

func (e *longLineError) Error() string { return "line too long" }

// A source gives the lines of a conversation. Line is called by one goroutine
// and returns io.EOF after the last one and once stopped, a *longLineError for
// a line that it passed over. Stop may be called from any goroutine and more
// than once. Close undoes what opening did, when nothing else is called any
// more.
type source interface {
	Line() (string, error)
	Stop()
	Close()
}

// A pipeSource reads lines from something that is no terminal.
type pipeSource struct {
	r    *bufio.Reader
	stop *interruptible // nil when In cannot be interrupted
}

func newPipeSource(in io.Reader) *pipeSource {
	if in == nil {
		in = eof{}
	}
	if f, ok := in.(*os.File); ok {
		if i := newInterruptible(f); i != nil {
			return &pipeSource{r: bufio.NewReader(i), stop: i}
		}
	}
	return &pipeSource{r: bufio.NewReader(in)}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

func (s *pipeSource) Line() (string, error) {
	var line []byte
	long := false
	for {
		part, err := s.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || len(part) > 0):
			return "", &longLineError{key: "terminal.long_line"}
		case err != nil && len(line) == 0:
			return "", err
		}
		return string(line), nil
	}
}

func (s *pipeSource) Stop() {
	if s.stop != nil {
		s.stop.Interrupt()
	}
}

func (s *pipeSource) Close() {
	if s.stop != nil {
		s.stop.Close()
	}
}

// An editor is a source on a terminal. It owns the terminal's mode from
// newEditor to Close.
type editor struct {
	term      *term.Terminal
	in, out   *os.File
	before    *term.State
	history   *history
	keys      *interruptible
	strokes   chan []byte
	rest      []byte
	interrupt func(quit bool)
	pump      sync.WaitGroup

	stopped  chan struct{}
	stopOnce sync.Once
}

// newEditor takes the terminal over. Interrupt is called when Ctrl-C is
// pressed, from a goroutine of the editor's own; quit says that it was the
// second time. It must not block.
func newEditor(in, out *os.File, h *history, interrupt func(quit bool)) (*editor, error) {
	e := &editor{
		in: in, out: out, history: h, interrupt: interrupt,
		strokes: make(chan []byte, typeAhead), stopped: make(chan struct{}),
	}
	if e.keys = newInterruptible(in); e.keys == nil {
		return nil, errors.New("terminal cannot be waited for")
	}
	before, err := makeRaw(int(in.Fd()))
	if err != nil {
		e.keys.Close()
		return nil, fmt.Errorf("take terminal over: %w", err)
	}
	e.before = before
	e.term = term.NewTerminal(e, prompt)
	e.term.History = h
	e.resize()
	io.WriteString(out, pasteMarksOn)
	e.pump.Go(e.run)
	return e, nil
}

const prompt = "> "

// typeAhead is how many pieces of input are taken in while no line is read.
// A piece is a key, or up to 1 KiB of what is pasted.
const typeAhead = 1024

// run takes the person's keys in, also while no line is read: Ctrl-C has to
// work then, too.
func (e *editor) run() {
	defer close(e.strokes)
	var k keys
	buf := make([]byte, 1024)
	for {
		n, err := e.keys.Read(buf)
		s := k.feed(buf[:n])
		if s.interrupt {
			e.interrupt(s.quit)
		}
		if len(s.edit) > 0 {
			select {
			case e.strokes <- s.edit:
			case <-e.stopped:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Read gives the line editor what was typed.
func (e *editor) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		select {
		case <-e.stopped:
			return 0, io.EOF
		case s, ok := <-e.strokes:
			if !ok {
				return 0, io.EOF
			}
			e.rest = s
		}
		e.resize()
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Write puts what the line editor draws on the terminal.
func (e *editor) Write(p []byte) (int, error) { return e.out.Write(p) }

// resize tells the line editor how wide the terminal is now.
func (e *editor) resize() {
	if w, h, err := term.GetSize(int(e.out.Fd())); err == nil && w > 0 {
		// The error is that of drawing; the next drawing meets it again.
		_ = e.term.SetSize(w, h)
	}
}

func (e *editor) Line() (string, error) {
	line, err := e.term.ReadLine()
	if err != nil {
		return "", io.EOF
	}
	if utf8.RuneCountInString(line) >= maxEdited { // the rest, if any, is lost
		return "", &longLineError{"terminal.long_input", []any{maxEdited - 1}}
	}
	return line, nil
}

// wheel shows frame in front of the line; "" shows the plain prompt.
func (e *editor) wheel(frame string) {
	if frame != "" {
		frame += " "
	}
	e.term.SetPrompt(frame + prompt)
	// An empty Write draws the line anew.
	_, _ = e.term.Write(nil)
}

func (e *editor) Stop() {
	e.stopOnce.Do(func() {
		close(e.stopped)
		e.keys.Interrupt()
	})
}

func (e *editor) Close() {
	e.Stop()
	e.pump.Wait()
	e.keys.Close()
	// The prompt that nobody answers goes with it.
	io.WriteString(e.out, pasteMarksOff+"\r\x1b[K")
	// Nothing is left to do when the terminal is gone.
	_ = term.Restore(int(e.in.Fd()), e.before)
}
