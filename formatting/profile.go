package formatting

// A Profile says, as data, what a network can show and how texts look there.
// Each adapter states its own; the ready ones of this package are starting
// points. The zero Profile is unlimited plain text. Profiles are values: change
// a copy to suit a person's wishes.
type Profile struct {
	Name    string
	Dialect Dialect // nil means plain text

	// Limit is how long one part may be, counted in Measure over the text that
	// people see; 0 means no limit. Limits under 64 are not supported: parts
	// may then be longer.
	Limit   int
	Measure Measure
	// LimitMarked says that the limit counts the text as it is sent, with its
	// markup.
	LimitMarked bool
	// RawLimit is how many bytes one part may have with its markup; 0 means no
	// limit.
	RawLimit int
	// Entities is how many spans of markup one part may have, and EntityBytes
	// how many bytes they may take; 0 means no limit. Networks drop the excess
	// without a word.
	Entities    int
	EntityBytes int
	// Reserve is how many units are kept free in each part for [Profile.Notice].
	Reserve int
	// Numbered puts "(2/3)" under each part when there are several.
	Numbered bool

	// Width is the column at which prose is wrapped; 0 leaves that to the
	// network's client.
	Width int
	// TableWidth is how many columns a table may take as a monospaced grid. A
	// wider one is shown row by row as "key: value", as every table is when
	// TableWidth is 0.
	TableWidth int
	// Buttons is how many buttons one part may have; 0 means that the network
	// has none and that they are shown as words.
	Buttons int
	Looks   Looks
}

// Looks are the signs that a profile uses where the dialect has no markup of
// its own. Empty fields mean the defaults in brackets.
type Looks struct {
	Heading  HeadingLook
	Bullet   string // before a list item [•]
	TaskOpen string // before an open task [☐]
	TaskDone string // before a task that is done [✅]
	Quote    string // before each line of a quote [»]
	Inner    string // before each line of a quote in a quote [as Quote]
	Rule     string // a rule [———]
	Number   string // between a part and its number [a line end]
	Link     LinkLook
	// TaskBullet puts the bullet before a task too.
	TaskBullet bool
	// CodeIndent stands before each line of a code block where the dialect does
	// not mark it.
	CodeIndent string
	// Inset stands before each line of a list.
	Inset string
}

// HeadingLook is how a heading stands out.
type HeadingLook int

// The looks of a heading.
const (
	HeadingMarked HeadingLook = iota // by the dialect's markup alone
	HeadingCaps                      // and in capitals
	HeadingRuled                     // and, for levels 1 and 2, with a line below
)

// LinkLook is how a link is written where the dialect cannot hide its target,
// and for targets that are not made clickable.
type LinkLook int

// The looks of a link.
const (
	LinkBrackets LinkLook = iota // label (url)
	LinkAngle                    // label <url>
	LinkColon                    // label: url
)

func (p Profile) withDefaults() Profile {
	set := func(s *string, def string) {
		if *s == "" {
			*s = def
		}
	}
	if p.Dialect == nil {
		p.Dialect = PlainDialect()
	}
	set(&p.Looks.Bullet, "•")
	set(&p.Looks.TaskOpen, "☐")
	set(&p.Looks.TaskDone, "✅")
	set(&p.Looks.Quote, "»")
	set(&p.Looks.Inner, p.Looks.Quote)
	set(&p.Looks.Rule, "———")
	set(&p.Looks.Number, "\n")
	return p
}

// Folds reports whether the dialect can show an expandable [Quote] folded.
func (p Profile) Folds() bool { return p.withDefaults().Dialect.draws(spanFolded) }

// TelegramHTML is Telegram's classic message in HTML mode, complete on every
// client. The limits are those of spec/channels.md section 6: 4,096 after
// parsing, in the larger of both units that are reported; raw bytes well below
// the server's 32 KiB. Telegram ignores entities from the 101st on
// (rubenlagus/TelegramBots#854) and refuses a message whose entities take more
// than about 9,500 bytes (tdlib/telegram-bot-api#165).
func TelegramHTML() Profile {
	return Profile{
		Name:        "telegram",
		Dialect:     HTMLDialect(),
		Limit:       4096,
		Measure:     RunesOrUTF16,
		RawLimit:    24 << 10,
		Entities:    100,
		EntityBytes: 8 << 10,
		Reserve:     64,
		Numbered:    true,
		TableWidth:  40,
		Buttons:     100,
	}
}

// DiscordMarkdown is Discord's Markdown in a message's content: 2,000 code
// points as they are sent (discord-api-docs#1315); 5 rows of 5 buttons. Discord
// has no tables; columns shift when a block of code is wider than a phone.
func DiscordMarkdown() Profile {
	return Profile{
		Name:        "discord",
		Dialect:     DiscordDialect(),
		Limit:       2000,
		Measure:     Runes,
		LimitMarked: true,
		Reserve:     64,
		Numbered:    true,
		TableWidth:  60,
		Buttons:     25,
		Looks:       Looks{Bullet: "-", TaskBullet: true, Quote: ">", Inner: "»"},
	}
}

// MattermostPost is how many code points a Mattermost server takes in a post,
// unless it is very old: 16,383 accepted, 16,384 refused (spec/channels.md
// section 6).
const MattermostPost = 16383

// MattermostMarkdown is the Markdown of Mattermost, on a server whose posts may
// have limit code points; 0 means [MattermostPost]. It has no buttons, which
// need an address where the server reaches us: an adapter that has one sets
// [Profile.Buttons].
func MattermostMarkdown(limit int) Profile {
	if limit <= 0 {
		limit = MattermostPost
	}
	return Profile{
		Name:        "mattermost",
		Dialect:     MattermostDialect(),
		Limit:       limit,
		Measure:     Runes,
		LimitMarked: true,
		Reserve:     64,
		Numbered:    true,
		TableWidth:  100,
		Looks: Looks{
			Bullet: "-", TaskOpen: "[ ]", TaskDone: "[x]", TaskBullet: true, Quote: ">", Rule: "***", Number: "\n\n",
		},
	}
}

// TerminalOptions tell terminals apart.
type TerminalOptions struct {
	Color bool // without it no part holds an escape sequence
	Width int  // columns; 0 when unknown: prose is not wrapped
}

// Terminal is a terminal or a pipe.
func Terminal(o TerminalOptions) Profile {
	p := Profile{
		Name:       "terminal",
		Dialect:    PlainDialect(),
		Width:      o.Width,
		TableWidth: o.Width,
		Looks: Looks{
			Heading:  HeadingRuled,
			TaskOpen: "[ ]",
			TaskDone: "[x]",
			Quote:    "│",
			Rule:     "────────────────────",
			Link:     LinkAngle,
			Inset:    "  ",
		},
	}
	if o.Color {
		p.Dialect = ANSIDialect()
	}
	if p.TableWidth <= 0 {
		p.TableWidth = 100
	}
	return p
}

// PlainOptions tell networks without markup apart.
type PlainOptions struct {
	Limit   int
	Measure Measure
	Reserve int
	Width   int
}

// Plain is a network without any markup, such as Signal or SMS.
func Plain(o PlainOptions) Profile {
	return Profile{
		Name:     "plain",
		Dialect:  PlainDialect(),
		Limit:    o.Limit,
		Measure:  o.Measure,
		Reserve:  o.Reserve,
		Width:    o.Width,
		Numbered: true,
		Looks: Looks{
			Heading:    HeadingCaps,
			Link:       LinkColon,
			CodeIndent: "    ",
		},
	}
}
