package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// maxHistory is how many lines the history keeps. The file may hold twice as
// many before it is written anew.
const maxHistory = 500

// A history is the lines that the arrow keys bring back, newest last. It
// leaves out empty lines, repetitions, and lines that begin with a blank. It
// implements [golang.org/x/term.History].
type history struct {
	path string // "" for none

	mu     sync.Mutex
	lines  []string
	inFile int
	err    error // the first failure to keep a line; none is tried after it
}

// openHistory reads the file at path. What cannot be read is an empty history
// that keeps nothing, and an error to tell about.
func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		h.path = ""
		return h, fmt.Errorf("open history: %w", err)
	}
	defer root.Close()
	b, err := root.ReadFile(filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		h.path = ""
		return h, fmt.Errorf("open history: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		h.inFile++
		if line = cleanLine(line); line != "" {
			h.lines = append(h.lines, line)
		}
	}
	h.trim()
	return h, nil
}

func (h *history) trim() {
	if n := len(h.lines) - maxHistory; n > 0 {
		h.lines = append([]string(nil), h.lines[n:]...)
	}
}

// Add takes a line in.
func (h *history) Add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	secret := strings.HasPrefix(line, " ")
	line = cleanLine(line)
	if line == "" || secret || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	h.trim()
	if h.path != "" && h.err == nil {
		h.err = h.keep(line)
	}
}

// Len returns the number of lines.
func (h *history) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lines)
}

// At returns a line; 0 is the newest.
func (h *history) At(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines[len(h.lines)-1-i]
}

// keep appends line to the file, or writes the file anew when it grew long.
func (h *history) keep(line string) error {
	root, err := os.OpenRoot(filepath.Dir(h.path))
	if err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	defer root.Close()
	name := filepath.Base(h.path)
	if h.inFile >= 2*maxHistory {
		text := strings.Join(h.lines, "\n") + "\n"
		if err := root.WriteFile(name+".new", []byte(text), 0o600); err != nil {
			return fmt.Errorf("keep history: %w", err)
		}
		if err := root.Rename(name+".new", name); err != nil {
			return fmt.Errorf("keep history: %w", err)
		}
		h.inFile = len(h.lines)
		return nil
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	_, err = f.WriteString(line + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	h.inFile++
	return nil
}

// close reports the first failure to keep a line.
func (h *history) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}
