package mattermost

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels"
	"outheis/formatting"
)

// maxButtons is how many buttons stand well below a post; the server does not
// count them.
const maxButtons = 10

// A signature is the context of a button. The server keeps it to itself and
// hands it back when the button is pressed; the clients never see it.
type signature struct {
	Post   string `json:"k"` // hash of the post's key
	Button string `json:"b"`
	Sum    string `json:"s"`
}

// key returns what buttons are signed with.
func (c *Channel) key() []byte {
	secret := ""
	if c.opts.Secret != nil {
		secret = c.opts.Secret()
	}
	if secret == "" {
		secret = c.opts.Token()
	}
	sum := sha256.Sum256([]byte("outheis mattermost buttons\x00" + secret))
	return sum[:]
}

// sign returns the signature of a button under a post in a chat.
func (c *Channel) sign(chat, post, button string) signature {
	mac := hmac.New(sha256.New, c.key())
	fmt.Fprintf(mac, "%s\x00%s\x00%s\x00%s", c.opts.Account, chat, post, button)
	return signature{Post: post, Button: button, Sum: hex.EncodeToString(mac.Sum(nil))}
}

// genuine reports whether a signature is ours and was made for that chat.
func (c *Channel) genuine(s signature, chat string) bool {
	return hmac.Equal([]byte(s.Sum), []byte(c.sign(chat, s.Post, s.Button).Sum))
}

// actionID names a button to the server: letters and digits.
func (s signature) actionID() string { return s.Sum[:min(len(s.Sum), 20)] }

// attachments lays out the buttons of a post.
func (c *Channel) attachments(chat, post string, buttons []formatting.Button) []*model.SlackAttachment {
	a := new(model.SlackAttachment)
	for _, b := range buttons {
		s := c.sign(chat, post, b.ID)
		a.Actions = append(a.Actions, c.action(s, harmless(b.Label)))
	}
	return []*model.SlackAttachment{a}
}

// action is a button as the server takes it.
func (c *Channel) action(s signature, label string) *model.PostAction {
	return &model.PostAction{
		Id: s.actionID(), Type: model.PostActionTypeButton, Name: label,
		Integration: &model.PostActionIntegration{URL: c.opts.PublicURL + "/action", Context: map[string]any{"k": s.Post, "b": s.Button, "s": s.Sum}},
	}
}

// withWords puts below a text what can be written instead of pressing its
// buttons, where that fits.
func (c *Channel) withWords(text string, buttons []formatting.Button) string {
	var words []string
	for _, b := range buttons {
		if b.Words != "" {
			words = append(words, c.texts.Say("mattermost.word", b.Label, b.Words))
		}
	}
	if len(words) == 0 {
		return text
	}
	longer := text + "\n\n" + harmless(escape(c.texts.Say("mattermost.words", strings.Join(words, " · "))))
	if utf8.RuneCountInString(longer) > c.opts.MaxPost {
		return text
	}
	return longer
}

// buttonsWork reports whether a button of ours has found its way back. While
// that is being tried it waits for a moment.
func (c *Channel) buttonsWork(ctx context.Context) bool {
	if c.opts.PublicURL == "" {
		return false
	}
	if !c.callback.works.Load() {
		c.callback.tried(ctx)
	}
	return c.callback.works.Load()
}

// selfTest presses a button of our own, in the chat of the account with
// itself, unless one has worked already. The server has to reach us for that
// as it does for everybody's buttons. It returns at once; wait ends what it has
// begun.
func (c *Channel) selfTest(ctx context.Context, me string) (wait func()) {
	if c.opts.PublicURL == "" || c.callback.works.Load() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	end := c.callback.begin()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer end()
		if err := c.callBack(ctx, me); err != nil {
			if ctx.Err() == nil {
				c.health.callback(reason(err))
				c.log.Warn("buttons do not work, words stand in for them", "err", err)
			}
			return
		}
		c.callback.works.Store(true)
		c.health.callback("")
		c.log.Info("buttons work")
	}()
	return func() {
		cancel()
		<-done
	}
}

// reason returns the last words of an error.
func reason(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.text
	}
	return err.Error()
}

// errNoCallback says that the server was content and we heard nothing.
var errNoCallback = errors.New("mattermost: the server calls another address than ours")

// callBack presses a button of our own and returns nil when the press arrived.
// The post that it stands under is deleted again.
func (c *Channel) callBack(ctx context.Context, me string) error {
	chat, err := c.dir.directChannel(ctx, me)
	if err != nil {
		return err
	}
	nonce := rand.Text()
	arrived := c.callback.expect(nonce)
	defer c.callback.forget(nonce)
	s := c.sign(chat, nonce, testButton)
	n := &model.Post{ChannelId: chat, Message: c.texts.Say("mattermost.self_test"), PendingPostId: Kind + ":" + nonce}
	n.AddProp(attachmentsProp, []*model.SlackAttachment{{Actions: []*model.PostAction{c.action(s, "ok")}}})
	var sent post
	if err := c.client.call(ctx, http.MethodPost, "/posts", n, &sent); err != nil {
		return err
	}
	if !isID(sent.ID) {
		return &failure{op: "POST /posts", kind: garbled, text: "the answer names no post"}
	}
	err = c.client.call(ctx, http.MethodPost, "/posts/"+sent.ID+"/actions/"+s.actionID(), struct{}{}, nil)
	if gone := c.client.call(ctx, http.MethodDelete, "/posts/"+sent.ID, nil, nil); gone != nil {
		c.log.Debug("post of the self-test not deleted", "err", gone)
	}
	if err != nil {
		return err
	}
	select {
	case <-arrived:
		return nil
	default:
		return errNoCallback
	}
}

// testButton is the button of the self-test; no button of the gateway's is
// called so, whose ids are ASCII.
const testButton = "·test"

// pressed reads a press of a button. It returns false for one that is forged
// or stale, and for the self-test, and a failure when that could not be told.
func (c *Channel) pressed(ctx context.Context, p press) (channels.Event, bool, error) {
	var e channels.Event
	s := p.Context.value
	if !isID(p.UserID) || !isID(p.ChannelID) || !isID(p.PostID) || !c.genuine(s, p.ChannelID) {
		return e, false, nil
	}
	if s.Button == testButton {
		c.callback.arrive(s.Post)
		return e, false, nil
	}
	// The signature holds for ever; whether the button still stands there only
	// the post can tell.
	var under post
	var me user
	err := c.client.call(ctx, http.MethodGet, "/posts/"+p.PostID, nil, &under)
	if err == nil {
		err = c.client.call(ctx, http.MethodGet, "/users/me", nil, &me)
	}
	var f *failure
	if errors.As(err, &f) && f.gone() {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	marks := under.Props.value
	if under.ChannelID != p.ChannelID || under.UserID != me.ID || marks.text(keyProp) != s.Post || !marks.hasAction(s.actionID()) {
		return e, false, nil
	}
	ch, err := c.dir.channel(ctx, p.ChannelID)
	if err != nil {
		return e, false, err
	}
	who, err := c.dir.user(ctx, p.UserID)
	if err != nil {
		return e, false, err
	}
	e = channels.Event{
		Kind: channels.KindButton, Key: "b:" + short(p.PostID+"\x00"+p.UserID+"\x00"+p.TriggerID), Message: p.PostID, Button: s.Button, Addressed: true,
		Space: ch.TeamID, Actor: channels.Actor{ID: p.UserID, Kind: channels.Person, Name: who.name(), Locale: who.Locale},
		At: millis(0, c.opts.Now), Posted: millis(under.CreateAt, c.opts.Now),
	}
	if who.IsBot {
		e.Actor.Kind = channels.Bot
	}
	r := reader{account: c.opts.Account, me: me, flat: true, now: c.opts.Now}
	e, err = r.placed(e, under, ch)
	return e, err == nil, err
}

// short names something long.
func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
