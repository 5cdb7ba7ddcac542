package config

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// mainAccount is the name of an account that is the only one of its kind and
// has none in the file.
const mainAccount = "main"

// A bot is an account as what is the same on all networks sees it.
type bot interface {
	kind() string
	common() *Common
	secrets() []*Secret // beside the token
	// connection returns what is neither a secret nor access: a change of it needs
	// a new connection.
	connection() any
}

// bots returns all accounts, in the order of the file.
func (c *Channels) bots() []bot {
	var all []bot
	for i := range c.Telegram {
		all = append(all, &c.Telegram[i])
	}
	for i := range c.Discord {
		all = append(all, &c.Discord[i])
	}
	for i := range c.Mattermost {
		all = append(all, &c.Mattermost[i])
	}
	return all
}

func (c *Common) common() *Common { return c }

// Secrets returns all secrets of all channels, for whoever blackens them.
func (c Config) Secrets() []Secret {
	var all []Secret
	for _, s := range c.Channels.bots() {
		all = append(all, s.common().Token)
		for _, secret := range s.secrets() {
			all = append(all, *secret)
		}
	}
	return all
}

func readChannels(f *form, c *Channels) {
	readAccounts(f, "telegram", &c.Telegram, readTelegram)
	readAccounts(f, "discord", &c.Discord, readDiscord)
	readAccounts(f, "mattermost", &c.Mattermost, readMattermost)
	if f.is(reading) {
		f.w.checkListeners()
	}
}

// A network is what the declarations of networks differ in where they say the
// same.
type network struct {
	variable  string         // holds the token of an account that names none
	token     *regexp.Regexp // how a token looks
	odd       Code           // a token that does not look so
	id        func(whose) kind[string]
	anonymous bool // groups can have people without a name
	spaces    bool // channels belong to guilds or teams, which can be listed as well
}

// readAccounts declares the accounts of one network, names them and reports
// what two of them share.
func readAccounts[T any, P interface {
	*T
	bot
}](f *form, kind string, accounts *[]T, read func(*form, *T)) {
	forms(f, kind, accounts, "", read)
	if !f.is(reading) {
		return
	}
	all := *accounts
	of := func(i int) *Common { return P(&all[i]).common() }
	if len(all) == 1 && of(0).Name == "" {
		of(0).Name = mainAccount
	}
	n := f.get(kind)
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != len(all) {
		return
	}
	unique(f, kind, "name", all, func(a T) string { return P(&a).common().Name })
	for i := range all {
		a, at := of(i), index(f.at(kind), i)
		if a.Name == "" {
			f.w.fail(n.Content[i], join(at, "name"), missingKey, "name")
		}
		for j := range i {
			if b := of(j); a.Enabled && b.Enabled && a.Token.Reveal() != "" && a.Token.Equal(b.Token) {
				f.w.fail(n.Content[i], join(at, "token"), sameToken, b.Name)
			}
		}
	}
}

// readConnection declares the keys with which the form of an account begins.
func readConnection(f *form, c *Common, n network) {
	field(f, "name", &c.Name, name())
	field(f, "enabled", &c.Enabled, flag())
	readCredential(f, "token", &c.Token, c.Enabled, n.variable)
	if f.is(reading) && c.Enabled && c.Token.Reveal() != "" && !n.token.MatchString(c.Token.Reveal()) {
		key := "token"
		if !f.has(key) {
			key = "token_env"
		}
		f.warn(key, n.odd)
	}
}

// readAccess declares who may ask.
func readAccess(f *form, c *Common, n network) {
	if !f.is(writing) {
		c.Pairing = PairingOff
	}
	person := func(f *form, p *Person) { readPerson(f, p, n) }
	forms(f, "allowed", &c.Allowed, "id", person)
	forms(f, "groups", &c.Groups, "id", func(f *form, g *Group) { readGroup(f, g, n) })
	items(f, "bots", &c.Bots, n.id(program))
	field(f, "pairing", &c.Pairing, oneOf(PairingOff, PairingWindow, PairingAlways))
	if !f.is(reading) {
		return
	}
	unique(f, "allowed", "id", c.Allowed, func(p Person) string { return p.ID })
	unique(f, "groups", "id", c.Groups, func(g Group) string { return g.ID })
	if c.Enabled && c.Pairing == PairingOff && nobody(c) {
		f.warn("allowed", nobodyAllowed)
	}
}

// readCredential reads a secret from key, or from the variable in the key with _env
// behind it, or else from a variable of a fixed name. One that is not needed may
// be missing.
func readCredential(f *form, key string, to *Secret, needed bool, fallback string) {
	follow := !f.w.unresolved && needed
	field(f, key, to, f.secret(key, follow))
	envKey, env := key+"_env", ""
	if f.is(writing) {
		f.seen = append(f.seen, envKey)
		return
	}
	field(f, envKey, &env, variable())
	if !f.is(reading) {
		return
	}
	at := envKey
	switch {
	case f.has(key) && f.has(envKey):
		f.fail(envKey, secretTwice, key, envKey)
		return
	case f.has(key), f.has(envKey) && env == "", env == "" && fallback == "":
		return
	case env == "":
		at, env = key, fallback
		if !follow {
			return
		}
		if f.w.env(env) == "" {
			f.fail(at, secretMissing, env)
			return
		}
	}
	s, bad := f.w.follow("env", env, follow)
	if bad != nil {
		f.fail(at, bad.code, bad.args...)
		return
	}
	*to = s
}

// readPerson declares an entry of a list of people.
func readPerson(f *form, p *Person, n network) {
	if !f.is(writing) {
		p.Role = RoleUser
	}
	field(f, "name", &p.Name, optional(text(100)))
	field(f, "id", &p.ID, n.id(anybody))
	field(f, "role", &p.Role, oneOf(RoleUser, RoleAdmin, RoleBlocked))
	if !f.is(reading) {
		return
	}
	if !f.has("id") {
		f.fail("id", missingKey, "id")
	}
	if p.ID == Everybody && p.Role != RoleUser {
		f.fail("role", everybodyUser, p.Role)
	}
}

func readGroup(f *form, g *Group, n network) {
	if !f.is(writing) {
		g.Mention = MentionRequired
	}
	field(f, "id", &g.ID, n.id(group))
	field(f, "name", &g.Name, optional(text(100)))
	if n.spaces {
		field(f, "space", &g.Space, flag())
	}
	field(f, "mention", &g.Mention, oneOf(MentionRequired, MentionAlways))
	forms(f, "allowed", &g.Allowed, "id", func(f *form, p *Person) { readPerson(f, p, n) })
	if n.anonymous {
		field(f, "anonymous", &g.Anonymous, flag())
	}
	items(f, "commands", &g.Commands, pattern("command", commandPattern, wantCommand))
	if !f.is(reading) {
		return
	}
	if !f.has("id") {
		f.fail("id", missingKey, "id")
	}
	unique(f, "allowed", "id", g.Allowed, func(p Person) string { return p.ID })
}

// The values of [Group.Mention].
const (
	MentionRequired = "required"
	MentionAlways   = "always"
)

var commandPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// nobody reports whether no person at all gets an answer.
func nobody(c *Common) bool {
	for _, g := range c.Groups {
		if !nobodyIn(g.Allowed) {
			return false
		}
	}
	return nobodyIn(c.Allowed)
}

// listener is host:port on this machine. The port may be 0, for any that is free.
func listener() kind[string] {
	return kind[string]{"host:port", func(n *yaml.Node) (string, *finding) {
		s, bad := rawText(n)
		if bad != nil {
			return "", bad
		}
		host, port, err := net.SplitHostPort(s)
		if err != nil || !portPattern.MatchString(port) || host != "" && net.ParseIP(host) == nil && host != "localhost" {
			return "", found(wantListen, excerpt(n))
		}
		return s, nil
	}, writeText[string]}
}

var portPattern = regexp.MustCompile(`^(0|[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$`)

// readListener declares a key with an address to listen on, which no other
// account of the file may have.
func readListener(f *form, key string, to *string, on bool) {
	field(f, key, to, optional(listener()))
	if f.is(reading) && on && *to != "" {
		f.w.listeners = append(f.w.listeners, reference{f.get(key), f.at(key), *to})
	}
}

// checkListeners reports two accounts that listen at one place.
func (w *walk) checkListeners() {
	for i, l := range w.listeners {
		for _, before := range w.listeners[:i] {
			if l.name == before.name && !strings.HasSuffix(l.name, ":0") {
				w.fail(l.node, l.path, sameListen, before.path)
				break
			}
		}
	}
}

// checkEncryption refuses an address that would show a token to everybody on
// the way, and warns of one that shows it to a private network.
func checkEncryption(f *form, key, address string) {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Scheme != "http", isLoopback(u.Hostname()):
	case isPrivate(u.Hostname()):
		f.warn(key, plainHTTP, address)
	default:
		f.fail(key, publicHTTP, address)
	}
}

// isPrivate reports whether host is, as far as its name tells, in a private
// network.
func isPrivate(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	if !strings.Contains(host, ".") {
		return true
	}
	host = strings.ToLower(host)
	return slices.ContainsFunc([]string{".local", ".lan", ".internal", ".home.arpa"}, func(end string) bool {
		return strings.HasSuffix(host, end)
	})
}

func isLoopback(host string) bool {
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
