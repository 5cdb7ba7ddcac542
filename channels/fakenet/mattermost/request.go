package mattermost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Request is a call that the bot made of the REST API.
type Request struct {
	Route  string // one of the constants that name routes, or "" for an unknown one
	Method string
	Path   string // below /api/v4
	Query  url.Values
	Header http.Header
	Body   json.RawMessage // nil when it was no JSON
	Files  []string        // names of the files that came with it
	Status int             // of the answer; 0 when none was sent
	At     time.Time
}

// maxRequests bounds the memory of past requests.
const maxRequests = 10000

// A call is one request while it is worked on.
type call struct {
	r     *http.Request
	route *route
	vars  map[string]string
	body  []byte
	form  url.Values
	files []upload
	index int
}

// An upload is a file that came with a request.
type upload struct {
	name, mime string
	data       []byte
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.done()
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v4")
	if strings.HasPrefix(r.URL.Path, "/hooks/commands/") {
		path, ok = r.URL.EscapedPath(), true
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	if strings.Trim(path, "/") == "websocket" {
		s.connect(w, r)
		return
	}
	c := &call{r: r}
	var status int
	c.route, c.vars, status = find(r.Method, path)
	err := c.read(w, s.opts.MaxFile)
	s.note(c, path)
	s.mu.Lock()
	w.Header().Set("X-Request-Id", s.newID("req"))
	w.Header().Set("X-Version-Id", s.versionID())
	s.mu.Unlock()
	sw := &statusWriter{ResponseWriter: w}
	defer func() { s.noteStatus(c, sw.status) }()
	if f := s.takeFault(c); f != nil {
		f.apply(sw, r, func() (any, error) { return s.answer(sw, c, status, err) })
		return
	}
	result, err := s.answer(sw, c, status, err)
	write(sw, result, err)
}

// versionID is how the server names its version in a header and in hello.
func (s *Server) versionID() string { return s.version + ".fake.0000000000000000.false" }

// answer carries a call out.
func (s *Server) answer(w http.ResponseWriter, c *call, status int, err error) (any, error) {
	if err := s.limit(w); err != nil {
		return nil, err
	}
	switch {
	case status != 0:
		e := refuse(status, "api.context.404.app_error", "Sorry, we could not find the page.")
		e.detail = fmt.Sprintf("There doesn't appear to be an api call for the url='%s'.  Typo? are you missing a team_id or user_id as part of the url?", c.r.URL.Path)
		return nil, e
	case !c.route.open && !s.authorized(c.r):
		return nil, expired()
	case err != nil:
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.route.handle(s, c)
}

func (s *Server) authorized(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return (strings.EqualFold(kind, "bearer") || strings.EqualFold(kind, "token")) && s.knows(token)
}

// knows reports whether a token is the bot's and works. The caller holds mu.
func (s *Server) knows(token string) bool { return token == s.token && !s.revoked && !s.disabled }

// find returns the route for a path and what its variables stand for, or the
// status that the server answers, which is the same for a wrong method.
func find(method, path string) (*route, map[string]string, int) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
next:
	for i := range routes {
		r := &routes[i]
		if len(r.steps) != len(steps) {
			continue
		}
		vars := make(map[string]string)
		for j, step := range r.steps {
			value, err := url.PathUnescape(steps[j])
			switch {
			case err != nil:
				continue next
			case strings.HasPrefix(step, "{"):
				vars[strings.Trim(step, "{}")] = value
			case step != value:
				continue next
			}
		}
		if r.method == method {
			return r, vars, 0
		}
	}
	return nil, nil, http.StatusNotFound
}

// note counts the call and keeps it.
func (s *Server) note(c *call, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req := Request{Method: c.r.Method, Path: path, Query: c.r.URL.Query(), Header: c.r.Header, At: s.opts.Now()}
	if json.Valid(c.body) {
		req.Body = c.body
	}
	for _, f := range c.files {
		req.Files = append(req.Files, f.name)
	}
	if c.route != nil {
		req.Route = c.route.name
		s.calls[c.route.name]++
	} else {
		s.wrong = append(s.wrong, req.Method+" "+path+": no such route is known")
	}
	c.index = s.calls[""]
	s.calls[""]++
	s.requests = append(s.requests, req)
	if len(s.requests) > maxRequests {
		s.requests = slices.Clone(s.requests[maxRequests/2:])
	}
	s.wake()
}

// noteStatus keeps how the call was answered.
func (s *Server) noteStatus(c *call, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := c.index - (s.calls[""] - len(s.requests)); i >= 0 && i < len(s.requests) {
		s.requests[i].Status = status
	}
	s.wake()
}

// A statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.status = max(w.status, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] through.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// read takes the body apart. It leaves what it could read in c also when it
// fails, so that it can be noted.
func (c *call) read(w http.ResponseWriter, maxFile int64) error {
	if c.r.Method == http.MethodGet {
		return nil
	}
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	c.r.Body = http.MaxBytesReader(w, c.r.Body, maxFile+1<<20)
	if kind == "multipart/form-data" {
		c.form = url.Values{}
		return c.readParts(multipart.NewReader(c.r.Body, params["boundary"]), maxFile)
	}
	if c.body, err = io.ReadAll(c.r.Body); err != nil {
		return tooLarge()
	}
	return nil
}

func tooLarge() *apiError {
	return refuse(http.StatusRequestEntityTooLarge, "api.file.upload_file.too_large_detailed.app_error", "Unable to upload file. File is too large.")
}

func (c *call) readParts(reader *multipart.Reader, maxFile int64) error {
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refuse(http.StatusBadRequest, "api.file.upload_file.read_request.app_error", "Unable to upload file(s). Error reading or parsing request data.")
		}
		data, err := io.ReadAll(io.LimitReader(part, maxFile+1))
		switch {
		case err != nil, int64(len(data)) > maxFile:
			return tooLarge()
		case part.FileName() != "":
			c.files = append(c.files, upload{part.FileName(), part.Header.Get("Content-Type"), data})
		default:
			c.form.Add(part.FormName(), string(data))
		}
	}
}

// decode reads the body into v; name is how an error calls it.
func (c *call) decode(v any, name string) error {
	if err := json.NewDecoder(bytes.NewReader(c.body)).Decode(v); err != nil {
		return badBody(name)
	}
	return nil
}

// id returns a variable that has to be an id, or the bot's for "me".
func (c *call) id(s *Server, name string) (string, error) {
	v := c.vars[name]
	if v == "me" && name == "user" {
		return s.bot.ID, nil
	}
	if !validID(v) {
		return "", badParam(name + "_id")
	}
	return v, nil
}

// validID reports whether v looks like an id.
func validID(v string) bool {
	if len(v) != 26 {
		return false
	}
	return !strings.ContainsFunc(v, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// page returns the paging of a call.
func (c *call) page(most int) (page, perPage int) {
	q := c.r.URL.Query()
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 0 {
		page = 0
	}
	perPage, err = strconv.Atoi(q.Get("per_page"))
	if err != nil || perPage < 0 {
		perPage = 60
	}
	return page, min(perPage, most)
}
