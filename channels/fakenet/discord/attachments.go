package discord

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// attach stores a file on the CDN.
func (s *Server) attach(channelID, name, kind string, data []byte) Attachment {
	id := s.newID()
	if kind == "" || kind == "application/octet-stream" {
		kind = mime.TypeByExtension(path.Ext(name))
	}
	name = safeName(name)
	s.files[id] = &file{name: name, mime: kind, data: data}
	return s.sign(channelID, Attachment{ID: id, Filename: name, ContentType: kind, Size: int64(len(data))})
}

// sign gives a the address that works for a day.
func (s *Server) sign(channelID string, a Attachment) Attachment {
	now := s.opts.Now()
	a.URL = fmt.Sprintf("http://%s/attachments/%s/%s/%s?ex=%x&is=%x&hm=%d", s.addr, channelID, a.ID, url.PathEscape(a.Filename),
		now.Add(24*time.Hour).Unix(), now.Unix(), s.signed)
	a.ProxyURL = a.URL
	return a
}

// safeName returns a file name as Discord keeps it.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		case r == ' ':
			return '_'
		case r < 0x80:
			return -1
		}
		return r
	}, path.Base(name))
}

// A file is an attachment on the CDN.
type file struct {
	name, mime string
	data       []byte
}

// download serves /attachments/{channel}/{id}/{name}; it needs no token,
// and none should come.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	steps := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	c := &call{r: r, route: &route{name: Download}, vars: map[string]string{}}
	s.mu.Lock()
	var f *file
	if len(steps) == 4 && s.fresh(r.URL.Query()) {
		f = s.files[steps[2]]
		c.vars["channel"] = steps[1]
	}
	s.mu.Unlock()
	s.note(c, r.URL.Path)
	sw := &statusWriter{ResponseWriter: w}
	defer func() { s.noteStatus(c, sw.status) }()
	run := func() (any, error) {
		if f == nil || f.name != steps[3] {
			return nil, statusError(http.StatusNotFound)
		}
		return f, nil
	}
	if fault := s.takeFault(c); fault != nil {
		fault.apply(sw, r, run)
		return
	}
	result, err := run()
	write(sw, result, err)
}

// fresh reports whether the address of an attachment still works.
func (s *Server) fresh(q url.Values) bool {
	until, err := strconv.ParseInt(q.Get("ex"), 16, 64)
	return err == nil && s.opts.Now().Unix() < until && q.Get("hm") == strconv.Itoa(s.signed)
}

// serve writes a file as the CDN does.
func (f *file) serve(w http.ResponseWriter) {
	w.Header().Set("Content-Type", cmp.Or(f.mime, "application/octet-stream"))
	w.Header().Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
	_, _ = w.Write(f.data) // a client that went away gets no more
}

// ExpireAttachments makes the addresses of all present attachments useless, as
// they become after a day. A message that is read again has new ones.
func (s *Server) ExpireAttachments() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signed++
}
