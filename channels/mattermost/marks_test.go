package mattermost_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/mattermost"
	"outheis/channels/mattermost"
)

// A post of a wrong time in one chat costs no other chat its catch-up, nor its
// own.
func TestPostFromTheFutureHidesNothing(t *testing.T) {
	r := newRig(t, fake.Options{})
	imported := r.s.AddChannel(r.team, "import", fake.Private, r.ada)
	asked := r.s.AddChannel(r.team, "frage", fake.Private, r.ada)
	r.s.Post(fake.Line{Channel: imported, From: r.ada, Text: "importiert", At: time.Now().Add(24 * time.Hour).UnixMilli()})
	stop := r.once()
	r.s.Post(fake.Line{Channel: imported, From: r.ada, Text: "@auskunft noch eins", At: time.Now().Add(24 * time.Hour).UnixMilli()})
	stop()
	for i := range 5 {
		r.s.Post(fake.Line{Channel: asked, From: r.ada, Text: fmt.Sprint("@auskunft verpasst ", i), At: time.Now().UnixMilli() + int64(i)})
	}
	r.s.Post(fake.Line{Channel: imported, From: r.ada, Text: "@auskunft auch", At: time.Now().UnixMilli()})
	c, events := r.start()
	got := make(map[string]bool)
	for len(got) < 6 {
		if e := next(t, events); e.Kind == channels.KindMessage && !strings.Contains(e.Text, "noch eins") {
			got[e.Text] = true
		}
	}
	// Nor does the wrong time make us connect again and again.
	dials := r.s.Calls(fake.GetUserChannels)
	r.eventually("two probes", func() bool { return r.s.Calls(fake.GetUserChannels) >= dials+3 })
	if h := c.Health(); h.State != channels.Green {
		t.Errorf("health %+v", h)
	}
}

// once runs an adapter until it has come up, and returns what ends it.
func (r *rig) once() (stop func()) {
	r.t.Helper()
	c := r.open()
	_, _, end := runUntil(r.t, c)
	r.eventually("coming up", func() bool { return c.Health().State == channels.Green })
	return end
}

// A failing cursor cannot be read some times.
type failing struct {
	channels.Cursor
	mu   sync.Mutex // guards left
	left int
}

func (f *failing) Load() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left > 0 {
		f.left--
		return nil, errors.New("input/output error")
	}
	return f.Cursor.Load()
}

// What cannot be read for a moment is read a moment later; what stays
// unreadable, or is not understood, costs no message of the last day, and is
// said. A cursor of a later version is still there afterwards.
func TestUnreadableCursorLosesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		failures int
		kept     string
		want     channels.State
	}{
		"read at the second try": {failures: 1, want: channels.Green},
		"not to be read":         {failures: 1000, want: channels.Yellow},
		"damaged":                {kept: `{"v":1,"me":`, want: channels.Yellow},
		"of a later version":     {kept: `{"v":2,"places":["hier"]}`, want: channels.Yellow},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, fake.Options{})
			r.once()()
			if test.kept != "" {
				if err := r.cursor.Save([]byte(test.kept)); err != nil {
					t.Fatal(err)
				}
			}
			r.opts.Cursor = &failing{Cursor: &r.cursor, left: test.failures}
			r.s.Say(r.direct, r.ada, "verpasst")
			c := r.open()
			mattermost.Hasten(c, 20*time.Millisecond)
			events, _, end := runUntil(t, c)
			for {
				if e := next(t, events); e.Text == "verpasst" {
					break
				}
			}
			r.eventually("health", func() bool { return c.Health().State == test.want })
			end()
			raw, err := r.cursor.Load()
			if err != nil {
				t.Fatal(err)
			}
			if former := mattermost.Former(raw); !slices.Equal(former, []byte(test.kept)) {
				t.Errorf("kept of what was not understood: %q", former)
			}
		})
	}
}

// The same holds for an interruption while the program runs.
func TestPostFromTheFutureHidesNothingOfAnInterruption(t *testing.T) {
	r := newRig(t, fake.Options{})
	imported := r.s.AddChannel(r.team, "import", fake.Private, r.ada)
	asked := r.s.AddChannel(r.team, "frage", fake.Private, r.ada)
	r.s.Post(fake.Line{Channel: imported, From: r.ada, Text: "importiert", At: time.Now().Add(24 * time.Hour).UnixMilli()})
	_, events := r.start()
	r.s.RefuseConnects(3, 503)
	r.s.CutSockets()
	r.s.Post(fake.Line{Channel: asked, From: r.ada, Text: "@auskunft verpasst", At: time.Now().UnixMilli()})
	for {
		if e := next(t, events); e.Address.Chat() == asked && e.Text == "verpasst" {
			return
		}
	}
}
