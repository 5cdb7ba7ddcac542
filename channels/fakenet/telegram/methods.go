package telegram

import (
	"slices"
	"strings"
)

// methods are what the server can do, by folded name.
var methods = map[string]func(*Server, *call) (any, error){
	"getme":               (*Server).getMe,
	"getupdates":          (*Server).getUpdates,
	"sendmessage":         (*Server).sendMessage,
	"editmessagetext":     (*Server).editMessageText,
	"deletemessage":       (*Server).deleteMessage,
	"sendchataction":      (*Server).sendChatAction,
	"senddocument":        (*Server).sendDocument,
	"getfile":             (*Server).getFile,
	"getchat":             (*Server).getChat,
	"sendphoto":           (*Server).sendPhoto,
	"sendrichmessage":     (*Server).sendRichMessage,
	"getchatmember":       (*Server).getChatMember,
	"setmycommands":       (*Server).setMyCommands,
	"getmycommands":       (*Server).getMyCommands,
	"deletemycommands":    (*Server).deleteMyCommands,
	"answercallbackquery": (*Server).answerCallbackQuery,
	"setwebhook":          (*Server).setWebhook,
	"deletewebhook":       (*Server).deleteWebhook,
	"getwebhookinfo":      (*Server).getWebhookInfo,
}

func (s *Server) getMe(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return struct {
		User
		CanJoinGroups   bool `json:"can_join_groups"`
		ReadsAll        bool `json:"can_read_all_group_messages"`
		SupportsInline  bool `json:"supports_inline_queries"`
		HasMainWebApp   bool `json:"has_main_web_app"`
		ConnectBusiness bool `json:"can_connect_to_business"`
	}{User: s.bot, CanJoinGroups: true, ReadsAll: !s.opts.Privacy}, nil
}

func (s *Server) getChat(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	return ch.Chat, nil
}

// getChatMember tells how the bot, or a person, stands in a chat.
func (s *Server) getChatMember(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	id := c.integer("user_id", 0)
	u, ok := s.users[id]
	if !ok {
		return nil, badRequest("invalid user_id specified")
	}
	m := member{User: *u, Status: "left"}
	switch {
	case ch.movedTo != 0:
		return nil, badRequest("group chat was upgraded to a supergroup chat")
	case id == s.bot.ID && ch.standing == kicked:
		return nil, forbidden("bot was kicked from the group chat")
	case id == s.bot.ID && ch.standing == muted:
		m.Status = "restricted"
	case id == s.bot.ID && ch.standing == welcome && ch.admin:
		m.Status = "administrator"
	case id == s.bot.ID && ch.standing == welcome, ch.members[id]:
		m.Status = "member"
	}
	return m, nil
}

// Promote makes the bot an administrator of a group, who reads everything
// there in spite of privacy mode.
func (s *Server) Promote(chatID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustChat(chatID).admin = true
}

// target returns the chat that a call names. The caller holds mu.
func (s *Server) target(c *call) (*chat, error) {
	id := strings.TrimSpace(c.params["chat_id"])
	if id == "" {
		return nil, badRequest("chat_id is empty")
	}
	if name, ok := strings.CutPrefix(id, "@"); ok {
		for _, ch := range s.chats {
			if ch.Type != "private" && name != "" && lower(ch.Username) == lower(name) {
				return ch, nil
			}
		}
		return nil, badRequest("chat not found")
	}
	if ch, ok := s.chats[c.integer("chat_id", 0)]; ok {
		return ch, nil
	}
	return nil, badRequest("chat not found")
}

// mayWrite checks that the bot may write in ch.
func (s *Server) mayWrite(ch *chat) error {
	kind := map[string]string{"group": "group chat", "supergroup": "supergroup chat", "channel": "channel chat"}[ch.Type]
	if ch.movedTo != 0 {
		e := badRequest("group chat was upgraded to a supergroup chat")
		e.migrateTo = ch.movedTo
		return e
	}
	if u := s.users[ch.ID]; ch.Type == "private" && u != nil && u.IsBot {
		return forbidden("bot can't send messages to bots")
	}
	switch ch.standing {
	case never:
		return forbidden("bot can't initiate conversation with a user")
	case blocked:
		return forbidden("bot was blocked by the user")
	case deactivated:
		return forbidden("user is deactivated")
	case kicked:
		return forbidden("bot was kicked from the " + kind)
	case left:
		return forbidden("bot is not a member of the " + kind)
	case muted:
		return badRequest("not enough rights to send text messages to the chat")
	}
	return nil
}

// thread checks the topic that a call names and returns it. General is no
// topic to send to.
func (ch *chat) thread(c *call) (int64, error) {
	thread := c.integer("message_thread_id", 0)
	if thread == 0 {
		return 0, nil
	}
	if _, ok := ch.topics[thread]; !ok {
		return 0, badRequest("message thread not found")
	}
	if ch.closed[thread] {
		return 0, badRequest("TOPIC_CLOSED")
	}
	return thread, nil
}

func (s *Server) sendChatAction(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	if err := s.mayWrite(ch); err != nil {
		return nil, err
	}
	action := lower(c.params["action"])
	known := []string{"typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice",
		"upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note", "cancel"}
	if !slices.Contains(known, action) {
		return nil, badRequest("wrong parameter action in request")
	}
	thread := c.integer("message_thread_id", 0)
	if _, ok := ch.topics[thread]; thread > 1 && !ok {
		return nil, badRequest("message thread not found")
	}
	if len(s.actions) >= maxRequests {
		s.actions = s.actions[maxRequests/2:]
	}
	s.actions = append(s.actions, Action{Chat: ch.ID, Thread: thread, Action: action, At: s.opts.Now()})
	s.wake()
	return true, nil
}

func (s *Server) answerCallbackQuery(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := c.params["callback_query_id"]
	if answered, ok := s.queries[id]; !ok || answered {
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	s.queries[id] = true
	s.wake()
	return true, nil
}
