package mattermost

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// mostKnown and mostRoots bound what a directory remembers; first posts of
	// threads may be long.
	mostKnown = 5000
	mostRoots = 500
	// userFresh is how long names and languages of people are believed.
	userFresh = 10 * time.Minute
)

// A directory remembers what was asked about channels, people and first posts
// of threads. It may be used by many goroutines.
type directory struct {
	client *client
	now    func() time.Time

	mu       sync.Mutex // guards the fields below
	channels map[string]channel
	users    map[string]knownUser
	roots    map[string]post
	direct   map[string]string // by person
}

type knownUser struct {
	user user
	at   time.Time
}

func newDirectory(c *client, now func() time.Time) *directory {
	return &directory{
		client: c, now: now,
		channels: make(map[string]channel), users: make(map[string]knownUser),
		roots: make(map[string]post), direct: make(map[string]string),
	}
}

// put remembers one thing and forgets all others when there are too many: what
// is needed again is asked again.
func put[V any](m map[string]V, most int, k string, v V) {
	if len(m) >= most {
		clear(m)
	}
	m[k] = v
}

// know remembers channels that were listed.
func (d *directory) know(all []channel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ch := range all {
		put(d.channels, mostKnown, ch.ID, ch)
	}
}

// leave forgets a channel.
func (d *directory) leave(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.channels, id)
}

// channel returns what a channel is. Only those in which we are can be asked
// for.
func (d *directory) channel(ctx context.Context, id string) (channel, error) {
	d.mu.Lock()
	ch, ok := d.channels[id]
	d.mu.Unlock()
	if ok {
		return ch, nil
	}
	if err := d.client.call(ctx, http.MethodGet, "/channels/"+id, nil, &ch); err != nil {
		return ch, err
	}
	d.know([]channel{ch})
	return ch, nil
}

// user returns who somebody is.
func (d *directory) user(ctx context.Context, id string) (user, error) {
	d.mu.Lock()
	known, ok := d.users[id]
	d.mu.Unlock()
	if ok && d.now().Sub(known.at) < userFresh {
		return known.user, nil
	}
	var u user
	if err := d.client.call(ctx, http.MethodGet, "/users/"+id, nil, &u); err != nil {
		if ok {
			return known.user, nil // better than nothing
		}
		return u, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	put(d.users, mostKnown, id, knownUser{u, d.now()})
	return u, nil
}

// root returns the first post of a thread; a post without an id when it is not
// there any more.
func (d *directory) root(ctx context.Context, id string) (post, error) {
	d.mu.Lock()
	p, ok := d.roots[id]
	d.mu.Unlock()
	if ok {
		return p, nil
	}
	err := d.client.call(ctx, http.MethodGet, "/posts/"+id, nil, &p)
	var f *failure
	if errors.As(err, &f) && f.gone() {
		return post{}, nil
	}
	if err != nil {
		return p, err
	}
	p.ID = id
	d.started(p)
	return p, nil
}

// started remembers a post that may become the first of a thread, or what it
// says now.
func (d *directory) started(p post) {
	d.mu.Lock()
	defer d.mu.Unlock()
	put(d.roots, mostRoots, p.ID, post{ID: p.ID, UserID: p.UserID, ChannelID: p.ChannelID, RootID: p.RootID, Message: p.Message})
}

// directChannel returns the chat with a person, which the server makes when
// there is none.
func (d *directory) directChannel(ctx context.Context, person string) (string, error) {
	d.mu.Lock()
	id, ok := d.direct[person]
	d.mu.Unlock()
	if ok {
		return id, nil
	}
	var me user
	if err := d.client.call(ctx, http.MethodGet, "/users/me", nil, &me); err != nil {
		return "", err
	}
	var ch channel
	if err := d.client.call(ctx, http.MethodPost, "/channels/direct", []string{me.ID, person}, &ch); err != nil {
		return "", err
	}
	if !isID(ch.ID) {
		return "", &failure{op: "POST /channels/direct", kind: garbled, text: "the answer names no channel"}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	put(d.direct, mostKnown, person, ch.ID)
	return ch.ID, nil
}

// name is what a person is called.
func (u user) name() string {
	if n := strings.TrimSpace(u.FirstName + " " + u.LastName); n != "" {
		return n
	}
	if u.Nickname != "" {
		return u.Nickname
	}
	return u.Username
}
