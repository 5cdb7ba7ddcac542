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

func readTelegram(f *form, t *Telegram) {
	if !f.is(writing) {
		t.Mode = "poll"
	}
	field(f, "name", &t.Name, name())
	field(f, "enabled", &t.Enabled, flag())
	readToken(f, &t.Token, t.Enabled, EnvTelegramToken)
	field(f, "api_url", &t.APIURL, optional(address()))
	field(f, "mode", &t.Mode, oneOf("poll"))
	forms(f, "allowed", &t.Allowed, "id", readPerson)
	forms(f, "groups", &t.Groups, "id", readTelegramGroup)
	items(f, "bots", &t.Bots, telegramID(person))
	if !f.is(reading) {
		return
	}
	unique(f, "allowed", "id", t.Allowed, func(p Person) string { return p.ID })
	unique(f, "groups", "id", t.Groups, func(g TelegramGroup) string { return g.ID })
	if t.Enabled && nobody(t) {
		f.warn("allowed", nobodyAllowed)
	}
	checkEncryption(f, "api_url", t.APIURL)
	if t.Enabled && t.Token.Reveal() != "" && !telegramToken.MatchString(t.Token.Reveal()) {
		key := "token"
		if !f.has(key) {
			key = "token_env"
		}
		f.warn(key, oddToken)
	}
}

var telegramToken = regexp.MustCompile(`^[0-9]{5,16}:[A-Za-z0-9_-]{20,}$`)

// readToken reads a token from "token" or from the variable in "token_env", or
// else from a variable of a fixed name.
func readToken(f *form, to *Secret, needed bool, fallback string) {
	needed = needed && !f.w.unresolved
	field(f, "token", to, f.secret("token", needed))
	env := ""
	if f.is(writing) {
		f.seen = append(f.seen, "token_env")
		return
	}
	field(f, "token_env", &env, variable())
	if !f.is(reading) {
		return
	}
	key := "token_env"
	switch {
	case f.has("token") && f.has(key):
		f.fail(key, secretTwice, "token", key)
		return
	case f.has("token"), f.has(key) && env == "":
		return
	case env == "":
		key, env = "token", fallback
		if !needed {
			return
		}
		if f.w.env(env) == "" {
			f.fail(key, secretMissing, env)
			return
		}
	}
	s, bad := f.w.follow("env", env, needed)
	if bad != nil {
		f.fail(key, bad.code, bad.args...)
		return
	}
	*to = s
}

// readPerson declares an entry of a list of people.
func readPerson(f *form, p *Person) {
	if !f.is(writing) {
		p.Role = RoleUser
	}
	field(f, "name", &p.Name, optional(text(100)))
	field(f, "id", &p.ID, telegramID(anybody))
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

func readTelegramGroup(f *form, g *TelegramGroup) {
	if !f.is(writing) {
		g.Mention = MentionRequired
	}
	field(f, "id", &g.ID, telegramID(group))
	field(f, "name", &g.Name, optional(text(100)))
	field(f, "mention", &g.Mention, oneOf(MentionRequired, MentionAlways))
	forms(f, "allowed", &g.Allowed, "id", readPerson)
	field(f, "anonymous", &g.Anonymous, flag())
	items(f, "commands", &g.Commands, pattern("command", commandPattern, wantCommand))
	if !f.is(reading) {
		return
	}
	if !f.has("id") {
		f.fail("id", missingKey, "id")
	}
	unique(f, "allowed", "id", g.Allowed, func(p Person) string { return p.ID })
}

// The values of [TelegramGroup.Mention].
const (
	MentionRequired = "required"
	MentionAlways   = "always"
)

var (
	commandPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	digits         = regexp.MustCompile(`^-?[1-9][0-9]{0,18}$`)
)

// whose says what an id in a place may stand for.
type whose int

const (
	person  whose = iota
	anybody       // a person, or everybody
	group
)

// telegramID is an immutable id of Telegram: a number, positive for people and
// negative for groups. Names are refused: their owner can give them up and
// somebody else can take them (spec/reliability.md T4).
func telegramID(w whose) kind[string] {
	return kind[string]{"id", func(n *yaml.Node) (string, *finding) {
		id := strings.TrimSpace(n.Value)
		switch {
		case n.Kind != yaml.ScalarNode || n.Tag != "!!str" && n.Tag != "!!int":
			return "", found(wantID, excerpt(n))
		case id == Everybody && w == anybody:
			return id, nil
		case id == Everybody:
			return "", found(everybodyHere)
		case strings.HasPrefix(id, "@"), strings.HasPrefix(id, "https://t.me/"), strings.HasPrefix(id, "t.me/"):
			return "", found(idIsName, clip(id))
		case !digits.MatchString(id):
			return "", found(wantID, excerpt(n))
		case w == group && id[0] != '-':
			return "", found(idIsPerson, id)
		case w != group && id[0] == '-':
			return "", found(idIsGroup, id)
		}
		return id, nil
	}, writeText[string]}
}

// nobody reports whether no person at all gets an answer.
func nobody(t *Telegram) bool {
	for _, g := range t.Groups {
		if !nobodyIn(g.Allowed) {
			return false
		}
	}
	return nobodyIn(t.Allowed)
}

// checkTelegram names the accounts and reports what two of them share.
func checkTelegram(f *form, accounts []Telegram) {
	if !f.is(reading) {
		return
	}
	if len(accounts) == 1 && accounts[0].Name == "" {
		accounts[0].Name = mainAccount
	}
	n := f.get("telegram")
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != len(accounts) {
		return
	}
	unique(f, "telegram", "name", accounts, func(t Telegram) string { return t.Name })
	for i, t := range accounts {
		at := index(f.at("telegram"), i)
		if t.Name == "" {
			f.w.fail(n.Content[i], join(at, "name"), missingKey, "name")
		}
		for _, before := range accounts[:i] {
			if t.Enabled && before.Enabled && !t.Token.IsZero() && t.Token.Equal(before.Token) {
				f.w.fail(n.Content[i], join(at, "token"), sameToken, before.Name)
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
