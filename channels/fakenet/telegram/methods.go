package telegram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
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

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

const (
	maxCommands     = 100
	maxCommandBytes = 8000 // of the whole menu; reported between 4 and 8 KB
)

func (s *Server) setMyCommands(c *call) (any, error) {
	var list []Command
	if err := json.Unmarshal([]byte(c.params["commands"]), &list); err != nil {
		return nil, badRequest("can't parse commands JSON object")
	}
	size := 0
	for i, command := range list {
		list[i].Command = strings.TrimPrefix(command.Command, "/")
		size += len(command.Command) + len(command.Description)
		if !commandName.MatchString(list[i].Command) {
			return nil, badRequest("BOT_COMMAND_INVALID")
		}
		if n := utf8.RuneCountInString(strings.TrimSpace(command.Description)); n < 1 || n > 256 {
			return nil, badRequest("BOT_COMMAND_DESCRIPTION_INVALID")
		}
	}
	if len(list) > maxCommands || size > maxCommandBytes {
		return nil, badRequest("BOT_COMMANDS_TOO_MUCH")
	}
	lang, err := language(c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.menus[lang] = list
	s.wake()
	return true, nil
}

func language(c *call) (string, error) {
	lang := c.params["language_code"]
	if lang != "" && len(lang) != 2 || lang != lower(lang) {
		return "", badRequest("invalid language code specified")
	}
	return lang, nil
}

func (s *Server) getMyCommands(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Command{}, s.menus[c.params["language_code"]]...), nil
}

func (s *Server) deleteMyCommands(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.menus, c.params["language_code"])
	return true, nil
}

// Menu returns the command menu for a language; "" is the default menu.
func (s *Server) Menu(lang string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.menus[lang])
}

func (s *Server) setWebhook(c *call) (any, error) {
	target := c.params["url"]
	if target == "" {
		return s.deleteWebhook(c)
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return nil, badRequest("bad webhook: invalid webhook URL specified")
	}
	if u.Scheme != "https" {
		return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.webhook == target {
		return described{true, "Webhook is already set"}, nil
	}
	s.webhook = target
	s.abortPoll("Conflict: terminated by setWebhook request")
	if c.flag("drop_pending_updates") {
		s.queue.updates = nil
	}
	return described{true, "Webhook was set"}, nil
}

func (s *Server) deleteWebhook(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.flag("drop_pending_updates") {
		s.queue.updates = nil
	}
	if s.webhook == "" {
		return described{true, "Webhook is already deleted"}, nil
	}
	s.webhook = ""
	return described{true, "Webhook was deleted"}, nil
}

func (s *Server) getWebhookInfo(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"url": s.webhook, "has_custom_certificate": false, "pending_update_count": len(s.queue.updates)}, nil
}

// A file is what was uploaded, by the bot or by a person.
type file struct {
	File
	data []byte
}

// AddFile gives the server a file that the bot can fetch, and returns its id.
func (s *Server) AddFile(name string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addFile(name, data).FileID
}

func (s *Server) addFile(name string, data []byte) *file {
	n := len(s.files) + 1
	f := &file{data: data, File: File{
		FileID: fmt.Sprintf("file-%d", n), FileUniqueID: fmt.Sprintf("uf%d", n), FileName: name, FileSize: int64(len(data)),
	}}
	s.files[f.FileID] = f
	return f
}

func (s *Server) getFile(c *call) (any, error) {
	id := c.params["file_id"]
	if id == "" {
		return nil, badRequest("file_id not specified")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[id]
	if !ok {
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	}
	if f.FileSize > maxDownload {
		return nil, badRequest("file is too big")
	}
	out := f.File
	out.FileName = ""
	out.FilePath = "documents/" + f.FileID
	return out, nil
}

// download serves /file/bot<token>/<path>.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	rest := strings.TrimPrefix(r.URL.Path, "/file/bot")
	token, path, _ := strings.Cut(rest, "/")
	s.mu.Lock()
	known := token == s.token && !s.revoked
	f := s.files[strings.TrimPrefix(path, "documents/")]
	s.mu.Unlock()
	switch {
	case !known:
		write(w, nil, &apiError{code: http.StatusUnauthorized, description: "Unauthorized"})
	case f == nil || f.FileSize > maxDownload:
		write(w, nil, &apiError{code: http.StatusNotFound, description: "Not Found"})
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(f.data)
	}
}
