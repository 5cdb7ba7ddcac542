package discord

import (
	"context"
	"fmt"
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

// Violations returns what the bot's requests did that Discord does not describe
// and mostly overlooks: unknown routes, a wrong user agent, the token sent to
// where files lie. Package openapi beside this one judges bodies.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.wrong...)
}
