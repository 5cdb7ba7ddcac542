package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/channels/discord"
	"outheis/channels/mattermost"
	"outheis/channels/telegram"
	"outheis/config"
	"outheis/config/texts"
	"outheis/formatting"
	"outheis/store"
)

// networks is the list of the networks that outheis knows: a new one is a folder
// in channels and one line here.
func networks() []network {
	return []network{
		networkOf(telegram.Kind, func(c config.Channels) []config.Telegram { return c.Telegram }, openTelegram),
		networkOf(discord.Kind, func(c config.Channels) []config.Discord { return c.Discord }, openDiscord),
		networkOf(mattermost.Kind, func(c config.Channels) []config.Mattermost { return c.Mattermost }, openMattermost),
	}
}

// A network makes the channels of one kind.
type network struct {
	kind string
	open func(accountWiring) (channels.Channel, error)
}

// networkOf ties the section of a network to what makes its channels.
func networkOf[T interface{ AccountName() string }](
	kind string, section func(config.Channels) []T, open func(accountWiring, T) (channels.Channel, error),
) network {
	return network{kind, func(w accountWiring) (channels.Channel, error) {
		for _, t := range section(w.c.Channels) {
			if t.AccountName() == w.name {
				return open(w, t)
			}
		}
		return nil, errors.New("not in the configuration")
	}}
}

// A wiring is what channels are made of.
type wiring struct {
	c     config.Config
	human *store.Human // nil: nothing is kept between two runs
	log   *slog.Logger
	now   func() time.Time
}

// An accountWiring is what the channel of one account is made of.
type accountWiring struct {
	wiring
	kind, name string
}

func (w wiring) of(kind, name string) accountWiring {
	w.log = w.log.With("channel", kind, "account", name)
	return accountWiring{w, kind, name}
}

func (w accountWiring) texts() *texts.Texts { return texts.For(w.c.Human.Language) }

func openTelegram(w accountWiring, t config.Telegram) (channels.Channel, error) {
	o := w.telegram(t)
	if t.Mode == config.ModeWebhook {
		secret, err := w.secret(t.Webhook.Secret)
		if err != nil {
			return nil, err
		}
		o.Webhook = &telegram.Webhook{URL: t.Webhook.URL, Listen: t.Webhook.Listen, Secret: secret}
	}
	return opened(telegram.New(o))
}

// telegram is what the section says of the account, but for its webhook.
func (w accountWiring) telegram(t config.Telegram) telegram.Options {
	o := telegram.Options{
		Account: t.Name, Token: t.Token.Reveal, APIURL: t.APIURL, Rich: t.Rich, Ephemeral: t.Ephemeral,
		Texts: w.texts(), Log: w.log, Now: w.now,
	}
	for _, g := range t.Groups {
		o.Groups = append(o.Groups, g.ID)
		o.AllMessages = o.AllMessages || g.Mention == config.MentionAlways
	}
	return o
}

func openDiscord(w accountWiring, d config.Discord) (channels.Channel, error) {
	o := discord.Options{
		Account: d.Name, Token: d.Token.Reveal, URL: d.APIURL, Cursor: w.cursor(), KnownHosts: d.KnownLinks,
		Texts: w.texts(), Log: w.log, Now: w.now,
	}
	for _, place := range d.Commands {
		if place != config.CommandsGlobal {
			o.Guilds = append(o.Guilds, place)
		}
	}
	if slices.Contains(d.Commands, config.CommandsGlobal) {
		o.Guilds = nil
	}
	for _, g := range d.Groups {
		o.Watch = append(o.Watch, g.ID)
	}
	for _, person := range d.Allowed {
		if person.ID != config.Everybody {
			o.People = append(o.People, person.ID)
		}
	}
	return opened(discord.New(o))
}

func openMattermost(w accountWiring, m config.Mattermost) (channels.Channel, error) {
	secret, err := w.secret(m.ButtonSecret)
	if err != nil {
		return nil, err
	}
	return opened(mattermost.New(mattermost.Options{
		Account: m.Name, Token: m.Token.Reveal, URL: m.URL, Cursor: w.cursor(), Flat: m.Thread == config.ThreadWhenThreaded,
		Listen: m.Listen, PublicURL: m.PublicURL, CommandToken: m.CommandToken.Reveal, Secret: secret,
		Texts: w.texts(), Log: w.log, Now: w.now,
	}))
}

// opened makes an interface that is nil when there is an error.
func opened[T channels.Channel](c T, err error) (channels.Channel, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// stateFolder holds what adapters keep, below the human directory.
const stateFolder = "channels/"

// cursor keeps how far the channel has read.
func (w accountWiring) cursor() channels.Cursor {
	if w.human == nil {
		return nil
	}
	return &fileCursor{human: w.human, name: stateFolder + w.kind + "-" + w.name + ".json"}
}

// A fileCursor is a [channels.Cursor] in a file of the human directory. What it
// cannot understand there, because it is damaged or of another version, it lays
// aside before it saves.
type fileCursor struct {
	human *store.Human
	name  string

	mu  sync.Mutex // guards odd
	odd []byte     // what is there and was not understood; nil for nothing
}

// cursorVersion is the form of a cursor's file. One of another form is not read.
const cursorVersion = 1

type cursorFile struct {
	V int `json:"v"`
	// One of the two: what the adapter keeps, as it is where that is JSON.
	Cursor json.RawMessage `json:"cursor,omitempty"`
	Bytes  []byte          `json:"bytes,omitempty"`
}

// Load implements [channels.Cursor]. The error names the file when that is
// damaged, or of another version of outheis.
func (f *fileCursor) Load() ([]byte, error) {
	b, err := f.human.ReadState(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.odd = b
	var kept cursorFile
	if err := json.Unmarshal(b, &kept); err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", f.name, channels.ErrCursor, err)
	}
	if kept.V != cursorVersion {
		return nil, fmt.Errorf("read %s: %w: version %d, want %d", f.name, channels.ErrCursor, kept.V, cursorVersion)
	}
	f.odd = nil
	if kept.Cursor != nil {
		return kept.Cursor, nil
	}
	return kept.Bytes, nil
}

// Save implements [channels.Cursor].
func (f *fileCursor) Save(b []byte) error {
	kept := cursorFile{V: cursorVersion}
	if json.Valid(b) {
		kept.Cursor = b
	} else {
		kept.Bytes = b
	}
	content, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.odd) > 0 {
		if err := f.human.WriteState(strings.TrimSuffix(f.name, ".json")+".unread.json", f.odd); err != nil {
			return err
		}
		f.odd = nil
	}
	return f.human.WriteState(f.name, append(content, '\n'))
}

// secret returns what to reveal a secret with: the one of the configuration, or
// else one that is made once and kept, so that what was signed before a restart
// is known after it.
func (w accountWiring) secret(configured config.Secret) (func() string, error) {
	if !configured.IsZero() {
		return configured.Reveal, nil
	}
	if w.human == nil {
		return config.NewSecret(rand.Text()).Reveal, nil
	}
	name := stateFolder + w.kind + "-" + w.name + ".secret"
	b, err := w.human.ReadState(name)
	if err == nil && len(b) >= leastKept {
		return config.NewSecret(string(b)).Reveal, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	made := rand.Text() + rand.Text()
	return config.NewSecret(made).Reveal, w.human.WriteState(name, []byte(made))
}

// leastKept is the length of a kept secret below which it is made anew, in bytes.
const leastKept = 32

// profile returns how a kind of channel shows things.
func (p *program) profile(channel string) (formatting.Profile, bool) {
	switch channel {
	case telegram.Kind:
		return formatting.TelegramHTML(), true
	case discord.Kind:
		return formatting.DiscordMarkdown(), true
	case mattermost.Kind:
		return formatting.MattermostMarkdown(0), true
	case "terminal":
		return formatting.Terminal(formatting.TerminalOptions{Color: p.color(), Width: p.width()}), true
	}
	return formatting.Profile{}, false
}
