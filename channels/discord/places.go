package discord

import (
	"slices"
	"sync"

	"github.com/bwmarrin/discordgo"
)

// A place is what we know of a channel.
type place struct {
	guild  string // empty for direct channels
	parent string // of a thread
	kind   discordgo.ChannelType
}

func (p place) direct() bool { return p.guild == "" }

// places are the channels of which the gateway told us, and what the guilds say
// about us.
type places struct {
	mu     sync.Mutex // guards the fields below
	all    map[string]place
	guilds map[string]*home
}

// A home is a guild that we are in.
type home struct {
	role   string   // the managed role that is ours alone
	system string   // the channel for the guild's own words
	seen   []string // channels of which an event was delivered, the latest last
}

// mostSeen bounds how many channels of a guild are told when we are removed.
const mostSeen = 100

func newPlaces() *places {
	return &places{all: make(map[string]place), guilds: make(map[string]*home)}
}

// of returns what is known of a channel. A channel without a guild is a direct
// one.
func (p *places) of(channel, guild string) (place, bool) {
	if guild == "" {
		return place{kind: discordgo.ChannelTypeDM}, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.all[channel]
	return at, ok
}

// known returns what is known of a channel whose guild was not told.
func (p *places) known(channel string) (place, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.all[channel]
	return at, ok
}

// set remembers a channel.
func (p *places) set(r room, guild string) place {
	if guild == "" {
		guild = r.GuildID
	}
	at := place{guild: guild, kind: discordgo.ChannelType(r.Type.value)}
	if at.thread() {
		at.parent = r.Parent.value
	}
	if guild == "" {
		return at
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[r.ID] = at
	return at
}

// thread reports whether a place is a thread.
func (p place) thread() bool {
	switch p.kind {
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		return true
	}
	return false
}

// texts reports whether messages are written in a place.
func (p place) texts() bool {
	switch p.kind {
	case discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildVoice, discordgo.ChannelTypeGuildStageVoice:
		return true
	}
	return p.thread()
}

// some returns a few channels in which messages are written, others each time.
func (p *places) some(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for id, at := range p.all {
		if len(all) == n {
			break
		}
		if at.texts() {
			all = append(all, id)
		}
	}
	return all
}

// forget forgets a channel and its threads.
func (p *places) forget(channel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, channel)
	for id, at := range p.all {
		if at.parent == channel {
			delete(p.all, id)
		}
	}
}

// enter remembers a guild; it reports whether it is new.
func (p *places) enter(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.guilds[id]
	if !ok {
		p.guilds[id] = &home{}
	}
	return !ok
}

// keep forgets the guilds that a new session does not name.
func (p *places) keep(named []guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.guilds {
		if !slices.ContainsFunc(named, func(g guild) bool { return g.ID == id }) {
			delete(p.guilds, id)
		}
	}
}

// welcome returns the channel in which a guild speaks for itself, or its first
// one, as a list.
func (p *places) welcome(g guild) []string {
	if _, err := parseID(g.System.value); err == nil {
		return []string{g.System.value}
	}
	for _, r := range g.Channels.value {
		at, ok := p.known(r.ID)
		if ok && at.texts() {
			return []string{r.ID}
		}
	}
	return nil
}

// describe takes over what a guild says about us.
func (p *places) describe(g guild, me string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.guilds[g.ID]
	if h == nil {
		return
	}
	h.system = g.System.value
	for _, r := range g.Roles.value {
		h.claim(r, me)
	}
}

// role takes over a role that was made or changed.
func (p *places) role(guild string, r role, me string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.guilds[guild]; h != nil {
		h.claim(r, me)
	}
}

func (h *home) claim(r role, me string) {
	if r.Tags.value.BotID == me && me != "" {
		h.role = r.ID
	}
}

// ours returns the role of a guild that belongs to us alone.
func (p *places) ours(guild string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.guilds[guild]; h != nil {
		return h.role
	}
	return ""
}

// seen notes that something happened in a channel of a guild.
func (p *places) seen(guild, channel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.guilds[guild]
	if h == nil || len(h.seen) > 0 && h.seen[len(h.seen)-1] == channel {
		return
	}
	h.seen = slices.DeleteFunc(h.seen, func(s string) bool { return s == channel })
	h.seen = append(h.seen, channel)
	if len(h.seen) > mostSeen {
		h.seen = slices.Delete(h.seen, 0, 1)
	}
}

// leave forgets a guild and returns the channels in which something happened,
// or one that stands for the guild.
func (p *places) leave(guild string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.guilds[guild]
	delete(p.guilds, guild)
	for id, at := range p.all {
		if at.guild == guild {
			delete(p.all, id)
		}
	}
	switch {
	case h == nil:
		return nil
	case len(h.seen) > 0:
		return h.seen
	case h.system != "":
		return []string{h.system}
	}
	return nil
}

// count returns how many guilds we are in.
func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.guilds)
}
