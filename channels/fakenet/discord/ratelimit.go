package discord

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// A limiter counts the calls of each bucket.
type limiter struct {
	rules   map[string]rule
	buckets map[string]*bucket
	global  []time.Time // calls of the last second
}

// A rule allows n calls per period to each channel, guild or webhook.
type rule struct {
	n   int
	per time.Duration
}

type bucket struct {
	left  int
	reset time.Time
}

// realRules are the limits that were seen at Discord; they are not documented
// and change. Other routes get the last one.
var realRules = map[string]rule{
	CreateMessage:  {5, 5 * time.Second},
	EditMessage:    {5, 5 * time.Second},
	DeleteMessage:  {5, time.Second},
	AddReaction:    {1, 250 * time.Millisecond},
	RemoveReaction: {1, 250 * time.Millisecond},
	TriggerTyping:  {5, 5 * time.Second},
	CreateFollowup: {5, 2 * time.Second},
	EditFollowup:   {5, 2 * time.Second},
	PutCommands:    {2, 20 * time.Second},
	"":             {50, time.Second},
}

// globalPerSecond is the limit of the whole bot.
const globalPerSecond = 50

func (l *limiter) reset() {
	l.rules = make(map[string]rule)
	l.buckets = make(map[string]*bucket)
}

// Limit lets the bot call a route n times per period for each channel, guild
// or webhook, whatever Options.RateLimits says.
func (s *Server) Limit(route string, n int, per time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.rules[route] = rule{n, per}
}

// limit counts c, writes the headers and refuses what is too much. Interactions
// are exempt from the limit of the whole bot.
func (s *Server) limit(w http.ResponseWriter, c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	r, set := s.limits.rules[c.route.name]
	if !set && s.opts.RateLimits {
		if r, set = realRules[c.route.name]; !set {
			r, set = realRules[""], true
		}
	}
	if s.opts.RateLimits && !c.route.open {
		l := &s.limits
		for len(l.global) > 0 && now.Sub(l.global[0]) >= time.Second {
			l.global = l.global[1:]
		}
		if len(l.global) >= globalPerSecond {
			return tooMany(l.global[0].Add(time.Second).Sub(now), true, "global")
		}
		l.global = append(l.global, now)
	}
	if !set {
		r = rule{10000, time.Second}
	}
	major := c.vars["channel"] + c.vars["guild"] + c.vars["token"]
	key := c.route.name + " " + major
	b := s.limits.buckets[key]
	if b == nil || !now.Before(b.reset) {
		b = &bucket{left: r.n, reset: now.Add(r.per)}
		s.limits.buckets[key] = b
	}
	after := b.reset.Sub(now)
	h := w.Header()
	h.Set("X-RateLimit-Limit", fmt.Sprint(r.n))
	h.Set("X-RateLimit-Remaining", fmt.Sprint(max(0, b.left-1)))
	h.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(b.reset.UnixMilli())/1000))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", after.Seconds()))
	h.Set("X-RateLimit-Bucket", bucketName(c.route.name))
	if b.left < 1 {
		return tooMany(after, false, "user")
	}
	b.left--
	return nil
}

// bucketName is an opaque name that is the same for a route.
func bucketName(route string) string {
	h := uint64(14695981039346656037)
	for _, b := range []byte(route) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return fmt.Sprintf("%016x", h)
}

func tooMany(after time.Duration, global bool, scope string) *apiError {
	return &apiError{status: http.StatusTooManyRequests, message: "You are being rate limited.",
		limit: &limitError{math.Ceil(after.Seconds()*1000) / 1000, global, scope}}
}

// banned returns the refusal of everybody who caused too many errors; it comes
// from the proxy in front of Discord, which answers no JSON.
func (s *Server) banned() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	for len(s.invalid) > 0 && now.Sub(s.invalid[0]) > 10*time.Minute {
		s.invalid = s.invalid[1:]
	}
	if len(s.invalid) < s.opts.MaxErrors {
		return nil
	}
	return errBanned{}
}

// errBanned is answered as a page.
type errBanned struct{}

func (errBanned) Error() string { return "banned by the proxy" }

func (errBanned) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	w.Header().Set("Retry-After", "3600")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, "<p>error code: 1015</p>")
}

// Invalid returns how many answers of the last ten minutes count towards the
// ban of the bot's address: 401, 403 and 429.
func (s *Server) Invalid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, at := range s.invalid {
		if s.opts.Now().Sub(at) <= 10*time.Minute {
			n++
		}
	}
	return n
}
