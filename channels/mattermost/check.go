package mattermost

import (
	"context"
	"errors"
	"net/http"

	"outheis/channels"
)

// Check implements [channels.Checker]. The self-test of buttons makes a post
// in the account's chat with itself and deletes it again; it needs Run to run.
func (c *Channel) Check(ctx context.Context) []channels.Finding {
	var all []channels.Finding
	say := c.texts.Say
	find := func(level channels.State, text, remedy string) {
		all = append(all, channels.Finding{Level: level, Text: text, Remedy: remedy})
	}
	var me user
	if err := c.client.call(ctx, http.MethodGet, "/users/me", nil, &me); err != nil {
		var f *failure
		if !errors.As(err, &f) {
			f = &failure{kind: unreached, text: reason(err)}
		}
		t := trouble(f)
		text, remedy := c.silent(t, f.text)
		if t == troubleToken {
			text, remedy = say("mattermost.token_wrong"), say("mattermost.token_wrong_remedy")
		}
		find(channels.Red, text, remedy)
		return all
	}
	find(channels.Green, say("mattermost.check_account", me.Username), "")
	if !me.IsBot {
		find(channels.Yellow, say("mattermost.check_person"), say("mattermost.check_person_remedy"))
	}
	c.checkTeams(ctx, find)
	c.checkSocket(ctx, find)
	c.checkServer(ctx, find)
	c.checkButtons(ctx, me.ID, find)
	return all
}

// checkTeams looks where we are, and where we may not write.
func (c *Channel) checkTeams(ctx context.Context, find func(channels.State, string, string)) {
	say := c.texts.Say
	var teams []team
	if err := c.client.call(ctx, http.MethodGet, "/users/me/teams", nil, &teams); err != nil {
		find(channels.Yellow, say("mattermost.check_failed", reason(err)), say("mattermost.server_remedy"))
		return
	}
	if len(teams) == 0 {
		find(channels.Red, say("mattermost.check_no_team"), say("mattermost.check_no_team_remedy"))
		return
	}
	find(channels.Green, say("mattermost.check_teams", len(teams)), "")
	r := &receiver{c: c}
	chats, err := r.channels(ctx)
	if err != nil {
		find(channels.Yellow, say("mattermost.check_failed", reason(err)), say("mattermost.server_remedy"))
		return
	}
	if muted := c.muted(ctx, chats); muted > 0 {
		find(channels.Yellow, say("mattermost.check_muted", muted), say("mattermost.closed_remedy"))
	}
	find(channels.Green, say("mattermost.check_channels", len(chats)), "")
}

// muted counts the channels in which members may not write. Only servers with
// a licence have such.
func (c *Channel) muted(ctx context.Context, chats []channel) int {
	var licence map[string]string
	if c.client.call(ctx, http.MethodGet, "/license/client?format=old", nil, &licence) != nil || licence["IsLicensed"] != "true" {
		return 0
	}
	n := 0
	for _, ch := range chats {
		if ch.Type == "D" || ch.Type == "G" {
			continue
		}
		var moderated []struct {
			Name  string `json:"name"`
			Roles struct {
				Members *struct {
					Value bool `json:"value"`
				} `json:"members"`
			} `json:"roles"`
		}
		if c.client.call(ctx, http.MethodGet, "/channels/"+ch.ID+"/moderations", nil, &moderated) != nil {
			return n // not for everybody to ask
		}
		for _, m := range moderated {
			if m.Name == "create_post" && m.Roles.Members != nil && !m.Roles.Members.Value {
				n++
			}
		}
	}
	return n
}

// checkSocket opens a second connection and waits to be greeted.
func (c *Channel) checkSocket(ctx context.Context, find func(channels.State, string, string)) {
	token := c.opts.Token()
	s, err := dial(ctx, c.client, token)
	if err == nil {
		defer s.close()
		defer context.AfterFunc(ctx, s.close)()
		err = (&receiver{c: c}).hello(ctx, s, token)
	}
	if err != nil {
		find(channels.Red, c.texts.Say("mattermost.check_socket", reason(err)), c.texts.Say("mattermost.check_socket_remedy"))
		return
	}
	find(channels.Green, c.texts.Say("mattermost.check_socket_ok"), "")
}

// checkServer looks at what the server allows.
func (c *Channel) checkServer(ctx context.Context, find func(channels.State, string, string)) {
	say := c.texts.Say
	if err := c.server.refresh(ctx, c.client); err != nil {
		find(channels.Yellow, say("mattermost.check_failed", reason(err)), say("mattermost.server_remedy"))
		return
	}
	c.server.mu.Lock()
	version, post, noFiles := c.server.version, c.server.post, c.server.noFiles
	c.server.mu.Unlock()
	find(channels.Green, say("mattermost.check_version", version), "")
	if post > 0 && post < c.opts.MaxPost {
		find(channels.Yellow, say("mattermost.check_post_size", post), say("mattermost.post_size_remedy"))
	}
	if noFiles {
		find(channels.Yellow, say("mattermost.check_files"), say("mattermost.files_remedy"))
	}
}

// checkButtons has the server call us.
func (c *Channel) checkButtons(ctx context.Context, me string, find func(channels.State, string, string)) {
	say := c.texts.Say
	switch {
	case c.opts.PublicURL == "":
		find(channels.Green, say("mattermost.check_no_buttons"), "")
		return
	case c.opts.CommandToken == nil || c.opts.CommandToken() == "":
		find(channels.Yellow, say("mattermost.check_no_command"), say("mattermost.check_no_command_remedy", c.opts.PublicURL+"/command"))
	}
	if err := c.callBack(ctx, me); err != nil {
		find(channels.Yellow, say("mattermost.callback", reason(err)), say("mattermost.callback_remedy"))
		return
	}
	c.callback.works.Store(true)
	c.health.callback("")
	find(channels.Green, say("mattermost.check_buttons"), "")
}
