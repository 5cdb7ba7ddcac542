package mattermost_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"outheis/channels/fakenet/mattermost"
)

// A hit is a call of the server to an integration.
type hit struct {
	path   string
	header http.Header
	body   []byte
}

// integration answers the server's calls; answers are by path.
func integration(t *testing.T, answers map[string]string) (string, <-chan hit) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hits := make(chan hit, 10)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		hits <- hit{r.URL.Path, r.Header, b}
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.Error(w, "kaputt", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // it ends with Close, on purpose
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return "http://" + l.Addr().String(), hits
}

func TestButtonsCallBack(t *testing.T) {
	at, hits := integration(t, map[string]string{"/act": `{"update":{"message":"gewählt","props":{}},"ephemeral_text":"Danke."}`, "/leer": ``})
	s, w := world(t, mattermost.Options{})
	c := rest(t, s)
	id := c.create(w.channel, `"message":"wähle","props":{"attachments":[{"text":"Text","actions":[
		{"id":"ja","name":"Ja","type":"button","integration":{"url":"`+at+`/act","context":{"k":"v"}}},
		{"name":"Ohne","integration":{"url":"`+at+`/leer"}},
		{"id":"mit_strich","name":"Nie","integration":{"url":"`+at+`/act"}},
		{"id":"kaputt","name":"Kaputt","integration":{"url":"`+at+`/nix"}},
		{"id":"tot","name":"Tot","integration":{"url":"http://127.0.0.1:9/"}}]}]}`)
	r := c.call("GET", "/posts/"+id, "")
	actions := r.body["props"].(map[string]any)["attachments"].([]any)[0].(map[string]any)["actions"].([]any)
	if first := actions[0].(map[string]any); first["integration"] != nil || first["name"] != "Ja" || actions[1].(map[string]any)["id"] == "" {
		t.Errorf("clients see %v", actions)
	}
	sent := s.Sent(w.channel)[0]
	if len(sent.Buttons) != 5 || sent.Buttons[0].Context["k"] != "v" || sent.Attachments[0] != "Text" {
		t.Errorf("a person finds %+v", sent)
	}
	for button, want := range map[string]int{sent.Buttons[1].ID: 200, "mit_strich": 404, "kaputt": 400, "tot": 400, "nie": 404} {
		if got := s.Press(w.ada, id, button); got.Status != want {
			t.Errorf("%s got %+v, want %d", button, got, want)
		}
	}
	for len(hits) > 0 {
		<-hits
	}
	got := s.Press(w.ada, id, "ja")
	if got.Status != 200 || got.Ephemeral != "Danke." || !got.Updated {
		t.Errorf("pressing got %+v", got)
	}
	var body struct {
		UserID    string         `json:"user_id"`
		ChannelID string         `json:"channel_id"`
		TeamID    string         `json:"team_id"`
		PostID    string         `json:"post_id"`
		Context   map[string]any `json:"context"`
	}
	h := <-hits
	if err := json.Unmarshal(h.body, &body); err != nil {
		t.Fatal(err)
	}
	if body.UserID != w.ada || body.ChannelID != w.channel || body.TeamID != w.team || body.PostID != id || body.Context["k"] != "v" {
		t.Errorf("the server called with %s", h.body)
	}
	if sent := s.Sent(w.channel)[0]; sent.Text != "gewählt" || len(sent.Buttons) != 0 {
		t.Errorf("afterwards a person finds %+v", sent)
	}
	if seen := s.Seen(w.ada); len(seen) != 1 || seen[0].Text != "Danke." || seen[0].Root != id {
		t.Errorf("the person alone saw %+v", seen)
	}
}

func TestLoopbackMayBeForbidden(t *testing.T) {
	at, _ := integration(t, map[string]string{"/act": `{}`})
	s, w := world(t, mattermost.Options{NoLoopback: true})
	id := rest(t, s).create(w.channel, `"message":"x","props":{"attachments":[{"actions":[{"id":"ja","name":"Ja","integration":{"url":"`+at+`/act"}}]}]}`)
	if got := s.Press(w.ada, id, "ja"); got.Status != 400 {
		t.Errorf("pressing got %+v, want 400", got)
	}
}

func TestSlashCommandsCallBack(t *testing.T) {
	at, hits := integration(t, map[string]string{"/frage": `{"response_type":"ephemeral","text":"Moment."}`, "/laut": `{"response_type":"in_channel","text":"Hört!"}`})
	now := time.Now()
	s, w := world(t, mattermost.Options{Now: func() time.Time { return now }})
	c := rest(t, s)
	token := s.AddCommand(w.team, "frage", at+"/frage").Token
	s.AddCommand(w.team, "laut", at+"/laut")
	s.AddCommand(w.team, "kaputt", at+"/nix")
	if got := s.Run(w.team, w.channel, "", w.ada, "/gibtsnicht"); got.Status != 404 {
		t.Errorf("an unknown command got %+v", got)
	}
	got := s.Run(w.team, w.channel, "", w.ada, "/frage wie lang?")
	if got.Status != 200 || !got.Ephemeral || got.Answer != "Moment." || s.Seen(w.ada)[0].Text != "Moment." {
		t.Errorf("the command got %+v", got)
	}
	h := <-hits
	form, err := url.ParseQuery(string(h.body))
	if err != nil {
		t.Fatal(err)
	}
	if form.Get("token") != token || h.header.Get("Authorization") != "Token "+token || form.Get("command") != "/frage" || form.Get("text") != "wie lang?" ||
		form.Get("channel_id") != w.channel || form.Get("user_id") != w.ada {
		t.Errorf("the server called with %v", form)
	}
	hook, err := url.Parse(form.Get("response_url"))
	if err != nil {
		t.Fatal(err)
	}
	later := func(body string) int {
		t.Helper()
		r, err := c.try("POST", hook.Path, body)
		if err != nil {
			t.Fatal(err)
		}
		return r.status
	}
	if status := later(`{"response_type":"in_channel","text":"für alle"}`); status != 200 {
		t.Errorf("a later answer got %d", status)
	}
	// What comes to the channel bears the person's name.
	if p := s.History(w.channel)[0]; p.UserID != w.ada || p.Props["from_webhook"] != "true" || p.Message != "für alle" {
		t.Errorf("the answer to all is %+v", p)
	}
	for range 4 {
		if status := later(`{"text":"mehr"}`); status != 200 {
			t.Errorf("a later answer got %d", status)
		}
	}
	if status := later(`{"text":"zu viel"}`); status != 400 {
		t.Errorf("the sixth later answer got %d, want 400", status)
	}
	s.Run(w.team, w.channel, "", w.ada, "/frage")
	form, err = url.ParseQuery(string((<-hits).body))
	if err != nil {
		t.Fatal(err)
	}
	if hook, err = url.Parse(form.Get("response_url")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(31 * time.Minute)
	if status := later(`{"text":"zu spät"}`); status != 404 {
		t.Errorf("an answer after half an hour got %d, want 404", status)
	}
	if got := s.Run(w.team, w.channel, "", w.ada, "/laut"); got.Status != 200 || got.Ephemeral {
		t.Errorf("a loud command got %+v", got)
	}
	if got := s.Run(w.team, w.channel, "", w.ada, "/kaputt"); got.Status != 500 || got.Error == "" {
		t.Errorf("a broken command got %+v", got)
	}
}
