package discord

import (
	"regexp"
	"slices"
	"strings"
)

// allowedMentions says which mentions of a message of the bot notify somebody.
type allowedMentions struct {
	Parse       []string `json:"parse"`
	Users       []string `json:"users"`
	Roles       []string `json:"roles"`
	RepliedUser bool     `json:"replied_user"`
}

// check returns what is wrong with a.
func (a *allowedMentions) check() []fieldError {
	if a == nil {
		return nil
	}
	var wrong []fieldError
	for _, p := range a.Parse {
		if p != "users" && p != "roles" && p != "everyone" {
			wrong = append(wrong, fieldError{"allowed_mentions.parse", "BASE_TYPE_CHOICES", "Value must be one of {'users', 'roles', 'everyone'}."})
		}
	}
	for kind, ids := range map[string][]string{"users": a.Users, "roles": a.Roles} {
		if len(ids) > 100 {
			wrong = append(wrong, tooLong("allowed_mentions."+kind, 100))
		}
		if len(ids) > 0 && slices.Contains(a.Parse, kind) {
			wrong = append(wrong, fieldError{"allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse:[\"" + kind + "\"] and " + kind + ": [ids...] are mutually exclusive."})
		}
	}
	return wrong
}

// allows reports whether a mention of the given kind and id notifies. Without
// allowed_mentions everything does.
func (a *allowedMentions) allows(kind, id string) bool {
	switch {
	case a == nil, slices.Contains(a.Parse, kind):
		return true
	case kind == "users":
		return slices.Contains(a.Users, id)
	case kind == "roles":
		return slices.Contains(a.Roles, id)
	}
	return false
}

var (
	mentionMark = regexp.MustCompile(`<@(!|&)?(\d+)>|@everyone|@here`)
	codeMark    = regexp.MustCompile("(?s)```.*?```|``.+?``|`[^`\n]+`")
)

// A mark is one mention in a text.
type mark struct {
	kind string // "users", "roles" or "everyone"
	id   string // "everyone" or "here" for the last
}

// marks finds the mentions of a text; in code there are none.
func marks(content string) []mark {
	var found []mark
	bare := codeMark.ReplaceAllStringFunc(content, func(code string) string { return strings.Repeat(" ", len(code)) })
	for _, m := range mentionMark.FindAllStringSubmatchIndex(bare, -1) {
		if m[0] > 0 && bare[m[0]-1] == '\\' {
			continue
		}
		whole := bare[m[0]:m[1]]
		switch {
		case strings.HasPrefix(whole, "@"):
			found = append(found, mark{"everyone", whole[1:]})
		case m[2] >= 0 && bare[m[2]:m[3]] == "&":
			found = append(found, mark{"roles", bare[m[4]:m[5]]})
		default:
			found = append(found, mark{"users", bare[m[4]:m[5]]})
		}
	}
	return found
}

// resolve sets the mentions of m from its content and from what it answers. Of
// a message of the bot only what a allows counts; @everyone and roles that
// cannot be mentioned need a permission. The caller holds mu.
func (s *Server) resolve(ch *channel, m *stored, a *allowedMentions) {
	m.Mentions, m.MentionRoles, m.MentionEveryone = []mentioned{}, []string{}, false
	author := m.Author.ID
	mayAll := ch.isDirect() || s.may(author, ch, MentionEveryone)
	add := func(id string) {
		if p, ok := s.users[id]; ok && !mentions(&m.Message, id) {
			m.Mentions = append(m.Mentions, mentioned{User: p.User})
		}
	}
	for _, k := range marks(m.Content) {
		if !a.allows(k.kind, k.id) {
			continue
		}
		switch k.kind {
		case "users":
			add(k.id)
		case "roles":
			if r := s.role(ch, k.id); r != nil && (r.Mentionable || mayAll) && !slices.Contains(m.MentionRoles, k.id) {
				m.MentionRoles = append(m.MentionRoles, k.id)
			}
		case "everyone":
			m.MentionEveryone = m.MentionEveryone || mayAll && !ch.isDirect()
		}
	}
	if m.referencedMessage != "" && (a == nil || a.RepliedUser) {
		if r := ch.messages[m.referencedMessage]; r != nil {
			add(r.Author.ID)
		}
	}
}

// role returns a role of the channel's guild, or nil.
func (s *Server) role(ch *channel, id string) *Role {
	g := s.guilds[ch.GuildID]
	if g == nil {
		return nil
	}
	for _, r := range g.roles {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// pings lists whom a message notifies: user ids, "role:" and an id, "everyone".
// A silent message notifies nobody by sound, yet counts as a mention.
func pings(m *Message) []string {
	var list []string
	for _, u := range m.Mentions {
		list = append(list, u.ID)
	}
	for _, r := range m.MentionRoles {
		list = append(list, "role:"+r)
	}
	if m.MentionEveryone {
		list = append(list, "everyone")
	}
	return list
}
