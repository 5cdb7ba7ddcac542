package config

import (
	"regexp"

	"gopkg.in/yaml.v3"
)

// Telegram.

func (*Telegram) kind() string { return "telegram" }

func (t *Telegram) secrets() []*Secret { return []*Secret{&t.Webhook.Secret} }

func (t *Telegram) connection() any {
	c := *t
	c.Common, c.Webhook.Secret = Common{}, Secret{}
	return c
}

func readTelegram(f *form, t *Telegram) {
	n := network{
		variable: EnvTelegramToken, token: telegramToken, odd: oddToken, id: telegramID, anonymous: true,
	}
	if !f.is(writing) {
		t.Mode = ModePoll
	}
	readConnection(f, &t.Common, n)
	field(f, "api_url", &t.APIURL, optional(address()))
	checkEncryption(f, "api_url", t.APIURL)
	field(f, "mode", &t.Mode, oneOf(ModePoll, ModeWebhook))
	hooked := t.Mode == ModeWebhook
	if f.is(reading) && hooked && !f.has("webhook") {
		f.fail("webhook", missingKey, "webhook")
	}
	sub(f, "webhook", func(f *form) {
		field(f, "url", &t.Webhook.URL, optional(address()))
		checkEncryption(f, "url", t.Webhook.URL)
		readListener(f, "listen", &t.Webhook.Listen, t.Enabled && hooked)
		readCredential(f, "secret", &t.Webhook.Secret, t.Enabled && hooked, "")
		if !f.is(reading) || f.node == nil {
			return
		}
		for _, key := range []string{"url", "listen"} {
			if hooked && !f.has(key) {
				f.fail(key, missingKey, key)
			}
		}
		if s := t.Webhook.Secret.Reveal(); s != "" && !webhookSecret.MatchString(s) {
			f.fail("secret", badWebhookSecret)
		}
	})
	field(f, "rich", &t.Rich, flag())
	field(f, "ephemeral", &t.Ephemeral, flag())
	readAccess(f, &t.Common, n)
}

var (
	telegramToken = regexp.MustCompile(`^[0-9]{5,16}:[A-Za-z0-9_-]{20,}$`)
	webhookSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`) // as the Bot API takes it
)

// Discord.

func (*Discord) kind() string { return "discord" }

func (*Discord) secrets() []*Secret { return nil }

func (d *Discord) connection() any {
	c := *d
	c.Common = Common{}
	return c
}

func readDiscord(f *form, d *Discord) {
	n := network{variable: EnvDiscordToken, token: discordToken, odd: oddDiscordToken, id: discordID, spaces: true}
	if !f.is(writing) {
		d.Commands = []string{CommandsGlobal}
	}
	readConnection(f, &d.Common, n)
	field(f, "api_url", &d.APIURL, optional(address()))
	checkEncryption(f, "api_url", d.APIURL)
	items(f, "commands", &d.Commands, guildOrGlobal())
	items(f, "known_links", &d.KnownLinks, pattern("host", hostPattern, wantHost))
	readAccess(f, &d.Common, n)
}

// guildOrGlobal is where slash commands are offered.
func guildOrGlobal() kind[string] {
	k := discordID(group)
	read := k.read
	k.read = func(n *yaml.Node) (string, *finding) {
		if n.Kind == yaml.ScalarNode && n.Value == CommandsGlobal {
			return CommandsGlobal, nil
		}
		return read(n)
	}
	return k
}

var (
	discordToken = regexp.MustCompile(`^[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{25,}$`)
	hostPattern  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
)

// Mattermost.

func (*Mattermost) kind() string { return "mattermost" }

func (m *Mattermost) secrets() []*Secret { return []*Secret{&m.CommandToken, &m.ButtonSecret} }

func (m *Mattermost) connection() any {
	c := *m
	c.Common, c.CommandToken, c.ButtonSecret = Common{}, Secret{}, Secret{}
	return c
}

func readMattermost(f *form, m *Mattermost) {
	n := network{variable: EnvMattermostToken, token: mattermostPattern, odd: oddMattermostToken, id: mattermostID, spaces: true}
	if !f.is(writing) {
		m.Thread = ThreadAlways
	}
	readConnection(f, &m.Common, n)
	field(f, "url", &m.URL, optional(address()))
	checkEncryption(f, "url", m.URL)
	field(f, "thread", &m.Thread, oneOf(ThreadAlways, ThreadWhenThreaded))
	readListener(f, "listen", &m.Listen, m.Enabled)
	field(f, "public_url", &m.PublicURL, optional(address()))
	checkEncryption(f, "public_url", m.PublicURL)
	readCredential(f, "command_token", &m.CommandToken, m.Enabled, "")
	readCredential(f, "button_secret", &m.ButtonSecret, m.Enabled, "")
	readAccess(f, &m.Common, n)
	if !f.is(reading) {
		return
	}
	if m.Enabled && !f.has("url") {
		f.fail("url", missingKey, "url")
	}
	if f.has("listen") != f.has("public_url") { // one without the other is of no use
		missing := "listen"
		if f.has(missing) {
			missing = "public_url"
		}
		f.fail(missing, missingKey, missing)
	}
	if s := m.ButtonSecret.Reveal(); s != "" && len(s) < leastSecret {
		f.fail("button_secret", shortSecret, leastSecret)
	}
}

// leastSecret is how long a secret must be that signs something, in bytes.
const leastSecret = 16
