//go:build peers

package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// client keeps no connection open: tests look for what is left behind.
var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// password is that of everybody; the servers live for one test.
const password = "Invented-password-1"

// An Account is somebody on a server: a person, or a bot.
type Account struct {
	ID, Name, Token string
	URL             string
}

// A Refusal is an answer of the server that is no success.
type Refusal struct {
	Code int
	Body string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d %s", r.Code, r.Body) }

// Do calls the REST interface as the account; path begins after /api/v4.
func (a *Account) Do(method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	return a.Raw(method, path, "application/json", body, out)
}

// Raw is Do with a body of any kind.
func (a *Account) Raw(method, path, kind string, body io.Reader, out any) error {
	req, err := http.NewRequest(method, a.URL+"/api/v4"+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	if a.Token != "" {
		req.Header.Set("Authorization", "Bearer "+a.Token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return &Refusal{resp.StatusCode, string(raw)}
	}
	if token := resp.Header.Get("Token"); token != "" && path == "/users/login" {
		a.Token = token
	}
	if out != nil {
		return json.Unmarshal(raw, out)
	}
	return nil
}

// Must is Do that ends the test unless it succeeds.
func (a *Account) Must(t testing.TB, method, path string, in, out any) {
	t.Helper()
	if err := a.Do(method, path, in, out); err != nil {
		t.Fatalf("%s %s as %s: %v", method, path, a.Name, err)
	}
}

// named is what most answers have.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// prepare makes the administrator and a team.
func (m *Mattermost) prepare(t *testing.T) {
	t.Helper()
	m.Admin = m.register(t, "admin", "", "")
	m.Team = m.NewTeam(t, "team")
}

// register makes an account of a person who has logged in. The first one on a
// server is its administrator.
func (m *Mattermost) register(t testing.TB, name, first, last string) *Account {
	t.Helper()
	a := &Account{Name: name, URL: m.URL}
	var made named
	a.Must(t, http.MethodPost, "/users", map[string]string{
		"username": name, "email": name + "@example.org", "password": password, "first_name": first, "last_name": last, "locale": "de",
	}, &made)
	a.ID = made.ID
	a.Must(t, http.MethodPost, "/users/login", map[string]string{"login_id": name, "password": password}, nil)
	return a
}

// NewTeam makes a team and returns its id.
func (m *Mattermost) NewTeam(t testing.TB, name string) string {
	t.Helper()
	var made named
	m.Admin.Must(t, http.MethodPost, "/teams", map[string]string{"name": name, "display_name": name, "type": "O"}, &made)
	return made.ID
}

// Join puts an account into a team.
func (m *Mattermost) Join(t testing.TB, team string, a *Account) {
	t.Helper()
	m.Admin.Must(t, http.MethodPost, "/teams/"+team+"/members", map[string]string{"team_id": team, "user_id": a.ID}, nil)
}

// Person makes somebody who is in the team.
func (m *Mattermost) Person(t testing.TB, name, first, last string) *Account {
	t.Helper()
	a := m.register(t, name, first, last)
	m.Join(t, m.Team, a)
	return a
}

// Bot makes a bot account with an access token that is in the team.
func (m *Mattermost) Bot(t testing.TB, name string) *Account {
	t.Helper()
	a := &Account{Name: name, URL: m.URL}
	var made struct {
		ID string `json:"user_id"`
	}
	m.Admin.Must(t, http.MethodPost, "/bots", map[string]string{"username": name, "display_name": name}, &made)
	a.ID = made.ID
	var token struct {
		Token string `json:"token"`
	}
	m.Admin.Must(t, http.MethodPost, "/users/"+a.ID+"/tokens", map[string]string{"description": "test"}, &token)
	a.Token = token.Token
	m.Join(t, m.Team, a)
	return a
}

// NewChannel makes a channel with members and returns its id; open is "O" or
// "P".
func (m *Mattermost) NewChannel(t testing.TB, team, name, kind string, members ...*Account) string {
	t.Helper()
	var made named
	m.Admin.Must(t, http.MethodPost, "/channels", map[string]string{"team_id": team, "name": name, "display_name": name, "type": kind}, &made)
	for _, a := range members {
		m.Admin.Must(t, http.MethodPost, "/channels/"+made.ID+"/members", map[string]string{"user_id": a.ID}, nil)
	}
	return made.ID
}

// Direct returns the direct chat of two accounts.
func (a *Account) Direct(t testing.TB, with *Account) string {
	t.Helper()
	var made named
	a.Must(t, http.MethodPost, "/channels/direct", []string{a.ID, with.ID}, &made)
	return made.ID
}

// A Post is one on the server, as far as tests look at it.
type Post struct {
	ID        string                     `json:"id"`
	CreateAt  int64                      `json:"create_at"`
	EditAt    int64                      `json:"edit_at"`
	DeleteAt  int64                      `json:"delete_at"`
	UserID    string                     `json:"user_id"`
	ChannelID string                     `json:"channel_id"`
	RootID    string                     `json:"root_id"`
	Message   string                     `json:"message"`
	FileIDs   []string                   `json:"file_ids"`
	Props     map[string]json.RawMessage `json:"props"`
}

// Post writes into a channel, in a thread when root is given.
func (a *Account) Post(t testing.TB, channel, root, text string) Post {
	t.Helper()
	var p Post
	a.Must(t, http.MethodPost, "/posts", map[string]string{"channel_id": channel, "root_id": root, "message": text}, &p)
	return p
}

// Posts returns the posts of a channel, oldest first, at most 200 pages of 200.
func (a *Account) Posts(t testing.TB, channel string) []Post {
	t.Helper()
	var all []Post
	for page := range 200 {
		var list struct {
			Order []string        `json:"order"`
			Posts map[string]Post `json:"posts"`
		}
		a.Must(t, http.MethodGet, fmt.Sprintf("/channels/%s/posts?per_page=200&page=%d", url.PathEscape(channel), page), nil, &list)
		for _, id := range list.Order {
			all = append(all, list.Posts[id])
		}
		if len(list.Order) < 200 {
			break
		}
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return all
}
