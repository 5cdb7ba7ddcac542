package mattermost

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// notify is what a user is notified of by default.
var notify = map[string]string{"channel": "true", "comments": "never", "desktop": "mention", "desktop_sound": "true", "desktop_threads": "all",
	"email": "true", "email_threads": "all", "first_name": "false", "mention_keys": "", "push": "mention", "push_status": "online", "push_threads": "all"}

func (s *Server) getUser(c *call) (any, error) {
	id, err := c.id(s, "user")
	if err != nil {
		return nil, err
	}
	u, ok := s.users[id]
	if !ok {
		return nil, unknownUser()
	}
	if id != s.bot.ID {
		return *u, nil
	}
	return struct {
		User
		Notify   map[string]string `json:"notify_props"`
		Password int64             `json:"last_password_update"`
	}{*u, notify, u.CreateAt}, nil
}

func (s *Server) getUserByName(c *call) (any, error) {
	for _, u := range s.users {
		if u.Username == strings.ToLower(c.vars["name"]) {
			return *u, nil
		}
	}
	return nil, unknownUser()
}

func (s *Server) getUsersByIDs(c *call) (any, error) {
	var ids []string
	if err := c.decode(&ids, "user_ids"); err != nil || len(ids) == 0 {
		return nil, badBody("user_ids")
	}
	return s.pick(func(u *User) bool { return slices.Contains(ids, u.ID) }), nil
}

func (s *Server) getUsersByNames(c *call) (any, error) {
	var names []string
	if err := c.decode(&names, "usernames"); err != nil || len(names) == 0 {
		return nil, badBody("usernames")
	}
	return s.pick(func(u *User) bool { return slices.Contains(names, u.Username) }), nil
}

// pick lists the users that match, by name.
func (s *Server) pick(match func(*User) bool) []User {
	list := []User{}
	for _, u := range s.users {
		if match(u) {
			list = append(list, *u)
		}
	}
	slices.SortFunc(list, func(a, b User) int { return cmp.Compare(a.Username, b.Username) })
	return list
}

func (s *Server) statusOf(user string) map[string]any {
	return map[string]any{"user_id": user, "status": "online", "manual": false, "last_activity_at": s.millis(), "dnd_end_time": 0}
}

func (s *Server) getStatus(c *call) (any, error) {
	id, err := c.id(s, "user")
	if err != nil {
		return nil, err
	}
	return s.statusOf(id), nil
}

func (s *Server) putStatus(c *call) (any, error) {
	id, err := c.id(s, "user")
	if err != nil {
		return nil, err
	}
	if id != s.bot.ID {
		return nil, noPermission()
	}
	return s.statusOf(id), nil
}

func (s *Server) getStatusesByIDs(c *call) (any, error) {
	var ids []string
	if err := c.decode(&ids, "user_ids"); err != nil {
		return nil, err
	}
	list := []any{}
	for _, id := range ids {
		if _, ok := s.users[id]; ok {
			list = append(list, s.statusOf(id))
		}
	}
	return list, nil
}

// mine checks that a call is about the bot itself.
func (s *Server) mine(c *call) error {
	id, err := c.id(s, "user")
	switch {
	case err != nil:
		return err
	case id != s.bot.ID:
		return noPermission()
	}
	return nil
}

func (s *Server) myTeams() []*team {
	list := []*team{}
	for _, t := range s.teams {
		if t.members[s.bot.ID] && t.DeleteAt == 0 {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *team) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

func (s *Server) getUserTeams(c *call) (any, error) {
	if err := s.mine(c); err != nil {
		return nil, err
	}
	return s.myTeams(), nil
}

func (s *Server) getTeamMembers(c *call) (any, error) {
	if err := s.mine(c); err != nil {
		return nil, err
	}
	list := []any{}
	for _, t := range s.myTeams() {
		list = append(list, map[string]any{"team_id": t.ID, "user_id": s.bot.ID, "roles": "team_user", "delete_at": 0,
			"scheme_guest": false, "scheme_user": true, "scheme_admin": false, "explicit_roles": ""})
	}
	return list, nil
}

func (s *Server) getTeam(c *call) (any, error) {
	id, err := c.id(s, "team")
	if err != nil {
		return nil, err
	}
	t, ok := s.teams[id]
	switch {
	case !ok:
		return nil, refuse(http.StatusNotFound, "app.team.get.find.app_error", "Unable to find the existing team.")
	case !t.members[s.bot.ID]:
		return nil, noPermission()
	}
	return t, nil
}

func (s *Server) getTeamByName(c *call) (any, error) {
	for _, t := range s.teams {
		if t.Name == c.vars["name"] && t.members[s.bot.ID] {
			return t, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "app.team.get_by_name.missing.app_error", "Unable to find the existing team.")
}

func (s *Server) getConfig(*call) (any, error) {
	yes := func(b bool) string {
		if b {
			return "true"
		}
		return "false"
	}
	limit := "-1"
	if s.opts.NoEdits > 0 {
		limit = itoa(int64(s.opts.NoEdits.Seconds()))
	}
	return map[string]string{"Version": s.version, "BuildNumber": "fake", "SiteURL": s.URL(), "MaxPostSize": itoa(int64(s.opts.MaxPost)),
		"MaxFileSize": itoa(s.opts.MaxFile), "EnableFileAttachments": "true", "EnableCommands": yes(true), "EnableBotAccountCreation": "true",
		"EnablePostUsernameOverride": "false", "EnablePostIconOverride": "false", "PostEditTimeLimit": limit, "DefaultClientLocale": "de",
		"DiagnosticsEnabled": "false", "WebsocketURL": "", "CollapsedThreads": "always_on"}, nil
}

func (s *Server) getLicense(*call) (any, error) { return map[string]string{"IsLicensed": "false"}, nil }

func (s *Server) getPing(c *call) (any, error) {
	answer := map[string]string{"ActiveSearchBackend": "database", "AndroidLatestVersion": "", "AndroidMinVersion": "", "IosLatestVersion": "",
		"IosMinVersion": "", "status": "OK"}
	if c.r.URL.Query().Get("get_server_status") == "true" {
		answer["database_status"], answer["filestore_status"] = "OK", "OK"
	}
	return answer, nil
}
