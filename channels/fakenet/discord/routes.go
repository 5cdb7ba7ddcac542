package discord

import "strings"

// The routes of the API that the server knows, as [Request.Route],
// [Fault.Route] and [Server.Calls] name them.
const (
	GetGateway          = "GET /gateway"
	GetGatewayBot       = "GET /gateway/bot"
	GetMe               = "GET /users/@me"
	GetUser             = "GET /users/{user}"
	GetMyGuilds         = "GET /users/@me/guilds"
	LeaveGuild          = "DELETE /users/@me/guilds/{guild}"
	CreateDM            = "POST /users/@me/channels"
	GetApplication      = "GET /applications/@me"
	GetOAuthApplication = "GET /oauth2/applications/@me"
	GetChannel          = "GET /channels/{channel}"
	GetMessages         = "GET /channels/{channel}/messages"
	CreateMessage       = "POST /channels/{channel}/messages"
	GetMessage          = "GET /channels/{channel}/messages/{message}"
	EditMessage         = "PATCH /channels/{channel}/messages/{message}"
	DeleteMessage       = "DELETE /channels/{channel}/messages/{message}"
	TriggerTyping       = "POST /channels/{channel}/typing"
	AddReaction         = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RemoveReaction      = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	GetReactions        = "GET /channels/{channel}/messages/{message}/reactions/{emoji}"
	StartThread         = "POST /channels/{channel}/threads"
	StartMessageThread  = "POST /channels/{channel}/messages/{message}/threads"
	JoinThread          = "PUT /channels/{channel}/thread-members/@me"
	LeaveThread         = "DELETE /channels/{channel}/thread-members/@me"
	GetArchivedThreads  = "GET /channels/{channel}/threads/archived/public"
	GetGuild            = "GET /guilds/{guild}"
	GetGuildChannels    = "GET /guilds/{guild}/channels"
	GetGuildRoles       = "GET /guilds/{guild}/roles"
	GetActiveThreads    = "GET /guilds/{guild}/threads/active"
	GetMembers          = "GET /guilds/{guild}/members"
	GetMember           = "GET /guilds/{guild}/members/{user}"
	GetCommands         = "GET /applications/{application}/commands"
	CreateCommand       = "POST /applications/{application}/commands"
	PutCommands         = "PUT /applications/{application}/commands"
	GetCommand          = "GET /applications/{application}/commands/{command}"
	EditCommand         = "PATCH /applications/{application}/commands/{command}"
	DeleteCommand       = "DELETE /applications/{application}/commands/{command}"
	GetGuildCommands    = "GET /applications/{application}/guilds/{guild}/commands"
	CreateGuildCommand  = "POST /applications/{application}/guilds/{guild}/commands"
	PutGuildCommands    = "PUT /applications/{application}/guilds/{guild}/commands"
	GetGuildCommand     = "GET /applications/{application}/guilds/{guild}/commands/{command}"
	EditGuildCommand    = "PATCH /applications/{application}/guilds/{guild}/commands/{command}"
	DeleteGuildCommand  = "DELETE /applications/{application}/guilds/{guild}/commands/{command}"
	AnswerInteraction   = "POST /interactions/{interaction}/{token}/callback"
	CreateFollowup      = "POST /webhooks/{application}/{token}"
	GetFollowup         = "GET /webhooks/{application}/{token}/messages/{message}"
	EditFollowup        = "PATCH /webhooks/{application}/{token}/messages/{message}"
	DeleteFollowup      = "DELETE /webhooks/{application}/{token}/messages/{message}"
	// Download is the CDN's, beside the API.
	Download = "GET /attachments"
)

// routes are searched in order: literal steps stand before variables.
var routes = []route{
	way(GetGateway, (*Server).getGateway).opened(),
	way(GetGatewayBot, (*Server).getGatewayBot),
	way(GetMe, (*Server).getMe),
	way(GetMyGuilds, (*Server).getMyGuilds),
	way(LeaveGuild, (*Server).leaveGuild),
	way(CreateDM, (*Server).createDM),
	way(GetUser, (*Server).getUser),
	way(GetApplication, (*Server).getApplication),
	way(GetOAuthApplication, (*Server).getApplication),
	way(GetChannel, (*Server).getChannel),
	way(GetMessages, (*Server).getMessages),
	way(CreateMessage, (*Server).createMessage),
	way(GetMessage, (*Server).getMessage),
	way(EditMessage, (*Server).editMessage),
	way(DeleteMessage, (*Server).deleteMessage),
	way(TriggerTyping, (*Server).triggerTyping),
	way(AddReaction, (*Server).addReaction),
	way(RemoveReaction, (*Server).removeReaction),
	way(GetReactions, (*Server).getReactions),
	way(StartThread, (*Server).startThread),
	way(StartMessageThread, (*Server).startThread),
	way(JoinThread, (*Server).joinThread),
	way(LeaveThread, (*Server).leaveThread),
	way(GetArchivedThreads, (*Server).getArchivedThreads),
	way(GetGuild, (*Server).getGuild),
	way(GetGuildChannels, (*Server).getGuildChannels),
	way(GetGuildRoles, (*Server).getGuildRoles),
	way(GetActiveThreads, (*Server).getActiveThreads),
	way(GetMembers, (*Server).getMembers),
	way(GetMember, (*Server).getMember),
	way(GetCommands, (*Server).getCommands),
	way(CreateCommand, (*Server).createCommand),
	way(PutCommands, (*Server).putCommands),
	way(GetCommand, (*Server).getCommand),
	way(EditCommand, (*Server).editCommand),
	way(DeleteCommand, (*Server).deleteCommand),
	way(GetGuildCommands, (*Server).getCommands),
	way(CreateGuildCommand, (*Server).createCommand),
	way(PutGuildCommands, (*Server).putCommands),
	way(GetGuildCommand, (*Server).getCommand),
	way(EditGuildCommand, (*Server).editCommand),
	way(DeleteGuildCommand, (*Server).deleteCommand),
	way(AnswerInteraction, (*Server).answerInteraction).opened(),
	way(CreateFollowup, (*Server).createFollowup).opened(),
	way(GetFollowup, (*Server).getFollowup).opened(),
	way(EditFollowup, (*Server).editFollowup).opened(),
	way(DeleteFollowup, (*Server).deleteFollowup).opened(),
}

func way(name string, handle func(*Server, *call) (any, error)) route {
	method, path, _ := strings.Cut(name, " ")
	return route{name: name, method: method, steps: strings.Split(strings.Trim(path, "/"), "/"), handle: handle}
}

func (r route) opened() route {
	r.open = true
	return r
}
