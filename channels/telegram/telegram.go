// Package telegram connects Telegram: it receives by long poll from the Bot
// API, from a Bot API server of one's own, or by webhook, and sends messages in
// its HTML parse mode, with buttons and files.
//
// An update counts as received when Deliver has returned nil for it. Only then
// is the offset advanced that tells Telegram to forget it, or the webhook's
// request answered. Telegram knows no idempotent sending: whether a request that
// was written and not answered had an effect stays open, and [Channel.Send] says
// so with the class Unsure.
//
// The package decides nothing about who may ask or what is answered; it says
// what happened, by the network's own signs: entities, replies, topics, kinds
// of sender. It needs no state on disk, since unconfirmed updates come again
// after a restart, with the same keys.
//
// The path of an update is poll.go or webhook.go → update.go → event.go →
// Deliver, with album.go joining the files of one question; that of a post is
// send.go → client.go, with failure.go saying what a failure means. Rich and
// ephemeral messages (rich.go, optin.go) are sent on request only.
package telegram

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/formatting"
)

// Kind is the name of the network in addresses and in the configuration.
const Kind = "telegram"

// Options configure a [Channel]. Account and Token are required.
type Options struct {
	// Account is the configured name of the account; it becomes part of every
	// address.
	Account string
	// Token returns the bot's token. It is asked before each request, so that a
	// changed token counts at once, and may be called from any goroutine.
	Token func() string
	// APIURL is the address of the Bot API server; empty is Telegram's own.
	// Without TLS only servers on this machine or in a private network are
	// accepted, because the token is part of every address.
	APIURL string
	// Texts is the language of what administrators read in Health and in
	// remedies; nil is the default language.
	Texts *texts.Texts
	// Log receives what happens, and already says of which account; nil discards
	// it.
	Log *slog.Logger

	// Webhook makes Telegram bring updates; nil asks for them. Either way takes
	// over from the other by itself.
	Webhook *Webhook
	// Rich sends answers with titles or tables as rich messages, Ephemeral sends
	// what answers a pressed button in a group to the person alone who pressed
	// it. Both need Bot API 10 and clients that know it.
	Rich, Ephemeral bool
	// AllMessages says that groups expect answers without a mention: Health and
	// Check then say when the bot's privacy mode keeps messages from it.
	AllMessages bool
	// Groups are chats that Check looks for, by their ids.
	Groups []string

	// Poll is how long one request for updates may wait; 0 stands for 50 s,
	// the most that Telegram allows. It is rounded down to seconds.
	Poll time.Duration
	// Timeout is how long any other request may take; 0 stands for 30 s.
	Timeout time.Duration
	// Retry is how long to wait after a failed request for updates; the zero
	// Backoff stands for 1 s growing to 60 s.
	Retry channels.Backoff
	// Limits pace what is sent; nil stands for [PublishedLimits].
	Limits *channels.Limits
	// Now is the clock; nil stands for time.Now.
	Now func() time.Time
}

// PublishedLimits are the rates that Telegram asks bots to keep: 30 messages a
// second in all, about one a second in a chat with short bursts, 20 a minute
// in a group (core.telegram.org/bots/faq). No window holds more than that.
func PublishedLimits() channels.Limits {
	return channels.Limits{
		Account: channels.Rate{Every: time.Second / 25, Burst: 5},
		Chat:    channels.Rate{Every: time.Second, Burst: 3},
		Group:   channels.Rate{Every: 4 * time.Second, Burst: 5},
		InGroup: func(a channels.Address) bool { return strings.HasPrefix(a.Chat(), "-") },
	}
}

// A Channel is one bot on Telegram. It is made by [New].
type Channel struct {
	opts   Options
	client *client
	pacer  *channels.Pacer
	health health
	log    *slog.Logger
	texts  *texts.Texts
	every  time.Duration // between two signs that somebody types
	probe  time.Duration // between two looks at the webhook
	album  time.Duration // for which parts of an album are waited for

	// typing counts the running indications; Close waits for them.
	typing sync.WaitGroup
	// closing ends with Close and ends the indications.
	closing chan struct{}
	closed  sync.Once

	menuMu    sync.Mutex              // guards the menus, and is held while one is set
	menuToken [sha256.Size]byte       // of the bot that has them
	menus     map[menuKey][]menuEntry // as they were asked for last

	strangers atomic.Int64 // requests to the webhook without its secret

	mu      sync.Mutex           // guards the fields below
	limited map[string]time.Time // chats that were asked to wait, until when
	listens string               // where the webhook listens
	optIn   optIn
}

var (
	_ channels.Channel    = (*Channel)(nil)
	_ channels.TurnTaker  = (*Channel)(nil)
	_ channels.Typer      = (*Channel)(nil)
	_ channels.Commander  = (*Channel)(nil)
	_ channels.Prober     = (*Channel)(nil)
	_ channels.Closer     = (*Channel)(nil)
	_ channels.Finder     = (*Channel)(nil)
	_ channels.Editor     = (*Channel)(nil)
	_ channels.Fetcher    = (*Channel)(nil)
	_ channels.FileSender = (*Channel)(nil)
	_ channels.Checker    = (*Channel)(nil)
)

// New makes a channel and does no network traffic. It refuses incomplete
// options and an APIURL that would send the token over a public network in
// clear. The token itself is tried by Run.
func New(o Options) (*Channel, error) {
	if o.Account == "" || o.Token == nil {
		return nil, errors.New("telegram: account and token are required")
	}
	if o.Poll < 0 || o.Timeout < 0 {
		return nil, errors.New("telegram: negative time limit")
	}
	base, err := checkAPI(o.APIURL)
	if err != nil {
		return nil, fmt.Errorf("telegram: api_url: %w", err)
	}
	if o.Webhook != nil {
		if err := o.Webhook.check(); err != nil {
			return nil, fmt.Errorf("telegram: %w", err)
		}
	}
	if o.Poll == 0 || o.Poll > longestPoll {
		o.Poll = longestPoll
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Texts == nil {
		o.Texts = texts.For("")
	}
	limits := PublishedLimits()
	if o.Limits != nil {
		limits = *o.Limits
	}
	c := &Channel{
		opts:    o,
		client:  newClient(base, o.Token),
		pacer:   channels.NewPacer(limits),
		log:     o.Log,
		texts:   o.Texts,
		every:   typingEvery,
		album:   albumWait,
		probe:   webhookProbe,
		closing: make(chan struct{}),
		limited: make(map[string]time.Time),
		optIn:   optIn{off: make(map[string]bool), presses: make(map[string]press)},
	}
	c.client.dated = func(date time.Time) { c.health.compare(o.Now(), date) }
	return c, nil
}

// Kind implements [channels.Channel].
func (c *Channel) Kind() string { return Kind }

// Profile implements [channels.Channel].
func (c *Channel) Profile() formatting.Profile {
	p := formatting.TelegramHTML()
	p.Buttons = maxButtons
	return p
}

// Close implements [channels.Closer].
func (c *Channel) Close() error {
	c.closed.Do(func() { close(c.closing) })
	c.typing.Wait()
	c.client.http.CloseIdleConnections()
	return nil
}

// checkAPI returns the base address without a slash at its end.
func checkAPI(s string) (string, error) {
	if s == "" {
		return "https://api.telegram.org", nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return "", errors.New("not an address such as https://bot-api.example.org")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("must not hold a user, a query or a fragment")
	}
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && private(u.Hostname()):
	case u.Scheme == "http":
		return "", errors.New("http would show the token to the network; use https, or a server in a private network")
	default:
		return "", errors.New("must begin with https://")
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

// private reports whether host is on this machine or, as far as its name
// tells, in a private network.
func private(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".local", ".lan", ".internal", ".localhost", ".home.arpa"} {
		if strings.HasSuffix(strings.ToLower(host), end) {
			return true
		}
	}
	return false
}
