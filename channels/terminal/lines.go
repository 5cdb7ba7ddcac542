package terminal

import (
	"strconv"
	"strings"

	"outheis/channels"
)

// parseLine tells a command from a message. A command is a slash and a name of
// letters, digits and _, and its argument after blanks; what else begins with
// a slash, such as a path, is a message. The words that leave other programs
// leave this one as well.
func parseLine(line string) (command, text string) {
	if line == "exit" || line == "quit" {
		return "quit", ""
	}
	if !strings.HasPrefix(line, "/") {
		return "", line
	}
	name, arg, _ := strings.Cut(line[1:], " ")
	if name == "" {
		return "", line
	}
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && c != '_' && (i == 0 || c < '0' || c > '9') {
			return "", line
		}
	}
	name = strings.ToLower(name)
	if name == "exit" {
		name = "quit"
	}
	return name, strings.TrimSpace(arg)
}

// event makes the event for a message, or for a command where one is named.
func (t *Terminal) event(command, text string) (channels.Event, error) {
	t.mu.Lock()
	t.events++
	key := t.o.Client + ":" + strconv.Itoa(t.events)
	t.mu.Unlock()
	address, err := t.address(key)
	if err != nil {
		return channels.Event{}, err
	}
	e := channels.Event{
		Kind:      channels.KindMessage,
		Key:       key,
		Address:   address,
		Audience:  channels.Direct,
		Actor:     channels.Actor{ID: t.o.Identity, Kind: channels.Person, Name: t.o.Identity, Locale: t.o.Texts.Lang()},
		Message:   key,
		Text:      text,
		Addressed: true,
		At:        t.o.Now().UTC(),
	}
	if command != "" {
		e.Kind, e.Command = channels.KindCommand, command
	}
	return e, nil
}
