package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"outheis/channels"
)

// errQuit is the cause of a context that the person ended.
var errQuit = errors.New("the person ended the conversation")

// maxQueue is how many messages may wait to be kept before no further line is
// read.
const maxQueue = 64

// A session is one Run.
type session struct {
	t      *Terminal
	src    source
	editor *editor // nil when lines are not edited
	quit   context.CancelCauseFunc

	interrupts chan struct{} // capacity 1

	queue   []channels.Event // not kept yet, oldest first; the first one is being delivered
	backoff channels.Backoff
	failing bool     // the first of queue failed at least once, and the person knows
	wanted  bool     // a line has been asked for
	ended   bool     // there are no more lines
	frames  []string // of the wheel
	frame   int
	wheel   bool // is shown
}

// Run implements [channels.Channel]: it holds the conversation until ctx ends
// or the person ends it, and returns ctx's error or nil; when nothing can be
// printed any more it returns a *channels.SendError. On a terminal it owns the
// terminal's mode meanwhile. At the end of a piped In it waits for the answers
// that are still to come, for as long as Options.Patience.
func (t *Terminal) Run(ctx context.Context, in channels.Deliver) error {
	run, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	s := &session{t: t, quit: quit, interrupts: make(chan struct{}, 1), frames: wheelFrames(t.o.Getenv), backoff: t.o.Retry}
	s.start()
	defer s.close()

	var wg sync.WaitGroup
	defer wg.Wait()
	defer s.src.Stop()

	want, lines := make(chan struct{}), make(chan lineRead)
	wg.Go(func() { readLines(run, s.src, want, lines) })
	work, done := make(chan channels.Event), make(chan error)
	wg.Go(func() { deliverEvents(run, in, work, done) })
	// Goroutines wait for what this loop sends; they end with the context.
	defer quit(nil)

	err := s.loop(run, want, lines, work, done)
	if errors.Is(context.Cause(run), errQuit) {
		err = nil
	}
	if n := s.unkept(); n > 0 {
		t.say("terminal.lost", n)
	}
	return err
}

// unkept counts what the person said that is not kept. To stop is no message.
func (s *session) unkept() int {
	n := 0
	for _, e := range s.queue {
		if e.Command != "stop" {
			n++
		}
	}
	return n
}

// start opens the person's side.
func (s *session) start() {
	t := s.t
	if t.inTTY != nil {
		h, err := openHistory(t.o.History)
		if err != nil {
			t.o.Log.Warn("terminal history unreadable", "channel", Kind, "err", err)
		}
		e, err := newEditor(t.inTTY, t.outTTY, h, s.interrupt)
		if err == nil {
			s.src, s.editor = e, e
			t.out.Lock()
			t.editor = e.term
			t.out.Unlock()
			t.say("terminal.welcome")
			return
		}
		t.o.Log.Warn("terminal without line editing", "channel", Kind, "err", err)
	}
	s.src = newPipeSource(t.o.In)
}

// close gives the terminal back.
func (s *session) close() {
	if s.editor != nil {
		s.t.out.Lock()
		s.t.editor = nil
		s.t.out.Unlock()
		if err := s.editor.history.close(); err != nil {
			s.t.o.Log.Warn("terminal history not kept", "channel", Kind, "err", err)
		}
	}
	s.src.Close()
}

// interrupt is what Ctrl-C does. It is called by the editor.
func (s *session) interrupt(quit bool) {
	if quit {
		s.quit(errQuit)
		return
	}
	select {
	case s.interrupts <- struct{}{}:
	default:
	}
}

type lineRead struct {
	line string
	err  error
}

// readLines reads a line each time that one is wanted.
func readLines(ctx context.Context, src source, want <-chan struct{}, lines chan<- lineRead) {
	for {
		select {
		case <-want:
		case <-ctx.Done():
			return
		}
		line, err := src.Line()
		select {
		case lines <- lineRead{line, err}:
		case <-ctx.Done():
			return
		}
	}
}

// deliverEvents makes events durable, one after the other.
func deliverEvents(ctx context.Context, in channels.Deliver, work <-chan channels.Event, done chan<- error) {
	for {
		select {
		case e := <-work:
			err := in(ctx, e)
			select {
			case done <- err:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// loop is the conversation. It never waits for anything but its channels, so
// that keys work whatever else hangs.
func (s *session) loop(ctx context.Context, want chan<- struct{}, lines <-chan lineRead, work chan<- channels.Event, done <-chan error) error {
	var (
		delivering bool
		retry      = stopped()
		patience   = stopped()
		wheel      = time.NewTicker(120 * time.Millisecond)
	)
	defer retry.Stop()
	defer patience.Stop()
	defer wheel.Stop()
	retrying := false
	for {
		s.draw(false)
		if err := s.t.isBroken(); err != nil {
			return &channels.SendError{Class: channels.Misconfigured, Err: err}
		}
		if s.over() {
			return nil
		}
		offer, next := work, channels.Event{}
		if delivering || retrying || len(s.queue) == 0 {
			offer = nil
		} else {
			next = s.queue[0]
		}
		ask := want
		if s.wanted || s.ended || len(s.queue) >= maxQueue || len(s.queue) > 0 && !s.failing {
			ask = nil
		}
		var turn <-chan time.Time
		if s.wheel {
			turn = wheel.C
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case ask <- struct{}{}:
			s.wanted = true
		case l := <-lines:
			s.wanted = false
			s.line(l)
			patience.Reset(s.t.o.Patience)
		case offer <- next:
			delivering = true
		case err := <-done:
			delivering = false
			if retrying = s.delivered(ctx, err); retrying {
				retry.Reset(s.backoff.Next())
			}
		case <-retry.C:
			retrying = false
		case <-s.interrupts:
			s.stopAnswer()
		case <-s.t.changed:
			patience.Reset(s.t.o.Patience)
		case <-turn:
			s.draw(true)
		case <-patience.C:
			if _, typing := s.t.busy(); typing {
				patience.Reset(s.t.o.Patience)
			} else if s.ended {
				s.t.say("terminal.no_answer")
				return nil
			}
		}
	}
}

// stopped returns a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// over reports whether everything has been said. A person who leaves a
// terminal does not wait for answers; they are kept.
func (s *session) over() bool {
	if !s.ended {
		return false
	}
	open, typing := s.t.busy()
	return s.editor != nil || len(s.queue) == 0 && open == 0 && !typing
}

// line takes a line in.
func (s *session) line(l lineRead) {
	var long *longLineError
	switch {
	case errors.As(l.err, &long):
		s.t.say(long.key, long.args...)
		return
	case l.err != nil:
		s.ended = true
		if !errors.Is(l.err, io.EOF) {
			s.t.o.Log.Warn("terminal gave no more lines", "channel", Kind, "err", l.err)
		}
		return
	}
	line := cleanLine(l.line)
	if line == "" {
		return
	}
	command, text := parseLine(line)
	switch command {
	case "help":
		if s.t.print(s.t.o.Texts.Say("terminal.help")+"\n") != nil {
			return
		}
		// What can be asked is for the gateway to say.
		s.enqueue(command, text)
	case "quit":
		s.ended = true
	default:
		s.enqueue(command, text)
	}
}

// enqueue hands a message or command over as soon as those before it are kept.
func (s *session) enqueue(command, text string) {
	e, err := s.t.event(command, text)
	if err != nil {
		// Account and Identity are never empty.
		s.t.o.Log.Error("terminal made no event", "channel", Kind, "err", err)
		return
	}
	if command != "stop" {
		s.t.await(e.Key)
	}
	s.queue = append(s.queue, e)
}

// delivered looks at how the delivery of the first in the queue ended, and
// reports whether it has to be tried again later.
func (s *session) delivered(ctx context.Context, err error) (again bool) {
	e := s.queue[0]
	if err != nil {
		if ctx.Err() == nil {
			s.t.o.Log.Warn("event not kept", "channel", Kind, "key", e.Key, "err", err)
			if !s.failing {
				s.t.say("terminal.not_kept")
			}
		}
		s.failing = true
		return true
	}
	s.queue = s.queue[1:]
	s.failing = false
	s.backoff.Reset()
	return false
}

// stopAnswer does what the first Ctrl-C means: it stops the answer that is
// being prepared, or says how to leave.
func (s *session) stopAnswer() {
	if open, typing := s.t.busy(); open == 0 && !typing {
		s.t.say("terminal.how_to_leave")
		return
	}
	s.t.forget()
	s.t.say("terminal.stopping")
	s.enqueue("stop", "")
}

// draw shows, turns or takes away the wheel.
func (s *session) draw(turn bool) {
	if s.editor == nil {
		return
	}
	_, typing := s.t.busy()
	switch {
	case typing && (turn || !s.wheel):
		s.frame = (s.frame + 1) % len(s.frames)
		s.editor.wheel(s.frames[s.frame])
	case !typing && s.wheel:
		s.editor.wheel("")
	}
	s.wheel = typing
}

// wheelFrames returns the pictures of the wheel that the terminal can show.
func wheelFrames(getenv func(string) string) []string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			if v = strings.ToLower(v); strings.Contains(v, "utf-8") || strings.Contains(v, "utf8") {
				return []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
			}
			break
		}
	}
	return []string{"|", "/", "-", `\`}
}
