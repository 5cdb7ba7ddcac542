package config

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// whose says what an id in a place may stand for.
type whose int

const (
	program whose = iota // a bot
	anybody              // a person, or everybody
	group
)

// An id of a network is one that the network never gives to anybody else. Names
// are refused: their owner can give them up and somebody else can take them
// (spec/reliability.md T4). In YAML an id of digits may stand without quotes.
func networkID(w whose, check func(id string) *finding, want Code) kind[string] {
	return kind[string]{"id", func(n *yaml.Node) (string, *finding) {
		id := strings.TrimSpace(n.Value)
		switch {
		case n.Kind != yaml.ScalarNode || n.Tag != "!!str" && n.Tag != "!!int":
			return "", found(want, excerpt(n))
		case id == Everybody && w == anybody:
			return id, nil
		case id == Everybody:
			return "", found(everybodyHere)
		}
		if bad := check(id); bad != nil {
			if bad.code == want {
				bad.args = []any{excerpt(n)}
			}
			return "", bad
		}
		return id, nil
	}, writeText[string]}
}

var (
	telegramPattern   = regexp.MustCompile(`^-?[1-9][0-9]{0,18}$`)
	discordPattern    = regexp.MustCompile(`^[1-9][0-9]{14,19}$`)
	discordMention    = regexp.MustCompile(`^<(@[!&]?|#)([0-9]+)>$`)
	discordTag        = regexp.MustCompile(`^.+#[0-9]{4}$`)
	mattermostPattern = regexp.MustCompile(`^[a-z0-9]{26}$`)
)

// telegramID is a number, positive for people and negative for groups.
func telegramID(w whose) kind[string] {
	return networkID(w, func(id string) *finding {
		switch {
		case strings.HasPrefix(id, "@"), strings.HasPrefix(id, "https://t.me/"), strings.HasPrefix(id, "t.me/"):
			return found(idIsName, clip(id))
		case !telegramPattern.MatchString(id):
			return found(wantID)
		case w == group && id[0] != '-':
			return found(idIsPerson, id)
		case w != group && id[0] == '-':
			return found(idIsGroup, id)
		}
		return nil
	}, wantID)
}

// discordID is a snowflake: 15 to 20 digits, for people, channels and guilds
// alike.
func discordID(w whose) kind[string] {
	return networkID(w, func(id string) *finding {
		m := discordMention.FindStringSubmatch(id)
		switch {
		case m != nil && discordPattern.MatchString(m[2]):
			return found(idIsMention, id, m[2])
		case strings.HasPrefix(id, "@"), strings.HasPrefix(id, "#"), discordTag.MatchString(id), strings.Contains(id, "discord.com/"), strings.Contains(id, "discord.gg/"):
			return found(discordIDIsName, clip(id))
		case !discordPattern.MatchString(id):
			return found(wantDiscordID)
		}
		return nil
	}, wantDiscordID)
}

// mattermostID is what the server shows as the id of a person, a channel or a
// team: 26 lower-case letters and digits.
func mattermostID(w whose) kind[string] {
	return networkID(w, func(id string) *finding {
		switch {
		case strings.HasPrefix(id, "@"), strings.HasPrefix(id, "~"), strings.Contains(id, "://"), strings.Contains(id, "@"):
			return found(mattermostIDIsName, clip(id))
		case !mattermostPattern.MatchString(id):
			return found(wantMattermostID)
		}
		return nil
	}, wantMattermostID)
}
