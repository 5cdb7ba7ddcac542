package discord

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Request is a call that the bot made of the REST API.
type Request struct {
	Route  string // one of the constants that name routes, or "" for an unknown one
	Method string
	Path   string // below /api/v10
	Query  url.Values
	Header http.Header
	// Body is the JSON of the request, for multipart ones that of payload_json.
	Body json.RawMessage
	// Files are the names of the files that came with it.
	Files  []string
	Status int // of the answer; 0 when none was sent
	At     time.Time
}

// maxRequests bounds the memory of past requests.
const maxRequests = 10000

// A call is one request while it is worked on.
type call struct {
	r     *http.Request
	route *route
	vars  map[string]string
	body  json.RawMessage
	files []upload
	index int // of its Request, counted from the first
}

// An upload is a file that came with a request.
type upload struct {
	field, name, mime string
	data              []byte
}

// accepted is a result with a status other than 200; a nil result is 204.
type accepted struct {
	status int
	body   any
}

// A route is a way of the API.
type route struct {
	name   string // "POST /channels/{channel}/messages"
	method string
	steps  []string
	// open routes need no token of the bot: they carry their own.
	open   bool
	handle func(*Server, *call) (any, error)
}

var apiPath = regexp.MustCompile(`^/api/v(9|10)(/.*)$`)

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.done()
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case path == gatewayPath || path == resumePath:
		s.connect(w, r)
		return
	case strings.HasPrefix(path, "/attachments/"):
		s.download(w, r)
		return
	}
	m := apiPath.FindStringSubmatch(r.URL.EscapedPath())
	if m == nil {
		writeError(w, statusError(http.StatusNotFound))
		return
	}
	c := &call{r: r}
	var status int
	c.route, c.vars, status = find(r.Method, m[2])
	err := c.read(w, s.opts.MaxFile)
	s.note(c, m[2])
	sw := &statusWriter{ResponseWriter: w}
	defer func() { s.noteStatus(c, sw.status) }()
	if f := s.takeFault(c); f != nil {
		f.apply(sw, r, func() (any, error) { return s.answer(sw, c, status, err) })
		return
	}
	result, err := s.answer(sw, c, status, err)
	write(sw, result, err)
}

// answer carries a call out.
func (s *Server) answer(w http.ResponseWriter, c *call, status int, err error) (any, error) {
	if status != 0 {
		return nil, statusError(status)
	}
	if banned := s.banned(); banned != nil {
		return nil, banned
	}
	if !c.route.open && !s.authorized(c.r) {
		return nil, statusError(http.StatusUnauthorized)
	}
	if err := s.limit(w, c); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return c.route.handle(s, c)
}

func (s *Server) authorized(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.revoked && r.Header.Get("Authorization") == "Bot "+s.token
}

// find returns the route for a path and what its variables stand for, or the
// status that Discord answers.
func find(method, path string) (*route, map[string]string, int) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
	status := http.StatusNotFound
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
		status = http.StatusMethodNotAllowed
	}
	return nil, nil, status
}

// note counts the call and keeps it.
func (s *Server) note(c *call, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req := Request{Method: c.r.Method, Path: path, Query: c.r.URL.Query(), Header: c.r.Header, Body: c.body, At: s.opts.Now()}
	for _, f := range c.files {
		req.Files = append(req.Files, f.name)
	}
	if c.route != nil {
		req.Route = c.route.name
		s.calls[c.route.name]++
	} else {
		s.wrong = append(s.wrong, req.Method+" "+path+": no such route is known")
	}
	switch {
	case c.route != nil && c.route.name == Download:
		if c.r.Header.Get("Authorization") != "" {
			s.wrong = append(s.wrong, req.Method+" "+path+": the token was sent to where files lie")
		}
	case !strings.HasPrefix(c.r.UserAgent(), "DiscordBot ("):
		s.wrong = append(s.wrong, req.Method+" "+path+": the user agent is no DiscordBot ($url, $versionNumber)")
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
	if status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests {
		s.invalid = append(s.invalid, s.opts.Now())
	}
	s.wake()
}

// A statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] through.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// write sends result or err.
func write(w http.ResponseWriter, result any, err error) {
	if f, ok := result.(*file); ok && err == nil {
		f.serve(w)
		return
	}
	if a, ok := result.(accepted); ok && err == nil {
		writeJSON(w, a.status, a.body)
		return
	}
	switch {
	case errors.Is(err, errBanned{}):
		errBanned{}.write(w)
	case err != nil:
		writeError(w, err)
	case result == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, http.StatusOK, result)
	}
}

// read takes the body apart. It leaves what it could read in c also when it
// fails, so that it can be noted.
func (c *call) read(w http.ResponseWriter, maxFile int64) error {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodDelete {
		return nil
	}
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	c.r.Body = http.MaxBytesReader(w, c.r.Body, 12*maxFile+1<<20)
	if kind == "multipart/form-data" {
		return c.readParts(multipart.NewReader(c.r.Body, params["boundary"]), maxFile)
	}
	b, err := io.ReadAll(c.r.Body)
	if err != nil {
		return entityTooLarge()
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	if kind != "application/json" {
		return invalidForm(fieldError{"_", "CONTENT_TYPE_INVALID", "Expected \"Content-Type\" header to be one of {'application/json'}."})
	}
	c.body = b
	if !json.Valid(b) {
		c.body = nil
		return badRequest(50109, "The request body contains invalid JSON.")
	}
	return nil
}

func entityTooLarge() *apiError {
	return &apiError{status: http.StatusRequestEntityTooLarge, code: 40005, message: "Request entity too large"}
}

func (c *call) readParts(reader *multipart.Reader, maxFile int64) error {
	var large bool
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			if large {
				return entityTooLarge()
			}
			return nil
		}
		if err != nil {
			return invalidForm(fieldError{"_", "BODY_INVALID", "The body is no valid multipart form."})
		}
		data, err := io.ReadAll(io.LimitReader(part, maxFile+1))
		if err != nil {
			return entityTooLarge()
		}
		switch {
		case part.FormName() == "payload_json":
			if !json.Valid(data) {
				return badRequest(50109, "The request body contains invalid JSON.")
			}
			c.body = data
		case part.FileName() != "":
			large = large || int64(len(data)) > maxFile
			c.files = append(c.files, upload{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), data})
		}
	}
}

// decode reads the body into v.
func (c *call) decode(v any) error {
	if len(c.body) == 0 {
		return nil
	}
	err := json.Unmarshal(c.body, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		path := wrong.Field
		if path == "" {
			path = "_"
		}
		return invalidForm(fieldError{path, "BASE_TYPE_CONVERT", "Could not interpret the value as " + wrong.Type.String() + "."})
	case err != nil:
		return badRequest(50109, "The request body contains invalid JSON.")
	}
	return nil
}

// number returns a query parameter, or def when it is absent.
func (c *call) number(name string, def int) (int, error) {
	v := c.r.URL.Query().Get(name)
	if v == "" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, invalidForm(fieldError{name, "NUMBER_TYPE_COERCE", "Value \"" + v + "\" is not int."})
	}
	return n, nil
}
