package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"outheis/agents"
	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
	"outheis/gateway"
	"outheis/store"
)

const (
	childURL = "OUTHEIS_TEST_GATEWAY_URL"
	childDir = "OUTHEIS_TEST_GATEWAY_DIR"
	token    = "7123456789:FAKE-token-of-these-tests-only-00000000"
)

// TestMain lets the test binary be the gateway that is killed.
func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		fmt.Fprintln(os.Stderr, runChild(url, os.Getenv(childDir)))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// live is a gateway over the real store and the real adapter of Telegram.
type live struct {
	human *store.Human
	log   *store.Log[gateway.Envelope]
	g     *gateway.Gateway
	stop  context.CancelFunc
	done  chan error
}

// goLive opens the human directory dir and starts a gateway that is a bot at
// the server url. The administrator is person 999.
func goLive(url, dir string, agent agents.Agent, edits ...func(*gateway.Options)) (*live, error) {
	h, err := store.Open(dir, store.Options{Holder: "test"})
	if err != nil {
		return nil, err
	}
	l := &live{human: h}
	if l.log, _, err = store.OpenLog[gateway.Envelope](h, "messages.jsonl", store.LogOptions{Family: store.FamilyMessages, Track: gateway.Track}); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	bot, err := telegram.New(telegram.Options{
		Account: "main", Token: func() string { return token }, APIURL: url, Limits: &channels.Limits{},
		Retry: channels.Backoff{Min: 10 * time.Millisecond, Max: 20 * time.Millisecond},
	})
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	admin, err := bot.Direct("999")
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	everybody := map[string]agents.Role{gateway.Everybody: agents.RoleUser}
	o := gateway.Options{
		Queue: l.log, Accounts: []gateway.Account{{Name: "main", Channel: bot}}, Agents: map[string]agents.Agent{"tresor": agent},
		Unsure: 50 * time.Millisecond,
		Settings: gateway.Settings{
			Policy: gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "telegram", Account: "main"}: {
				People: everybody,
				Groups: map[string]gateway.Group{"-2001": {People: everybody}, "-1002002": {People: everybody}},
			}}},
			Routing: gateway.Routing{Default: "tresor"},
			Admins:  []gateway.Admin{{Address: admin}},
		},
	}
	for _, edit := range edits {
		edit(&o)
	}
	if l.g, err = gateway.New(o); err != nil {
		return nil, errors.Join(err, l.close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.stop, l.done = cancel, make(chan error, 1)
	go func() { l.done <- l.g.Run(ctx) }()
	return l, nil
}

func (l *live) close() error { return errors.Join(l.log.Close(), l.human.Close()) }

// end stops in order and closes the store.
func (l *live) end() error {
	l.stop()
	if err := <-l.done; !errors.Is(err, context.Canceled) {
		return err
	}
	return l.close()
}

// runChild is a gateway that never ends by itself and whose agent never
// answers.
func runChild(url, dir string) error {
	l, err := goLive(url, dir, answering(func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		<-ctx.Done()
		return agents.Answer{}, ctx.Err()
	}))
	if err != nil {
		return err
	}
	return <-l.done
}

// newFake is a Telegram with people 1000 to 1049, a bot 1500, the administrator
// 999, a group -2001 and a forum -1002002 with the topic that is returned.
func newFake(t *testing.T) (*fake.Server, int64) {
	t.Helper()
	s, err := fake.New(fake.Options{
		Token: token, Bot: fake.User{ID: 7123456789, FirstName: "Auskunft", Username: "auskunft_bot"}, ConflictDelay: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, v := range s.Violations() {
			t.Errorf("the Bot API was misused: %s", v)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var members []int64
	for id := int64(1000); id < 1050; id++ {
		s.AddUser(fake.User{ID: id, FirstName: "Person", Language: "de"})
		members = append(members, id)
	}
	s.AddUser(fake.User{ID: 1500, FirstName: "Robot", Username: "other_bot", IsBot: true})
	s.AddUser(fake.User{ID: 999, FirstName: "Admin", Language: "de"})
	s.AddGroup(fake.Chat{ID: -2001, Type: "group"}, append(members, 1500)...)
	s.AddGroup(fake.Chat{ID: -1002002, Type: "supergroup", IsForum: true}, members...)
	topic := s.AddTopic(-1002002, 1000, "Sieben")
	s.Say(999, 999, "/start")
	return s, topic
}

// onTelegram runs f with a gateway on a fake Telegram.
func onTelegram(t *testing.T, agent answering, f func(t *testing.T, s *fake.Server, topic int64, l *live)) {
	t.Helper()
	s, topic := newFake(t)
	l, err := goLive(s.URL(), t.TempDir(), agent)
	if err != nil {
		t.Fatal(err)
	}
	await(t, s, 999, 1) // the welcome of the administrator
	f(t, s, topic, l)
	if err := l.end(); err != nil {
		t.Errorf("end: %v", err)
	}
}

// await waits until n messages of ours arrived in a chat.
func await(t *testing.T, s *fake.Server, chat int64, n int) []fake.Sent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sent, err := s.AwaitSent(ctx, chat, n)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// settled waits until the gateway has nothing to do.
func settled(t *testing.T, s *fake.Server, l *live) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.AwaitConfirmed(ctx); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(l.log.Open()) > 0 || l.g.Status().Open > 0 { // the log is first to know
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%d requests stay open", len(l.log.Open()))
		}
	}
}

func firstLines(sent []fake.Sent) []string {
	var all []string
	for _, m := range sent {
		line, _, _ := strings.Cut(m.Text, "\n")
		all = append(all, line)
	}
	return all
}

// The fault list of spec/channels.md §3.2, each row as in its column "wanted".

func TestTelegram429(t *testing.T) {
	onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
		s.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", Chat: 1000, RetryAfter: 1})
		began := time.Now()
		s.Say(1000, 1000, "Wann?")
		s.Say(1001, 1001, "Wann?")
		other := await(t, s, 1001, 1)[0].At.Sub(began)
		sent := await(t, s, 1000, 1)
		settled(t, s, l)
		if d := sent[0].At.Sub(began); d < time.Second || d > 3*time.Second || sent[0].ParseMode != "HTML" {
			t.Errorf("answered after %v with parse mode %q, want after the second that was asked for, in HTML", d, sent[0].ParseMode)
		}
		if other > 900*time.Millisecond {
			t.Errorf("another chat waits %v", other)
		}
		equal(t, "seen", firstLines(s.Sent(1000)), []string{echoed("Wann?")})
	})
}

func TestTelegramReplyLost(t *testing.T) {
	for name, kind := range map[string]fake.FaultKind{"accepted": fake.CutAfter, "not accepted": fake.CutBefore} {
		t.Run(name, func(t *testing.T) {
			onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
				s.Fault(fake.Fault{Kind: kind, Method: "sendMessage", Chat: 1000})
				s.Say(1000, 1000, "Wann?")
				want := []string{echoed("Wann?"), "Vielleicht schon einmal angekommen:"}
				if kind == fake.CutBefore {
					want = want[1:]
				}
				await(t, s, 1000, len(want))
				settled(t, s, l)
				equal(t, "seen", firstLines(s.Sent(1000)), want)
			})
		})
	}
}

func TestTelegram400ForEver(t *testing.T) {
	onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
		s.Fault(fake.Fault{Kind: fake.Refuse, Method: "sendMessage", Chat: 1000, Times: -1, Status: 400, Description: "Bad Request: can't parse entities: Unsupported start tag"})
		s.Say(1000, 1000, "Wann?")
		admin := firstLines(await(t, s, 999, 2))
		settled(t, s, l)
		tries := 0
		for _, r := range s.Requests("sendMessage") {
			if r.Params["chat_id"] == "1000" {
				tries++
			}
		}
		if tries != 2 {
			t.Errorf("%d tries, want one with markup and one without", tries)
		}
		if !strings.Contains(admin[1], "zurückgelegt") || l.g.Status().Ends[gateway.EndParked] != 1 {
			t.Errorf("the administrator sees %q, ends %v", admin[1:], l.g.Status().Ends)
		}
	})
}

func TestTelegramEmojiBeforeMention(t *testing.T) {
	onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
		s.Say(-2001, 1000, "😀😀 @auskunft_bot Wann?")
		s.Say(-2001, 1001, "😀😀 @other_bot Wann?")
		sent := await(t, s, -2001, 1)
		settled(t, s, l)
		if len(s.Sent(-2001)) != 1 || !strings.Contains(sent[0].Text, "Wann?") || sent[0].ReplyTo == 0 {
			t.Errorf("seen %+v", s.Sent(-2001))
		}
	})
}

func TestTelegramTopics(t *testing.T) {
	onTelegram(t, echo, func(t *testing.T, s *fake.Server, topic int64, l *live) {
		s.Post(fake.Line{Chat: -1002002, From: 1000, Thread: topic, Text: "@auskunft_bot Wann?"})
		await(t, s, -1002002, 1)
		s.Post(fake.Line{Chat: -1002002, From: 1000, Thread: 1, Text: "@auskunft_bot Wo?"})
		sent := await(t, s, -1002002, 2)
		settled(t, s, l)
		if sent[0].Thread != topic || sent[1].Thread > 1 || sent[1].Params["message_thread_id"] != "" {
			t.Errorf("answers in threads %d and %d (parameter %q), want %d and General", sent[0].Thread, sent[1].Thread, sent[1].Params["message_thread_id"], topic)
		}
	})
}

func TestTelegramOtherBot(t *testing.T) {
	onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
		s.Say(-2001, 1500, "@auskunft_bot Wann?")
		s.Say(-2001, 1000, "@auskunft_bot Wo?")
		await(t, s, -2001, 1)
		settled(t, s, l)
		equal(t, "seen", firstLines(s.Sent(-2001)), []string{echoed("Wo?")})
	})
}

func TestTelegramManyEmoji(t *testing.T) {
	const family = "👨‍👩‍👧" // 5 code points, 8 UTF-16 units
	for name, text := range map[string]string{"single": strings.Repeat("😀", 3990), "families": strings.Repeat(family, 798)} {
		t.Run(name, func(t *testing.T) {
			onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
				s.Say(1000, 1000, text)
				await(t, s, 1000, 2)
				settled(t, s, l)
				n := 0
				for _, m := range s.Sent(1000) {
					if strings.ContainsRune(m.Text, utf8.RuneError) || utf8.RuneCountInString(m.Text) > 4096 {
						t.Errorf("a part of %d code points, or with half a character", utf8.RuneCountInString(m.Text))
					}
					if name == "families" && strings.Count(m.Text, "👩") != strings.Count(m.Text, family) {
						t.Error("a family is torn apart")
					}
					n += strings.Count(m.Text, "😀") + 5*strings.Count(m.Text, family)
				}
				if n != 3990 {
					t.Errorf("%d of 3990 code points arrive", n)
				}
			})
		})
	}
}

// Twenty questions wait; the process is killed, or stopped in order. The next
// one answers them all, in order, each once.
func TestTelegramTwentyWaiting(t *testing.T) {
	for _, how := range []string{"kill -9", "SIGTERM"} {
		t.Run(how, func(t *testing.T) {
			s, _ := newFake(t)
			dir := filepath.Join(t.TempDir(), "human")
			var want []string
			ask := func() {
				for i := range 20 {
					s.Say(1000, 1000, fmt.Sprintf("Frage %d?", i+1))
					want = append(want, echoed(fmt.Sprintf("Frage %d?", i+1)))
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if err := s.AwaitConfirmed(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if how == "kill -9" {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), childURL+"="+s.URL(), childDir+"="+dir)
				var out strings.Builder
				cmd.Stderr = &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ask()
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if cmd.Wait(); out.Len() > 0 {
					t.Fatalf("the gateway said %s", out.String())
				}
			} else {
				l, err := goLive(s.URL(), dir, answering(func(ctx context.Context, r agents.Request) (agents.Answer, error) {
					<-ctx.Done()
					return agents.Answer{}, ctx.Err()
				}), func(o *gateway.Options) { o.Grace = 10 * time.Millisecond })
				if err != nil {
					t.Fatal(err)
				}
				ask()
				if err := l.end(); err != nil {
					t.Fatal(err)
				}
			}
			if sent := s.Sent(1000); len(sent) != 0 {
				t.Fatalf("something was answered: %q", firstLines(sent))
			}
			l, err := goLive(s.URL(), dir, answering(echo))
			if err != nil {
				t.Fatal(err)
			}
			await(t, s, 1000, 20)
			settled(t, s, l)
			equal(t, "seen", firstLines(s.Sent(1000)), want)
			if err := l.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The account gets another bot, whose updates count from lower numbers.
func TestTelegramOtherAccount(t *testing.T) {
	s, _ := newFake(t)
	dir := filepath.Join(t.TempDir(), "human")
	for i := range 2 {
		l, err := goLive(s.URL(), dir, answering(echo))
		if err != nil {
			t.Fatal(err)
		}
		s.Say(1000, 1000, fmt.Sprintf("Frage %d?", i+1))
		await(t, s, 1000, i+1)
		settled(t, s, l)
		if err := l.end(); err != nil {
			t.Fatal(err)
		}
		s.ReplaceBot(fake.User{ID: 7000000001, FirstName: "Neu", Username: "neu_bot", IsBot: true}, token, 7)
	}
	equal(t, "seen", firstLines(s.Sent(1000)), []string{echoed("Frage 1?"), echoed("Frage 2?")})
}

// 20 people ask 20 questions each, all at once, over the real store.
func TestTelegramManyPeople(t *testing.T) {
	onTelegram(t, echo, func(t *testing.T, s *fake.Server, _ int64, l *live) {
		var people sync.WaitGroup
		for p := int64(1000); p < 1020; p++ {
			people.Go(func() {
				for q := range 20 {
					s.Say(p, p, fmt.Sprintf("Frage %d?", q+1))
				}
			})
		}
		people.Wait()
		var want []string
		for q := range 20 {
			want = append(want, echoed(fmt.Sprintf("Frage %d?", q+1)))
		}
		await(t, s, 0, 401)
		settled(t, s, l)
		for p := int64(1000); p < 1020; p++ {
			if got := firstLines(s.Sent(p)); !slices.Equal(got, want) {
				t.Errorf("person %d sees %q", p, got)
			}
		}
		if st := l.g.Status(); st.Taken != 401 || st.Ends[gateway.EndSent] != 401 || st.Running != 0 {
			t.Errorf("Status = %+v", st)
		}
	})
}
