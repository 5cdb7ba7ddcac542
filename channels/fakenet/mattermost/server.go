// Package mattermost is a stand-in for a Mattermost server, on loopback, for
// tests and for rehearsals without a network: the part of REST v4 and of the
// websocket that a bot uses, interactive buttons and slash commands with their
// calls back, files, and one bot account with a token. Its answers and events
// follow what a real server 11.1.0 was seen to send. It breaks on request: see
// [Fault] and the methods of [Server] that name a fault of the websocket.
//
// People act through methods such as [Server.Say]; what the bot posted is read
// with [Server.Sent] and waited for with [Server.AwaitSent].
//
// It is not complete. Routes that it does not know are answered with 404 as the
// real server does; roles, schemes, plugins and search are not modelled, the
// permissions are membership and a few switches. It imports nothing of outheis,
// so that it cannot share a mistake with the adapter.
package mattermost

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

// Options configure a [Server]. The zero value is a bot in an empty world.
type Options struct {
	// Token is the bot's access token; empty makes one up.
	Token string
	// Bot is the bot; a zero ID or user name is made up.
	Bot User
	// Version is what the server calls itself; empty stands for "11.1.0".
	Version string
	// MaxPost is the longest message in runes; 0 stands for 16,383.
	MaxPost int
	// MaxFile is the largest file in bytes; 0 stands for 100 MiB.
	MaxFile int64
	// MaxFiles is how many files a post takes; 0 stands for 10.
	MaxFiles int
	// Ping is how often the server pings a websocket; 0 stands for 60 s.
	Ping time.Duration
	// AuthTimeout is how long a websocket may stay without a valid token; 0
	// stands for 5 s.
	AuthTimeout time.Duration
	// DedupeWindow is how long a pending_post_id is remembered; 0 stands for
	// 30 s.
	DedupeWindow time.Duration
	// IntegrationTimeout is how long the server waits for the address of a
	// button or a slash command; 0 stands for 30 s.
	IntegrationTimeout time.Duration
	// NoLoopback refuses to call such addresses on this machine, as servers do
	// whose AllowedUntrustedInternalConnections does not name it.
	NoLoopback bool
	// Commands lets the bot manage slash commands; Ephemeral lets it post what
	// one person sees. Bots usually may neither.
	Commands, Ephemeral bool
	// EditOnReaction sends post_edited for a reaction too, as older servers do.
	EditOnReaction bool
	// NoEdits forbids the bot to edit posts once they are this old; 0 allows it
	// always.
	NoEdits time.Duration
	// RatePerSecond and RateBurst limit the calls of the bot; 0 does not.
	RatePerSecond, RateBurst int
	// Keep is about how many posts a channel remembers; 0 keeps all of them.
	Keep int
	// Now is the clock; nil stands for time.Now. Waiting is always real.
	Now func() time.Time
}

func (o *Options) fill() {
	o.Token = cmp.Or(o.Token, "faketokenfortestsonly00000")
	o.Version = cmp.Or(o.Version, "11.1.0")
	o.MaxPost = cmp.Or(o.MaxPost, 16383)
	o.MaxFile = cmp.Or(o.MaxFile, 100<<20)
	o.MaxFiles = cmp.Or(o.MaxFiles, 10)
	o.Ping = cmp.Or(o.Ping, time.Minute)
	o.AuthTimeout = cmp.Or(o.AuthTimeout, 5*time.Second)
	o.DedupeWindow = cmp.Or(o.DedupeWindow, 30*time.Second)
	o.IntegrationTimeout = cmp.Or(o.IntegrationTimeout, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
}

// A Server is a Mattermost server with one bot. All methods may be called from
// any goroutine.
type Server struct {
	opts   Options
	addr   string
	client *http.Client // for buttons and slash commands

	mu       sync.Mutex // guards all fields below and everything they reach
	changed  chan struct{}
	http     *http.Server // nil while down
	stop     context.CancelFunc
	life     context.Context // ends with Down
	running  int             // goroutines that serve
	version  string
	token    string
	revoked  bool
	disabled bool
	bot      *User
	serial   int64 // of ids
	lastPost int64 // time of the last post
	users    map[string]*User
	teams    map[string]*team
	channels map[string]*channel
	posts    map[string]*stored
	pending  map[string]pending
	files    map[string]*file
	commands []*Command
	hooks    map[string]*hook
	conns    map[string]*conn // by connection id; inactive ones can be resumed
	open     map[*conn]bool
	stats    SocketStats
	refusals []refusal
	bare     int // posted events to come without file ids
	lose     int // events to come that nobody gets
	faults   []*Fault
	calls    map[string]int
	requests []Request
	wrong    []string
	sent     []*Sent
	typing   []Typing
	seen     []Seen // what one person alone sees
	rate     bucket
}

// New starts a server on a free port of the loopback interface. Its Close must
// be called.
func New(o Options) (*Server, error) {
	o.fill()
	s := &Server{
		opts:     o,
		changed:  make(chan struct{}),
		version:  o.Version,
		token:    o.Token,
		users:    make(map[string]*User),
		teams:    make(map[string]*team),
		channels: make(map[string]*channel),
		posts:    make(map[string]*stored),
		pending:  make(map[string]pending),
		files:    make(map[string]*file),
		hooks:    make(map[string]*hook),
		conns:    make(map[string]*conn),
		open:     make(map[*conn]bool),
		calls:    make(map[string]int),
	}
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	b := o.Bot
	b.ID = cmp.Or(b.ID, s.newID("bot"))
	b.Username = cmp.Or(b.Username, "beispiel")
	b.FirstName = cmp.Or(b.FirstName, "Beispiel")
	b.IsBot = true
	s.bot = s.addUser(b)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fake mattermost: listen: %w", err)
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
	s.life, s.stop = context.WithCancel(context.Background())
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
// started. Buttons and commands that somebody is using fail.
func (s *Server) Close() error { return s.Down() }

// Down makes the server unreachable: connections are refused, open ones are
// cut. What it knows stays; websockets cannot be resumed afterwards, as after
// a restart. Up ends it.
func (s *Server) Down() error {
	s.mu.Lock()
	server := s.http
	s.http = nil
	s.stop()
	for c := range s.open {
		reset(c.net)
	}
	s.conns = make(map[string]*conn)
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	err := server.Close()
	return errors.Join(err, s.await(context.Background(), "the end", func() bool { return s.running == 0 }))
}

// Up makes the server reachable again, at the same address.
func (s *Server) Up() error {
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("fake mattermost: listen again: %w", err)
	}
	s.start(l)
	return nil
}

// Upgrade restarts the server with another version.
func (s *Server) Upgrade(version string) error {
	if err := s.Down(); err != nil {
		return err
	}
	s.mu.Lock()
	s.version = version
	s.mu.Unlock()
	return s.Up()
}

// URL returns the server's address; the API is below /api/v4.
func (s *Server) URL() string { return "http://" + s.addr }

// Token returns the bot's access token.
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// Bot returns the bot.
func (s *Server) Bot() User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.bot
}

// Revoke makes the token invalid. As at the real server, open websockets stay
// open and bring nothing any more.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
	s.muteAll()
}

// Restore takes Revoke back, so that the same token works again. Websockets
// that were open stay without events.
func (s *Server) Restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = false
}

// Disable switches the bot account off, or on again. Its sessions end: REST
// answers 401 meanwhile, open websockets stay open and bring nothing any more,
// also when the account is back.
func (s *Server) Disable(off bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disabled = off
	if off {
		s.muteAll()
	}
}

func (s *Server) muteAll() {
	for c := range s.open {
		c.mute = true
	}
	s.conns = make(map[string]*conn)
	s.wake()
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
			return fmt.Errorf("fake mattermost: wait for %s: %w", what, ctx.Err())
		case <-changed:
		}
	}
}

// newID returns an id of 26 characters. The caller holds mu or is New.
func (s *Server) newID(kind string) string {
	s.serial++
	return fmt.Sprintf("%s%023d", kind, s.serial)
}

// millis is the time of the server. The caller may hold mu.
func (s *Server) millis() int64 { return s.opts.Now().UnixMilli() }
