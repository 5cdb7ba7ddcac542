package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
)

// needed are the permissions that we ask for.
const needed = uint64(discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
	discordgo.PermissionReadMessageHistory | discordgo.PermissionAttachFiles | discordgo.PermissionAddReactions)

// Check implements [channels.Checker]: the token, what the portal lets us see,
// how many sessions are left today, the guilds, and the channels of
// [Options.Watch].
func (c *Channel) Check(ctx context.Context) []channels.Finding {
	say := c.texts.Say
	app, err := c.askApplication(ctx)
	if err != nil {
		return []channels.Finding{c.unasked(err)}
	}
	all := []channels.Finding{{Level: channels.Green, Text: say("discord.check_token", app.Bot.value.Username.value)}}
	if app.mayReadContents() {
		all = append(all, channels.Finding{Level: channels.Green, Text: say("discord.check_content")})
	} else {
		all = append(all, channels.Finding{Level: channels.Red, Text: say("discord.content"), Remedy: c.contentRemedy()})
	}
	all = append(all, c.checkBudget(ctx), c.checkGuilds(ctx))
	for _, channel := range c.opts.Watch {
		all = append(all, c.checkChannel(ctx, channel))
	}
	return all
}

// unasked is the finding of a question that was not answered.
func (c *Channel) unasked(err error) channels.Finding {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{text: channels.Scrub(err.Error(), c.opts.Token())}
	}
	reason, remedy := c.silent(trouble(f), f.text)
	if f.wrongToken() {
		reason, remedy = c.badToken()
	}
	return channels.Finding{Level: channels.Red, Text: reason, Remedy: remedy}
}

// badToken says what is wrong with the token, and what to do about it.
func (c *Channel) badToken() (reason, remedy string) {
	say := c.texts.Say
	if !tokenShape.MatchString(c.opts.Token()) {
		return say("discord.token_form"), say("discord.token_form_remedy") // Discord was not even asked
	}
	return say("discord.token_wrong"), say("discord.token_wrong_remedy")
}

// checkBudget looks at how many sessions may be started today.
func (c *Channel) checkBudget(ctx context.Context) channels.Finding {
	say := c.texts.Say
	var answer struct {
		Limit struct {
			Total     int `json:"total"`
			Remaining int `json:"remaining"`
		} `json:"session_start_limit"`
	}
	if err := c.get(ctx, "find the gateway", "/gateway/bot", &answer); err != nil {
		return c.unasked(err)
	}
	l := answer.Limit
	if l.Remaining < lowBudget {
		return channels.Finding{Level: channels.Yellow, Text: say("discord.budget_low", l.Remaining), Remedy: say("discord.budget_low_remedy")}
	}
	return channels.Finding{Level: channels.Green, Text: say("discord.check_budget", l.Remaining, l.Total)}
}

// checkGuilds looks at where we are.
func (c *Channel) checkGuilds(ctx context.Context) channels.Finding {
	say := c.texts.Say
	var guilds []guild
	if err := c.get(ctx, "read the guilds", "/users/@me/guilds", &guilds); err != nil {
		return c.unasked(err)
	}
	if len(guilds) == 0 {
		return channels.Finding{Level: channels.Red, Text: say("discord.no_guild"), Remedy: say("discord.no_guild_remedy", c.inviteURL())}
	}
	var names []string
	for _, g := range guilds[:min(len(guilds), 10)] {
		names = append(names, clip(channels.Scrub(g.Name.value), 40))
	}
	if len(guilds) > 10 {
		names = append(names, "…")
	}
	return channels.Finding{Level: channels.Green, Text: say("discord.check_guilds", len(guilds), strings.Join(names, ", "))}
}

// A permitted is a channel with what is allowed there.
type permitted struct {
	room
	Name       maybe[string]      `json:"name"`
	Overwrites maybe[[]overwrite] `json:"permission_overwrites"`
}

type overwrite struct {
	ID    string      `json:"id"`
	Type  maybe[int]  `json:"type"`
	Allow permissions `json:"allow"`
	Deny  permissions `json:"deny"`
}

// permissions are a set that Discord writes as a number in a string.
type permissions uint64

// UnmarshalJSON implements [json.Unmarshaler].
func (p *permissions) UnmarshalJSON(b []byte) error {
	_, err := fmt.Sscan(strings.Trim(string(b), `"`), (*uint64)(p))
	return err
}

// checkChannel looks at what we may do in one channel.
func (c *Channel) checkChannel(ctx context.Context, id string) channels.Finding {
	say := c.texts.Say
	unseen := channels.Finding{Level: channels.Red, Text: say("discord.check_channel_unseen", id), Remedy: say("discord.closed_remedy")}
	var ch permitted
	if err := c.get(ctx, "read a channel", "/channels/"+id, &ch); err != nil {
		var g guild
		if c.get(ctx, "read a guild", "/guilds/"+id, &g) == nil && g.ID == id {
			return channels.Finding{Level: channels.Green, Text: say("discord.check_guild", clip(channels.Scrub(g.Name.value), 60))}
		}
		var f *failure
		if errors.As(err, &f) && f.kind != answered {
			return c.unasked(err)
		}
		return unseen
	}
	if ch.GuildID == "" {
		return channels.Finding{Level: channels.Green, Text: say("discord.check_channel", id)}
	}
	if ch.set().thread() && ch.Parent.value != "" {
		var parent permitted
		if err := c.get(ctx, "read a channel", "/channels/"+ch.Parent.value, &parent); err != nil {
			return unseen
		}
		ch.Overwrites = parent.Overwrites
	}
	held, err := c.held(ctx, ch)
	if err != nil {
		return unseen
	}
	name := clip(channels.Scrub(ch.Name.value), 60)
	var missing []string
	for _, one := range []struct {
		bit  uint64
		name string
	}{
		{discordgo.PermissionViewChannel, say("discord.may_view")},
		{sendBit(ch.set()), say("discord.may_send")},
		{discordgo.PermissionReadMessageHistory, say("discord.may_history")},
		{discordgo.PermissionAttachFiles, say("discord.may_attach")},
	} {
		if held&one.bit == 0 {
			missing = append(missing, one.name)
		}
	}
	if len(missing) == 0 {
		return channels.Finding{Level: channels.Green, Text: say("discord.check_channel", name)}
	}
	return channels.Finding{
		Level: channels.Red, Text: say("discord.check_channel_lacks", name, strings.Join(missing, ", ")), Remedy: say("discord.closed_remedy"),
	}
}

func (p permitted) set() place {
	return place{guild: p.GuildID, kind: discordgo.ChannelType(p.Type.value)}
}

func sendBit(at place) uint64 {
	if at.thread() {
		return discordgo.PermissionSendMessagesInThreads
	}
	return discordgo.PermissionSendMessages
}

// held returns our permissions in a channel: those of our roles in the guild,
// changed by the channel for everyone, for our roles, and for us
// (discord.com/developers/docs/topics/permissions).
func (c *Channel) held(ctx context.Context, ch permitted) (uint64, error) {
	var g struct {
		Owner string `json:"owner_id"`
		Roles []struct {
			ID          string      `json:"id"`
			Permissions permissions `json:"permissions"`
		} `json:"roles"`
	}
	if err := c.get(ctx, "read a guild", "/guilds/"+ch.GuildID, &g); err != nil {
		return 0, err
	}
	me := c.whoami().user
	var m member
	if err := c.get(ctx, "read our membership", "/guilds/"+ch.GuildID+"/members/"+me, &m); err != nil {
		return 0, err
	}
	ours := map[string]bool{ch.GuildID: true} // the role of everyone has the guild's id
	for _, id := range m.Roles.value {
		ours[id] = true
	}
	var bits uint64
	for _, r := range g.Roles {
		if ours[r.ID] {
			bits |= uint64(r.Permissions)
		}
	}
	if g.Owner == me || bits&discordgo.PermissionAdministrator != 0 {
		return ^uint64(0), nil
	}
	apply := func(matches func(overwrite) bool) {
		var allow, deny uint64
		for _, o := range ch.Overwrites.value {
			if matches(o) {
				allow |= uint64(o.Allow)
				deny |= uint64(o.Deny)
			}
		}
		bits = bits&^deny | allow
	}
	apply(func(o overwrite) bool { return o.ID == ch.GuildID })
	apply(func(o overwrite) bool { return o.Type.value == 0 && o.ID != ch.GuildID && ours[o.ID] })
	apply(func(o overwrite) bool { return o.Type.value == 1 && o.ID == me })
	return bits, nil
}
