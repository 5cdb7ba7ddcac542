// Package discord connects Discord: it receives over the gateway websocket and
// sends over the REST API, version 10.
//
// A message counts as received when Deliver has returned nil for it. Discord
// keeps no queue for a bot that is away, so the package remembers how far each
// channel has come, in a [channels.Cursor], and asks for the messages after that
// when it starts and whenever a session was lost. What is fetched and what the
// gateway sends have the same keys. Edits, reactions and deletions that happen
// while no session lives are not told by anybody; a session that is resumed
// repeats them.
//
// In the other direction every message carries a nonce made of the post's key
// and asks Discord to enforce it: within some minutes the same post cannot
// appear twice, and after that a post that may have arrived is looked for before
// it is sent again.
//
// Of the library discordgo the package uses the types that are sent and the
// constants. Its session is not used: it repeats and delays requests by itself,
// where only the outbox may; it follows redirects, puts the token into errors,
// cannot send a nonce, rejects a whole message for one component that it does
// not know, and starts a reconnecting loop of its own. Its endpoint variables,
// which are global to the process, are therefore never read or set, and every
// [Channel] has an address of its own.
//
// The package decides nothing about who may ask or what is answered. The path of
// an event is gateway.go → dispatch.go → lanes.go → event.go → Deliver, with
// backfill.go for what was missed; that of a post is send.go → client.go, with
// failure.go saying what a failure means.
package discord

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/formatting"
)

// Kind is the name of the network in addresses and in the configuration.
const Kind = "discord"

// Options configure a [Channel]. Account and Token are required.
type Options struct {
	// Account is the configured name of the account; it becomes part of every
	// address.
	Account string
	// Token returns the bot's token, without the word "Bot". It is asked before
	// each request, so that a changed token counts at once, and may be called
	// from any goroutine.
	Token func() string
	// URL is the address of the API; empty is Discord's own. Without a path
	// /api/v10 is added. Without TLS only servers on this machine or in a private
	// network are accepted, because the token travels with every request.
	URL string
	// Cursor keeps how far each channel was read; nil keeps it in memory only,
	// and messages written while the program was not running are then not seen.
	Cursor channels.Cursor
	// Guilds are the ids of the guilds in which commands are registered; empty
	// registers them once, for everywhere.
	Guilds []string
	// People are the ids of people whose direct channels are read from the start.
	// Discord lists no direct channels, so that what somebody else writes there
	// for the first time while we are away is never seen.
	People []string
	// Watch are the ids of channels and guilds that Check looks at.
	Watch []string
	// KnownHosts are the hosts whose links may show a preview. A message with a
	// link to any other host shows none.
	KnownHosts []string
	// Texts is the language of what administrators read in Health and in
	// remedies; nil is the default language.
	Texts *texts.Texts
	// Log receives what happens, and already says of which account; nil discards
	// it.
	Log *slog.Logger

	// CatchUpAge and CatchUpMessages bound what is fetched of the messages that
	// were missed: how old they may be and how many of each channel are read. 0
	// stands for 24 h and 1,000. What is left out for them is told.
	CatchUpAge      time.Duration
	CatchUpMessages int
	// Timeout is how long a request may take; 0 stands for 30 s.
	Timeout time.Duration
	// Retry is how long to wait after a lost connection; the zero Backoff stands
	// for 1 s growing to 60 s.
	Retry channels.Backoff
	// Limits pace what is sent, beside what Discord says itself with every
	// answer; nil stands for [PublishedLimits].
	Limits *channels.Limits
	// Now is the clock; nil stands for time.Now.
	Now func() time.Time
}

// PublishedLimits are rates that Discord takes: 50 requests a second in all
// (discord.com/developers/docs/topics/rate-limits), and about one message a
// second in a channel. The exact limits of a channel come with each answer and
// are kept as well.
func PublishedLimits() channels.Limits {
	return channels.Limits{
		Account: channels.Rate{Every: time.Second / 40, Burst: 10},
		Chat:    channels.Rate{Every: time.Second, Burst: 4},
	}
}

// A Channel is one bot on Discord. It is made by [New].
type Channel struct {
	opts    Options
	client  *client
	dialer  *websocket.Dialer
	pacer   *channels.Pacer
	health  health
	marks   *marks
	actions actions
	sent    *tries
	menus   menus
	log     *slog.Logger
	texts   *texts.Texts
	times   timing

	// typing counts the running indications; Close waits for them.
	typing sync.WaitGroup
	// closing ends with Close and ends the indications.
	closing chan struct{}
	closed  sync.Once
	// doubts asks for a look at our token before its time.
	doubts chan struct{}

	mu     sync.Mutex        // guards the fields below
	self   identity          // who we are, once known
	tiers  map[string]int    // premium tier of a guild
	spaces map[string]string // guild of a channel, for the size of files
}

// identity is who our account is.
type identity struct {
	user, app string
	flags     int64
}

// timing are the intervals that tests shorten.
type timing struct {
	typing   time.Duration // between two signs that somebody types
	save     time.Duration // between two writes of the cursor
	probe    time.Duration // between two looks at our own application
	greet    time.Duration // how long a session may take to begin
	identify time.Duration // least time between two IDENTIFYs
	spread   time.Duration // most time between two IDENTIFYs when few are left
	steady   time.Duration // how long a session lives before the next wait is a short one
	overlap  time.Duration // how far back channels are read that were quiet
	settle   time.Duration // how old a message must be that should have come by itself
	first    time.Duration // how far back they are read at the very first start
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
// options and a URL that would send the token over a public network in clear.
// The token itself is tried by Run.
func New(o Options) (*Channel, error) {
	if o.Account == "" || o.Token == nil {
		return nil, errors.New("discord: account and token are required")
	}
	if o.Timeout < 0 || o.CatchUpAge < 0 || o.CatchUpMessages < 0 {
		return nil, errors.New("discord: negative limit")
	}
	for _, id := range slices.Concat(o.Guilds, o.People, o.Watch) {
		if _, err := parseID(id); err != nil {
			return nil, fmt.Errorf("discord: guilds, people and channels: %q is not an id of Discord", id)
		}
	}
	base, err := checkAPI(o.URL)
	if err != nil {
		return nil, fmt.Errorf("discord: url: %w", err)
	}
	o.fill()
	limits := PublishedLimits()
	if o.Limits != nil {
		limits = *o.Limits
	}
	c := &Channel{
		opts: o, menus: menus{turn: make(chan struct{}, 1)},
		dialer: &websocket.Dialer{
			NetDialContext:   (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			HandshakeTimeout: 15 * time.Second,
		},
		pacer: channels.NewPacer(limits),
		marks: newMarks(),
		sent:  newTries(),
		log:   o.Log,
		texts: o.Texts,
		times: timing{
			typing: typingEvery, save: 5 * time.Second, probe: time.Minute, greet: 30 * time.Second, identify: 5 * time.Second,
			spread: 10 * time.Minute, steady: time.Minute, overlap: time.Minute, settle: settling, first: 10 * time.Second,
		},
		closing: make(chan struct{}),
		doubts:  make(chan struct{}, 1),
		tiers:   make(map[string]int),
		spaces:  make(map[string]string),
	}
	c.client = newClient(base, o.Token, func(date time.Time) { c.health.dated(o.Now(), date) })
	return c, nil
}

func (o *Options) fill() {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.CatchUpAge == 0 {
		o.CatchUpAge = 24 * time.Hour
	}
	if o.CatchUpMessages == 0 {
		o.CatchUpMessages = 1000
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
}

// Kind implements [channels.Channel].
func (c *Channel) Kind() string { return Kind }

// Profile implements [channels.Channel].
func (c *Channel) Profile() formatting.Profile { return formatting.DiscordMarkdown() }

// Close implements [channels.Closer].
func (c *Channel) Close() error {
	c.closed.Do(func() { close(c.closing) })
	c.typing.Wait()
	c.client.http.CloseIdleConnections()
	return nil
}

// publicAPI is Discord's own address.
const publicAPI = "https://discord.com/api/v10"

// checkAPI returns the base address without a slash at its end.
func checkAPI(s string) (string, error) {
	if s == "" {
		return publicAPI, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return "", errors.New("not an address such as https://discord-proxy.example.org")
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
	path := strings.TrimRight(u.EscapedPath(), "/")
	if path == "" {
		path = "/api/v10"
	}
	return u.Scheme + "://" + u.Host + path, nil
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
