package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxCommands      = 100 // of a scope
	maxCreates       = 200 // a day
	typeChatInput    = 1
	optionString     = 3
	maxOptionsOfCall = 25
)

// A Command is an entry of the menu of slash commands.
type Command struct {
	ID                string            `json:"id"`
	ApplicationID     string            `json:"application_id"`
	GuildID           string            `json:"guild_id,omitempty"`
	Version           string            `json:"version"`
	Type              int               `json:"type"`
	Name              string            `json:"name"`
	NameLocales       map[string]string `json:"name_localizations"`
	Description       string            `json:"description"`
	DescriptionLocale map[string]string `json:"description_localizations"`
	Options           []Option          `json:"options,omitempty"`
	MemberPermissions *string           `json:"default_member_permissions"`
	DMPermission      *bool             `json:"dm_permission,omitempty"`
	NSFW              bool              `json:"nsfw"`
	Contexts          []int             `json:"contexts"`
	IntegrationTypes  []int             `json:"integration_types"`
}

// An Option is an argument of a command.
type Option struct {
	Type              int               `json:"type"`
	Name              string            `json:"name"`
	NameLocales       map[string]string `json:"name_localizations,omitempty"`
	Description       string            `json:"description"`
	DescriptionLocale map[string]string `json:"description_localizations,omitempty"`
	Required          bool              `json:"required,omitempty"`
	Options           []Option          `json:"options,omitempty"`
	MaxLength         *int              `json:"max_length,omitempty"`
	MinLength         *int              `json:"min_length,omitempty"`
}

var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// locales are the languages that Discord knows.
var locales = strings.Fields("id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko")

// check returns what is wrong with c; path is where it stands.
func (c *Command) check(path string) []fieldError {
	wrong := checkName(path, c.Name, c.NameLocales, c.Type == typeChatInput)
	if c.Type == typeChatInput {
		wrong = append(wrong, checkDescription(path, c.Description, c.DescriptionLocale)...)
	}
	if len(c.Options) > maxOptionsOfCall {
		wrong = append(wrong, tooLong(path+"options", maxOptionsOfCall))
	}
	size := utf8.RuneCountInString(c.Name + c.Description)
	optional := false
	seen := make(map[string]bool)
	for i, o := range c.Options {
		at := fmt.Sprintf("%soptions.%d.", path, i)
		wrong = append(wrong, checkName(at, o.Name, o.NameLocales, true)...)
		wrong = append(wrong, checkDescription(at, o.Description, o.DescriptionLocale)...)
		if o.Type < 1 || o.Type > 11 {
			wrong = append(wrong, fieldError{at + "type", "BASE_TYPE_CHOICES", "Value must be one of the option types."})
		}
		if seen[o.Name] {
			wrong = append(wrong, fieldError{path + "options", "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option name is not unique"})
		}
		if o.Required && optional {
			wrong = append(wrong, fieldError{at, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options"})
		}
		seen[o.Name], optional = true, optional || !o.Required
		size += utf8.RuneCountInString(o.Name + o.Description)
	}
	if size > 8000 {
		wrong = append(wrong, fieldError{strings.TrimSuffix(path, "."), "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)"})
	}
	return wrong
}

func checkName(path, name string, byLocale map[string]string, slash bool) []fieldError {
	var wrong []fieldError
	test := func(at, n string) {
		switch {
		case n == "":
			wrong = append(wrong, required(at))
		case utf8.RuneCountInString(n) > 32:
			wrong = append(wrong, badLength(at, 1, 32))
		case slash && (!commandName.MatchString(n) || n != strings.ToLower(n)):
			wrong = append(wrong, fieldError{at, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"})
		}
	}
	test(path+"name", name)
	for l, n := range byLocale {
		if !slices.Contains(locales, l) {
			wrong = append(wrong, fieldError{path + "name_localizations", "APPLICATION_COMMAND_INVALID_LOCALE", "Locale " + l + " is not valid."})
		}
		test(path+"name_localizations."+l, n)
	}
	return wrong
}

func checkDescription(path, text string, byLocale map[string]string) []fieldError {
	var wrong []fieldError
	test := func(at, d string) {
		if n := utf8.RuneCountInString(d); n < 1 || n > 100 {
			wrong = append(wrong, badLength(at, 1, 100))
		}
	}
	test(path+"description", text)
	for l, d := range byLocale {
		if !slices.Contains(locales, l) {
			wrong = append(wrong, fieldError{path + "description_localizations", "APPLICATION_COMMAND_INVALID_LOCALE", "Locale " + l + " is not valid."})
		}
		test(path+"description_localizations."+l, d)
	}
	return wrong
}

// scope checks the application and the guild of a call and returns the guild.
func (s *Server) scope(c *call) (string, error) {
	if c.vars["application"] != s.app {
		return "", notFound(10002, "Application")
	}
	id := c.vars["guild"]
	if g := s.guilds[id]; id != "" && (g == nil || g.away) {
		return "", forbidden(50001, "Missing Access")
	}
	return id, nil
}

func (s *Server) getCommands(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	guildID, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	full := c.r.URL.Query().Get("with_localizations") == "true"
	list := []any{}
	for _, known := range s.commands[guildID] {
		if full {
			list = append(list, known)
			continue
		}
		// Without the parameter the localizations are left out.
		bare := *known
		bare.NameLocales, bare.DescriptionLocale = nil, nil
		bare.Options = slices.Clone(bare.Options)
		for i := range bare.Options {
			bare.Options[i].NameLocales, bare.Options[i].DescriptionLocale = nil, nil
		}
		list = append(list, &bare)
	}
	return list, nil
}

// putCommands replaces a scope's commands. A name that was there keeps its id;
// a new one counts towards the day's creations.
func (s *Server) putCommands(c *call) (any, error) {
	var list []*Command
	if !bytes.HasPrefix(bytes.TrimSpace(c.body), []byte("[")) {
		return nil, invalidForm(fieldError{"_", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType"})
	}
	if err := c.decode(&list); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	guildID, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	var wrong []fieldError
	counts := make(map[int]int)
	names := make(map[string]bool)
	for i, n := range list {
		n.Type = max(n.Type, typeChatInput)
		wrong = append(wrong, n.check(fmt.Sprintf("%d.", i))...)
		counts[n.Type]++
		key := fmt.Sprint(n.Type, n.Name)
		if names[key] {
			wrong = append(wrong, fieldError{fmt.Sprint(i), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique"})
		}
		names[key] = true
	}
	if len(wrong) > 0 {
		return nil, invalidForm(wrong...)
	}
	if counts[typeChatInput] > maxCommands {
		return nil, badRequest(30032, "Maximum number of application commands reached (100)")
	}
	fresh := 0
	for _, n := range list {
		if s.command(guildID, n.Type, n.Name) == nil {
			fresh++
		}
	}
	if err := s.create(guildID, fresh); err != nil {
		return nil, err
	}
	for _, n := range list {
		s.keep(n, guildID, s.command(guildID, n.Type, n.Name))
	}
	s.commands[guildID] = append([]*Command{}, list...)
	s.wake()
	return s.commands[guildID], nil
}

// create counts n creations of the last 24 hours, and refuses too many.
func (s *Server) create(guildID string, n int) error {
	now := s.opts.Now()
	past := slices.DeleteFunc(s.creates[guildID], func(t time.Time) bool { return now.Sub(t) >= 24*time.Hour })
	s.creates[guildID] = past
	if n > 0 && len(past)+n > maxCreates {
		wait := 24 * time.Hour
		if len(past) > 0 {
			wait = past[0].Add(24 * time.Hour).Sub(now)
		}
		return &apiError{status: 429, code: 30034, message: "Max number of daily application command creates has been reached (200)",
			limit: &limitError{wait.Seconds(), false, "user"}}
	}
	for range n {
		s.creates[guildID] = append(s.creates[guildID], now)
	}
	return nil
}

// keep completes a command that takes the place of old, or is new when old is
// nil.
func (s *Server) keep(c *Command, guildID string, old *Command) {
	c.ApplicationID, c.GuildID, c.Version = s.app, guildID, s.newID()
	c.ID = s.newID()
	if old != nil {
		c.ID = old.ID
	}
	if c.IntegrationTypes == nil {
		c.IntegrationTypes = []int{0}
	}
}

func (s *Server) command(guildID string, kind int, name string) *Command {
	for _, c := range s.commands[guildID] {
		if c.Type == kind && c.Name == name {
			return c
		}
	}
	return nil
}

// createCommand adds a command, or replaces the one of the same name.
func (s *Server) createCommand(c *call) (any, error) {
	n := &Command{}
	if err := c.decode(n); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	guildID, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	n.Type = max(n.Type, typeChatInput)
	if wrong := n.check(""); len(wrong) > 0 {
		return nil, invalidForm(wrong...)
	}
	if old := s.command(guildID, n.Type, n.Name); old != nil {
		s.keep(n, guildID, old)
		*old = *n
		return old, nil
	}
	if len(s.commands[guildID]) >= maxCommands {
		return nil, badRequest(30032, "Maximum number of application commands reached (100)")
	}
	if err := s.create(guildID, 1); err != nil {
		return nil, err
	}
	s.keep(n, guildID, nil)
	s.commands[guildID] = append(s.commands[guildID], n)
	s.wake()
	return accepted{201, n}, nil
}

func (s *Server) findCommand(c *call) (string, int, error) {
	guildID, err := s.scope(c)
	if err != nil {
		return "", 0, err
	}
	i := slices.IndexFunc(s.commands[guildID], func(k *Command) bool { return k.ID == c.vars["command"] })
	if i < 0 {
		return "", 0, notFound(10063, "application command")
	}
	return guildID, i, nil
}

func (s *Server) getCommand(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	guildID, i, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	return s.commands[guildID][i], nil
}

func (s *Server) editCommand(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	guildID, i, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	next := *s.commands[guildID][i]
	if err := json.Unmarshal(c.body, &next); err != nil {
		return nil, badRequest(50109, "The request body contains invalid JSON.")
	}
	if wrong := next.check(""); len(wrong) > 0 {
		return nil, invalidForm(wrong...)
	}
	s.keep(&next, guildID, s.commands[guildID][i])
	s.commands[guildID][i] = &next
	s.wake()
	return &next, nil
}

func (s *Server) deleteCommand(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	guildID, i, err := s.findCommand(c)
	if err != nil {
		return nil, err
	}
	s.commands[guildID] = slices.Delete(s.commands[guildID], i, i+1)
	s.wake()
	return nil, nil
}

// Menu returns the commands of a guild; "" is the global menu.
func (s *Server) Menu(guildID string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Command
	for _, c := range s.commands[guildID] {
		list = append(list, *c)
	}
	return list
}
