package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
	"outheis/formatting"
)

const (
	// maxText is the most that a message holds, in code points
	// (discord/discord-api-docs#1315).
	maxText   = 2000
	maxLabel  = 80
	perRow    = 5
	maxRows   = 5
	personTag = "@"
	suppress  = discordgo.MessageFlagsSuppressEmbeds
)

// An outgoing is a message as it is sent or put in the place of another. It is
// made by compose or bare, and leaves by write, which lets none mention anybody.
type outgoing struct {
	Content    string                           `json:"content"`
	Components []discordgo.MessageComponent     `json:"components"`
	Mentions   discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Flags      discordgo.MessageFlags           `json:"flags,omitempty"`
	Nonce      string                           `json:"nonce,omitempty"`
	Enforce    bool                             `json:"enforce_nonce,omitempty"`
	Reference  *discordgo.MessageReference      `json:"message_reference,omitempty"`
	Attached   []attached                       `json:"attachments,omitempty"`
}

// attached describes a file that goes along.
type attached struct {
	ID   string `json:"id"` // the number of its part
	Name string `json:"filename"`
}

// sent is what Discord answers.
type sent struct {
	ID string `json:"id"`
}

// Send implements [channels.Channel]. Unless TakeTurn has, it waits for the
// channel's turn first; the time limit of a request begins after that.
//
// A post that may have arrived is sent again with the same nonce, for which
// Discord returns the message that is there. It remembers nonces for some
// minutes only; therefore a post that is marked Again is looked for first.
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

// mine checks that an address is one of this account.
func (c *Channel) mine(a channels.Address) error {
	if a.Channel() != Kind || a.Account() != c.opts.Account {
		return fmt.Errorf("discord: the address belongs to account %q of channel %q", a.Account(), a.Channel())
	}
	if _, err := parseID(strings.TrimPrefix(a.Chat(), personTag)); err != nil {
		return errors.New("discord: the address holds no channel id")
	}
	if a.Thread() != "" {
		if _, err := parseID(a.Thread()); err != nil {
			return errors.New("discord: the address holds no thread id")
		}
	}
	return nil
}

// Direct implements [channels.Finder]: the direct channel with a person is
// opened when something is sent there.
func (c *Channel) Direct(person string) (channels.Address, error) {
	if _, err := parseID(person); err != nil {
		return channels.Address{}, fmt.Errorf("discord: %q is not the id of a person", person)
	}
	return channels.NewAddress(Kind, c.opts.Account, personTag+person, "", "")
}

// target returns the channel that an address means.
func (c *Channel) target(ctx context.Context, a channels.Address) (string, error) {
	if a.Thread() != "" {
		return a.Thread(), nil
	}
	person, direct := strings.CutPrefix(a.Chat(), personTag)
	if !direct {
		return a.Chat(), nil
	}
	return c.directWith(ctx, person)
}

// directWith returns the direct channel with a person, which is opened where we
// do not know it. Opening it shows nothing to anybody.
func (c *Channel) directWith(ctx context.Context, person string) (string, error) {
	if channel := c.marks.with(person); channel != "" {
		return channel, nil
	}
	var opened room
	_, err := c.client.do(ctx, call{
		what: "open a direct channel", method: http.MethodPost, path: "/users/@me/channels",
		body: map[string]string{"recipient_id": person},
	}, &opened)
	if err != nil {
		return "", err
	}
	if _, err := parseID(opened.ID); err != nil {
		return "", &failure{what: "open a direct channel", kind: foreign, text: errForm.Error()}
	}
	c.marks.meet(person, opened.ID)
	return opened.ID, nil
}

// compose makes the message of a post.
func (c *Channel) compose(p channels.Post) (outgoing, *channels.SendError) {
	text := p.Body.Text
	if p.Plain || p.Body.Mode == "" {
		text = literal(p.Body)
	}
	if n := utf8.RuneCountInString(text); n > maxText {
		return outgoing{}, &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("discord: the text has %d characters, more than %d", n, maxText)}
	}
	o := bare(text)
	o.Components = rows(p.Body.Buttons)
	if !c.previews(text) {
		o.Flags = suppress
	}
	return o, nil
}

// bare returns a message that mentions nobody, whatever stands in its text.
func bare(text string) outgoing {
	return outgoing{
		Content: text, Components: []discordgo.MessageComponent{},
		Mentions: discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
	}
}

// literal returns the plain form of a part so that none of it acts as markup. A
// text that would get too long by that is left as it is: no word may be lost.
func literal(b formatting.Part) string {
	if escaped := escape(b.Plain); utf8.RuneCountInString(escaped) <= maxText {
		return escaped
	}
	return b.Plain
}

// rows lays buttons out, at most five in a row and five rows.
func rows(buttons []formatting.Button) []discordgo.MessageComponent {
	all := []discordgo.MessageComponent{}
	for row := range slices.Chunk(buttons[:min(len(buttons), perRow*maxRows)], perRow) {
		var line discordgo.ActionsRow
		for _, b := range row {
			label := []rune(b.Label)
			line.Components = append(line.Components, discordgo.Button{
				Label: string(label[:min(len(label), maxLabel)]), Style: discordgo.SecondaryButton, CustomID: b.ID,
			})
		}
		all = append(all, line)
	}
	return all
}

// linkForm finds what Discord makes a preview of.
var linkForm = regexp.MustCompile(`(?i)https?://(?:[^\s/@?#]*@)?([^\s/:?#<>()\[\]|*]+)`)

// previews reports whether a text may show previews: all its links lead to
// known hosts.
func (c *Channel) previews(text string) bool {
	for _, m := range linkForm.FindAllStringSubmatch(text, -1) {
		host := strings.ToLower(strings.TrimRight(m[1], "."))
		known := slices.ContainsFunc(c.opts.KnownHosts, func(k string) bool {
			k = strings.ToLower(k)
			return host == k || strings.HasSuffix(host, "."+k)
		})
		if !known {
			return false
		}
	}
	return true
}

// nonce returns what Discord knows a post by. It takes 25 characters.
func nonce(p channels.Post) string {
	sum := sha256.Sum256([]byte(p.To.Chat() + "\x00" + p.To.Thread() + "\x00" + p.Key))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// send posts p once.
func (c *Channel) send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	o, refused := c.compose(p)
	if refused != nil {
		return channels.Receipt{}, refused
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	if id, ok := strings.CutPrefix(p.To.Private(), answerTo); ok {
		if receipt, err, answered := c.answer(ctx, id, p, o); answered {
			return receipt, err
		}
	}
	return c.post(ctx, p, o, nil)
}

// post sends o as a message of its own.
func (c *Channel) post(ctx context.Context, p channels.Post, o outgoing, file *filePart) (channels.Receipt, error) {
	channel, err := c.target(ctx, p.To)
	if err != nil {
		// Opening a channel sends nothing to anybody.
		se := c.sendError(err)
		if se.Class == channels.Unsure {
			se.Class = channels.NotSent
		}
		return channels.Receipt{}, se
	}
	if id, ok := strings.CutPrefix(p.To.Private(), replyTo); ok {
		if _, err := parseID(id); err == nil {
			goOn := false
			o.Reference = &discordgo.MessageReference{MessageID: id, FailIfNotExists: &goOn}
		}
	}
	o.Nonce, o.Enforce = nonce(p), true
	if p.Again {
		id, err := c.arrived(ctx, channel, p, o, file)
		if err != nil {
			// The earlier try stays as unsure as it was; this one sends nothing.
			se := c.sendError(err)
			if se.Class == channels.Unsure {
				se.Class = channels.NotSent
			}
			return channels.Receipt{}, se
		}
		if id != "" {
			return channels.Receipt{Remote: id}, nil
		}
	}
	c.sent.begin(o.Nonce, c.health.clock(c.opts.Now()))
	receipt, err := c.write(ctx, p.To, call{what: "create message", method: http.MethodPost, path: "/channels/" + channel + "/messages", file: file}, o)
	if err == nil {
		c.sent.end(o.Nonce, receipt.Remote)
	}
	return receipt, err
}

// answer makes o the answer to an interaction, unless another post is it. The
// first result to count is answered.
func (c *Channel) answer(ctx context.Context, id string, p channels.Post, o outgoing) (channels.Receipt, error, bool) {
	token := c.actions.take(ctx, id, p.Key, c.opts.Now())
	app := c.whoami().app
	if token == "" || app == "" {
		return channels.Receipt{}, nil, false
	}
	receipt, err := c.write(ctx, p.To, call{
		what: "answer an interaction", method: http.MethodPatch, secret: token,
		path: "/webhooks/" + app + "/" + token + "/messages/@original",
	}, o)
	var f *failure
	if errors.As(err, &f) && (f.is(discordgo.ErrCodeUnknownWebhook, codeInteractionGone, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeInvalidWebhookTokenProvided)) {
		c.actions.shut(id)
		return channels.Receipt{}, nil, false
	}
	if err == nil {
		c.sent.end(nonce(p), receipt.Remote)
	}
	return receipt, err, true
}

// write is the one function through which messages leave: new ones, changed
// ones, answers to interactions, and those with a file.
func (c *Channel) write(ctx context.Context, to channels.Address, k call, o outgoing) (channels.Receipt, error) {
	o.Mentions = discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
	k.body = o
	var answer sent
	q, err := c.client.do(ctx, k, &answer)
	if q.known && q.remaining == 0 {
		c.pacer.Hold(to, q.reset)
	}
	if err == nil {
		if _, bad := parseID(answer.ID); bad != nil {
			err = &failure{what: k.what, kind: garbled, text: "the answer names no message"}
		}
	}
	if err != nil {
		se := c.sendError(err)
		if se.Class == channels.Misconfigured {
			c.doubt()
		}
		return channels.Receipt{}, se
	}
	return channels.Receipt{Remote: answer.ID}, nil
}

// Edit implements [channels.Editor]. Discord takes few edits of messages that
// are older than an hour; one too many is Refused.
func (c *Channel) Edit(ctx context.Context, p channels.Post, remote string) error {
	if err := c.mine(p.To); err != nil {
		return &channels.SendError{Class: channels.Refused, Err: err}
	}
	if _, err := parseID(remote); err != nil {
		return &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("discord: edit: %w", err)}
	}
	_, err := c.pacer.Send(ctx, p, func(ctx context.Context, p channels.Post) (channels.Receipt, error) {
		return c.edit(ctx, p, remote)
	})
	return err
}

func (c *Channel) edit(ctx context.Context, p channels.Post, remote string) (channels.Receipt, error) {
	o, refused := c.compose(p)
	if refused != nil {
		return channels.Receipt{}, refused
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	channel, err := c.target(ctx, p.To)
	if err != nil {
		return channels.Receipt{}, c.sendError(err)
	}
	receipt, err := c.write(ctx, p.To, call{what: "change a message", method: http.MethodPatch, path: "/channels/" + channel + "/messages/" + remote}, o)
	var f *failure
	if errors.As(err, &f) && f.is(discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeCannotEditFromAnotherUser) {
		return receipt, &channels.SendError{Class: channels.Refused, Err: f}
	}
	return receipt, err
}
