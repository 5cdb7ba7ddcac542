package main

import (
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	fakediscord "outheis/channels/fakenet/discord"
	fakemattermost "outheis/channels/fakenet/mattermost"
	faketelegram "outheis/channels/fakenet/telegram"
	"outheis/config"
)

// A standIn is a network on this machine to which outheis is connected in a
// rehearsal, and the people there. Its methods may be called from any goroutine.
type standIn interface {
	kind() string
	// section is what the configuration says of the account, but for its token.
	section() map[string]any
	token() string
	// say makes the n-th person write to the bot directly; got are the texts that
	// have arrived there.
	say(n int, text string)
	got(n int) []string
	// breakSends breaks the next posts of the bot in a way.
	breakSends(how breakage, times int)
	// repeats reports that the network cannot tell the same post again, so that
	// what may have arrived comes a second time, marked.
	repeats() bool
	down() error
	up() error
	close() error
}

// A breakage is how a post goes wrong.
type breakage int

const (
	cutBefore breakage = iota // the request has no effect, and no answer
	cutAfter                  // it has its effect, and no answer
	throttled                 // the network asks to wait for a second
)

// standIns starts one of each network that outheis knows.
func standIns() ([]standIn, error) {
	var all []standIn
	for _, start := range []func() (standIn, error){newTelegramStandIn, newDiscordStandIn, newMattermostStandIn} {
		s, err := start()
		if err != nil {
			for _, started := range all {
				_ = started.close()
			}
			return nil, err
		}
		if slices.ContainsFunc(networks(), func(n network) bool { return n.kind == s.kind() }) {
			all = append(all, s)
		} else if err := s.close(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

type telegramStandIn struct {
	server *faketelegram.Server
	people crowd[int64]
}

func newTelegramStandIn() (standIn, error) {
	server, err := faketelegram.New(faketelegram.Options{
		Token: "7123456789:REHEARSAL-telegram-token-00000000000", ConflictDelay: time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	t := &telegramStandIn{server: server}
	t.people.add = func(n int) int64 {
		return server.AddUser(faketelegram.User{FirstName: "Person " + strconv.Itoa(n), Language: "de"}).ID
	}
	return t, nil
}

func (t *telegramStandIn) kind() string  { return "telegram" }
func (t *telegramStandIn) token() string { return t.server.Token() }
func (t *telegramStandIn) repeats() bool { return true }
func (t *telegramStandIn) down() error   { return t.server.Down() }
func (t *telegramStandIn) up() error     { return t.server.Up() }
func (t *telegramStandIn) close() error  { return t.server.Close() }

func (t *telegramStandIn) section() map[string]any { return map[string]any{"api_url": t.server.URL()} }

func (t *telegramStandIn) say(n int, text string) {
	who := t.people.get(n)
	t.server.Say(who, who, text)
}

func (t *telegramStandIn) got(n int) []string {
	var all []string
	for _, m := range t.server.Sent(t.people.get(n)) {
		all = append(all, m.Text)
	}
	return all
}

func (t *telegramStandIn) breakSends(how breakage, times int) {
	kind := map[breakage]faketelegram.FaultKind{
		cutBefore: faketelegram.CutBefore, cutAfter: faketelegram.CutAfter, throttled: faketelegram.TooMany,
	}[how]
	t.server.Fault(faketelegram.Fault{Kind: kind, Method: "sendMessage", Times: times, RetryAfter: 1})
}

type discordStandIn struct {
	server *fakediscord.Server
	people crowd[string]
}

func newDiscordStandIn() (standIn, error) {
	server, err := fakediscord.New(fakediscord.Options{
		Token: "UkVIRUFSU0FMLWRpc2NvcmQtdG9rZW4.AAAAAA.rehearsal-discord-token-0000000000",
	})
	if err != nil {
		return nil, err
	}
	d := &discordStandIn{server: server}
	owner := server.AddUser(fakediscord.User{Username: "owner"})
	guild := server.AddGuild("", "Gilde", owner.ID)
	d.people.add = func(n int) string { // who shares no guild with the bot cannot be written to
		who := server.AddUser(fakediscord.User{Username: "person" + strconv.Itoa(n), Locale: "de"}).ID
		server.Join(guild, who)
		return who
	}
	return d, nil
}

func (d *discordStandIn) kind() string  { return "discord" }
func (d *discordStandIn) token() string { return d.server.Token() }
func (d *discordStandIn) repeats() bool { return false }
func (d *discordStandIn) down() error   { return d.server.Down() }
func (d *discordStandIn) up() error     { return d.server.Up() }
func (d *discordStandIn) close() error  { return d.server.Close() }

func (d *discordStandIn) section() map[string]any { return map[string]any{"api_url": d.server.URL()} }

func (d *discordStandIn) say(n int, text string) {
	who := d.people.get(n)
	d.server.Say(d.server.Direct(who), who, text)
}

func (d *discordStandIn) got(n int) []string {
	var all []string
	for _, m := range d.server.Sent(d.server.Direct(d.people.get(n))) {
		all = append(all, m.Text)
	}
	return all
}

func (d *discordStandIn) breakSends(how breakage, times int) {
	kind := map[breakage]fakediscord.FaultKind{
		cutBefore: fakediscord.CutBefore, cutAfter: fakediscord.CutAfter, throttled: fakediscord.TooMany,
	}[how]
	d.server.Fault(fakediscord.Fault{Kind: kind, Route: fakediscord.CreateMessage, Times: times, RetryAfter: time.Second})
}

type mattermostStandIn struct {
	server *fakemattermost.Server
	people crowd[string]
}

func newMattermostStandIn() (standIn, error) {
	server, err := fakemattermost.New(fakemattermost.Options{Token: "rehearsalmattermosttoken00"})
	if err != nil {
		return nil, err
	}
	owner := server.AddUser(fakemattermost.User{Username: "owner"}).ID
	server.AddChannel(server.AddTeam("werkstatt", owner), "town-square", fakemattermost.Open, owner)
	m := &mattermostStandIn{server: server}
	m.people.add = func(n int) string {
		return server.AddUser(fakemattermost.User{Username: "person" + strconv.Itoa(n), Locale: "de"}).ID
	}
	return m, nil
}

func (m *mattermostStandIn) kind() string  { return "mattermost" }
func (m *mattermostStandIn) token() string { return m.server.Token() }
func (m *mattermostStandIn) repeats() bool { return false }
func (m *mattermostStandIn) down() error   { return m.server.Down() }
func (m *mattermostStandIn) up() error     { return m.server.Up() }
func (m *mattermostStandIn) close() error  { return m.server.Close() }

func (m *mattermostStandIn) section() map[string]any { return map[string]any{"url": m.server.URL()} }

func (m *mattermostStandIn) say(n int, text string) {
	who := m.people.get(n)
	m.server.Say(m.server.Direct(who), who, text)
}

func (m *mattermostStandIn) got(n int) []string {
	var all []string
	for _, post := range m.server.Sent(m.server.Direct(m.people.get(n))) {
		all = append(all, post.Text)
	}
	return all
}

func (m *mattermostStandIn) breakSends(how breakage, times int) {
	kind := map[breakage]fakemattermost.FaultKind{
		cutBefore: fakemattermost.CutBefore, cutAfter: fakemattermost.CutAfter, throttled: fakemattermost.TooMany,
	}[how]
	m.server.Fault(fakemattermost.Fault{Kind: kind, Route: fakemattermost.CreatePost, Times: times, RetryAfter: time.Second})
}

// A crowd has the people of a network by their number, and makes those that are
// asked for.
type crowd[ID any] struct {
	add func(n int) ID

	mu   sync.Mutex // guards made
	made map[int]ID
}

func (c *crowd[ID]) get(n int) ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, ok := c.made[n]; ok {
		return id
	}
	if c.made == nil {
		c.made = make(map[int]ID)
	}
	c.made[n] = c.add(n)
	return c.made[n]
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// addresses are those to which the channels of a configuration connect; a network
// that has a public address stands for itself.
func addresses(c config.Config) []string {
	var all []string
	for _, t := range c.Channels.Telegram {
		all = append(all, t.APIURL)
	}
	for _, d := range c.Channels.Discord {
		all = append(all, d.APIURL)
	}
	for _, m := range c.Channels.Mattermost {
		all = append(all, m.URL)
	}
	return all
}

func isThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}
