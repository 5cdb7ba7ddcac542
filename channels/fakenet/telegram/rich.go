package telegram

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// maxRich is how many characters a rich message may have.
const maxRich = 32768

var anyTag = regexp.MustCompile(`<[^>]*>`)

// sendRichMessage takes a rich message in HTML. The server does not parse it as
// the real one does: it takes everything that it can strip of tags.
func (s *Server) sendRichMessage(c *call) (any, error) {
	var rich struct {
		HTML string `json:"html"`
	}
	if err := json.Unmarshal([]byte(c.params["rich_message"]), &rich); err != nil || rich.HTML == "" {
		return nil, badRequest("can't parse InputRichMessage: rich message is empty")
	}
	text := html.UnescapeString(anyTag.ReplaceAllString(rich.HTML, "\n"))
	text = strings.TrimSpace(text)
	if len([]rune(text)) > maxRich {
		return nil, badRequest("RICH_MESSAGE_TOO_LONG")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.write(c, rich.HTML, text)
	if err != nil {
		return nil, err
	}
	m.sent.Rich = rich.HTML
	m.Rich = json.RawMessage(`{"blocks":[{"type":"paragraph"}]}`)
	if s.opts.EmptyRich {
		m.Rich, m.sent.Text = json.RawMessage(`{"blocks":[]}`), ""
	}
	s.arrive(m)
	return m.Message, nil
}

// ephemeral makes m one that a single person sees, where the call asks for it:
// somebody who has just pressed a button in a group.
func (s *Server) ephemeral(c *call, m *stored) error {
	raw := c.params["ephemeral_message_parameters"]
	if raw == "" {
		return nil
	}
	var p struct {
		Receiver int64  `json:"receiver_user_id"`
		Query    string `json:"callback_query_id"`
	}
	if json.Unmarshal([]byte(raw), &p) != nil || p.Receiver == 0 {
		return badRequest("can't parse ephemeral message parameters JSON object")
	}
	if _, ok := s.queries[p.Query]; !ok || !s.chats[m.Chat.ID].members[p.Receiver] {
		return badRequest("USER_NOT_FOUND")
	}
	m.sent.Receiver, m.EphemeralID = p.Receiver, m.MessageID
	return nil
}
