package mattermost

import "strings"

// A route is a way of the API.
type route struct {
	name, method string
	steps        []string
	open         bool // no token is needed
	handle       func(*Server, *call) (any, error)
}

// The routes of the API that the server knows, as [Request.Route],
// [Fault.Route] and [Server.Calls] name them.
const (
	GetUser           = "GET /users/{user}"
	GetUserByName     = "GET /users/username/{name}"
	GetUsersByIDs     = "POST /users/ids"
	GetUsersByNames   = "POST /users/usernames"
	GetStatus         = "GET /users/{user}/status"
	GetStatusesByIDs  = "POST /users/status/ids"
	PutStatus         = "PUT /users/{user}/status"
	GetUserTeams      = "GET /users/{user}/teams"
	GetTeamMembers    = "GET /users/{user}/teams/members"
	GetTeam           = "GET /teams/{team}"
	GetTeamByName     = "GET /teams/name/{name}"
	GetTeamChannels   = "GET /users/{user}/teams/{team}/channels"
	GetUserChannels   = "GET /users/{user}/channels"
	GetChannel        = "GET /channels/{channel}"
	GetChannelByName  = "GET /teams/{team}/channels/name/{name}"
	GetChannelMembers = "GET /channels/{channel}/members"
	GetChannelMember  = "GET /channels/{channel}/members/{user}"
	GetChannelStats   = "GET /channels/{channel}/stats"
	ViewChannel       = "POST /channels/members/{user}/view"
	CreateDirect      = "POST /channels/direct"
	CreateGroup       = "POST /channels/group"
	CreatePost        = "POST /posts"
	CreateEphemeral   = "POST /posts/ephemeral"
	GetPost           = "GET /posts/{post}"
	UpdatePost        = "PUT /posts/{post}"
	PatchPost         = "PUT /posts/{post}/patch"
	DeletePost        = "DELETE /posts/{post}"
	GetThread         = "GET /posts/{post}/thread"
	GetPostFiles      = "GET /posts/{post}/files/info"
	GetPosts          = "GET /channels/{channel}/posts"
	GetReactions      = "GET /posts/{post}/reactions"
	SaveReaction      = "POST /reactions"
	DeleteReaction    = "DELETE /users/{user}/posts/{post}/reactions/{emoji}"
	UserTyping        = "POST /users/{user}/typing"
	UploadFile        = "POST /files"
	GetFile           = "GET /files/{file}"
	GetFileInfo       = "GET /files/{file}/info"
	ListCommands      = "GET /commands"
	CreateCommand     = "POST /commands"
	UpdateCommand     = "PUT /commands/{command}"
	GetCommand        = "GET /commands/{command}"
	DeleteCommand     = "DELETE /commands/{command}"
	RegenCommandToken = "PUT /commands/{command}/regen_token"
	GetConfig         = "GET /config/client"
	GetLicense        = "GET /license/client"
	GetPing           = "GET /system/ping"
	DoAction          = "POST /posts/{post}/actions/{action}"
	CommandHook       = "POST /hooks/commands/{hook}"
)

// routes are searched in order: literal steps stand before variables.
var routes = []route{
	way(GetUserByName, (*Server).getUserByName),
	way(GetUsersByIDs, (*Server).getUsersByIDs),
	way(GetUsersByNames, (*Server).getUsersByNames),
	way(GetStatusesByIDs, (*Server).getStatusesByIDs),
	way(GetUser, (*Server).getUser),
	way(GetStatus, (*Server).getStatus),
	way(PutStatus, (*Server).putStatus),
	way(GetUserTeams, (*Server).getUserTeams),
	way(GetTeamMembers, (*Server).getTeamMembers),
	way(GetTeam, (*Server).getTeam),
	way(GetTeamByName, (*Server).getTeamByName),
	way(GetTeamChannels, (*Server).getMyChannels),
	way(GetUserChannels, (*Server).getMyChannels),
	way(CreateDirect, (*Server).createDirect),
	way(CreateGroup, (*Server).createGroup),
	way(GetChannel, (*Server).getChannel),
	way(GetChannelByName, (*Server).getChannelByName),
	way(GetChannelMembers, (*Server).getChannelMembers),
	way(GetChannelMember, (*Server).getChannelMember),
	way(GetChannelStats, (*Server).getChannelStats),
	way(ViewChannel, (*Server).viewChannel),
	way(CreatePost, (*Server).createPost),
	way(CreateEphemeral, (*Server).createEphemeral),
	way(GetPost, (*Server).getPost),
	way(UpdatePost, (*Server).updatePost),
	way(PatchPost, (*Server).patchPost),
	way(DeletePost, (*Server).deletePost),
	way(GetThread, (*Server).getThread),
	way(GetPostFiles, (*Server).getPostFiles),
	way(GetPosts, (*Server).getPosts),
	way(GetReactions, (*Server).getReactions),
	way(SaveReaction, (*Server).saveReaction),
	way(DeleteReaction, (*Server).deleteReaction),
	way(UserTyping, (*Server).userTyping),
	way(UploadFile, (*Server).uploadFile),
	way(GetFile, (*Server).getFile),
	way(GetFileInfo, (*Server).getFileInfo),
	way(ListCommands, (*Server).listCommands),
	way(CreateCommand, (*Server).createCommand),
	way(UpdateCommand, (*Server).updateCommand),
	way(GetCommand, (*Server).getCommand),
	way(DeleteCommand, (*Server).deleteCommand),
	way(RegenCommandToken, (*Server).regenCommandToken),
	way(GetConfig, (*Server).getConfig).opened(),
	way(GetLicense, (*Server).getLicense).opened(),
	way(GetPing, (*Server).getPing).opened(),
	way(DoAction, (*Server).doAction),
	way(CommandHook, (*Server).commandHook).opened(),
}

func way(name string, handle func(*Server, *call) (any, error)) route {
	method, path, _ := strings.Cut(name, " ")
	return route{name: name, method: method, steps: strings.Split(strings.Trim(path, "/"), "/"), handle: handle}
}

func (r route) opened() route {
	r.open = true
	return r
}
