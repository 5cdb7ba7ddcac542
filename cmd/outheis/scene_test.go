package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	fake "outheis/channels/fakenet/telegram"
	"outheis/config/texts"
	"outheis/gateway"
)

// A scene is a running outheis that is a bot at a Telegram, and people who write
// to it. When it is over, some things must be true of every scene: see inspect.
type scene struct {
	t        testing.TB
	human    string
	token    string // path of the file that holds it
	server   *fake.Server
	child    *child // nil while none runs
	shift    time.Duration
	unsure   time.Duration // before a part that may have arrived comes again; 0 for what everybody gets
	patience time.Duration // for what has to come

	telegram map[string]any // its section of the configuration

	mu     sync.Mutex // guards the fields below
	output []*buffer  // of all children
	secret []string   // texts that must not be logged
}

const (
	sceneAdmin  = 999
	sceneBot    = 7123456789
	quickUnsure = 300 * time.Millisecond
)

// newScene makes a Telegram with an administrator, who has written to the bot,
// and people with the ids from 1001 on, all of whom may ask what the almanach
// knows. Nothing runs yet.
func newScene(t testing.TB, people int) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{t: t, human: filepath.Join(dir, "human"), token: filepath.Join(dir, "token"), unsure: quickUnsure, patience: 30 * time.Second}
	server, err := fake.New(fake.Options{
		Token: fmt.Sprintf("%d:FAKE-token-of-these-tests-only-00000000", sceneBot),
		Bot:   fake.User{ID: sceneBot, FirstName: "Auskunft", Username: "auskunft_bot"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.server = server
	t.Cleanup(func() {
		s.inspect()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	allowed := []any{map[string]any{"id": sceneAdmin, "role": "admin"}}
	server.AddUser(fake.User{ID: sceneAdmin, FirstName: "Admin", Language: "de"})
	for n := range people {
		server.AddUser(fake.User{ID: person(n), FirstName: "Person", LastName: strconv.Itoa(n), Language: "de"})
		allowed = append(allowed, map[string]any{"id": person(n)})
	}
	s.telegram = map[string]any{"enabled": true, "token": "${file:" + s.token + "}", "api_url": server.URL(), "allowed": allowed}
	s.setToken(server.Token())
	makeHuman(s)
	return s
}

// makeHuman makes the human directory of a scene and configures it.
func makeHuman(s *scene) {
	s.t.Helper()
	if err := os.Mkdir(s.human, 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.configure(writeAlmanach(s.t))
}

// person is the id of the n-th person, which is that of the direct chat, too.
func person(n int) int64 { return 1001 + int64(n) }

func (s *scene) setToken(token string) {
	s.t.Helper()
	if err := os.WriteFile(s.token, []byte(token+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// configure writes the configuration.
func (s *scene) configure(tresor string) {
	s.t.Helper()
	b, err := json.MarshalIndent(map[string]any{
		"human":    map[string]any{"language": "de", "timezone": "Europe/Berlin"},
		"log":      map[string]any{"level": "info"},
		"limits":   map[string]any{"per_user": map[string]any{"burst": 10000, "daily": 10000}, "waiting": 1000, "open": 100000},
		"tresor":   map[string]any{"vaults": []any{map[string]any{"path": tresor}}},
		"channels": map[string]any{"telegram": s.telegram},
	}, "", "  ")
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.human, "config.json"), b, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// start runs outheis and waits until it serves its control socket.
func (s *scene) start() {
	s.t.Helper()
	if s.child != nil {
		s.t.Fatal("outheis runs already")
	}
	s.child = startChildIn(s.t, []string{unsureVar + "=" + s.unsure.String()}, s.human, s.shift, "run")
	s.mu.Lock()
	s.output = append(s.output, &s.child.output)
	s.mu.Unlock()
	s.until("control socket", func() bool {
		select {
		case err := <-s.child.done:
			s.child = nil
			s.t.Fatalf("outheis ended: %v\n%s", err, s.said())
		default:
		}
		c, err := gateway.DialControl(s.human)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// stop ends outheis in order.
func (s *scene) stop() {
	s.t.Helper()
	c := s.child
	s.child = nil
	if err := c.end(s.t, 10*time.Second); err != nil {
		s.t.Errorf("stop: %v\n%s", err, c.output.String())
	}
}

// kill ends it as the loss of power does.
func (s *scene) kill() {
	s.t.Helper()
	c := s.child
	s.child = nil
	if err := c.kill(); err == nil || !strings.Contains(err.Error(), "killed") {
		s.t.Fatalf("it had ended before: %v\n%s", err, c.output.String())
	}
}

// reload has outheis take its configuration again.
func (s *scene) reload() {
	s.t.Helper()
	c, err := gateway.DialControl(s.human)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	if err := c.Reload(s.wait()); err != nil {
		s.t.Fatal(err)
	}
}

// wait returns a context for what has to come.
func (s *scene) wait() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	s.t.Cleanup(cancel)
	return ctx
}

// until waits until f is true.
func (s *scene) until(what string, f func() bool) {
	s.t.Helper()
	ctx := s.wait()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("%s did not come\n%s", what, s.said())
		}
	}
}

// said returns what all children printed.
func (s *scene) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all strings.Builder
	for _, b := range s.output {
		all.WriteString(b.String())
	}
	return all.String()
}

// say makes somebody write in the direct chat.
func (s *scene) say(who int64, text string) int64 {
	return s.post(fake.Line{Chat: who, From: who, Text: text})
}

// ask makes a person ask the n-th question of the almanach.
func (s *scene) ask(who int64, n int) int64 { return s.say(who, almanachQuestions[n]) }

func (s *scene) post(l fake.Line) int64 {
	if len(l.Text) > 20 {
		s.mu.Lock()
		if len(s.secret) < 1000 {
			s.secret = append(s.secret, l.Text)
		}
		s.mu.Unlock()
	}
	return s.server.Post(l)
}

// got waits until n messages have arrived in a chat and returns them.
func (s *scene) got(chat int64, n int) []fake.Sent {
	s.t.Helper()
	sent, err := s.server.AwaitSent(s.wait(), chat, n)
	if err != nil {
		s.t.Fatalf("chat %d has %d messages, want %d: %v\n%s", chat, len(s.server.Sent(chat)), n, err, s.said())
	}
	return sent
}

// greet lets the administrator write to the bot, as Telegram demands it before
// the bot can write.
func (s *scene) greet() {
	s.t.Helper()
	s.say(sceneAdmin, "/start")
	s.got(sceneAdmin, 1)
}

// settled waits until nothing waits at Telegram and no request is open.
func (s *scene) settled() {
	s.t.Helper()
	if err := s.server.AwaitConfirmed(s.wait()); err != nil {
		s.t.Fatalf("%d updates were not taken: %v\n%s", s.server.Pending(), err, s.said())
	}
	s.until("end of all requests", func() bool { return s.status().Queue.Open == 0 })
}

func (s *scene) status() report {
	s.t.Helper()
	c, err := gateway.DialControl(s.human)
	if err != nil {
		s.t.Fatalf("status: %v\n%s", err, s.said())
	}
	defer c.Close()
	raw, err := c.Status(s.wait())
	if err != nil {
		s.t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// events counts the events of a kind in the log.
func (s *scene) events(intent string) int {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.human, queueName))
	if err != nil {
		s.t.Fatal(err)
	}
	return bytes.Count(b, []byte(`"intent":"`+intent+`"`))
}

// account is how the bot stands.
func (s *scene) account() gateway.AccountStatus {
	s.t.Helper()
	for _, a := range s.status().Gateway.Accounts {
		if a.Channel == "telegram" {
			return a
		}
	}
	s.t.Fatal("no account of Telegram")
	return gateway.AccountStatus{}
}

// tries are the texts that were sent to a chat, arrived or not.
func (s *scene) tries(chat int64) []fake.Request {
	return slices.DeleteFunc(s.server.Requests("sendMessage"), func(r fake.Request) bool { return r.Params["chat_id"] != fmt.Sprint(chat) })
}

// mark begins a message that may be a second one.
var mark = texts.For("de").Say("gateway.maybe_twice")

func isMarked(m fake.Sent) bool { return strings.HasPrefix(m.Text, mark) }

// isNotice reports that a message only tells somebody who waits that they do:
// on a busy machine there may be some.
func isNotice(m fake.Sent) bool {
	de := texts.For("de")
	place, _, _ := strings.Cut(de.Say("gateway.place", 0), "0")
	return strings.HasPrefix(m.Text, place) || m.Text == de.Say("gateway.interim")
}

// answers are the claims with which the messages of a chat answer, "?" for what
// answers with none, with a "!" behind it if marked. Notices are left out.
func answers(sent []fake.Sent) string {
	var all []string
	for _, m := range sent {
		if isNotice(m) {
			continue
		}
		claim := "?"
		if i := strings.Index(m.Text, "[C-"); i >= 0 {
			claim = m.Text[i : i+len("[C-0000]")]
		}
		if isMarked(m) {
			claim += "!"
		}
		all = append(all, claim)
	}
	return strings.Join(all, " ")
}

// claims is what answers says when the questions were these.
func claims(questions ...int) string {
	var all []string
	for _, n := range questions {
		all = append(all, almanachClaim(n))
	}
	return strings.Join(all, " ")
}

// answered checks what a chat was answered.
func (s *scene) answered(chat int64, want string) {
	s.t.Helper()
	if got := answers(s.server.Sent(chat)); got != want {
		s.t.Errorf("chat %d got %s, want %s", chat, got, want)
	}
}

// unsureTries is how many tries the log does not know the outcome of; outheis must
// not run.
func (s *scene) unsureTries() int {
	s.t.Helper()
	return s.events("delivery.try") - s.events("delivery.ok") - s.events("delivery.fail")
}

// answeredAfterDeath checks that a chat got the answers to questions in order,
// and no answer twice without a mark. It returns how many are marked.
func (s *scene) answeredAfterDeath(chat int64, questions ...int) (marked int) {
	s.t.Helper()
	got := answers(s.server.Sent(chat))
	var once []string
	for _, claim := range strings.Fields(got) {
		claim, isMarked := strings.CutSuffix(claim, "!")
		if isMarked {
			marked++
		}
		if !isMarked || len(once) == 0 || once[len(once)-1] != claim {
			once = append(once, claim)
		}
	}
	if want := claims(questions...); strings.Join(once, " ") != want {
		s.t.Errorf("chat %d got %s, want %s, where marked ones may come twice", chat, got, want)
	}
	return marked
}

// inspect ends the scene: outheis stops in order, has used the API as it is
// described, has not broken down anywhere, and has written neither a token nor
// what people wrote where it does not belong.
func (s *scene) inspect() {
	t := s.t
	if s.child != nil {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.child.cmd.Process.Pid))
		if err == nil && bytes.Contains(line, []byte("FAKE-token")) {
			t.Errorf("the token is in the command line %q", line)
		}
		s.stop()
	}
	for _, v := range s.server.Violations() {
		t.Errorf("the Bot API was misused: %s", v)
	}
	said := s.said()
	for _, bad := range append([]string{"FAKE-token", "panic", "DATA RACE", "goroutine "}, s.secret...) {
		if i := strings.Index(said, bad); i >= 0 {
			t.Errorf("outheis printed %q:\n%s", bad, said[max(0, i-300):min(len(said), i+1000)])
		}
	}
	if where := s.find("FAKE-token"); len(where) > 0 {
		t.Errorf("the token is in %v", where)
	}
	if t.Failed() {
		t.Logf("outheis printed:\n%s", said[max(0, len(said)-4000):])
	}
}

// find returns the files below the human directory that hold text.
func (s *scene) find(text string) []string {
	s.t.Helper()
	var found []string
	err := filepath.WalkDir(s.human, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// together runs scenes at the same time, since most of them wait most of the
// time.
func together(t *testing.T, scenes map[string]func(t *testing.T)) {
	var wg sync.WaitGroup
	for name, f := range scenes {
		wg.Go(func() { t.Run(name, f) })
	}
	wg.Wait()
}
