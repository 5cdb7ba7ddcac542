package mattermost

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A draft is the body of what creates or changes a post.
type draft struct {
	ID            string          `json:"id"`
	ChannelID     string          `json:"channel_id"`
	RootID        string          `json:"root_id"`
	Message       *string         `json:"message"`
	Props         *map[string]any `json:"props"`
	FileIDs       *[]string       `json:"file_ids"`
	PendingPostID string          `json:"pending_post_id"`
}

func (d *draft) text() string {
	if d.Message == nil {
		return ""
	}
	return *d.Message
}

func (s *Server) createPost(c *call) (any, error) {
	var d draft
	if err := c.decode(&d, "post"); err != nil {
		return nil, err
	}
	ch, ok := s.channels[d.ChannelID]
	switch {
	case !ok, !ch.has(s.bot.ID), ch.muted:
		return nil, noPermission()
	case ch.DeleteAt != 0:
		return nil, refuse(http.StatusBadRequest, "api.post.create_post.can_not_post_to_deleted.error", "Can not post to deleted channel.")
	}
	now := s.opts.Now()
	if known, ok := s.pending[d.PendingPostID]; ok && d.PendingPostID != "" && now.Sub(known.at) < s.opts.DedupeWindow {
		if p := s.posts[known.post]; p != nil && p.DeleteAt == 0 {
			again := s.view(p)
			again.PendingPostID, again.Metadata = "", nil
			return accepted{http.StatusCreated, again}, nil
		}
		return nil, refuse(http.StatusInternalServerError, "api.post.deduplicate_create_post.failed_to_get", "Failed to fetch original post after deduplicating a client repeating the same request.")
	}
	p, err := s.compose(ch, s.bot.ID, &d)
	if err != nil {
		return nil, err
	}
	p.addProp("from_bot", "true")
	p.PendingPostID = d.PendingPostID
	if d.PendingPostID != "" {
		s.pending[d.PendingPostID] = pending{p.ID, now}
	}
	s.publish(ch, p)
	s.arrive(ch, p)
	answer := s.view(p)
	answer.PendingPostID = d.PendingPostID
	return accepted{http.StatusCreated, answer}, nil
}

func (p *stored) addProp(name string, value any) {
	if p.Props == nil {
		p.Props = make(map[string]any)
	}
	p.Props[name] = value
}

// compose makes a post that is not published yet.
func (s *Server) compose(ch *channel, user string, d *draft) (*stored, error) {
	if d.RootID != "" {
		root := s.posts[d.RootID]
		if root == nil || root.DeleteAt != 0 || root.RootID != "" || root.ChannelID != ch.ID {
			return nil, refuse(http.StatusBadRequest, "api.post.create_post.root_id.app_error", "Invalid RootId parameter.")
		}
	}
	if err := s.check(d); err != nil {
		return nil, err
	}
	p := s.blank(ch, user)
	p.RootID, p.Message = d.RootID, d.text()
	if d.Props != nil {
		p.setProps(s, *d.Props)
	}
	if d.FileIDs != nil && len(*d.FileIDs) > 0 {
		p.FileIDs = nil
		for _, id := range *d.FileIDs {
			if f := s.files[id]; f != nil && f.UserID == user && f.PostID == "" && f.ChannelID == ch.ID {
				f.PostID = p.ID
				p.FileIDs = append(p.FileIDs, id)
			}
		}
		if len(p.FileIDs) < len(*d.FileIDs) {
			p.UpdateAt++ // the real server stores the shorter list in a second step
		}
	}
	return p, nil
}

// blank returns a post with nothing in it. Each post is younger than the one
// before; at the real server two can bear the same time, see [Line.At].
func (s *Server) blank(ch *channel, user string) *stored {
	now := max(s.millis(), s.lastPost+1)
	s.lastPost = now
	return &stored{Post: Post{ID: s.newID("pos"), CreateAt: now, UpdateAt: now, UserID: user, ChannelID: ch.ID,
		Props: map[string]any{}, FileIDs: []string{}, RemoteID: new(string)}}
}

// check returns what is wrong with the content of d.
func (s *Server) check(d *draft) error {
	if utf8.RuneCountInString(d.text()) > s.opts.MaxPost {
		return refuse(http.StatusBadRequest, "model.post.is_valid.message_length.app_error", "Post Message property is longer than the maximum permitted length.")
	}
	if d.FileIDs != nil && len(*d.FileIDs) > s.opts.MaxFiles {
		return refuse(http.StatusBadRequest, "model.post.is_valid.file_ids.app_error",
			"Invalid file ids. Note that uploads are limited to %d files maximum. Please use additional posts for more files.", s.opts.MaxFiles)
	}
	if d.Props != nil && utf8.RuneCount(mustJSON(*d.Props)) > 800000 {
		return refuse(http.StatusBadRequest, "model.post.is_valid.props.app_error", "Invalid props.")
	}
	return nil
}

// publish stores p and tells the bot.
func (s *Server) publish(ch *channel, p *stored) {
	s.posts[p.ID] = p
	at := len(ch.order)
	for at > 0 && s.posts[ch.order[at-1]].CreateAt > p.CreateAt {
		at--
	}
	ch.order = slices.Insert(ch.order, at, p.ID)
	s.forget(ch)
	ch.LastPostAt = max(ch.LastPostAt, p.CreateAt)
	if !strings.HasPrefix(p.Type, "system_") {
		ch.TotalMsgCount++
	}
	if root := s.posts[p.RootID]; root != nil {
		root.replies++
		root.UpdateAt = max(root.UpdateAt, p.CreateAt)
	} else {
		ch.LastRootPostAt = max(ch.LastRootPostAt, p.CreateAt)
		ch.TotalRootCount++
	}
	s.announcePosted(ch, p)
}

// forget drops the oldest posts beyond Options.Keep.
func (s *Server) forget(ch *channel) {
	n := len(ch.order) - s.opts.Keep
	if s.opts.Keep == 0 || n < s.opts.Keep {
		return
	}
	for _, id := range ch.order[:n] {
		delete(s.posts, id)
	}
	ch.order = slices.Clone(ch.order[n:])
	s.sent = slices.Clone(s.sent[max(0, len(s.sent)-s.opts.Keep):])
	for id, p := range s.pending {
		if s.opts.Now().Sub(p.at) >= s.opts.DedupeWindow {
			delete(s.pending, id)
		}
	}
}

// view returns p as the API shows it.
func (s *Server) view(p *stored) Post {
	v := p.Post
	v.Props = maps.Clone(p.Props)
	v.PendingPostID = ""
	v.ReplyCount = p.replies
	if root := s.posts[p.RootID]; root != nil {
		v.ReplyCount = root.replies
	}
	v.Metadata = &metadata{}
	if _, ok := p.Props["attachments"]; ok {
		v.Metadata.Embeds = []embed{{"message_attachment"}}
	}
	for _, id := range p.FileIDs {
		if f := s.files[id]; f != nil {
			v.Metadata.Files = append(v.Metadata.Files, f.FileInfo)
		}
	}
	if len(p.reactions) > 0 {
		v.HasReactions, v.Metadata.Reactions = true, slices.Clone(p.reactions)
	}
	return v
}

// visible returns the post of a call when the bot may read it.
func (s *Server) visible(c *call) (*channel, *stored, error) {
	id, err := c.id(s, "post")
	if err != nil {
		return nil, nil, err
	}
	p, ok := s.posts[id]
	if !ok || p.DeleteAt != 0 {
		return nil, nil, unknownPost()
	}
	ch := s.channels[p.ChannelID]
	if !s.mayRead(s.bot.ID, ch) {
		return nil, nil, noPermission()
	}
	return ch, p, nil
}

func (s *Server) getPost(c *call) (any, error) {
	_, p, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	return s.view(p), nil
}

// updatePost replaces a post: what the body leaves out is emptied.
func (s *Server) updatePost(c *call) (any, error) {
	var d draft
	if err := c.decode(&d, "post"); err != nil {
		return nil, err
	}
	if d.ID != c.vars["post"] {
		return nil, badBody("id")
	}
	if d.Props == nil {
		d.Props = &map[string]any{}
	}
	text := d.text()
	d.Message = &text
	return s.edit(c, &d)
}

// patchPost changes what the body names.
func (s *Server) patchPost(c *call) (any, error) {
	var d draft
	if err := c.decode(&d, "post"); err != nil {
		return nil, err
	}
	return s.edit(c, &d)
}

func (s *Server) edit(c *call, d *draft) (any, error) {
	ch, p, err := s.visible(c)
	if err != nil || p.UserID != s.bot.ID || !ch.has(s.bot.ID) || ch.muted {
		return nil, noPermission()
	}
	if limit := s.opts.NoEdits; limit > 0 && s.millis() > p.CreateAt+limit.Milliseconds() {
		return nil, refuse(http.StatusBadRequest, "api.post.update_post.permissions_time_limit.app_error",
			"Post edit is only allowed for %d seconds. Please ask your System Administrator for details.", int(limit.Seconds()))
	}
	if ch.DeleteAt != 0 {
		return nil, refuse(http.StatusBadRequest, "api.post.update_post.can_not_update_post_in_deleted.error", "Can not update a post in a deleted channel.")
	}
	if err := s.check(d); err != nil {
		return nil, err
	}
	s.change(ch, p, d)
	s.noteEdit(p)
	return s.view(p), nil
}

// change edits p and says so. The former text stays behind as a deleted post,
// which lists with since show.
func (s *Server) change(ch *channel, p *stored, d *draft) {
	now := s.millis()
	old := *p
	p.UpdateAt = max(now, p.UpdateAt)
	if d.Message != nil && *d.Message != p.Message {
		old.ID, old.OriginalID, old.DeleteAt, old.UpdateAt, old.sent = s.newID("old"), p.ID, now, now, nil
		s.posts[old.ID] = &old
		ch.order = slices.Insert(ch.order, slices.Index(ch.order, p.ID), old.ID)
		p.Message, p.EditAt = *d.Message, p.UpdateAt
	}
	if d.Props != nil {
		p.setProps(s, *d.Props)
	}
	s.event("post_edited", map[string]any{"post": string(mustJSON(s.view(p)))}, broadcast{ChannelID: ch.ID}, ch.has(s.bot.ID))
}

func (s *Server) deletePost(c *call) (any, error) {
	ch, p, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	if p.UserID != s.bot.ID {
		return nil, noPermission()
	}
	s.remove(ch, p)
	return statusOK, nil
}

// remove deletes a post with its thread, and says so.
func (s *Server) remove(ch *channel, p *stored) {
	now := s.millis()
	shown := s.view(p)
	shown.Metadata = nil
	for _, id := range ch.order {
		if r := s.posts[id]; r.DeleteAt == 0 && (r.ID == p.ID || r.RootID == p.ID) {
			r.DeleteAt, r.UpdateAt = now, now
			if r.sent != nil {
				r.sent.Deleted = true
			}
		}
	}
	if root := s.posts[p.RootID]; root != nil {
		root.replies--
		root.UpdateAt = now
	}
	s.event("post_deleted", map[string]any{"post": string(mustJSON(shown))}, broadcast{ChannelID: ch.ID, Sanitized: true}, ch.has(s.bot.ID))
	s.wake()
}

// createEphemeral posts what one person sees.
func (s *Server) createEphemeral(c *call) (any, error) {
	var body struct {
		User string `json:"user_id"`
		Post draft  `json:"post"`
	}
	if err := c.decode(&body, "post"); err != nil {
		return nil, err
	}
	ch, ok := s.channels[body.Post.ChannelID]
	if !s.opts.Ephemeral || !ok || !ch.has(s.bot.ID) {
		return nil, noPermission()
	}
	if err := s.check(&body.Post); err != nil {
		return nil, err
	}
	p := s.blank(ch, s.bot.ID)
	p.Message, p.RootID, p.Type = body.Post.text(), body.Post.RootID, "system_ephemeral"
	s.show(Seen{User: body.User, Channel: ch.ID, Root: p.RootID, Text: p.Message})
	return accepted{http.StatusCreated, p.Post}, nil
}

// Typing is the bot's sign that it writes; it shows for about five seconds.
type Typing struct {
	Channel, Root string
	At            time.Time
}
