package discord

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// The kinds of answer to an interaction.
const (
	answerPong           = 1
	answerMessage        = 4
	answerDeferred       = 5
	answerDeferredUpdate = 6
	answerUpdate         = 7
	answerAutocomplete   = 8
	answerModal          = 9
)

// The kinds of interaction.
const (
	actionCommand   = 2
	actionComponent = 3
)

// An interaction is a command or a pressed button that waits for its answer.
type interaction struct {
	id, token string
	kind      int
	at        time.Time
	user      string
	channel   string
	message   string // under which the button stands
	answer    int    // kind of the first answer; 0 while there is none
	original  string // message id of the answer
	private   bool   // the answer is for the person only
	name      string // of the command
}

// An Action is what became of an interaction.
type Action struct {
	ID string
	// Answer is the kind of the first answer, 0 while there is none: 4 a
	// message, 5 a deferred message, 6 a deferred update, 7 an update.
	Answer int
	// Original is the id of the message that answers, once there is one.
	Original string
	// Failed says that the deadline has passed without an answer: the person
	// reads "This interaction failed".
	Failed bool
}

// Action returns what became of the interaction that Press or Slash caused.
func (s *Server) Action(id string) Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.actions[id]
	if !ok {
		panic(fmt.Sprintf("fake discord: no interaction %q was made", id))
	}
	return Action{a.id, a.answer, a.original, a.answer == 0 && s.opts.Now().Sub(a.at) > s.opts.AckDeadline}
}

// answerInteraction is the first answer to an interaction.
func (s *Server) answerInteraction(c *call) (any, error) {
	var body struct {
		Type int   `json:"type"`
		Data draft `json:"data"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.actions[c.vars["interaction"]]
	now := s.opts.Now()
	switch {
	case a == nil, a.token != c.vars["token"], a.answer == 0 && now.Sub(a.at) > s.opts.AckDeadline, now.Sub(a.at) >= s.opts.TokenLife:
		return nil, notFound(10062, "interaction")
	case a.answer != 0:
		return nil, badRequest(40060, "Interaction has already been acknowledged.")
	}
	ch := s.channels[a.channel]
	if ch == nil {
		return nil, notFound(10003, "Channel")
	}
	private := body.Data.Flags != nil && *body.Data.Flags&FlagEphemeral != 0
	var shown *stored
	switch body.Type {
	case answerMessage, answerDeferred:
		m, err := s.actionMessage(ch, a, &body.Data, c.files, body.Type == answerDeferred, private)
		if err != nil {
			return nil, err
		}
		a.original, a.private, shown = m.ID, private, m
	case answerDeferredUpdate, answerUpdate:
		m := ch.messages[a.message]
		if a.kind != actionComponent || m == nil {
			return nil, invalidForm(fieldError{"type", "INTERACTION_CALLBACK_TYPE_INVALID", "This kind of answer needs a message with a component."})
		}
		a.original = m.ID
		if body.Type == answerUpdate {
			if _, err := s.change(ch, m, &body.Data, c.files); err != nil {
				return nil, err
			}
		}
	case answerPong, answerAutocomplete, answerModal:
	default:
		return nil, invalidForm(fieldError{"type", "BASE_TYPE_CHOICES", "Value must be one of the callback types."})
	}
	a.answer = body.Type
	s.wake()
	if c.r.URL.Query().Get("with_response") != "true" {
		return nil, nil
	}
	r := map[string]any{"interaction": map[string]any{"id": a.id, "type": a.kind, "response_message_id": a.original}}
	if shown != nil && body.Type == answerMessage {
		r["resource"] = map[string]any{"type": body.Type, "message": s.view(shown)}
	}
	return r, nil
}

// actionMessage makes a message that answers an interaction. A deferred one
// shows that the bot thinks, until it is edited.
func (s *Server) actionMessage(ch *channel, a *interaction, d *draft, files []upload, deferred, private bool) (*stored, error) {
	only := ""
	if private {
		only = a.user
	}
	var m *stored
	if deferred {
		m = &stored{Message: s.blank(ch, s.bot), only: only}
		m.Flags = FlagLoading
	} else {
		var err error
		if m, err = s.compose(ch, d, files, only); err != nil {
			return nil, err
		}
	}
	if private {
		m.Flags |= FlagEphemeral
	}
	if a.kind == actionCommand && a.original == "" {
		m.Type = messageCommand
	}
	m.ApplicationID, m.WebhookID = s.app, s.app
	m.Interaction = &messageAction{ID: a.id, Type: a.kind, User: s.users[a.user].User, Owners: map[string]string{"0": ch.GuildID}}
	if ch.isDirect() {
		m.Interaction.Owners["0"] = "0"
	}
	if a.kind == actionCommand {
		m.Interaction.Name, m.Interaction.Kind = a.name, typeChatInput
	} else {
		m.Interaction.Under = a.message
	}
	s.publish(ch, m)
	if !deferred {
		s.arrive(ch, m)
	}
	return m, nil
}

// byToken returns the interaction whose token a webhook call carries.
func (s *Server) byToken(c *call) (*interaction, *channel, error) {
	if c.vars["application"] != s.app {
		return nil, nil, notFound(10015, "Webhook")
	}
	for _, a := range s.actions {
		if a.token != c.vars["token"] {
			continue
		}
		if s.opts.Now().Sub(a.at) >= s.opts.TokenLife {
			break
		}
		ch := s.channels[a.channel]
		if a.answer == 0 || ch == nil {
			return nil, nil, notFound(10015, "Webhook")
		}
		return a, ch, nil
	}
	return nil, nil, &apiError{status: http.StatusUnauthorized, code: 50027, message: "Invalid Webhook Token"}
}

// createFollowup answers an interaction once more. The first one after a
// deferred answer takes its place.
func (s *Server) createFollowup(c *call) (any, error) {
	var d draft
	if err := c.decode(&d); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ch, err := s.byToken(c)
	if err != nil {
		return nil, err
	}
	if m := ch.messages[a.original]; m != nil && a.answer == answerDeferred && m.Flags&FlagLoading != 0 {
		return s.settle(ch, m, &d, c.files)
	}
	private := d.Flags != nil && *d.Flags&FlagEphemeral != 0
	m, err := s.actionMessage(ch, a, &d, c.files, false, private)
	if err != nil {
		return nil, err
	}
	return s.view(m), nil
}

// settle puts the real answer in the place of one that was deferred.
func (s *Server) settle(ch *channel, m *stored, d *draft, files []upload) (any, error) {
	v, err := s.change(ch, m, d, files)
	if err != nil {
		return nil, err
	}
	m.EditedTimestamp = nil
	if m.sent == nil {
		s.arrive(ch, m)
	}
	return v, nil
}

// followup returns the message that a webhook call names.
func (s *Server) followup(c *call) (*channel, *stored, error) {
	a, ch, err := s.byToken(c)
	if err != nil {
		return nil, nil, err
	}
	id := c.vars["message"]
	if id == "@original" {
		id = a.original
	}
	m := ch.messages[id]
	if m == nil || m.ApplicationID != s.app && m.ID != a.message {
		return nil, nil, notFound(10008, "Message")
	}
	return ch, m, nil
}

func (s *Server) getFollowup(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.followup(c)
	if err != nil {
		return nil, err
	}
	return s.view(m), nil
}

func (s *Server) editFollowup(c *call) (any, error) {
	var d draft
	if err := c.decode(&d); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.followup(c)
	if err != nil {
		return nil, err
	}
	if m.Flags&FlagLoading != 0 {
		return s.settle(ch, m, &d, c.files)
	}
	return s.change(ch, m, &d, c.files)
}

func (s *Server) deleteFollowup(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.followup(c)
	if err != nil {
		return nil, err
	}
	s.remove(ch, m)
	return nil, nil
}

// Press makes a person press the button with a custom id under a message, and
// returns the id of the interaction. The button need not be there any more.
func (s *Server) Press(channelID, user, message, customID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	a := s.act(c, user, actionComponent)
	a.message = message
	body := s.actionBody(c, a)
	body["data"] = map[string]any{"component_type": componentButton, "custom_id": customID, "id": 1}
	if m, ok := c.messages[message]; ok {
		v := s.viewAs(m, true)
		body["message"] = v
	}
	s.dispatch(0, "INTERACTION_CREATE", body)
	return a.id
}

// Slash makes a person use a slash command in a channel, with pairs of option
// names and values, and returns the id of the interaction.
func (s *Server) Slash(channelID, user, name string, args ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	a := s.act(c, user, actionCommand)
	a.name = name
	options := []any{}
	for i := 0; i+1 < len(args); i += 2 {
		options = append(options, map[string]any{"type": optionString, "name": args[i], "value": args[i+1]})
	}
	id := "0"
	for _, scope := range []string{c.GuildID, ""} {
		if known := s.command(scope, typeChatInput, name); known != nil {
			id = known.ID
			break
		}
	}
	body := s.actionBody(c, a)
	data := map[string]any{"id": id, "name": name, "type": typeChatInput}
	if len(options) > 0 {
		data["options"] = options
	}
	body["data"] = data
	s.dispatch(0, "INTERACTION_CREATE", body)
	return a.id
}

// act makes an interaction.
func (s *Server) act(c *channel, user string, kind int) *interaction {
	id := s.newID()
	a := &interaction{id: id, token: "fakeinteraction" + id, kind: kind, at: s.opts.Now(), user: s.mustUser(user).ID, channel: c.ID}
	s.actions[id] = a
	if n := len(s.actions); n > maxRequests {
		for k, old := range s.actions {
			if s.opts.Now().Sub(old.at) > s.opts.TokenLife {
				delete(s.actions, k)
			}
		}
	}
	return a
}

// actionBody is what commands and buttons have in common.
func (s *Server) actionBody(c *channel, a *interaction) map[string]any {
	u := s.users[a.user]
	body := map[string]any{
		"id": a.id, "application_id": s.app, "type": a.kind, "token": a.token, "version": 1, "channel_id": c.ID, "channel": s.show(c),
		"locale": u.Locale, "entitlements": []any{}, "entitlement_sku_ids": []any{}, "attachment_size_limit": s.opts.MaxFile,
		"app_permissions": s.permissions(s.bot.ID, c),
	}
	if c.isDirect() {
		body["user"], body["context"] = u.User, 1
		body["authorizing_integration_owners"] = map[string]string{"0": "0"}
		return body
	}
	g := s.guilds[c.GuildID]
	m := *s.mustMember(g, a.user)
	m.Roles = slices.Clone(m.Roles)
	held := s.permissions(a.user, c)
	m.Permissions = &held
	body["member"], body["guild_id"], body["guild_locale"], body["context"] = m, g.id, "de", 0
	body["guild"] = map[string]any{"id": g.id, "locale": "de", "features": []any{}}
	body["authorizing_integration_owners"] = map[string]string{"0": g.id}
	return body
}
