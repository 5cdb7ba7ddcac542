package mattermost

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"
)

// Calls returns how often the bot called a route, in any outcome; "" is all
// routes.
func (s *Server) Calls(route string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[route]
}

// AwaitCalls waits until a route was called n times since the start.
func (s *Server) AwaitCalls(ctx context.Context, route string, n int) error {
	return s.await(ctx, fmt.Sprintf("%d calls of %s", n, route), func() bool { return s.calls[route] >= n })
}

// Requests returns the last calls of a route, or of all routes when it is
// empty, oldest first.
func (s *Server) Requests(route string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.requests {
		if route == "" || route == r.Route {
			all = append(all, r)
		}
	}
	return all
}

// Violations returns what the bot's requests did that the API does not know.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.wrong...)
}

// errTooMany is answered as plain text.
type errTooMany struct{}

func (errTooMany) Error() string { return "limit exceeded" }

// A bucket fills by the rate and holds the burst.
type bucket struct {
	left float64
	at   time.Time
}

// limit counts a call and refuses what is too much.
func (s *Server) limit(w http.ResponseWriter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rate := float64(s.opts.RatePerSecond)
	if rate == 0 {
		return nil
	}
	now := s.opts.Now()
	most := float64(s.opts.RateBurst + 1)
	if s.rate.at.IsZero() {
		s.rate.left = most
	}
	s.rate.left = min(most, s.rate.left+now.Sub(s.rate.at).Seconds()*rate)
	s.rate.at = now
	h := w.Header()
	h.Set("X-RateLimit-Limit", fmt.Sprint(most))
	h.Set("X-RateLimit-Remaining", fmt.Sprint(max(0, int(s.rate.left)-1)))
	h.Set("X-RateLimit-Reset", fmt.Sprint(int(math.Ceil((most-s.rate.left+1)/rate))))
	if s.rate.left < 1 {
		h.Set("Retry-After", fmt.Sprint(int(math.Ceil((1-s.rate.left)/rate))))
		return errTooMany{}
	}
	s.rate.left--
	return nil
}
