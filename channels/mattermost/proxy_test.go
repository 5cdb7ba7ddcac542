package mattermost_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"outheis/channels/channeltest"
)

// A proxy stands between the adapter and a server, and breaks what goes
// through it.
type proxy struct {
	t       *testing.T
	target  *url.URL
	forward *httputil.ReverseProxy
	evil    string // where a redirect leads
	address string
	token   func() string

	mu       sync.Mutex // guards the fields below
	srv      *http.Server
	served   chan struct{}
	send     []channeltest.Fault
	receive  []channeltest.Fault
	sockets  map[*socket]bool
	attempts []time.Time
	typed    []typed
	buttons  map[string]string // id of a button by that of its action
	deaf     bool              // what comes by websocket is swallowed
	posted   int               // requests that create posts
	asked    map[string]int    // requests by method and path
	wg       sync.WaitGroup
}

// typed is one sign that we type.
type typed struct{ channel, root string }

// socket is a websocket that goes through.
type socket struct {
	down, up *websocket.Conn
	mu       sync.Mutex // guards writing to down
}

func (s *socket) close() {
	s.down.Close()
	s.up.Close()
}

func (s *socket) write(kind int, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down.WriteMessage(kind, b)
}

func newProxy(t *testing.T, target string, token func() string, evil string) *proxy {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, target: u, forward: httputil.NewSingleHostReverseProxy(u), evil: evil, token: token,
		sockets: make(map[*socket]bool), buttons: make(map[string]string), asked: make(map[string]int)}
	transport := &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 50 * time.Millisecond}
	p.forward.Transport = transport
	p.forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	p.up("127.0.0.1:0")
	t.Cleanup(func() {
		p.down()
		transport.CloseIdleConnections()
	})
	return p
}

func (p *proxy) url() string { return "http://" + p.address }

// up begins to listen.
func (p *proxy) up(address string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address = l.Addr().String()
	p.srv, p.served = &http.Server{Handler: p, ErrorLog: discard()}, make(chan struct{})
	srv, served := p.srv, p.served
	go func() {
		defer close(served)
		srv.Serve(l)
	}()
}

// down cuts all connections and takes no new ones.
func (p *proxy) down() {
	p.mu.Lock()
	srv, served := p.srv, p.served
	p.srv = nil
	p.mu.Unlock()
	if srv == nil {
		return
	}
	srv.Close()
	<-served
	p.cut()
	p.wg.Wait()
}

// cut ends all websockets.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.sockets {
		s.close()
	}
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.srv == nil {
		p.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	p.wg.Add(1)
	defer p.wg.Done()
	p.asked[r.Method+" "+r.URL.Path]++
	p.mu.Unlock()
	switch {
	case r.URL.Path == "/api/v4/websocket":
		p.websocket(w, r)
	case r.Method == http.MethodPost && r.URL.Path == "/api/v4/posts", r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/patch"):
		p.sent(w, r)
	case strings.HasSuffix(r.URL.Path, "/typing"):
		raw, _ := io.ReadAll(r.Body)
		var args map[string]string
		json.Unmarshal(raw, &args)
		p.mu.Lock()
		p.typed = append(p.typed, typed{args["channel_id"], args["parent_id"]})
		p.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(raw))
		p.forward.ServeHTTP(w, r)
	default:
		p.forward.ServeHTTP(w, r)
	}
}

// pop returns the next fault of a way, or "".
func (p *proxy) pop(way *[]channeltest.Fault) channeltest.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(*way) == 0 {
		return ""
	}
	f := (*way)[0]
	*way = (*way)[1:]
	return f
}

// sent lets a post of ours through, or breaks it.
func (p *proxy) sent(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.note(raw)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	if bytes.Contains(raw, []byte(`"b":"·test"`)) { // the self-test of buttons is nobody's post
		p.forward.ServeHTTP(w, r)
		return
	}
	f := p.pop(&p.send)
	if f == "" {
		p.forward.ServeHTTP(w, r)
		return
	}
	if p.refuse(w, r, f) {
		return
	}
	// The effect comes first.
	got := newRecorder()
	p.forward.ServeHTTP(got, r)
	switch f {
	case channeltest.CutAfter:
		panic(http.ErrAbortHandler)
	case channeltest.Garbage:
		fmt.Fprintf(w, "<html>%s</html>", p.token())
	case channeltest.Late:
		select {
		case <-r.Context().Done():
		case <-time.After(1200 * time.Millisecond):
		}
	case channeltest.Slow:
		w.Header().Set("Content-Length", fmt.Sprint(got.body.Len()))
		w.WriteHeader(got.code)
		for _, b := range got.body.Bytes() {
			w.Write([]byte{b})
			w.(http.Flusher).Flush()
		}
	default:
		p.t.Errorf("unknown fault %s", f)
	}
}

// refuse breaks a request before its effect; it returns false for a fault that
// comes after.
func (p *proxy) refuse(w http.ResponseWriter, r *http.Request, f channeltest.Fault) bool {
	switch f {
	case channeltest.CutBefore:
		panic(http.ErrAbortHandler)
	case channeltest.ServerError:
		http.Error(w, "Bad Gateway "+p.token(), http.StatusBadGateway)
	case channeltest.Elsewhere:
		http.Redirect(w, r, p.evil+r.URL.Path, http.StatusFound)
	case channeltest.WaitChat, channeltest.WaitAccount:
		w.Header().Set("Retry-After", fmt.Sprint(int(channeltest.WaitAsked/time.Second)))
		http.Error(w, "limit exceeded", http.StatusTooManyRequests)
	default:
		return false
	}
	return true
}

// note remembers which button an action is: the server keeps that to itself.
func (p *proxy) note(raw []byte) {
	var n struct {
		Props struct {
			Attachments []struct {
				Actions []struct {
					ID          string `json:"id"`
					Integration struct {
						Context struct {
							Button string `json:"b"`
						} `json:"context"`
					} `json:"integration"`
				} `json:"actions"`
			} `json:"attachments"`
		} `json:"props"`
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.posted++
	if json.Unmarshal(raw, &n) != nil {
		return
	}
	for _, a := range n.Props.Attachments {
		for _, one := range a.Actions {
			p.buttons[one.ID] = one.Integration.Context.Button
		}
	}
}

// websocket lets a websocket through, or breaks it.
func (p *proxy) websocket(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.attempts = append(p.attempts, time.Now())
	p.mu.Unlock()
	f := p.pop(&p.receive)
	if f == channeltest.Garbage {
		fmt.Fprintf(w, "<html>%s</html>", p.token())
		return
	}
	if f != "" && p.refuse(w, r, f) {
		return
	}
	up, _, err := websocket.DefaultDialer.Dial("ws://"+p.target.Host+r.URL.RequestURI(), nil)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	down, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		up.Close()
		return
	}
	s := &socket{down: down, up: up}
	p.wg.Add(2) // this handler is counted already
	p.mu.Lock()
	p.sockets[s] = true
	if p.srv == nil {
		s.close()
	}
	p.mu.Unlock()
	if f == channeltest.CutAfter || f == channeltest.Late {
		s.close() // it stood for a moment
	}
	go func() {
		defer p.wg.Done()
		defer s.close()
		for {
			kind, raw, err := down.ReadMessage()
			if err != nil || !p.isDeaf() && up.WriteMessage(kind, raw) != nil {
				return
			}
		}
	}()
	go func() {
		defer p.wg.Done()
		defer func() {
			s.close()
			p.mu.Lock()
			delete(p.sockets, s)
			p.mu.Unlock()
		}()
		for {
			kind, raw, err := up.ReadMessage()
			if err != nil || !p.isDeaf() && s.write(kind, raw) != nil {
				return
			}
		}
	}()
}

func (p *proxy) isDeaf() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deaf
}

// inject sends a message to all websockets that the server did not send.
func (p *proxy) inject(raw string) {
	p.mu.Lock()
	all := make([]*socket, 0, len(p.sockets))
	for s := range p.sockets {
		all = append(all, s)
	}
	p.mu.Unlock()
	for _, s := range all {
		s.write(websocket.TextMessage, []byte(raw))
	}
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: make(http.Header), code: http.StatusOK} }

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(code int)        { r.code = code }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
