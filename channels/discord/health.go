package discord

import (
	"net/http"
	"sync"
	"time"

	"outheis/channels"
)

// A troubleKind is why nothing is received.
type troubleKind int

const (
	troubleNone troubleKind = iota
	troubleUnreached
	troubleServer // 5xx, 429, answers that cannot be read, connections that end
	troubleForeign
	troubleBudget
	troubleToken
	troubleShards
	troubleVersion
	troubleCursor // it cannot be read
)

// trouble returns what a connection that ended means.
func trouble(f *failure) troubleKind {
	switch f.kind {
	case unreached, unanswered:
		return troubleUnreached
	case foreign:
		return troubleForeign
	}
	if f.what == "identify" && f.status == http.StatusTooManyRequests {
		return troubleBudget
	}
	return troubleServer
}

const (
	// late is how long the gateway may be silent: an answered heartbeat and a
	// half. Then health is yellow, and at tooLate it is red.
	late    = 65 * time.Second
	tooLate = 100 * time.Second
	// clockRange is how far two clocks may differ without a word.
	clockRange = time.Minute
	// lowBudget is how many sessions left are worth a word.
	lowBudget = 50
	// skippedFor is how long it is told that missed messages were left out.
	skippedFor = time.Hour
	// emptyMessages is how many messages without a text in a row mean that texts
	// are withheld. One may have a form that we do not know.
	emptyMessages = 3
)

// health is judged by what is received: frames of a session that lives. That a
// connection is open or that sending works says nothing.
type health struct {
	mu       sync.Mutex // guards the fields below
	started  time.Time
	received time.Time
	trouble  troubleKind
	detail   string
	live     bool          // a session lives
	ahead    time.Duration // of our clock before Discord's

	refused   bool // the store refused an event
	withheld  bool // the portal withholds message contents
	empty     int  // messages without a text in a row
	named     bool // a session named the guilds
	homes     int  // guilds that we are in
	left      int  // sessions that may be started today
	total     int
	again     time.Time // when sessions may be started again
	owed      int       // channels whose missed messages were not read yet
	omitted   time.Time // when missed messages were left out
	unsaved   bool      // the cursor cannot be written
	forgotten bool      // the cursor could not be read
}

func (h *health) start(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.live = now, false
}

// receive notes that the gateway said something. Only the words of a session
// count: a greeting that leads to none is no sign of life.
func (h *health) receive(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live {
		h.received = now
	}
}

// dated notes what Discord's clock says.
func (h *health) dated(now, date time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ahead = now.Sub(date)
}

// clock returns a time of ours on Discord's clock, by which messages are dated.
func (h *health) clock(t time.Time) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return t.Add(-h.ahead)
}

func (h *health) lastReceived() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.received
}

// established notes that a session lives.
func (h *health) established(now time.Time, withheld bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.received = now
	h.live, h.trouble, h.detail, h.withheld = true, troubleNone, "", withheld
	h.again = time.Time{}
}

// lost notes that a connection ended, for whatever reason. What comes until the
// next session lives is no sign of life.
func (h *health) lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = false
}

// fail notes why the connection ended and reports whether it is news.
func (h *health) fail(t troubleKind, detail string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := h.trouble != t
	h.trouble, h.detail, h.live = t, detail, false
	return news
}

// cured notes that a trouble is over before there is a session.
func (h *health) cured(t troubleKind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.trouble == t {
		h.trouble, h.detail = troubleNone, ""
	}
}

func (h *health) stored() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = false
}

// unstored notes that an event was refused and reports whether it is news.
func (h *health) unstored() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := !h.refused
	h.refused = true
	return news
}

// withhold notes that the portal withholds message contents, and reports
// whether it is news.
func (h *health) withhold() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := !h.withheld
	h.withheld = true
	return news
}

func (h *health) isWithheld() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.withheld
}

// released notes that the portal lets us read contents.
func (h *health) released() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.withheld, h.empty = false, 0
}

// emptied notes a message without its text, and reports whether that is news.
func (h *health) emptied() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.empty++
	return h.empty == emptyMessages && !h.withheld
}

// filled notes a message with its text that did not concern us, which shows
// that texts are not withheld.
func (h *health) filled() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.empty = 0
}

func (h *health) guilds(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.named, h.homes = true, n
}

func (h *health) budget(left, total int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left, h.total = left, total
}

func (h *health) exhausted(until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.again = until
}

// owes notes in how many channels missed messages are not read yet.
func (h *health) owes(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.owed = n
}

func (h *health) skipped(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.omitted = now
}

// saved notes whether the cursor could be written, and reports whether that it
// could not is news.
func (h *health) saved(ok bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := !ok && !h.unsaved
	h.unsaved = !ok
	return news
}

func (h *health) forgot() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forgotten = true
}

// Health implements [channels.Prober]. Yellow is a connection that is being
// made again, or something that an administrator should know; red is what they
// must look at: a wrong token, contents that Discord withholds, no guild, events
// that cannot be stored, or nothing received for more than one and a half
// minutes.
func (c *Channel) Health() channels.Health {
	h := &c.health
	h.mu.Lock()
	defer h.mu.Unlock()
	out := channels.Health{Received: h.received}
	if h.ahead.Abs() >= clockRange {
		out.Ahead = h.ahead
	}
	now := c.opts.Now()
	silence := now.Sub(h.started)
	if h.received.After(h.started) {
		silence = now.Sub(h.received)
	}
	say := c.texts.Say
	set := func(s channels.State, reason, remedy string) {
		out.State, out.Reason, out.Remedy = s, reason, remedy
	}
	switch {
	case h.started.IsZero():
		out.State = channels.Starting
	case h.trouble == troubleToken:
		reason, remedy := c.badToken()
		set(channels.Red, reason, remedy)
	case h.trouble == troubleShards:
		set(channels.Red, say("discord.shards"), say("discord.shards_remedy"))
	case h.trouble == troubleCursor:
		set(channels.Red, say("discord.unread", h.detail), say("discord.not_stored_remedy"))
	case h.trouble == troubleVersion:
		set(channels.Red, say("discord.version"), say("discord.version_remedy"))
	case h.trouble == troubleBudget, h.again.After(now):
		set(channels.Red, say("discord.budget", h.total), say("discord.budget_remedy", h.again.UTC().Format("2006-01-02 15:04 UTC")))
	case h.refused:
		set(channels.Red, say("discord.not_stored"), say("discord.not_stored_remedy"))
	case h.trouble == troubleNone && !h.live && silence <= late:
		out.State = channels.Starting
	case h.trouble != troubleNone || !h.live || silence > late:
		out.State = channels.Yellow
		if silence > tooLate {
			out.State = channels.Red
		}
		out.Reason, out.Remedy = c.silent(h.trouble, h.detail)
	case h.withheld || h.empty >= emptyMessages:
		set(channels.Red, say("discord.content"), c.contentRemedy())
	case h.named && h.homes == 0:
		set(channels.Red, say("discord.no_guild"), say("discord.no_guild_remedy", c.inviteURL()))
	default:
		c.noted(h, now, set)
	}
	return out
}

// noted says what is worth a word while everything works. The caller holds the
// health's mutex.
func (c *Channel) noted(h *health, now time.Time, set func(channels.State, string, string)) {
	say := c.texts.Say
	switch {
	case h.unsaved:
		set(channels.Yellow, say("discord.unsaved"), say("discord.not_stored_remedy"))
	case h.forgotten:
		set(channels.Yellow, say("discord.forgotten"), say("discord.skipped_remedy"))
	case h.owed > 0:
		set(channels.Yellow, say("discord.owed", h.owed), say("discord.owed_remedy"))
	case !h.omitted.IsZero() && now.Sub(h.omitted) < skippedFor:
		set(channels.Yellow, say("discord.skipped"), say("discord.skipped_remedy"))
	case h.total > 0 && h.left < lowBudget:
		set(channels.Yellow, say("discord.budget_low", h.left), say("discord.budget_low_remedy"))
	default:
		set(channels.Green, "", "")
	}
}

// silent returns why nothing is received, and what to do about it.
func (c *Channel) silent(t troubleKind, detail string) (reason, remedy string) {
	say := c.texts.Say
	switch t {
	case troubleUnreached:
		return say("discord.unreached", detail), say("discord.unreached_remedy")
	case troubleForeign:
		return say("discord.foreign", detail), say("discord.foreign_remedy")
	case troubleServer:
		return say("discord.server", detail), say("discord.server_remedy")
	}
	return say("discord.silent"), say("discord.unreached_remedy")
}

// contentRemedy names the page on which message contents are allowed.
func (c *Channel) contentRemedy() string {
	return c.texts.Say("discord.content_remedy", c.portal("bot"))
}

// portal returns a page of our application in the developer portal.
func (c *Channel) portal(page string) string {
	app := c.whoami().app
	if app == "" {
		return "https://discord.com/developers/applications"
	}
	return "https://discord.com/developers/applications/" + app + "/" + page
}

// inviteURL returns where somebody can invite us to a guild.
func (c *Channel) inviteURL() string {
	app := c.whoami().app
	if app == "" {
		return c.portal("oauth2")
	}
	return "https://discord.com/oauth2/authorize?client_id=" + app + "&scope=bot+applications.commands&permissions=" + formatID(needed)
}
