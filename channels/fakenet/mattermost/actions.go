package mattermost

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// An action is a button with what clients do not see.
type action struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Style       string `json:"style"`
	Disabled    bool   `json:"disabled"`
	Integration *struct {
		URL     string         `json:"url"`
		Context map[string]any `json:"context"`
	} `json:"integration"`
}

// attachmentDefaults are the fields that the server adds to an attachment.
var attachmentDefaults = map[string]any{"id": 0, "fallback": "", "color": "", "pretext": "", "author_name": "", "author_link": "", "author_icon": "",
	"title": "", "title_link": "", "text": "", "fields": nil, "image_url": "", "thumb_url": "", "footer": "", "footer_icon": "", "ts": nil}

// setProps sets the props of p. Of the buttons clients see no integration; one
// without an id gets one.
func (p *stored) setProps(s *Server, props map[string]any) {
	p.Props, p.actions = maps.Clone(props), make(map[string]action)
	list, ok := props["attachments"].([]any)
	if !ok {
		return
	}
	shown := []any{}
	for _, v := range list {
		a, ok := v.(map[string]any)
		if !ok {
			continue
		}
		full := maps.Clone(attachmentDefaults)
		maps.Copy(full, a)
		var acts []action
		raw := mustJSON(a["actions"])
		if json.Unmarshal(raw, &acts) == nil && len(acts) > 0 {
			visible := []any{}
			for _, act := range acts {
				act.ID = cmp.Or(act.ID, s.newID("act"))
				p.actions[act.ID] = act
				seen := map[string]any{"id": act.ID, "name": act.Name}
				for name, value := range map[string]string{"type": act.Type, "style": act.Style} {
					if value != "" {
						seen[name] = value
					}
				}
				if act.Disabled {
					seen["disabled"] = true
				}
				visible = append(visible, seen)
			}
			full["actions"] = visible
		}
		shown = append(shown, full)
	}
	p.Props["attachments"] = shown
}

// A Pressed is what became of a pressed button.
type Pressed struct {
	// Status is what the server answers the person's client: 200, 400 when the
	// bot's address failed, 404 when there is no such button.
	Status int
	// Ephemeral is what the person alone reads afterwards.
	Ephemeral string
	// Updated says that the post was changed.
	Updated bool
}

// doAction lets the bot press a button as people do, under its own posts too.
// The caller holds mu, which is free while the server calls back.
func (s *Server) doAction(c *call) (any, error) {
	id, err := c.id(s, "post")
	if err != nil {
		return nil, err
	}
	bot := s.bot.ID
	s.mu.Unlock()
	pressed := s.Press(bot, id, c.vars["action"])
	s.mu.Lock()
	if pressed.Status != http.StatusOK {
		return nil, refuse(pressed.Status, "api.post.do_action.action_integration.app_error", "Action integration error.")
	}
	return statusOK, nil
}

// Press makes a person press a button of a post and waits for the bot's answer
// to the server's call.
func (s *Server) Press(user, post, actionID string) Pressed {
	s.mu.Lock()
	u := *s.mustUser(user)
	p, ok := s.posts[post]
	if !ok || p.DeleteAt != 0 {
		s.mu.Unlock()
		return Pressed{Status: http.StatusNotFound}
	}
	ch := s.channels[p.ChannelID]
	act, ok := p.actions[actionID]
	if !ok || act.Integration == nil || !alphanumeric(actionID) {
		s.mu.Unlock()
		return Pressed{Status: http.StatusNotFound}
	}
	body := map[string]any{"user_id": u.ID, "user_name": u.Username, "channel_id": ch.ID, "channel_name": ch.Name, "team_id": ch.TeamID,
		"team_domain": s.teamName(ch), "post_id": p.ID, "trigger_id": s.newID("tri"), "type": act.Type, "data_source": "", "context": act.Integration.Context}
	life, address := s.life, act.Integration.URL
	s.mu.Unlock()

	status, raw, err := s.callBack(life, address, "application/json", "", mustJSON(body))
	var answer struct {
		Update    *draft `json:"update"`
		Ephemeral string `json:"ephemeral_text"`
	}
	if err != nil || status != http.StatusOK || len(raw) > 0 && json.Unmarshal(raw, &answer) != nil {
		return Pressed{Status: http.StatusBadRequest}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer.Update != nil && p.DeleteAt == 0 {
		text := answer.Update.text()
		answer.Update.Message = &text
		s.change(ch, p, answer.Update)
		s.noteEdit(p)
	}
	if answer.Ephemeral != "" {
		s.show(Seen{User: user, Channel: ch.ID, Root: cmp.Or(p.RootID, p.ID), Text: answer.Ephemeral})
	}
	return Pressed{Status: http.StatusOK, Ephemeral: answer.Ephemeral, Updated: answer.Update != nil}
}

// alphanumeric reports whether an action id fits into the server's route; the
// buttons of others show and do nothing.
func alphanumeric(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return id != ""
}

func (s *Server) teamName(ch *channel) string {
	if t := s.teams[ch.TeamID]; t != nil {
		return t.Name
	}
	return ""
}

// callBack calls an address of an integration. The caller does not hold mu.
func (s *Server) callBack(life context.Context, address, kind, token string, body []byte) (int, []byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, nil, err
	}
	if h := u.Hostname(); s.opts.NoLoopback && slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, h) {
		return 0, nil, fmt.Errorf("address forbidden, you may need to set AllowedUntrustedInternalConnections to allow an integration access to your internal network")
	}
	ctx, cancel := context.WithTimeout(life, s.opts.IntegrationTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Mattermost-Bot/1.1")
	if token != "" {
		req.Header.Set("Authorization", "Token "+token)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, raw, err
}
