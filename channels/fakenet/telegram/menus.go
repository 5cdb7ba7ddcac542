package telegram

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

const (
	maxCommands     = 100
	maxCommandBytes = 8000 // of the whole menu; reported between 4 and 8 KB
)

// A menuKey names a command menu.
type menuKey struct{ scope, lang string }

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
	key, err := menuOf(c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.menus[key] = list
	s.wake()
	return true, nil
}

// menuOf returns the menu that a call is about.
func menuOf(c *call) (menuKey, error) {
	key := menuKey{scope: "default", lang: c.params["language_code"]}
	if key.lang != "" && len(key.lang) != 2 || key.lang != lower(key.lang) {
		return key, badRequest("invalid language code specified")
	}
	raw := c.params["scope"]
	if raw == "" {
		return key, nil
	}
	var scope struct {
		Type string `json:"type"`
	}
	if json.Unmarshal([]byte(raw), &scope) != nil {
		return key, badRequest("can't parse BotCommandScope: Expected an Object as BotCommandScope")
	}
	switch scope.Type {
	case "default", "all_private_chats", "all_group_chats", "all_chat_administrators":
		key.scope = scope.Type
		return key, nil
	}
	return key, badRequest("can't parse BotCommandScope: Unsupported type specified")
}

func (s *Server) getMyCommands(c *call) (any, error) {
	key, err := menuOf(c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Command{}, s.menus[key]...), nil
}

func (s *Server) deleteMyCommands(c *call) (any, error) {
	key, err := menuOf(c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.menus, key)
	return true, nil
}

// Menu returns the command menu that was set for direct chats, or else for all
// chats, in a language; "" is the menu for all other languages.
func (s *Server) Menu(lang string) []Command {
	if list := s.MenuIn("all_private_chats", lang); list != nil {
		return list
	}
	return s.MenuIn("default", lang)
}

// MenuIn returns the command menu of a scope, as "all_private_chats", for a
// language. It does not look into wider scopes.
func (s *Server) MenuIn(scope, lang string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.menus[menuKey{scope, lang}])
}
