package mattermost

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"unicode/utf8"
)

// maxPost is how many runes a post may have. Servers before 5.0 take 4,000.
const maxPost = 16383

// serverLimits are what the server says of itself; zero means that it has not
// said.
type serverLimits struct {
	mu       sync.Mutex // guards the fields below
	version  string
	post     int   // runes
	file     int64 // bytes
	noFiles  bool
	editTime int // seconds; negative: for ever
}

// refresh asks the server. What it does not say stays as it was.
func (l *serverLimits) refresh(ctx context.Context, c *client) error {
	var says map[string]string
	if err := c.call(ctx, http.MethodGet, "/config/client?format=old", nil, &says); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = says["Version"]
	if n, err := strconv.Atoi(says["MaxPostSize"]); err == nil && n > 0 {
		l.post = n
	}
	if n, err := strconv.ParseInt(says["MaxFileSize"], 10, 64); err == nil && n > 0 {
		l.file = n
	}
	l.noFiles = says["EnableFileAttachments"] == "false"
	if n, err := strconv.Atoi(says["PostEditTimeLimit"]); err == nil {
		l.editTime = n
	}
	return nil
}

// tooLong returns why a text is too long for the server, or nil.
func (l *serverLimits) tooLong(s string) error {
	l.mu.Lock()
	most := l.post
	l.mu.Unlock()
	if most == 0 {
		most = maxPost
	}
	if n := utf8.RuneCountInString(s); n > most {
		return fmt.Errorf("mattermost: a post of %d runes, the server takes %d", n, most)
	}
	return nil
}

// files returns how large a file may be, in bytes; 0 when the server has not
// said. It returns false when the server takes no files.
func (l *serverLimits) files() (most int64, allowed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file, !l.noFiles
}
