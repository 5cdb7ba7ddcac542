package mattermost

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

func (s *Server) getReactions(c *call) (any, error) {
	_, p, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	if len(p.reactions) == 0 {
		return json.RawMessage("null"), nil
	}
	return p.reactions, nil
}

func (s *Server) saveReaction(c *call) (any, error) {
	var r Reaction
	if err := c.decode(&r, "reaction"); err != nil {
		return nil, err
	}
	if r.UserID != s.bot.ID {
		return nil, refuse(http.StatusForbidden, "api.reaction.save_reaction.user_id.app_error", "You cannot save reaction for the other user.")
	}
	p, ok := s.posts[r.PostID]
	switch {
	case !ok, p.DeleteAt != 0:
		return nil, unknownPost()
	case !s.channels[p.ChannelID].has(s.bot.ID):
		return nil, noPermission()
	case !isEmoji(r.EmojiName):
		return nil, refuse(http.StatusNotFound, "app.emoji.get_by_name.no_result", "We couldn’t find the emoji.")
	}
	return s.react(p, s.bot.ID, r.EmojiName), nil
}

// isEmoji reports whether a name can be an emoji's. Names that begin with
// "gibtsnicht" stand for those that do not exist.
func isEmoji(name string) bool {
	return name != "" && !strings.HasPrefix(name, "gibtsnicht") && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '+'
	})
}

func (s *Server) react(p *stored, user, emoji string) Reaction {
	now := s.millis()
	r := Reaction{UserID: user, PostID: p.ID, EmojiName: emoji, CreateAt: now, UpdateAt: now, ChannelID: p.ChannelID}
	if i := slices.IndexFunc(p.reactions, func(o Reaction) bool { return o.UserID == user && o.EmojiName == emoji }); i >= 0 {
		p.reactions[i].UpdateAt = now
	} else {
		p.reactions = append(p.reactions, r)
	}
	p.UpdateAt = now
	s.reacted("reaction_added", p, r)
	return r
}

func (s *Server) unreact(p *stored, user, emoji string) {
	now := s.millis()
	p.reactions = slices.DeleteFunc(p.reactions, func(o Reaction) bool { return o.UserID == user && o.EmojiName == emoji })
	p.UpdateAt = now
	s.reacted("reaction_removed", p, Reaction{UserID: user, PostID: p.ID, EmojiName: emoji, UpdateAt: now})
}

// reacted tells the bot about a reaction; older servers report an edit as well.
func (s *Server) reacted(kind string, p *stored, r Reaction) {
	ch := s.channels[p.ChannelID]
	s.event(kind, map[string]any{"reaction": string(mustJSON(r))}, broadcast{ChannelID: ch.ID}, ch.has(s.bot.ID))
	if s.opts.EditOnReaction {
		s.event("post_edited", map[string]any{"post": string(mustJSON(s.view(p)))}, broadcast{ChannelID: ch.ID}, ch.has(s.bot.ID))
	}
}

func (s *Server) deleteReaction(c *call) (any, error) {
	if err := s.mine(c); err != nil {
		return nil, err
	}
	_, p, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	s.unreact(p, s.bot.ID, c.vars["emoji"])
	return statusOK, nil
}
