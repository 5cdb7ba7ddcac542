package mattermost

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A hook is the address for later answers to a slash command: it works for half
// an hour and five times.
type hook struct {
	command, user, channel, root string
	at                           time.Time
	used                         int
}

const (
	hookLife = 30 * time.Minute
	hookUses = 5
)

// mayManage checks that the bot may manage slash commands of a team.
func (s *Server) mayManage(teamID string) error {
	if t := s.teams[teamID]; !s.opts.Commands || t == nil || !t.members[s.bot.ID] {
		return noPermission()
	}
	return nil
}

func (s *Server) listCommands(c *call) (any, error) {
	q := c.r.URL.Query()
	if err := s.mayManage(q.Get("team_id")); err != nil {
		return nil, err
	}
	list := []*Command{}
	for _, cmd := range s.commands {
		if cmd.TeamID == q.Get("team_id") {
			list = append(list, cmd)
		}
	}
	return list, nil
}

func (s *Server) createCommand(c *call) (any, error) {
	var cmd Command
	if err := c.decode(&cmd, "command"); err != nil {
		return nil, err
	}
	if err := s.mayManage(cmd.TeamID); err != nil {
		return nil, err
	}
	cmd.CreatorID = s.bot.ID
	added, err := s.addCommand(cmd)
	if err != nil {
		return nil, err
	}
	return accepted{http.StatusCreated, added}, nil
}

// builtIn are triggers that the server keeps for itself.
var builtIn = strings.Fields("away code collapse dnd echo expand header help invite invite_people join kick leave logout me msg mute offline online open purpose rename remove search settings share-channel shortcuts shrug status")

func (s *Server) addCommand(cmd Command) (*Command, error) {
	cmd.Trigger = strings.ToLower(cmd.Trigger)
	if n := len(cmd.Trigger); n < 1 || n > 128 || strings.HasPrefix(cmd.Trigger, "/") || strings.Contains(cmd.Trigger, " ") {
		return nil, refuse(http.StatusBadRequest, "model.command.is_valid.trigger.app_error", "Invalid trigger.")
	}
	if u, err := url.Parse(cmd.URL); err != nil || u.Host == "" {
		return nil, refuse(http.StatusBadRequest, "model.command.is_valid.url_http.app_error", "Invalid URL. Must be a valid URL and start with http:// or https://.")
	}
	if cmd.Method != "P" && cmd.Method != "G" {
		return nil, refuse(http.StatusBadRequest, "model.command.is_valid.method.app_error", "Invalid Method.")
	}
	taken := slices.Contains(builtIn, cmd.Trigger) || slices.ContainsFunc(s.commands, func(o *Command) bool {
		return o.TeamID == cmd.TeamID && o.Trigger == cmd.Trigger
	})
	if taken {
		return nil, refuse(http.StatusBadRequest, "api.command.duplicate_trigger.app_error", "This trigger word is already in use. Please choose another word.")
	}
	now := s.millis()
	cmd.ID, cmd.Token, cmd.CreateAt, cmd.UpdateAt = s.newID("com"), s.newID("tok"), now, now
	s.commands = append(s.commands, &cmd)
	s.wake()
	return &cmd, nil
}

// AddCommand adds a slash command of a team that calls an address, as an
// administrator does, and returns it with its token.
func (s *Server) AddCommand(teamID, trigger, address string) Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd, err := s.addCommand(Command{TeamID: teamID, Trigger: trigger, URL: address, Method: "P"})
	if err != nil {
		panic(fmt.Sprintf("fake mattermost: add command %s: %v", trigger, err))
	}
	return *cmd
}

// Commands returns the slash commands of a team.
func (s *Server) Commands(teamID string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Command
	for _, cmd := range s.commands {
		if cmd.TeamID == teamID {
			list = append(list, *cmd)
		}
	}
	return list
}

func (s *Server) findCommand(c *call) (*Command, error) {
	id, err := c.id(s, "command")
	if err != nil {
		return nil, err
	}
	for _, cmd := range s.commands {
		if cmd.ID == id {
			return cmd, s.mayManage(cmd.TeamID)
		}
	}
	return nil, refuse(http.StatusNotFound, "store.sql_command.get.missing.app_error", "Command does not exist.")
}

func (s *Server) getCommand(c *call) (any, error) {
	cmd, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	return cmd, nil
}

func (s *Server) updateCommand(c *call) (any, error) {
	old, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	next := *old
	if err := c.decode(&next, "command"); err != nil || next.ID != old.ID {
		return nil, badBody("command")
	}
	next.Token, next.CreateAt, next.UpdateAt, next.CreatorID = old.Token, old.CreateAt, s.millis(), old.CreatorID
	*old = next
	s.wake()
	return old, nil
}

func (s *Server) deleteCommand(c *call) (any, error) {
	cmd, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	s.commands = slices.DeleteFunc(s.commands, func(o *Command) bool { return o == cmd })
	s.wake()
	return statusOK, nil
}

func (s *Server) regenCommandToken(c *call) (any, error) {
	cmd, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	cmd.Token = s.newID("tok")
	return map[string]string{"token": cmd.Token}, nil
}

// A commandAnswer is what an integration answers a slash command.
type commandAnswer struct {
	Type string `json:"response_type"` // "ephemeral" or "in_channel"
	Text string `json:"text"`
}

// readAnswer reads JSON, or plain text as an ephemeral answer.
func readAnswer(raw []byte) (commandAnswer, bool) {
	var a commandAnswer
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '{' {
		return a, json.Unmarshal(trimmed, &a) == nil
	}
	return commandAnswer{Text: string(raw)}, true
}

// A Ran is what became of a slash command.
type Ran struct {
	// Status is what the server answers the person's client: 200, 404 when there
	// is no such command, 500 when the bot's address failed.
	Status int
	// Error is what the person reads when it failed.
	Error string
	// Answer is the answer's text, Ephemeral says that the person alone sees it.
	Answer    string
	Ephemeral bool
}

// Run makes a person type a slash command such as "/frage wie lange" in a
// channel of a team, or in a thread when root is given, and waits for the bot's
// answer to the server's call. In direct channels team says whose commands
// count.
func (s *Server) Run(teamID, channelID, root, user, line string) Ran {
	trigger, text, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	trigger = strings.ToLower(trigger)
	s.mu.Lock()
	u, ch := *s.mustUser(user), s.mustChannel(channelID)
	var cmd *Command
	for _, o := range s.commands {
		if o.TeamID == teamID && o.Trigger == trigger {
			copied := *o
			cmd = &copied
		}
	}
	if cmd == nil {
		s.mu.Unlock()
		return Ran{Status: http.StatusNotFound, Error: fmt.Sprintf("Command with a trigger of '%s' not found. To send a message beginning with \"/\", try adding an empty space at the beginning of the message.", trigger)}
	}
	id := s.newID("hoo")
	s.hooks[id] = &hook{command: cmd.ID, user: user, channel: channelID, root: root, at: s.opts.Now()}
	form := url.Values{"token": {cmd.Token}, "team_id": {teamID}, "team_domain": {s.teams[teamID].Name}, "channel_id": {ch.ID}, "channel_name": {ch.Name},
		"user_id": {u.ID}, "user_name": {u.Username}, "command": {"/" + trigger}, "text": {strings.TrimSpace(text)}, "trigger_id": {s.newID("tri")},
		"root_id": {root}, "response_url": {s.URL() + "/hooks/commands/" + id}}
	life := s.life
	s.mu.Unlock()

	status, raw, err := s.callBack(life, cmd.URL, "application/x-www-form-urlencoded", cmd.Token, []byte(form.Encode()))
	answer, ok := readAnswer(raw)
	switch {
	case err == nil && status != http.StatusOK:
		return Ran{Status: http.StatusInternalServerError, Error: fmt.Sprintf("Command with a trigger of '%s' returned response %d %s.", trigger, status, http.StatusText(status))}
	case err != nil, !ok:
		return Ran{Status: http.StatusInternalServerError, Error: fmt.Sprintf("Command with a trigger of '%s' failed.", trigger)}
	case len(raw) == 0:
		return Ran{Status: http.StatusInternalServerError, Error: fmt.Sprintf("Command with a trigger of '%s' returned an empty response.", trigger)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver(s.hooks[id], answer)
	return Ran{Status: http.StatusOK, Answer: answer.Text, Ephemeral: answer.Type != "in_channel"}
}

// deliver shows the answer to a command: to the person alone, or as a post that
// bears the person's name and is marked as a webhook's. Without a text nothing
// shows.
func (s *Server) deliver(h *hook, a commandAnswer) {
	ch := s.channels[h.channel]
	if a.Text == "" || ch == nil {
		return
	}
	if a.Type != "in_channel" {
		s.show(Seen{User: h.user, Channel: ch.ID, Root: h.root, Text: a.Text})
		return
	}
	p := s.blank(ch, h.user)
	p.Message, p.RootID = a.Text, h.root
	p.addProp("from_webhook", "true")
	s.publish(ch, p)
}

// commandHook takes a later answer to a slash command.
func (s *Server) commandHook(c *call) (any, error) {
	id := c.vars["hook"]
	failed := refuse(http.StatusBadRequest, "web.command_webhook.general.app_error", "Failed to handle command webhook %s.", id)
	h := s.hooks[id]
	if h == nil || s.opts.Now().Sub(h.at) > hookLife {
		failed.status = http.StatusNotFound
		return nil, failed
	}
	a, ok := readAnswer(c.body)
	if !ok || len(c.body) == 0 {
		return nil, refuse(http.StatusBadRequest, "web.command_webhook.parse.app_error", "Unable to parse incoming data for webhook %s.", id)
	}
	if h.used >= hookUses || len([]rune(a.Text)) > s.opts.MaxPost {
		return nil, failed
	}
	h.used++
	s.deliver(h, a)
	return plain("ok"), nil
}

// A Seen is something that one person alone sees.
type Seen struct {
	User    string
	Channel string
	Root    string
	Text    string
}

func (s *Server) show(v Seen) {
	s.seen = append(s.seen, v)
	s.wake()
}

// Seen returns what a person alone has seen, oldest first.
func (s *Server) Seen(user string) []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Seen
	for _, v := range s.seen {
		if v.User == cmp.Or(user, v.User) {
			list = append(list, v)
		}
	}
	return list
}
