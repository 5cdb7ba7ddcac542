package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	maxPoll      = 50 // seconds that a long poll may last
	keepMessages = 24 * time.Hour
	keepQueries  = 150 * time.Second
	conflictText = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	webhookText  = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)

// updateKinds are the kinds of update that the server makes; a bot gets those
// with true unless it asks for others.
var updateKinds = map[string]bool{
	"message": true, "edited_message": true, "channel_post": true, "edited_channel_post": true,
	"callback_query": true, "my_chat_member": true, "message_reaction": false,
}

// A queue holds the updates that the bot has not confirmed.
type queue struct {
	next      int64 // id of the next update
	updates   []update
	confirmed int64     // highest id that was confirmed
	soonest   time.Time // no update expires before
	allowed   []string

	poll         *poll
	lastOffset   int64
	lastPoll     time.Time
	lastConflict time.Time
}

type update struct {
	id      int64
	raw     string
	expires time.Time
}

// A poll is a getUpdates that waits.
type poll struct {
	ended chan struct{} // closed when another request ends it
	text  string        // the conflict that ended it; "" when the token went
}

// push appends an update, unless the bot did not ask for its kind. The caller
// holds mu.
func (s *Server) push(kind string, body any, keep time.Duration) int64 {
	wanted, ok := updateKinds[kind]
	if len(s.queue.allowed) > 0 {
		wanted = slices.Contains(s.queue.allowed, kind)
	} else if !ok {
		wanted = true
	}
	if !wanted {
		return 0
	}
	b, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("fake telegram: update: %v", err))
	}
	return s.pushRaw(func(id int64) string { return fmt.Sprintf(`{"update_id":%d,%q:%s}`, id, kind, b) }, keep)
}

func (s *Server) pushRaw(raw func(id int64) string, keep time.Duration) int64 {
	id := s.queue.next
	s.queue.next++
	u := update{id: id, raw: raw(id), expires: s.opts.Now().Add(keep)}
	s.queue.updates = append(s.queue.updates, u)
	if u.expires.Before(s.queue.soonest) {
		s.queue.soonest = u.expires
	}
	s.wake()
	return id
}

// Inject appends an update as it stands, well-formed or not: raw gets the
// update's id and returns the bytes. It returns the id.
func (s *Server) Inject(raw func(id int64) string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pushRaw(raw, keepMessages)
}

// SkipUpdates continues with update ids from next, as the server does after a
// week without updates.
func (s *Server) SkipUpdates(next int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.next = next
}

// Pending returns how many updates the bot has not confirmed.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue.updates)
}

// Confirmed returns the highest update id that the bot has confirmed.
func (s *Server) Confirmed() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.confirmed
}

// AwaitConfirmed waits until the bot has confirmed every update.
func (s *Server) AwaitConfirmed(ctx context.Context) error {
	return s.await(ctx, "confirmation", func() bool { return len(s.queue.updates) == 0 })
}

// AwaitPolling waits until the bot waits for updates.
func (s *Server) AwaitPolling(ctx context.Context) error {
	return s.await(ctx, "a long poll", func() bool { return s.queue.poll != nil })
}

// abortPoll ends a waiting getUpdates with a conflict. The caller holds mu.
func (s *Server) abortPoll(text string) {
	if p := s.queue.poll; p != nil {
		p.text = text
		s.queue.poll = nil
		close(p.ended)
	}
}

func (s *Server) getUpdates(c *call) (any, error) {
	offset := c.integer("offset", 0)
	limit := min(max(c.integer("limit", 100), 1), 100)
	timeout := time.Duration(min(max(c.integer("timeout", 0), 0), maxPoll)) * time.Second

	s.mu.Lock()
	if s.webhook.url != "" {
		s.mu.Unlock()
		return nil, &apiError{code: 409, description: webhookText}
	}
	if s.revoked { // since the token was looked at
		s.mu.Unlock()
		return nil, &apiError{code: 401, description: "Unauthorized"}
	}
	s.allow(c.params["allowed_updates"])
	// The server slows down bots that poll in a circle.
	now := time.Now()
	if offset == s.queue.lastOffset && timeout < 3*time.Second && now.Sub(s.queue.lastPoll) < 3*time.Second && c.params["timeout"] != "" {
		timeout = max(timeout, 3*time.Second)
	}
	s.queue.lastOffset, s.queue.lastPoll = offset, now
	s.abortPoll(conflictText)
	s.confirm(offset)
	batch := s.batch(offset, limit)
	if len(batch) > 0 || timeout <= 0 {
		s.mu.Unlock()
		return batch, nil
	}
	p := &poll{ended: make(chan struct{})}
	s.queue.poll = p
	s.wake()
	s.mu.Unlock()
	return s.wait(c, p, offset, limit, timeout)
}

// wait is the long part of a long poll.
func (s *Server) wait(c *call, p *poll, offset, limit int64, timeout time.Duration) (any, error) {
	end := time.NewTimer(timeout)
	defer end.Stop()
	for {
		s.mu.Lock()
		changed, batch := s.changed, s.batch(offset, limit)
		mine := s.queue.poll == p
		if mine && len(batch) > 0 {
			s.queue.poll = nil
			s.mu.Unlock()
			return batch, nil
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-p.ended:
			return nil, s.conflict(c, p.text)
		case <-end.C:
			s.leave(p)
			return rawList{}, nil
		case <-c.r.Context().Done():
			s.leave(p)
			return nil, badRequest("canceled")
		}
	}
}

func (s *Server) leave(p *poll) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.poll == p {
		s.queue.poll = nil
	}
}

// conflict returns the error for a poll that was ended; one that follows
// another closely is held back.
func (s *Server) conflict(c *call, text string) error {
	if text == "" {
		return &apiError{code: 401, description: "Unauthorized"}
	}
	s.mu.Lock()
	now := time.Now()
	soon := now.Sub(s.queue.lastConflict) < s.opts.ConflictDelay
	if !soon {
		s.queue.lastConflict = now
	}
	s.mu.Unlock()
	if soon {
		sleep(c.r, s.opts.ConflictDelay)
	}
	return &apiError{code: 409, description: text}
}

// allow remembers which kinds of update the bot wants. What is no list, or
// names nothing known, changes nothing or restores the default.
func (s *Server) allow(list string) {
	if list == "" {
		return
	}
	var kinds []string
	if json.Unmarshal([]byte(list), &kinds) != nil {
		return
	}
	s.queue.allowed = nil
	for _, k := range kinds {
		s.queue.allowed = append(s.queue.allowed, strings.ToLower(k))
	}
}

// confirm forgets the updates before offset; a negative one counts from the
// end.
func (s *Server) confirm(offset int64) {
	q := &s.queue
	now := s.opts.Now()
	if q.soonest.Before(now) {
		q.updates = slices.DeleteFunc(q.updates, func(u update) bool { return u.expires.Before(now) })
		q.soonest = now.Add(keepMessages)
		for _, u := range q.updates {
			if u.expires.Before(q.soonest) {
				q.soonest = u.expires
			}
		}
	}
	n := 0
	if offset < 0 {
		n = max(0, len(q.updates)+int(max(offset, -int64(len(q.updates)))))
	} else {
		for n < len(q.updates) && q.updates[n].id < offset {
			n++
		}
	}
	if n > 0 {
		q.confirmed = max(q.confirmed, q.updates[n-1].id)
		clear(q.updates[:n])
		q.updates = q.updates[n:] // append makes room again
		s.wake()
	}
}

// batch returns the updates from offset on. Their bytes need not be JSON.
func (s *Server) batch(offset, limit int64) rawList {
	list := rawList{}
	for _, u := range s.queue.updates {
		if int64(len(list)) == limit {
			break
		}
		if offset <= 0 || u.id >= offset {
			list = append(list, u.raw)
		}
	}
	return list
}

// A rawList is a list of updates that is written as it stands.
type rawList []string
