package channeltest

// An Ability is something that not every network has or not every fake can
// show.
type Ability string

// The abilities.
const (
	Groups     Ability = "groups"     // chats of several people
	Mentions   Ability = "mentions"   // the network marks who is mentioned
	Topics     Ability = "topics"     // topics or threads: places inside of a chat
	General    Ability = "general"    // a first topic that has no name when sending
	Edits      Ability = "edits"      // people change what they wrote
	Deletions  Ability = "deletions"  // people remove what they wrote, and we hear of it
	Commands   Ability = "commands"   // the network marks commands
	Bots       Ability = "bots"       // other programs write, and are told apart
	Anonymous  Ability = "anonymous"  // people write without a name
	Breaks     Ability = "breaks"     // a message may have several lines
	Replies    Ability = "replies"    // people answer a certain message
	Forwards   Ability = "forwards"   // people pass on what others wrote
	Media      Ability = "media"      // content that is no text
	FilesIn    Ability = "files in"   // people send files; the channel is a Fetcher
	FilesOut   Ability = "files out"  // the channel is a FileSender
	Reactions  Ability = "reactions"  // emoji at a message
	Buttons    Ability = "buttons"    // buttons under our messages
	Editing    Ability = "editing"    // the channel is an Editor
	Membership Ability = "membership" // the network tells when we are removed
	Moves      Ability = "moves"      // a chat gets another address
	Pending    Ability = "pending"    // what was not stored comes again after a restart
	Acks       Ability = "acks"       // the network counts what is not acknowledged
	Cursors    Ability = "cursors"    // the channel keeps a Cursor to find what it missed
	Idempotent Ability = "idempotent" // a post that is repeated under its key arrives once
	Exclusive  Ability = "exclusive"  // only one receiver at a time
	Faults     Ability = "faults"     // the way to the network can be broken
	Outage     Ability = "outage"     // the network can be unreachable
	Attempts   Ability = "attempts"   // the network counts the tries to receive
	Redirects  Ability = "redirects"  // a request can be sent elsewhere
	RateLimit  Ability = "rate limit" // the network asks to wait
	ChatWaits  Ability = "chat waits" // and means a single chat by it
	Markup     Ability = "markup"     // the network refuses broken markup
	Limit      Ability = "limit"      // the network refuses long messages
	Closing    Ability = "closing"    // a chat can be closed to us
	Revoking   Ability = "revoking"   // credentials can become invalid
	Malformed  Ability = "malformed"  // foreign bytes reach the adapter
	Turns      Ability = "turns"      // the channel is a TurnTaker
	Typing     Ability = "typing"     // the channel is a Typer
	Menu       Ability = "menu"       // the channel is a Commander
	Arguments  Ability = "arguments"  // the menu describes arguments
	Health     Ability = "health"     // the channel is a Prober
	Checks     Ability = "checks"     // the channel is a Checker
)
