package mattermost

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// FaultKind is how a REST call goes wrong.
type FaultKind int

// The kinds of fault.
const (
	// TooMany answers 429 as the server's own limit does, with RetryAfter; the
	// call has no effect.
	TooMany FaultKind = iota + 1
	// Refuse answers Status with the error ID and Message; the call has no
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
	// proxy does in front of a server that is down for maintenance.
	Page
	// PageAfter carries the call out and answers as Page does.
	PageAfter
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
	// Route and Channel narrow the fault; empty ones fit every call. Route is
	// one of the constants that name routes, Channel the one of the path or of
	// the post that is sent.
	Route   string
	Channel string
	// Times is how many calls it hits; 0 stands for one, a negative number for
	// all until [Server.ClearFaults].
	Times int

	RetryAfter time.Duration
	Status     int
	ID         string
	Message    string
	Body       string
	Location   string
	Delay      time.Duration
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

// ClearFaults forgets the faults that have not taken effect, those of the
// websocket too.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.refusals = nil, nil
	s.bare, s.lose = 0, 0
}

// channel returns the channel that a call is about, or "".
func (c *call) channel() string {
	var body struct {
		Channel string `json:"channel_id"`
	}
	if id := c.vars["channel"]; id != "" || json.Unmarshal(c.body, &body) != nil {
		return id
	}
	return body.Channel
}

// takeFault returns the fault for c, or nil, and uses it up.
func (s *Server) takeFault(c *call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Route != "" && (c.route == nil || f.Route != c.route.name) || f.Channel != "" && f.Channel != c.channel() {
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

// apply answers a call as the fault wants; run carries it out.
func (f *Fault) apply(w http.ResponseWriter, r *http.Request, run func() (any, error)) {
	switch f.Kind {
	case TooMany:
		after := fmt.Sprint(int(math.Ceil(f.RetryAfter.Seconds())))
		w.Header().Set("X-RateLimit-Limit", "101")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", after)
		w.Header().Set("Retry-After", after)
		write(w, nil, errTooMany{})
	case Refuse:
		write(w, nil, refuse(f.Status, f.ID, "%s", f.Message))
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
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, f.Body)
	case Page, PageAfter:
		if f.Kind == PageAfter {
			_, _ = run()
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	case Redirect:
		w.Header().Set("Location", f.Location)
		w.WriteHeader(http.StatusFound)
	case Trickle:
		result, err := run()
		write(&trickle{ResponseWriter: w, r: r, delay: f.Delay}, result, err)
	case Hang:
		<-r.Context().Done()
	default:
		panic(fmt.Sprintf("fake mattermost: fault of unknown kind %d", f.Kind))
	}
}

// cut closes the connection at once, so that the client sees a reset.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	reset(conn)
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
	http.ResponseWriter
	r     *http.Request
	delay time.Duration
}

func (t *trickle) Write(b []byte) (int, error) {
	const step = 16
	for n := 0; n < len(b); n += step {
		if !sleep(t.r, t.delay) {
			return n, io.ErrClosedPipe
		}
		if _, err := t.ResponseWriter.Write(b[n:min(n+step, len(b))]); err != nil {
			return n, err
		}
		if err := http.NewResponseController(t.ResponseWriter).Flush(); err != nil {
			return n, err
		}
	}
	return len(b), nil
}
