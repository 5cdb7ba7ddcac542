// Package discord is a stand-in for Discord, on loopback, for tests and for
// rehearsals without a network: the REST API, the gateway websocket and the
// CDN, with one bot. It keeps users, guilds, channels, threads, roles and
// messages, hands out gateway events according to the intents, can be resumed
// and refuses to be, counts text in code points, answers with Discord's error
// codes, and breaks on request: see [Fault] and the methods of [Server] that
// name a gateway fault.
//
// People act through methods such as [Server.Say]; what the bot sent is read
// with [Server.Sent] and waited for with [Server.AwaitSent].
//
// It is not complete. Routes that it does not know are answered with Discord's
// "404: Not Found"; voice, embeds' fields, polls, stickers and shards are not
// modelled. It imports nothing of outheis, so that it cannot share a mistake
// with the adapter.
package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options configure a [Server]. The zero value is a bot in an empty world, with
// every switch of the developer portal on.
type Options struct {
	// Token is the bot's token without the word "Bot"; empty makes one up.
	Token string
	// Bot is the bot; a zero ID or user name is made up.
	Bot User
	// Application is the id of the bot's application; empty is the bot's id, as
	// it is for applications of today.
	Application string
	// WithoutContent turns the Message Content intent off in the portal,
	// WithoutMembers the Server Members intent.
	WithoutContent, WithoutMembers bool
	// Heartbeat is the interval that HELLO asks for; 0 stands for 41.25 s.
	Heartbeat time.Duration
	// Starts is how many times a day the bot may identify; 0 stands for 1,000.
	Starts int
	// Replay is how many events of a session are kept for RESUME; 0 stands for
	// 1,000.
	Replay int
	// RateLimits applies Discord's limits to each route. Without it answers
	// carry the headers, and nothing is refused.
	RateLimits bool
	// MaxErrors is how many answers 401, 403 and 429 in ten minutes lock the bot
	// out; 0 stands for 10,000.
	MaxErrors int
	// AckDeadline is how long an interaction waits for its first answer, and
	// TokenLife how long its token works; 0 stands for 3 s and 15 min.
	AckDeadline, TokenLife time.Duration
	// NonceWindow is how long a nonce is remembered; 0 stands for 3 min.
	NonceWindow time.Duration
	// MaxFile is the largest file in bytes; 0 stands for 10 MiB.
	MaxFile int64
	// Keep is about how many messages a channel remembers; 0 keeps all of them.
	Keep int
	// Now is the clock; nil stands for time.Now. Waiting is always real.
	Now func() time.Time
}

func (o *Options) fill() {
	o.Heartbeat = cmp.Or(o.Heartbeat, 41250*time.Millisecond)
	o.Starts = cmp.Or(o.Starts, 1000)
	o.Replay = cmp.Or(o.Replay, 1000)
	o.MaxErrors = cmp.Or(o.MaxErrors, 10000)
	o.AckDeadline = cmp.Or(o.AckDeadline, 3*time.Second)
	o.TokenLife = cmp.Or(o.TokenLife, 15*time.Minute)
	o.NonceWindow = cmp.Or(o.NonceWindow, 3*time.Minute)
	o.MaxFile = cmp.Or(o.MaxFile, 10<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
}

// A Server is Discord with one bot. All methods may be called from any
// goroutine.
type Server struct {
	opts Options
	addr string

	mu       sync.Mutex // guards all fields below and everything they reach
	changed  chan struct{}
	http     *http.Server // nil while down
	running  int          // goroutines that serve
	token    string
	bot      User
	app      string
	revoked  bool
	lastID   int64
	users    map[string]*person
	guilds   map[string]*guild
	channels map[string]*channel
	sessions map[string]*session
	conns    map[*conn]bool
	started  []time.Time // IDENTIFYs of the last day
	stats    GatewayStats
	refusals []refusal // of the next websocket connections
	limits   limiter
	faults   []*Fault
	calls    map[string]int
	requests []Request
	wrong    []string
	invalid  []time.Time // answers 401, 403 and 429
	sent     []*Sent
	typing   []Typing
	files    map[string]*file
	signed   int // generation of the addresses of attachments
	commands map[string][]*Command
	creates  map[string][]time.Time // of commands, by guild
	actions  map[string]*interaction
}

// New starts a server on a free port of the loopback interface. Its Close must
// be called.
func New(o Options) (*Server, error) {
	o.fill()
	s := &Server{
		opts:     o,
		changed:  make(chan struct{}),
		users:    make(map[string]*person),
		guilds:   make(map[string]*guild),
		channels: make(map[string]*channel),
		sessions: make(map[string]*session),
		conns:    make(map[*conn]bool),
		calls:    make(map[string]int),
		files:    make(map[string]*file),
		commands: make(map[string][]*Command),
		creates:  make(map[string][]time.Time),
		actions:  make(map[string]*interaction),
	}
	s.limits.reset()
	s.bot = o.Bot
	s.bot.Bot = true
	s.bot.ID = cmp.Or(s.bot.ID, "900000000000000001")
	s.bot.Username = cmp.Or(s.bot.Username, "beispiel")
	s.bot.Discriminator = cmp.Or(s.bot.Discriminator, "4711")
	s.app = cmp.Or(o.Application, s.bot.ID)
	s.token = cmp.Or(o.Token, "FAKE.discord.token-for-tests-only")
	s.users[s.bot.ID] = &person{User: s.bot}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fake discord: listen: %w", err)
	}
	s.addr = l.Addr().String()
	s.start(l)
	return s, nil
}

func (s *Server) start(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	server := &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute}
	s.http = server
	s.running++
	go func() {
		defer s.done()
		// Serve ends with Down or Close, on purpose.
		_ = server.Serve(listener{l})
	}()
}

// enter counts a handler; it reports false when the server is down.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http == nil {
		return false
	}
	s.running++
	return true
}

func (s *Server) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.wake()
}

// Close ends the server and all connections to it, and waits for what it
// started.
func (s *Server) Close() error { return s.Down() }

// Down makes Discord unreachable: connections are refused, open ones are cut.
// What it knows stays, sessions too. Up ends it.
func (s *Server) Down() error {
	s.mu.Lock()
	server := s.http
	s.http = nil
	for c := range s.conns {
		c.cut()
	}
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	err := server.Close()
	return errors.Join(err, s.await(context.Background(), "the end", func() bool { return s.running == 0 }))
}

// Up makes Discord reachable again, at the same address.
func (s *Server) Up() error {
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("fake discord: listen again: %w", err)
	}
	s.start(l)
	return nil
}

// URL returns the address that a client takes in place of https://discord.com.
// The API is below /api/v10 and /api/v9, files are below /attachments.
func (s *Server) URL() string { return "http://" + s.addr }

// Token returns the bot's token, without the word "Bot".
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// Bot returns the bot.
func (s *Server) Bot() User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bot
}

// Application returns the id of the bot's application.
func (s *Server) Application() string { return s.app }

// Revoke makes the token invalid, as "Reset Token" in the portal does: REST
// answers 401, sessions are closed with 4004.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
	s.endSessions(closeAuthFailed, "Authentication failed.")
}

// Restore takes Revoke back, so that the same token works again.
func (s *Server) Restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = false
}

// wake tells everybody who waits that something changed. The caller holds mu.
func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// await waits until ok, which is called with mu held, reports true.
func (s *Server) await(ctx context.Context, what string, ok func() bool) error {
	for {
		s.mu.Lock()
		done, changed := ok(), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("fake discord: wait for %s: %w", what, ctx.Err())
		case <-changed:
		}
	}
}
