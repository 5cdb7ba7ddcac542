// Package config is the configuration of outheis: one typed [Config] whose
// sections are handed to their owners, read from human/config.json or
// human/config.yaml by one strict loader.
//
// [Load] reads the file, accepts the older shapes of it, puts the environment
// over it, follows the references to secrets and reports everything that is
// wrong at once, each [Problem] with its line, the key as it is written and,
// for a slip of the pen, the key that was meant. What is wrong is never
// guessed at: a configuration with an error is not used, an unknown key is an
// error, an empty list of people admits nobody.
//
// Every key is declared once, in a function over forms (see form.go). The same
// declaration reads it, writes it for `outheis config show`, and holds it
// against docs/configuration.md. Keys that no part of outheis reads yet are in
// later.go: known, checked and kept, and said to be unused.
//
// The package knows no other package of ours and no sentence for people: a
// problem's Code names the sentence in config/texts. It writes no file and
// does not watch one; [Diff] says what of a new file can be taken while
// running.
package config

import (
	"time"
)

// Version is the schema version of the file.
const Version = 1

// A Config is the whole configuration. It is a value: a reload makes another
// one. It must not be changed after Load.
type Config struct {
	Mode       Mode
	Human      Human
	Log        Log
	Queue      Queue
	Dispatcher Dispatcher
	Limits     Limits
	Tresor     Tresor
	Agents     map[string]Agent // by role, such as "tresor"
	Channels   Channels
	// Transcriber turns voice messages into text.
	Transcriber Transcriber

	// File is the path that the configuration was read from, or "" when there
	// is none.
	File string

	later map[string]any // keys that no part reads yet
}

// Mode says for whom outheis works.
type Mode string

// The modes.
const (
	Personal Mode = "personal"      // for one person, its owner
	Expert   Mode = "domain_expert" // for many, about one field
)

// Human is the person whose directory this is.
type Human struct {
	Name     string
	Language string   // ISO 639-1
	Timezone string   // of the IANA data base; loads
	Vaults   []string // absolute paths of the notes; the first is the primary
}

// Location returns the time zone.
func (h Human) Location() *time.Location {
	if l, err := time.LoadLocation(h.Timezone); err == nil {
		return l
	}
	return time.UTC
}

// Log says what outheis writes to its own log.
type Log struct {
	Level string // debug, info, warn or error
}

// Queue is about the log of messages.
type Queue struct {
	// AllowNetworkFS accepts a human directory on NFS, SMB and the like.
	AllowNetworkFS bool
}

// Dispatcher is about the work on questions.
type Dispatcher struct {
	MaxParallel     int           // conversations that are answered at the same time
	RequestTimeout  time.Duration // for one question
	BacklogMaxAge   time.Duration // older open questions are not answered any more
	MaxMessageChars int           // longer messages are refused
	Routing         Routing
}

// Routing is how an agent is found for a question that names none.
type Routing struct {
	Threshold float64 // least score, 0 to 1
	// Keywords by agent. An entry may be several words; one that ends in * fits
	// every word that begins with it.
	Keywords map[string][]string
}

// Limits bound what people and programs can make us do.
type Limits struct {
	PerUser PerUser
	PerBot  PerBot
	Waiting int // open questions of one conversation
	Open    int // open questions of all conversations
}

// PerUser bounds one person.
type PerUser struct {
	Burst  int           // questions within Window
	Window time.Duration // of Burst
	Daily  int           // questions within 24 hours
}

// PerBot bounds one program that we answer, against loops of two bots.
type PerBot struct {
	Burst  int           // answers within Window
	Window time.Duration // of Burst
	Mute   time.Duration // how long it is ignored after that
}

// Tresor names the vaults that are asked.
type Tresor struct {
	Vaults  []TresorVault // empty: the handbook
	Network TresorNetwork
}

// A TresorNetwork is what the operator allows where a Tresor lists external
// sources on the network; which they are stands in the Tresor alone.
type TresorNetwork struct {
	Hosts []string // that may lie in a private network
	Proxy string   // http or https URL; "" for none. That of the environment is not used
}

// A TresorVault is one released Tresor.
type TresorVault struct {
	ID       string // "" stands for the name of the folder; see Name
	Path     string // absolute
	Scope    string // organisation, fachbereich, projekt, persoenlich; "" where the name of the folder may say it
	Audience []string
}

// An Agent is one answering mind.
type Agent struct {
	Name    string // a further name by which it can be mentioned
	Enabled bool
}

// Channels are the chat networks, with any number of accounts each.
type Channels struct {
	Telegram   []Telegram
	Discord    []Discord
	Mattermost []Mattermost
}

// The roles of a [Person].
const (
	RoleUser    = "user"
	RoleAdmin   = "admin"
	RoleBlocked = "blocked"
)

// Everybody, as a person's id, stands for all who are not named.
const Everybody = "*"

// A Person is somebody who may ask, or may not. Only the id counts; the name
// is for the reader of the file.
type Person struct {
	Name string
	ID   string // the network's immutable id, or Everybody
	Role string
}

// Common is what an account has on every network.
type Common struct {
	Name    string // the account in every address; renaming it cuts off open conversations
	Enabled bool
	Token   Secret
	Allowed []Person
	Groups  []Group
	Bots    []string // ids of programs that get answers
	// Pairing says when a stranger who writes directly gets a code, with which the
	// owner can admit them on the command line: one of the values below.
	Pairing string
}

// AccountName returns the name; also that of a network's own section.
func (c Common) AccountName() string { return c.Name }

// The values of [Common.Pairing].
const (
	PairingOff    = "off"
	PairingWindow = "window" // while the owner has opened it for a while
	PairingAlways = "always"
)

// A Group is a place of several people in which the bot answers: a group of
// Telegram, a channel of Discord or Mattermost, or, as a space, a whole guild or
// team.
type Group struct {
	ID        string
	Name      string // for the reader of the file
	Space     bool   // the id is that of a guild or team, and all its channels count
	Mention   string // required: only what is addressed to the bot; always: everything
	Allowed   []Person
	Anonymous bool     // administrators who hide their name may ask, as users; on Telegram only
	Commands  []string // commands that work here beside those that always do
}

// Telegram is one Telegram bot.
type Telegram struct {
	Common
	APIURL    string // "" stands for Telegram's own server
	Mode      string // ModePoll or ModeWebhook
	Webhook   Webhook
	Rich      bool // rich messages, where the network takes them
	Ephemeral bool // messages that only one person sees, where the network takes them
}

// The values of [Telegram.Mode].
const (
	ModePoll    = "poll"    // we ask for messages
	ModeWebhook = "webhook" // the network brings them
)

// A Webhook is where a network brings us messages.
type Webhook struct {
	URL    string // as the network reaches it
	Listen string // host:port on this machine
	Secret Secret // "" stands for one that outheis makes and keeps
}

// Discord is one Discord bot.
type Discord struct {
	Common
	APIURL     string   // "" stands for Discord's own server
	Commands   []string // guilds in which slash commands are offered, or CommandsGlobal
	KnownLinks []string // hosts whose links may be shown with a preview
}

// CommandsGlobal, in [Discord.Commands], stands for all guilds and direct chats.
const CommandsGlobal = "global"

// Mattermost is one bot on a Mattermost server.
type Mattermost struct {
	Common
	URL    string // of the server
	Thread string // ThreadAlways or ThreadWhenThreaded
	// Listen and PublicURL are for buttons and slash commands, which the server
	// brings us: host:port on this machine, and the address by which the server
	// reaches it. Without them there are none.
	Listen, PublicURL string
	CommandToken      Secret // the server's, for slash commands
	ButtonSecret      Secret // signs buttons; "" stands for one that outheis makes and keeps
}

// The values of [Mattermost.Thread].
const (
	ThreadAlways       = "always"        // each question in a channel gets its thread
	ThreadWhenThreaded = "when_threaded" // only what stands in a thread is answered in one
)

// A Transcriber is a program that turns speech into text. Without one voice
// messages are not understood.
type Transcriber struct {
	Command []string // program and arguments; no shell reads them
	Timeout time.Duration
}

// Default returns the configuration that holds where the file says nothing.
func Default() Config {
	return Config{
		Mode:  Personal,
		Human: Human{Name: "Human", Language: "de", Timezone: "Europe/Berlin"},
		Log:   Log{Level: "info"},
		Dispatcher: Dispatcher{
			MaxParallel: 8, RequestTimeout: 2 * time.Minute, BacklogMaxAge: 24 * time.Hour, MaxMessageChars: 4000,
			Routing: Routing{Threshold: 0.3, Keywords: map[string][]string{"tresor": {"tresor", "bestand"}}},
		},
		Limits: Limits{
			PerUser: PerUser{Burst: 20, Window: 5 * time.Minute, Daily: 200},
			PerBot:  PerBot{Burst: 6, Window: 10 * time.Minute, Mute: 24 * time.Hour},
			Waiting: 20, Open: 5000,
		},
		Transcriber: Transcriber{Timeout: 2 * time.Minute},
		Agents: map[string]Agent{
			"relay": {Name: "ou", Enabled: true}, "data": {Name: "zeno", Enabled: true}, "agenda": {Name: "cato", Enabled: true},
			"action": {Name: "hiro"}, "pattern": {Name: "rumi", Enabled: true}, "code": {Name: "alan"}, "tresor": {Name: "tresor", Enabled: true},
		},
	}
}
