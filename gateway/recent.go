package gateway

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	recentMost = 5    // answers of one conversation
	recentAll  = 2000 // conversations
)

// recent remembers the last answered questions of each conversation: what
// "Beleg 2" is about, and what an edit that comes after the answer changes. It is
// in memory, and filled anew from the end of the log at start. It may be used by
// many goroutines.
type recent struct {
	mu sync.Mutex // guards of
	of map[string][]answeredQuestion
}

// An answeredQuestion is a question that has a response.
type answeredQuestion struct {
	id      string // of the request
	message string // the person's
	text    [sha256.Size]byte
	Route
	asked time.Time // when the person wrote it
	at    time.Time // when it was answered
	cited bool      // it has an answer, and not only a sentence about a failure
	down  time.Time // when the person marked it down, without a reason yet
}

// note adds a question that has been answered.
func (r *recent) note(req *Envelope, cited bool, at time.Time) {
	q := answeredQuestion{
		id: req.ID, message: req.Payload.Message, text: sha256.Sum256([]byte(req.Payload.Text)),
		Route: Route{req.To, req.Payload.Scope}, asked: req.Payload.Asked, at: at, cited: cited,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = make(map[string][]answeredQuestion)
	}
	all, ok := r.of[req.Conversation]
	if !ok && len(r.of) >= recentAll {
		r.makeRoom()
	}
	for _, there := range all {
		if there.id == q.id {
			return
		}
	}
	if all = append(all, q); len(all) > recentMost {
		all = append([]answeredQuestion(nil), all[len(all)-recentMost:]...)
	}
	r.of[req.Conversation] = all
}

// makeRoom forgets the half of the conversations that has been quiet for longer.
// The caller holds mu.
func (r *recent) makeRoom() {
	var newest, oldest time.Time
	for _, all := range r.of {
		at := all[len(all)-1].at
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
		if at.After(newest) {
			newest = at
		}
	}
	middle := oldest.Add(newest.Sub(oldest) / 2)
	for c, all := range r.of {
		if !all[len(all)-1].at.After(middle) {
			delete(r.of, c)
		}
	}
	for c := range r.of { // all at one time
		if len(r.of) < recentAll {
			break
		}
		delete(r.of, c)
	}
}

// last returns the question of the last answer in a conversation.
func (r *recent) last(conversation string) (answeredQuestion, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.of[conversation]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].cited {
			return all[i], true
		}
	}
	return answeredQuestion{}, false
}

// find returns the last answered question that a message of the person asked.
func (r *recent) find(conversation, message string) (answeredQuestion, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.of[conversation]
	for i := len(all) - 1; i >= 0 && message != ""; i-- {
		if all[i].message == message {
			return all[i], true
		}
	}
	return answeredQuestion{}, false
}

// answer returns the last question that a message of the person asked and that
// has an answer.
func (r *recent) answer(conversation, message string) (answeredQuestion, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.of[conversation]
	for i := len(all) - 1; i >= 0 && message != ""; i-- {
		if all[i].cited && all[i].message == message {
			return all[i], true
		}
	}
	return answeredQuestion{}, false
}

// marked notes that the person marked an answer down and gave no reason; the
// zero time that one was given.
func (r *recent) marked(conversation, id string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, q := range r.of[conversation] {
		if q.id == id {
			r.of[conversation][i].down = at
		}
	}
}
