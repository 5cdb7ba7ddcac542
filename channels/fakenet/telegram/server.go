// Package telegram is a stand-in for the Telegram Bot API server, on loopback,
// for tests and for rehearsals without a network. It keeps users, chats and
// messages, hands out updates by long poll with confirmation by offset, parses
// the HTML parse mode as the real server does, answers with its error texts,
// and breaks on request: see [Fault].
//
// People act through methods such as [Server.Say]; what the bot sent is read
// with [Server.Sent] and waited for with [Server.AwaitSent].
//
// It is not complete. Methods that it does not know are answered with the
// server's "method not found"; the MarkdownV2 and Markdown parse modes are
// refused, so that nobody tests against a guess; what the server finds in a
// text by itself (links, mentions) is coarser than the real thing. It imports
// nothing of outheis, so that it cannot share a mistake with the adapter.
package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options configure a [Server]. The zero value is a bot in an empty world.
type Options struct {
	// Token is the bot's token; empty makes one up.
	Token string
	// Bot is the bot; a zero ID, name or user name is made up.
	Bot User
	// Privacy keeps group messages from the bot that are not meant for it.
	Privacy bool
	// FirstUpdate is the id of the first update; 0 starts somewhere high.
	FirstUpdate int64
	// CountUTF16 counts a text's length in UTF-16 units. The real server was
	// seen to count code points.
	CountUTF16 bool
	// EmptyRich lets rich messages arrive empty, as some clients show them.
	EmptyRich bool
	// ConflictDelay is how long the second of two conflicts is held back;
	// 0 stands for the real server's 3 s.
	ConflictDelay time.Duration
	// Keep is how many messages a chat remembers; 0 keeps all of them.
	Keep int
	// Now is the clock; nil stands for time.Now.
	Now func() time.Time
}

// A Server is a Bot API server with one bot. All methods may be called from
// any goroutine.
type Server struct {
	opts Options
	addr string

	mu       sync.Mutex // guards all fields below and everything they reach
	changed  chan struct{}
	http     *http.Server // nil while down
	running  int          // goroutines that serve
	token    string
	bot      User
	revoked  bool
	users    map[int64]*User
	chats    map[int64]*chat
	nextID   int64 // of users and chats that are made up
	queue    queue
	webhook  webhook
	proxy    string // where webhooks are reached
	faults   []*Fault
	calls    map[string]int
	requests []Request
	wrong    []string
	sent     []*Sent
	arrived  map[int64]int // messages of the bot by chat; 0 is all chats
	actions  []Action
	menus    map[menuKey][]Command
	files    map[string]*file
	queries  map[string]bool // callback queries: answered or not
}

// A Request is a call that the bot made.
type Request struct {
	Method string
	Params map[string]string
	Header http.Header
	At     time.Time
}

// maxRequests bounds the memory of past requests.
const maxRequests = 10000

// New starts a server on a free port of the loopback interface. Its Close must
// be called.
func New(o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ConflictDelay == 0 {
		o.ConflictDelay = 3 * time.Second
	}
	if o.FirstUpdate == 0 {
		o.FirstUpdate = 704_000_001
	}
	s := &Server{
		opts:    o,
		changed: make(chan struct{}),
		users:   make(map[int64]*User),
		chats:   make(map[int64]*chat),
		nextID:  5_000_001,
		calls:   make(map[string]int),
		arrived: make(map[int64]int),
		menus:   make(map[menuKey][]Command),
		files:   make(map[string]*file),
		queries: make(map[string]bool),
	}
	s.setBot(o.Bot, o.Token)
	s.queue.next = o.FirstUpdate
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fake telegram: listen: %w", err)
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
	s.beginWebhook()
	go func() {
		defer s.done()
		// Serve ends with Down or Close, on purpose.
		_ = server.Serve(l)
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

// Down makes the server unreachable: connections are refused, open ones are
// cut. What it knows stays. Up ends it.
func (s *Server) Down() error {
	s.mu.Lock()
	server := s.http
	s.http = nil
	s.endWebhook()
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
		return fmt.Errorf("fake telegram: listen again: %w", err)
	}
	s.start(l)
	return nil
}

// URL returns the address that a client takes in place of
// https://api.telegram.org.
func (s *Server) URL() string { return "http://" + s.addr }

// Token returns the bot's token.
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

// ReplaceBot puts another bot with its own token and its own updates in the
// place of the present one, as an administrator does who changes the token in
// a configuration. First is the id of its first update.
func (s *Server) ReplaceBot(b User, token string, first int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abortPoll(conflictText)
	s.setBot(b, token)
	s.queue = queue{next: first}
	s.wake()
}

// Revoke makes the token invalid, as BotFather's /revoke does.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
	s.abortPoll("")
	s.wake()
}

func (s *Server) setBot(b User, token string) {
	b.IsBot = true
	if b.ID == 0 {
		b.ID = 7_000_000_001
	}
	if b.FirstName == "" {
		b.FirstName = "Beispiel"
	}
	if b.Username == "" {
		b.Username = "beispiel_bot"
	}
	if token == "" {
		token = fmt.Sprintf("%d:FAKE-token-for-tests-only-000000000", b.ID)
	}
	s.bot, s.token, s.revoked = b, token, false
	s.users[b.ID] = &b
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
			return fmt.Errorf("fake telegram: wait for %s: %w", what, ctx.Err())
		case <-changed:
		}
	}
}

// Calls returns how often the bot called method, in any outcome.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[lower(method)]
}

// AwaitCalls waits until method was called n times since the start.
func (s *Server) AwaitCalls(ctx context.Context, method string, n int) error {
	return s.await(ctx, fmt.Sprintf("%d calls of %s", n, method), func() bool { return s.calls[lower(method)] >= n })
}

// Requests returns the last calls of method, or of all methods when it is
// empty, oldest first.
func (s *Server) Requests(method string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.requests {
		if method == "" || lower(method) == lower(r.Method) {
			all = append(all, r)
		}
	}
	return all
}

// Violations returns what the bot's requests did that the API does not
// describe: unknown parameters, values of a wrong type, parameters that are
// required and missing. The real server overlooks most of it.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.wrong...)
}

// An apiError is a refusal in the API's form.
type apiError struct {
	code        int
	description string
	retryAfter  int
	migrateTo   int64
}

func (e *apiError) Error() string { return e.description }

func badRequest(format string, args ...any) *apiError {
	return &apiError{code: http.StatusBadRequest, description: "Bad Request: " + fmt.Sprintf(format, args...)}
}

func forbidden(reason string) *apiError {
	return &apiError{code: http.StatusForbidden, description: "Forbidden: " + reason}
}

// answer is the envelope of every response.
type answer struct {
	OK          bool        `json:"ok"`
	Result      any         `json:"result,omitempty"`
	ErrorCode   int         `json:"error_code,omitempty"`
	Description string      `json:"description,omitempty"`
	Parameters  *parameters `json:"parameters,omitempty"`
}

type parameters struct {
	MigrateToChatID int64 `json:"migrate_to_chat_id,omitempty"`
	RetryAfter      int   `json:"retry_after,omitempty"`
}

// write sends the envelope for result or err.
func write(w io.Writer, result any, err error) {
	a, status := answer{OK: true, Result: result}, http.StatusOK
	if r, ok := result.(described); ok {
		a.Result, a.Description = r.result, r.description
	}
	var e *apiError
	if errors.As(err, &e) {
		status = e.code
		a = answer{ErrorCode: e.code, Description: e.description}
		if e.retryAfter > 0 || e.migrateTo != 0 {
			a.Parameters = &parameters{e.migrateTo, e.retryAfter}
		}
	}
	b := encode(a)
	if rw, ok := w.(http.ResponseWriter); ok {
		rw.Header().Set("Content-Type", "application/json")
		if e != nil && e.retryAfter > 0 {
			rw.Header().Set("Retry-After", fmt.Sprint(e.retryAfter))
		}
		rw.WriteHeader(status)
	}
	// A client that went away gets no answer.
	_, _ = w.Write(b)
}

// encode returns a's bytes; updates are put in as they stand.
func encode(a answer) []byte {
	if updates, ok := a.Result.(rawList); ok {
		return []byte(`{"ok":true,"result":[` + strings.Join(updates, ",") + `]}`)
	}
	b, err := json.Marshal(a)
	if err != nil {
		panic(fmt.Sprintf("fake telegram: answer: %v", err))
	}
	return b
}

// described is a result with the words that some methods add.
type described struct {
	result      any
	description string
}
