package cli

import (
	"io"
	"sync"
	"time"

	"outheis/tresor"
	"outheis/tresor/eval"
)

const (
	patience = time.Second            // before it is over no progress is shown
	redraw   = 100 * time.Millisecond // between two lines
)

// A meter shows on a terminal how far a command is: one line that is written
// anew, not before the command has taken a while, and gone when it prints
// something else. The nil meter shows nothing. It is safe for concurrent use.
type meter struct {
	w   io.Writer
	now func() time.Time
	say func(key string, args ...any) string

	mu    sync.Mutex
	began time.Time // zero before the first step
	drawn time.Time
	shown bool
}

// step is what [tresor.Options] wants for Progress.
func (m *meter) step(stage tresor.Stage, done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if m.began.IsZero() {
		m.began = now
	}
	if now.Sub(m.began) < patience || m.shown && now.Sub(m.drawn) < redraw {
		return
	}
	m.drawn, m.shown = now, true
	_, _ = io.WriteString(m.w, "\r"+m.text(stage, done, total)+eraseToEnd)
}

// eraseToEnd removes the rest of the line on a terminal.
const eraseToEnd = "\x1b[K"

func (m *meter) text(stage tresor.Stage, done, total int) string {
	switch stage {
	case tresor.StageLook:
		return m.say("cli.progress.look", done)
	case tresor.StageHash:
		return m.say("cli.progress.hash", done, total)
	case tresor.StageSources:
		return m.say("cli.progress.sources", done, total)
	case tresor.StagePages:
		return m.say("cli.progress.pages", done, total)
	case tresor.StageAnchors:
		return m.say("cli.progress.anchors", done, total)
	case tresor.StageLookup:
		return m.say("cli.progress.lookup", done, total)
	case tresor.StageBytes:
		return m.say("cli.progress.bytes", done, total)
	case eval.Stage:
		return m.say("cli.progress.questions", done, total)
	}
	return m.say("cli.progress.other")
}

// clear removes the line; what comes next has its own patience.
func (m *meter) clear() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown {
		_, _ = io.WriteString(m.w, "\r"+eraseToEnd)
	}
	m.shown, m.began = false, time.Time{}
}
