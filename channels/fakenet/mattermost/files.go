package mattermost

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// A file is what was uploaded.
type file struct {
	FileInfo
	data []byte
}

// uploadFile takes files as a form, or one as the body with its name in the
// address.
func (s *Server) uploadFile(c *call) (any, error) {
	q := c.r.URL.Query()
	id := cmp.Or(c.form.Get("channel_id"), q.Get("channel_id"))
	ups := c.files
	var clients any = []string{}
	if c.form == nil {
		ups, clients = []upload{{q.Get("filename"), c.r.Header.Get("Content-Type"), c.body}}, nil
	}
	ch, ok := s.channels[id]
	switch {
	case !ok, !ch.has(s.bot.ID):
		return nil, noPermission()
	case len(ups) == 0, c.form == nil && len(c.body) == 0, ups[0].name == "":
		return nil, refuse(http.StatusBadRequest, "api.file.upload_file.read_request.app_error", "Unable to upload file(s). Error reading or parsing request data.")
	}
	infos := []FileInfo{}
	for _, u := range ups {
		if int64(len(u.data)) > s.opts.MaxFile {
			return nil, tooLarge()
		}
		infos = append(infos, s.addFile(ch.ID, s.bot.ID, u.name, u.mime, u.data).FileInfo)
	}
	return accepted{http.StatusCreated, map[string]any{"file_infos": infos, "client_ids": clients}}, nil
}

func (s *Server) addFile(channelID, user, name, kind string, data []byte) *file {
	now := s.millis()
	name = path.Base(name)
	ext := strings.TrimPrefix(path.Ext(name), ".")
	f := &file{data: data, FileInfo: FileInfo{ID: s.newID("fil"), UserID: user, ChannelID: channelID, CreateAt: now, UpdateAt: now, Name: name,
		Extension: strings.ToLower(ext), Size: int64(len(data)), MIME: cmp.Or(mime.TypeByExtension("."+ext), kind), MiniPreview: json.RawMessage("null")}}
	s.files[f.ID] = f
	return f
}

// readableFile returns the file of a call when the bot may read it.
func (s *Server) readableFile(c *call) (*file, error) {
	id, err := c.id(s, "file")
	if err != nil {
		return nil, err
	}
	f, ok := s.files[id]
	switch {
	case !ok:
		return nil, refuse(http.StatusNotFound, "app.file_info.get.app_error", "Unable to get the file info.")
	case f.UserID != s.bot.ID && (s.channels[f.ChannelID] == nil || !s.mayRead(s.bot.ID, s.channels[f.ChannelID])):
		return nil, noPermission()
	}
	return f, nil
}

func (s *Server) getFile(c *call) (any, error) { return s.readableFile(c) }

func (s *Server) getFileInfo(c *call) (any, error) {
	f, err := s.readableFile(c)
	if err != nil {
		return nil, err
	}
	return f.FileInfo, nil
}

func (s *Server) getPostFiles(c *call) (any, error) {
	_, p, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	infos := []FileInfo{}
	for _, id := range p.FileIDs {
		infos = append(infos, s.files[id].FileInfo)
	}
	return infos, nil
}

// serve writes the bytes of a file.
func (f *file) serve(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", f.MIME)
	h.Set("Content-Length", fmt.Sprint(len(f.data)))
	h.Set("Content-Disposition", fmt.Sprintf(`attachment;filename="%s"; filename*=UTF-8''%s`, f.Name, url.PathEscape(f.Name)))
	_, _ = w.Write(f.data) // a client that went away gets no more
}

// RemoveFile takes a file's bytes away, as retention rules do.
func (s *Server) RemoveFile(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, id)
}
