package telegram

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"outheis/channels"
)

// bot is what getMe says of us.
type bot struct {
	user
	ReadsAll bool `json:"can_read_all_group_messages"`
}

// Check implements [channels.Checker]: it asks who the bot is, whether Telegram
// brings updates where they are waited for, what the bot sees in groups, which
// commands are offered, and whether the groups of the options can be reached.
func (c *Channel) Check(ctx context.Context) []channels.Finding {
	say := c.texts.Say
	var me bot
	if err := c.ask(ctx, "getMe", nil, &me); err != nil {
		return []channels.Finding{c.unasked(err)}
	}
	all := []channels.Finding{{Level: channels.Green, Text: say("telegram.check_bot", "@"+me.Username)}}
	all = append(all, c.checkWebhook(ctx), c.checkPrivacy(me), c.checkMenu(ctx))
	for _, group := range c.opts.Groups {
		all = append(all, c.checkGroup(ctx, me, group))
	}
	return all
}

// unasked is the finding of a question that was not answered.
func (c *Channel) unasked(err error) channels.Finding {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{text: channels.Scrub(err.Error(), c.opts.Token())}
	}
	if f.wrongToken() {
		return channels.Finding{Level: channels.Red, Text: c.texts.Say("telegram.token_wrong"), Remedy: c.texts.Say("telegram.token_wrong_remedy")}
	}
	reason, remedy := c.silent(trouble(f), f.text)
	return channels.Finding{Level: channels.Red, Text: reason, Remedy: remedy}
}

// checkWebhook looks whether a webhook is set where one is wanted, and none
// where not.
func (c *Channel) checkWebhook(ctx context.Context) channels.Finding {
	say := c.texts.Say
	var info webhookInfo
	if err := c.ask(ctx, "getWebhookInfo", nil, &info); err != nil {
		return c.unasked(err)
	}
	switch {
	case c.opts.Webhook == nil && info.URL == "":
		return channels.Finding{Level: channels.Green, Text: say("telegram.check_poll", info.Pending)}
	case c.opts.Webhook == nil && ours(info.URL):
		return channels.Finding{Level: channels.Yellow, Text: say("telegram.check_old_hook"), Remedy: say("telegram.check_old_hook_remedy")}
	case c.opts.Webhook == nil:
		return channels.Finding{Level: channels.Red, Text: say("telegram.webhook"), Remedy: say("telegram.webhook_remedy")}
	case info.URL == "":
		return channels.Finding{Level: channels.Yellow, Text: say("telegram.check_no_hook"), Remedy: say("telegram.check_no_hook_remedy")}
	case info.URL != c.opts.Webhook.marked():
		return channels.Finding{Level: channels.Red, Text: say("telegram.webhook"), Remedy: say("telegram.webhook_remedy")}
	case info.Pending > 0 && info.LastError != "":
		return channels.Finding{Level: channels.Red, Text: say("telegram.hook", channels.Scrub(info.LastError, c.opts.Token())), Remedy: say("telegram.hook_remedy")}
	}
	if n := c.strangers.Load(); n > 0 {
		return channels.Finding{Level: channels.Yellow, Text: say("telegram.check_strangers", n), Remedy: say("telegram.check_strangers_remedy")}
	}
	return channels.Finding{Level: channels.Green, Text: say("telegram.check_hook", info.Pending)}
}

// checkPrivacy says what the bot sees in groups.
func (c *Channel) checkPrivacy(me bot) channels.Finding {
	say := c.texts.Say
	switch {
	case me.ReadsAll:
		return channels.Finding{Level: channels.Green, Text: say("telegram.check_reads_all")}
	case c.opts.AllMessages:
		return channels.Finding{Level: channels.Yellow, Text: say("telegram.privacy"), Remedy: say("telegram.privacy_remedy")}
	}
	return channels.Finding{Level: channels.Green, Text: say("telegram.check_privacy")}
}

// checkMenu says how many commands are offered.
func (c *Channel) checkMenu(ctx context.Context) channels.Finding {
	var there []menuEntry
	if err := c.ask(ctx, "getMyCommands", menuKey{scope: "all_private_chats"}.args(), &there); err != nil {
		return c.unasked(err)
	}
	return channels.Finding{Level: channels.Green, Text: c.texts.Say("telegram.check_menu", len(there))}
}

// checkGroup looks whether the bot is in a group and may write there.
func (c *Channel) checkGroup(ctx context.Context, me bot, group string) channels.Finding {
	say := c.texts.Say
	var where chat
	err := c.ask(ctx, "getChat", params{"chat_id": group}, &where)
	var member struct {
		Status   string `json:"status"`
		MayWrite bool   `json:"can_send_messages"`
	}
	if err == nil {
		err = c.ask(ctx, "getChatMember", params{"chat_id": group, "user_id": account(&me.user).ID}, &member)
	}
	var f *failure
	if errors.As(err, &f) && f.kind == answered && !f.wrongToken() && f.retryAfter == 0 {
		se := c.sendError(err, channels.Post{}, false)
		return channels.Finding{Level: channels.Red, Text: say("telegram.check_group_gone", group, f.text), Remedy: cmp.Or(se.Remedy, say("telegram.closed_remedy"))}
	}
	if err != nil {
		return c.unasked(err)
	}
	name := strings.TrimSpace(where.Title + " (" + group + ")")
	switch {
	case member.Status == "left" || member.Status == "kicked", member.Status == "restricted" && !member.MayWrite:
		return channels.Finding{Level: channels.Red, Text: say("telegram.check_group_closed", name), Remedy: say("telegram.closed_remedy")}
	case c.opts.AllMessages && !me.ReadsAll && member.Status == "member":
		return channels.Finding{Level: channels.Yellow, Text: say("telegram.check_group_private", name), Remedy: say("telegram.privacy_remedy")}
	}
	return channels.Finding{Level: channels.Green, Text: say("telegram.check_group", name)}
}
