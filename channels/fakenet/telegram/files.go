package telegram

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// A file is what was uploaded, by the bot or by a person.
type file struct {
	File
	data []byte
}

// AddFile gives the server a file that the bot can fetch, and returns its id.
func (s *Server) AddFile(name string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addFile(name, data).FileID
}

func (s *Server) addFile(name string, data []byte) *file {
	n := len(s.files) + 1
	f := &file{data: data, File: File{
		FileID: fmt.Sprintf("BQACAgIAAx-%d", n), FileUniqueID: fmt.Sprintf("AgAD%d", n), FileName: name, FileSize: int64(len(data)),
	}}
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf":
		f.MIMEType = "application/pdf"
	case ".txt":
		f.MIMEType = "text/plain"
	}
	s.files[f.FileID] = f
	return f
}

// Inflate makes a file claim to have size bytes; those beyond its own are not
// kept.
func (s *Server) Inflate(id string, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id].FileSize = size
}

func (s *Server) getFile(c *call) (any, error) {
	id := c.params["file_id"]
	if id == "" {
		return nil, badRequest("file_id not specified")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[id]
	if !ok {
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	}
	if f.FileSize > maxDownload {
		return nil, badRequest("file is too big")
	}
	out := f.File
	out.FileName, out.MIMEType = "", ""
	out.FilePath = "documents/" + f.FileID
	return out, nil
}

// download serves /file/bot<token>/<path>.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	rest := strings.TrimPrefix(r.URL.Path, "/file/bot")
	token, path, _ := strings.Cut(rest, "/")
	s.mu.Lock()
	known := token == s.token && !s.revoked
	f := s.files[strings.TrimPrefix(path, "documents/")]
	s.mu.Unlock()
	switch {
	case !known:
		write(w, nil, &apiError{code: http.StatusUnauthorized, description: "Unauthorized"})
	case f == nil || f.FileSize > maxDownload:
		write(w, nil, &apiError{code: http.StatusNotFound, description: "Not Found"})
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(f.data)
	}
}

func (s *Server) sendDocument(c *call) (any, error) { return s.sendFile(c, "document") }

func (s *Server) sendPhoto(c *call) (any, error) {
	if c.upload != nil && len(c.upload.data) > maxPhoto {
		return nil, badRequest("file of size %d bytes is too big for a photo; the maximum size is %d bytes", len(c.upload.data), maxPhoto)
	}
	return s.sendFile(c, "photo")
}

// sendFile takes a file of the kind that is the parameter's name.
func (s *Server) sendFile(c *call, kind string) (any, error) {
	if c.upload == nil && c.params[kind] == "" {
		return nil, badRequest("there is no %s in the request", kind)
	}
	caption, entities, err := s.formatted(c, c.params["caption"], "caption_entities", maxCaption)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.write(c, c.params["caption"], caption)
	if err != nil {
		return nil, err
	}
	var f *file
	if c.upload != nil {
		if len(c.upload.data) == 0 {
			return nil, badRequest("file must be non-empty")
		}
		f = s.addFile(c.upload.name, c.upload.data)
	} else if f = s.files[c.params[kind]]; f == nil {
		return nil, badRequest("wrong remote file identifier specified: Wrong string length")
	}
	m.Caption, m.CaptionEntities = caption, entities
	m.sent.File, m.sent.FileName, m.sent.FileKind = f.data, f.FileName, kind
	if kind == "photo" {
		photo := f.File
		photo.FileName, photo.Width, photo.Height = "", 800, 600
		m.Photo = []File{photo}
	} else {
		m.Document = &f.File
	}
	s.arrive(m)
	return m.Message, nil
}
