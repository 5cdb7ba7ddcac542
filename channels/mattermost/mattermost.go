// Package mattermost connects a bot account of a Mattermost server: it hears
// by the server's websocket, catches up over its REST interface, and sends by
// that interface too.
//
// The websocket has no memory beyond a short queue. After every connection,
// and whenever the count of its events has a gap, the package therefore asks
// for what was posted since; a post has the same key on either way, so that
// whoever stores events sees which he has. How far it has read is kept in a
// [channels.Cursor], which never covers what Deliver has not taken.
//
// Sending is idempotent: a post carries a hash of its Key as pending_post_id,
// which the server remembers for 30 s, and in its props, where
// [channels.Post.Again] looks it up before anything is sent a second time.
//
// Buttons and slash commands reach us by requests that the server makes. There
// is a listener for them where one is configured, and buttons are shown only
// when a button of our own has found its way back; words stand in for them
// elsewhere.
//
// Requests go through the server's own client module, server/public. Its version
// is v0.1.16: that of the next ones links parts of the server itself, which are
// not under the client's licence. The websocket has a loop of our own, because
// the client's has no time limits, and what people sent is read by types of our
// own, because the client's refuse a whole post for one field.
//
// The package decides nothing about who may ask or what is answered.
//
// The path of an event is socket.go or catchup.go → lanes.go → event.go →
// Deliver, or listen.go → lanes.go → Deliver; that of a post send.go → client.go, with
// failure.go saying what a failure means.
package mattermost

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/formatting"
)

// Kind is the name of the network in addresses and in the configuration.
const Kind = "mattermost"

// Options configure a [Channel]. Account, Token and URL are required.
type Options struct {
	// Account is the configured name of the account; it becomes part of every
	// address.
	Account string
	// Token returns the bot's access token. It is asked before each request and
	// may be called from any goroutine.
	Token func() string
	// URL is the address of the server, with the path below which it lies, if
	// any. Without TLS only servers on this machine or in a private network are
	// accepted.
	URL string
	// Cursor keeps how far we have read; nil: what comes while the program does
	// not run is not heard.
	Cursor channels.Cursor

	// Listen is the address of our own listener, as "127.0.0.1:8077", for
	// buttons and slash commands; empty: there are neither.
	Listen string
	// PublicURL is where the Mattermost server reaches the listener. Buttons
	// lead to PublicURL/action, slash commands have to be registered with
	// PublicURL/command.
	PublicURL string
	// CommandToken returns the token that the server gave a slash command, or
	// those of several commands separated by blanks. It is asked at each request,
	// so that a token that was taken out counts no longer; nil refuses all.
	CommandToken func() string
	// Secret returns the key that signs buttons. Buttons signed with another
	// are refused. Nil, or an empty key, stands for one made from the token.
	Secret func() string
	// MaxPost is how many runes the server takes in one post; 0 stands for 16,383.
	// Servers before 5.0 take 4,000; Check tells when it is too high.
	MaxPost int
	// Flat answers a question of a channel in the channel and not in a thread
	// below the question. What is asked inside a thread is always answered there.
	Flat bool

	// Texts is the language of what administrators read; nil is the default.
	Texts *texts.Texts
	// Log receives what happens, and already says of which account; nil discards
	// it.
	Log *slog.Logger
	// Ping is how often the connection is tried; 0 stands for 25 s. It counts as
	// dead when no answer has come after half of that.
	Ping time.Duration
	// Probe is how often the account is looked at over REST; 0 stands for 60 s.
	Probe time.Duration
	// Timeout is how long a request may take; 0 stands for 30 s.
	Timeout time.Duration
	// Retry is how long to wait before connecting again; the zero Backoff stands
	// for 1 s growing to 60 s.
	Retry channels.Backoff
	// Limits pace what is sent; nil stands for [PublishedLimits].
	Limits *channels.Limits
	// Now is the clock; nil stands for time.Now.
	Now func() time.Time
}

// PublishedLimits keep below what a server allows that has its rate limiting
// switched on: 10 requests a second with bursts of 100 (docs.mattermost.com,
// rate limiting settings). Half of it is left to receiving.
func PublishedLimits() channels.Limits {
	return channels.Limits{Account: channels.Rate{Every: time.Second / 5, Burst: 20}}
}

// A Channel is one bot account on one Mattermost server. It is made by [New].
type Channel struct {
	opts   Options
	client *client
	pacer  *channels.Pacer
	health health
	// callback tells whether buttons find their way back.
	callback callbacks
	dir      *directory
	server   *serverLimits
	hooks    *hooks
	log      *slog.Logger
	texts    *texts.Texts

	// made is when the channel was made. Where no cursor says more, what was
	// posted before is not heard.
	made time.Time

	typeEvery, saveEvery, steady time.Duration

	// typing counts the running indications; Close waits for them.
	typing sync.WaitGroup
	// closing ends with Close and ends the indications.
	closing chan struct{}
	closed  sync.Once
}

var (
	_ channels.Channel    = (*Channel)(nil)
	_ channels.TurnTaker  = (*Channel)(nil)
	_ channels.Typer      = (*Channel)(nil)
	_ channels.Editor     = (*Channel)(nil)
	_ channels.FileSender = (*Channel)(nil)
	_ channels.Fetcher    = (*Channel)(nil)
	_ channels.Finder     = (*Channel)(nil)
	_ channels.Prober     = (*Channel)(nil)
	_ channels.Checker    = (*Channel)(nil)
	_ channels.Closer     = (*Channel)(nil)
)

// New makes a channel and does no network traffic. It refuses incomplete
// options and addresses that would show the token to a public network. The
// token itself is tried by Run.
func New(o Options) (*Channel, error) {
	if o.Account == "" || o.Token == nil || o.URL == "" {
		return nil, errors.New("mattermost: account, token and url are required")
	}
	if o.Timeout < 0 || o.Ping < 0 || o.Probe < 0 || o.MaxPost < 0 {
		return nil, errors.New("mattermost: negative limit")
	}
	if o.MaxPost == 0 || o.MaxPost > maxPost {
		o.MaxPost = maxPost
	}
	base, err := checkURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("mattermost: url: %w", err)
	}
	if o.PublicURL != "" {
		if o.Listen == "" {
			return nil, errors.New("mattermost: public_url needs listen")
		}
		if o.PublicURL, err = checkURL(o.PublicURL); err != nil {
			return nil, fmt.Errorf("mattermost: public_url: %w", err)
		}
	}
	if o.Listen != "" {
		if _, _, err := net.SplitHostPort(o.Listen); err != nil {
			return nil, errors.New("mattermost: listen: not an address such as 127.0.0.1:8077")
		}
	}
	for _, d := range []struct {
		is       *time.Duration
		standard time.Duration
	}{{&o.Timeout, 30 * time.Second}, {&o.Ping, 25 * time.Second}, {&o.Probe, time.Minute}} {
		if *d.is == 0 {
			*d.is = d.standard
		}
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
		opts:      o,
		client:    newClient(base, o.Token, o.Timeout),
		pacer:     channels.NewPacer(limits),
		server:    &serverLimits{},
		hooks:     newHooks(o.Now),
		log:       o.Log,
		texts:     o.Texts,
		made:      o.Now(),
		typeEvery: typingEvery,
		saveEvery: savingEvery,
		steady:    steadyAfter,
		closing:   make(chan struct{}),
	}
	c.dir = newDirectory(c.client, o.Now)
	if o.PublicURL != "" {
		c.callback.await()
	}
	return c, nil
}

// Kind implements [channels.Channel].
func (c *Channel) Kind() string { return Kind }

// Profile implements [channels.Channel]. Without a PublicURL there are no
// buttons.
func (c *Channel) Profile() formatting.Profile {
	p := formatting.MattermostMarkdown(c.opts.MaxPost)
	if c.opts.PublicURL != "" {
		p.Buttons = maxButtons
	}
	return p
}

// Close implements [channels.Closer].
func (c *Channel) Close() error {
	c.closed.Do(func() { close(c.closing) })
	c.typing.Wait()
	c.client.http.CloseIdleConnections()
	return nil
}

// checkURL returns an address without a slash at its end.
func checkURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return "", errors.New("not an address such as https://chat.example.org")
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
