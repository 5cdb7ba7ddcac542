package mattermost

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels"
)

// lookBack is how many pages of posts are looked through for one of ours that
// may have arrived.
const lookBack = 5

// Send implements [channels.Channel]. Unless TakeTurn has, it waits for the
// chat's turn first; the time limit of a request begins after that.
func (c *Channel) Send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	if err := c.mine(p.To); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: err}
	}
	return c.pacer.Send(ctx, p, c.send)
}

// TakeTurn implements [channels.TurnTaker].
func (c *Channel) TakeTurn(ctx context.Context, to channels.Address, waits func() error) error {
	if c.mine(to) != nil {
		return ctx.Err() // Send will refuse it
	}
	return c.pacer.TakeTurn(ctx, to, waits)
}

// personMark stands before the id of a person in the address of a direct chat
// whose own id is not known yet.
const personMark = "@"

// mine checks that an address is one of this account.
func (c *Channel) mine(a channels.Address) error {
	if a.Channel() != Kind || a.Account() != c.opts.Account {
		return fmt.Errorf("mattermost: the address belongs to account %q of channel %q", a.Account(), a.Channel())
	}
	if person, _, ok := asker(a); ok && person == "" {
		return errors.New("mattermost: the address does not name who alone may read the answer")
	}
	if !isID(strings.TrimPrefix(a.Chat(), personMark)) || a.Thread() != "" && !isID(a.Thread()) {
		return errors.New("mattermost: the address holds no id of a channel or thread")
	}
	return nil
}

// Direct implements [channels.Finder]: the chat with a person is made by the
// server when something is sent to it.
func (c *Channel) Direct(person string) (channels.Address, error) {
	if !isID(person) {
		return channels.Address{}, fmt.Errorf("mattermost: %q is not the id of a person", person)
	}
	return channels.NewAddress(Kind, c.opts.Account, personMark+person, "", "")
}

// chat returns the channel and the thread to post to. What is meant for one
// person's eyes never goes to the chat in which it was asked, also when the
// server takes no answer to the command any more: it goes to the direct chat.
func (c *Channel) chat(ctx context.Context, a channels.Address) (chat, thread string, err error) {
	person, direct := strings.CutPrefix(a.Chat(), personMark)
	if only, _, ok := asker(a); ok {
		person, direct = only, true
	} else if direct {
		thread = a.Thread()
	}
	if !direct {
		return a.Chat(), a.Thread(), nil
	}
	chat, err = c.dir.directChannel(ctx, person)
	return chat, thread, err
}

// hash names a post of ours for the server. It is the same for the same part
// after a restart.
func (c *Channel) hash(p channels.Post) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s", c.opts.Account, p.To.Chat(), p.To.Thread(), p.Key))
	return hex.EncodeToString(sum[:16])
}

// send posts p once.
func (c *Channel) send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	if _, name, ok := asker(p.To); ok {
		if h, ok := c.hooks.take(name); ok {
			return c.respond(ctx, h, p)
		}
	}
	n, err := c.compose(ctx, p)
	if err != nil {
		return channels.Receipt{}, c.askError(err)
	}
	if err := c.server.tooLong(n.Message); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: err, Remedy: c.texts.Say("mattermost.post_size_remedy")}
	}
	return c.create(ctx, p, n)
}

// create sends a post, unless it turns out to be there already.
func (c *Channel) create(ctx context.Context, p channels.Post, n *model.Post) (channels.Receipt, error) {
	if p.Again {
		found, err := c.find(ctx, n.ChannelId, c.hash(p))
		if err != nil {
			// The earlier try stays as unsure as it was.
			return channels.Receipt{}, c.askError(err)
		}
		if found != "" {
			return channels.Receipt{Remote: found}, nil
		}
	}
	var sent post
	err := c.client.call(ctx, http.MethodPost, "/posts", n, &sent)
	if err == nil && !isID(sent.ID) {
		err = &failure{op: "POST /posts", kind: garbled, text: "the answer names no post"}
	}
	if err != nil {
		return channels.Receipt{}, c.sendError(err)
	}
	// An earlier try under the same key has another copy of the file.
	if len(sent.FileIDs.value) < len(n.FileIds) {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: errors.New("mattermost: the post was made without its file")}
	}
	return channels.Receipt{Remote: sent.ID}, nil
}

// compose makes the post of the interface from one of ours.
func (c *Channel) compose(ctx context.Context, p channels.Post) (*model.Post, error) {
	chat, thread, err := c.chat(ctx, p.To)
	if err != nil {
		return nil, err
	}
	hash := c.hash(p)
	n := &model.Post{ChannelId: chat, RootId: thread, PendingPostId: Kind + ":" + hash, Message: c.message(p)}
	n.AddProp(keyProp, hash)
	if len(p.Body.Buttons) > 0 {
		if c.buttonsWork(ctx) {
			n.AddProp(attachmentsProp, c.attachments(chat, hash, p.Body.Buttons))
		} else {
			n.Message = c.withWords(n.Message, p.Body.Buttons)
		}
	}
	return n, nil
}

// message returns the text of a post as it goes out. Mattermost reads all text
// as Markdown, so that what is not marked up has to be escaped.
func (c *Channel) message(p channels.Post) string {
	b := p.Body
	if !p.Plain && (b.Mode != "" || b.Text != b.Plain) {
		return harmlessWithin(b.Text, c.opts.MaxPost)
	}
	if s := harmless(escape(b.Plain)); utf8.RuneCountInString(s) <= c.opts.MaxPost {
		return s
	}
	return harmlessWithin(b.Plain, c.opts.MaxPost)
}

// find looks for a post of ours by its hash among the last ones of a chat;
// "" when it is not among them.
func (c *Channel) find(ctx context.Context, chat, hash string) (string, error) {
	before := ""
	for range lookBack {
		path := fmt.Sprintf("/channels/%s/posts?per_page=%d", chat, pageSize)
		if before != "" {
			path += "&before=" + url.QueryEscape(before)
		}
		var list struct {
			Order []string        `json:"order"`
			Posts map[string]post `json:"posts"`
		}
		if err := c.client.call(ctx, http.MethodGet, path, nil, &list); err != nil {
			return "", err
		}
		for _, id := range list.Order {
			if list.Posts[id].Props.value.text(keyProp) != hash || !isID(id) {
				continue
			}
			var me user
			if err := c.client.call(ctx, http.MethodGet, "/users/me", nil, &me); err != nil {
				return "", err
			}
			if list.Posts[id].UserID == me.ID { // anybody can write properties
				return id, nil
			}
		}
		if len(list.Order) < pageSize {
			break
		}
		before = list.Order[len(list.Order)-1]
	}
	return "", nil
}

// Edit implements [channels.Editor]. What the server's policy does not let be
// edited any more is Refused.
func (c *Channel) Edit(ctx context.Context, p channels.Post, remote string) error {
	err := c.mine(p.To)
	if err == nil && !isID(remote) {
		err = errors.New("mattermost: not the id of a post")
	}
	if err != nil {
		return &channels.SendError{Class: channels.Refused, Err: err}
	}
	_, err = c.pacer.Send(ctx, p, func(ctx context.Context, p channels.Post) (channels.Receipt, error) {
		return channels.Receipt{Remote: remote}, c.edit(ctx, p, remote)
	})
	return err
}

func (c *Channel) edit(ctx context.Context, p channels.Post, remote string) error {
	var old post
	if err := c.client.call(ctx, http.MethodGet, "/posts/"+remote, nil, &old); err != nil {
		return c.editError(c.askError(err))
	}
	n, err := c.compose(ctx, p)
	if err != nil {
		return c.askError(err)
	}
	// What the server and others keep at the post stays; the name under which it
	// was sent stays as well, since a send may still be looked for by it.
	all := make(map[string]any)
	for name, v := range old.Props.value {
		all[name] = v
	}
	delete(all, attachmentsProp)
	if name := old.Props.value.text(keyProp); name != "" && n.GetProp(attachmentsProp) != nil {
		n.AddProp(attachmentsProp, c.attachments(n.ChannelId, name, p.Body.Buttons))
	}
	for name, v := range n.GetProps() {
		if _, has := all[name]; !has {
			all[name] = v
		}
	}
	kept := model.StringInterface(all)
	patch := model.PostPatch{Message: &n.Message, Props: &kept}
	var done post
	err = c.client.call(ctx, http.MethodPut, "/posts/"+remote+"/patch", patch, &done)
	if err == nil && done.ID != remote {
		err = &failure{op: "PUT /posts/…/patch", kind: garbled, text: "the answer names another post"}
	}
	if err != nil {
		return c.editError(c.sendError(err))
	}
	return nil
}

// editError makes every refusal of an edit one that leaves the message as it
// is.
func (c *Channel) editError(se *channels.SendError) error {
	if se.Class == channels.Gone {
		se.Class, se.Remedy = channels.Refused, ""
	}
	return se
}
