package mattermost

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Button is a button under a post of the bot.
type Button struct {
	ID, Name, Style string
	// URL and Context are what clients do not see: the address that the server
	// calls, and what it hands over.
	URL     string
	Context map[string]any
}

// A Sent is a post of the bot, as a person finds it.
type Sent struct {
	ID      string
	Channel string
	// Root is the first post of the thread; empty outside of threads.
	Root string
	// Text is the Markdown.
	Text    string
	Buttons []Button
	// Attachments are the texts of message attachments.
	Attachments []string
	// Pings lists whom the post notified when it came: user ids, "channel",
	// "all" and "here". EditPings is the same for later edits, which notify
	// nobody at the real server and still show as mentions.
	Pings, EditPings []string
	Files            []File
	Props            map[string]any
	Pending          string // the pending_post_id
	At               time.Time
	// Edits counts the changes by the bot; Deleted says that it is gone.
	Edits   int
	Deleted bool
}

// arrive notes a post of the bot. The caller holds mu.
func (s *Server) arrive(ch *channel, p *stored) {
	p.sent = &Sent{ID: p.ID, Channel: ch.ID, Root: p.RootID, At: time.UnixMilli(p.CreateAt).UTC(), Pending: p.PendingPostID,
		Pings: s.mentioned(ch, p.Message)}
	s.sent = append(s.sent, p.sent)
	s.copyShown(p)
	s.wake()
}

// noteEdit notes that the bot changed its post. The caller holds mu.
func (s *Server) noteEdit(p *stored) {
	if p.sent != nil {
		p.sent.Edits++
		p.sent.EditPings = append(p.sent.EditPings, s.mentioned(s.channels[p.ChannelID], p.Message)...)
		s.copyShown(p)
	}
	s.wake()
}

// copyShown copies what a person sees now.
func (s *Server) copyShown(p *stored) {
	t := p.sent
	t.Text, t.Props = p.Message, maps.Clone(p.Props)
	t.Buttons, t.Attachments, t.Files = nil, nil, nil
	list, _ := p.Props["attachments"].([]any)
	for _, v := range list {
		a, _ := v.(map[string]any)
		if text, _ := a["text"].(string); text != "" {
			t.Attachments = append(t.Attachments, text)
		}
		acts, _ := a["actions"].([]any)
		for _, shown := range acts {
			id, _ := shown.(map[string]any)["id"].(string)
			act := p.actions[id]
			b := Button{ID: act.ID, Name: act.Name, Style: act.Style}
			if act.Integration != nil {
				b.URL, b.Context = act.Integration.URL, act.Integration.Context
			}
			t.Buttons = append(t.Buttons, b)
		}
	}
	for _, id := range p.FileIDs {
		if f := s.files[id]; f != nil {
			t.Files = append(t.Files, File{Name: f.Name, MIME: f.MIME, Data: f.data})
		}
	}
}

// Sent returns what the bot posted to a channel, or everywhere for "", oldest
// first, in its present form. What was deleted is there, marked.
func (s *Server) Sent(channelID string) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sentTo(channelID)
}

func (s *Server) sentTo(channelID string) []Sent {
	var list []Sent
	for _, p := range s.sent {
		if channelID == "" || p.Channel == channelID {
			copied := *p
			copied.Buttons = slices.Clone(p.Buttons)
			list = append(list, copied)
		}
	}
	return list
}

// AwaitSent waits until the bot has posted n times to a channel, or everywhere
// for "", and returns all posts.
func (s *Server) AwaitSent(ctx context.Context, channelID string, n int) ([]Sent, error) {
	var list []Sent
	err := s.await(ctx, fmt.Sprintf("%d posts", n), func() bool {
		list = s.sentTo(channelID)
		return len(list) >= n
	})
	return list, err
}

// AwaitPost waits until ok is true of one of the bot's posts in a channel, or
// anywhere for "", and returns it. It sees edits too. Ok is called with a lock
// held and must not call the server.
func (s *Server) AwaitPost(ctx context.Context, channelID, what string, ok func(Sent) bool) (Sent, error) {
	var found Sent
	err := s.await(ctx, what, func() bool {
		for _, p := range s.sentTo(channelID) {
			if ok(p) {
				found = p
				return true
			}
		}
		return false
	})
	return found, err
}

// Reactions returns who shows which emoji at a post.
func (s *Server) Reactions(post string) map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string][]string)
	for _, r := range s.mustPost(post).reactions {
		all[r.EmojiName] = append(all[r.EmojiName], r.UserID)
	}
	return all
}

// Typing returns the bot's signs that it writes, oldest first.
func (s *Server) Typing(channelID string) []Typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Typing
	for _, t := range s.typing {
		if channelID == "" || t.Channel == channelID {
			list = append(list, t)
		}
	}
	return list
}

// History returns the posts of a channel as they stand, oldest first.
func (s *Server) History(channelID string) []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Post
	ch := s.mustChannel(channelID)
	for _, id := range s.live(ch) {
		list = append(list, s.view(s.posts[id]))
	}
	return list
}
