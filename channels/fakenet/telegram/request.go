package telegram

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A call is one request while it is worked on.
type call struct {
	r      *http.Request
	method string // folded
	params map[string]string
	upload *upload
}

// An upload is a file that came with a request.
type upload struct {
	field string // the parameter that it is
	name  string
	data  []byte
}

// tokenPath splits /bot<token>/<method>.
var tokenPath = regexp.MustCompile(`^/bot([^/]+)/([A-Za-z]+)/?$`)

// wellFormed says what a token looks like. The public server answers others
// with 404, as if the address did not exist.
var wellFormed = regexp.MustCompile(`^[1-9][0-9]{0,15}:[A-Za-z0-9_-]{1,64}$`)

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.done()
	if strings.HasPrefix(r.URL.Path, "/file/") {
		s.download(w, r)
		return
	}
	m := tokenPath.FindStringSubmatch(r.URL.Path)
	if m == nil || !wellFormed.MatchString(m[1]) {
		write(w, nil, &apiError{code: http.StatusNotFound, description: "Not Found"})
		return
	}
	s.mu.Lock()
	known := m[1] == s.token && !s.revoked
	s.mu.Unlock()
	if !known {
		write(w, nil, &apiError{code: http.StatusUnauthorized, description: "Unauthorized"})
		return
	}
	c := &call{r: r, method: lower(m[2])}
	var err error
	if c.params, c.upload, err = readParams(w, r); err != nil {
		write(w, nil, err)
		return
	}
	s.note(c, m[2])
	handle, ok := methods[c.method]
	if !ok {
		write(w, nil, &apiError{code: http.StatusNotFound, description: "Not Found: method not found"})
		return
	}
	f := s.takeFault(c)
	if f == nil {
		result, err := handle(s, c)
		write(w, result, err)
		return
	}
	f.apply(w, r, func() (any, error) { return handle(s, c) })
}

// note counts the call and checks it against the description of the API.
func (s *Server) note(c *call, method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[c.method]++
	if len(s.requests) >= maxRequests {
		s.requests = s.requests[maxRequests/2:]
	}
	s.requests = append(s.requests, Request{Method: method, Params: c.params, Header: c.r.Header, At: s.opts.Now()})
	for _, why := range c.violations() {
		s.wrong = append(s.wrong, method+": "+why)
	}
	s.wake()
}

// readParams reads the parameters from the address and from the body in any of
// the forms that the API takes.
func readParams(w http.ResponseWriter, r *http.Request) (map[string]string, *upload, error) {
	params := make(map[string]string)
	for k, v := range r.URL.Query() {
		params[k] = v[0]
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	var up *upload
	switch kind {
	case "application/json":
		var fields map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&fields); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, badRequest("can't parse JSON object")
		}
		for k, raw := range fields {
			var text string
			if json.Unmarshal(raw, &text) == nil {
				params[k] = text
			} else {
				params[k] = string(raw)
			}
		}
	case "multipart/form-data":
		reader, err := r.MultipartReader()
		if err != nil {
			return nil, nil, badRequest("can't parse form data")
		}
		if up, err = readParts(reader, params); err != nil {
			return nil, nil, err
		}
	default:
		if err := r.ParseForm(); err != nil {
			return nil, nil, badRequest("can't parse form data")
		}
		for k, v := range r.PostForm {
			params[k] = v[0]
		}
	}
	for _, v := range params {
		if !utf8.ValidString(v) {
			return nil, nil, badRequest("strings must be encoded in UTF-8")
		}
	}
	return params, up, nil
}

func readParts(reader *multipart.Reader, params map[string]string) (*upload, error) {
	var up *upload
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return up, nil
		}
		if err != nil {
			return nil, badRequest("can't parse form data")
		}
		data, err := io.ReadAll(io.LimitReader(part, maxUpload+1))
		if err != nil {
			return nil, badRequest("can't parse form data")
		}
		if len(data) > maxUpload {
			return nil, &apiError{code: http.StatusRequestEntityTooLarge, description: "Request Entity Too Large"}
		}
		if part.FileName() != "" {
			up = &upload{field: part.FormName(), name: part.FileName(), data: data}
			continue
		}
		params[part.FormName()] = string(data)
	}
}

// integer returns a parameter as a number; what is no number counts as def.
func (c *call) integer(name string, def int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(c.params[name]), 10, 64)
	if err != nil {
		return def
	}
	return n
}

// flag returns a parameter as a truth value.
func (c *call) flag(name string) bool {
	v := lower(strings.TrimSpace(c.params[name]))
	return v == "true" || v == "1" || v == "yes"
}
