package telegram

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// FaultKind is how a call goes wrong.
type FaultKind int

// The kinds of fault.
const (
	// TooMany answers 429 with RetryAfter seconds; the call has no effect.
	TooMany FaultKind = iota + 1
	// Refuse answers with the error Status and Description; the call has no
	// effect.
	Refuse
	// CutBefore reads the request and cuts the connection; the call has no effect.
	CutBefore
	// CutAfter carries the call out and cuts the connection without an answer.
	CutAfter
	// Late carries the call out and answers after Delay.
	Late
	// Garbage carries the call out and answers Body with status 200.
	Garbage
	// Page carries nothing out and answers Body as HTML with Status, as a
	// gateway in front of the server does.
	Page
	// Redirect answers 302 to Location; the call has no effect.
	Redirect
	// Trickle carries the call out and answers a few bytes every Delay.
	Trickle
	// Hang reads the request and never answers; the call has no effect.
	Hang
)

// A Fault is what goes wrong with the next calls that it fits.
type Fault struct {
	Kind FaultKind
	// Method and Chat narrow the fault; empty and 0 fit every call.
	Method string
	Chat   int64
	// Methods narrow it to several methods.
	Methods []string
	// Times is how many calls it hits; 0 stands for one, a negative number for
	// all until [Server.ClearFaults].
	Times int

	RetryAfter  int // seconds
	Status      int
	Description string
	Body        string
	Location    string
	Delay       time.Duration
}

// Fault breaks the next calls that fit f. Of several faults that fit, the one
// that was set first takes effect.
func (s *Server) Fault(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults forgets the faults that have not taken effect.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// takeFault returns the fault for c, or nil, and uses it up.
func (s *Server) takeFault(c *call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && lower(f.Method) != c.method || len(f.Methods) > 0 && !f.names(c.method) || f.Chat != 0 && f.Chat != c.integer("chat_id", 0) {
			continue
		}
		if f.Times > 0 {
			f.Times--
		}
		if f.Times == 0 {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		}
		return f
	}
	return nil
}

func (f *Fault) names(method string) bool {
	for _, m := range f.Methods {
		if lower(m) == method {
			return true
		}
	}
	return false
}

// apply answers a call as the fault wants; run carries it out.
func (f *Fault) apply(w http.ResponseWriter, r *http.Request, run func() (any, error)) {
	switch f.Kind {
	case TooMany:
		write(w, nil, &apiError{code: http.StatusTooManyRequests, retryAfter: f.RetryAfter,
			description: fmt.Sprintf("Too Many Requests: retry after %d", f.RetryAfter)})
	case Refuse:
		write(w, nil, &apiError{code: f.Status, description: f.Description})
	case CutBefore:
		cut(w)
	case CutAfter:
		_, _ = run()
		cut(w)
	case Late:
		result, err := run()
		if sleep(r, f.Delay) {
			write(w, result, err)
		}
	case Garbage:
		_, _ = run()
		_, _ = io.WriteString(w, f.Body)
	case Page:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	case Redirect:
		w.Header().Set("Location", f.Location)
		w.WriteHeader(http.StatusFound)
	case Trickle:
		result, err := run()
		write(&trickle{w: w, r: r, delay: f.Delay}, result, err)
	case Hang:
		<-r.Context().Done()
	default:
		panic(fmt.Sprintf("fake telegram: fault of unknown kind %d", f.Kind))
	}
}

// cut closes the connection at once, so that the client sees a reset.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// sleep waits, and reports false when the client has gone before.
func sleep(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

// A trickle writes slowly.
type trickle struct {
	w     http.ResponseWriter
	r     *http.Request
	delay time.Duration
}

func (t *trickle) Write(b []byte) (int, error) {
	const step = 16
	for n := 0; n < len(b); n += step {
		if !sleep(t.r, t.delay) {
			return n, io.ErrClosedPipe
		}
		if _, err := t.w.Write(b[n:min(n+step, len(b))]); err != nil {
			return n, err
		}
		if err := http.NewResponseController(t.w).Flush(); err != nil {
			return n, err
		}
	}
	return len(b), nil
}
