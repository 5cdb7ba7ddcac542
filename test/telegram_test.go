//go:build unix

package test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"outheis/channels/fakenet/telegram"
)

// A telegramSide is the network at the other end of a script.
type telegramSide struct {
	server *telegram.Server
	people map[string]int64
}

// playTelegram is the script command that plays Telegram:
//
//	telegram start           begins, and sets $TELEGRAM_URL and $TELEGRAM_TOKEN
//	telegram person NAME ID  lets a person find the bot
//	telegram says NAME TEXT  writes to the bot; "TEXT*N" repeats a text N times
//	telegram got NAME N RE   waits for the person's N-th message from the bot,
//	                         which must match
//	telegram count NAME N    the person has got N messages so far
//	telegram polling         waits until the bot waits for messages
//	telegram taken           waits until the bot has confirmed all messages
//	telegram fault F M [N]   breaks the next N calls of method M (1 by default):
//	                         cut-before, cut-after, hang, or an error code
//	telegram called M N      waits until the bot has called M N times
//	telegram heal            ends the faults
//	telegram rival           takes the messages, as another program with the token
//	telegram revoke          makes the token invalid
//	telegram down, up        is not reachable, and again
func playTelegram(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	s := sessionOf(ts)
	if len(args) == 1 && args[0] == "start" {
		s.telegram = beginTelegram(ts)
		return
	}
	verbs := map[string]struct {
		args int
		do   func(*testscript.TestScript, *telegramSide, []string)
	}{
		"person": {2, telegramPerson}, "says": {2, telegramSays}, "got": {3, telegramGot}, "count": {2, telegramCount},
		"fault":   {-1, telegramFault},
		"polling": {0, wait((*telegram.Server).AwaitPolling)}, "taken": {0, wait((*telegram.Server).AwaitConfirmed)},
		"called": {2, telegramCalled}, "rival": {0, telegramRival},
		"heal":   {0, func(_ *testscript.TestScript, t *telegramSide, _ []string) { t.server.ClearFaults() }},
		"revoke": {0, func(_ *testscript.TestScript, t *telegramSide, _ []string) { t.server.Revoke() }},
		"down":   {0, func(ts *testscript.TestScript, t *telegramSide, _ []string) { ts.Check(t.server.Down()) }},
		"up":     {0, func(ts *testscript.TestScript, t *telegramSide, _ []string) { ts.Check(t.server.Up()) }},
	}
	if len(args) == 0 || s.telegram == nil {
		ts.Fatalf("usage: telegram start|%s", strings.Join(slices.Sorted(maps.Keys(verbs)), "|"))
	}
	v, ok := verbs[args[0]]
	if !ok || v.args >= 0 && len(args) != 1+v.args {
		ts.Fatalf("telegram %s: no such words", strings.Join(args, " "))
	}
	v.do(ts, s.telegram, args[1:])
}

func beginTelegram(ts *testscript.TestScript) *telegramSide {
	server, err := telegram.New(telegram.Options{ConflictDelay: 10 * time.Millisecond})
	ts.Check(err)
	ts.Defer(func() {
		if err := server.Close(); err != nil {
			ts.Logf("telegram: %v", err)
		}
	})
	ts.Setenv("TELEGRAM_URL", server.URL())
	ts.Setenv("TELEGRAM_TOKEN", server.Token())
	return &telegramSide{server, make(map[string]int64)}
}

// wait makes a command of what waits for something of the server.
func wait(f func(*telegram.Server, context.Context) error) func(*testscript.TestScript, *telegramSide, []string) {
	return func(ts *testscript.TestScript, t *telegramSide, _ []string) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ts.Check(f(t.server, ctx))
	}
}

func telegramPerson(ts *testscript.TestScript, t *telegramSide, args []string) {
	t.people[args[0]] = t.server.AddUser(telegram.User{ID: number(ts, args[1]), FirstName: args[0], Language: "de"}).ID
}

// personNamed returns the id of a person, which is that of the chat, too.
func (t *telegramSide) personNamed(ts *testscript.TestScript, name string) int64 {
	id, ok := t.people[name]
	if !ok {
		ts.Fatalf("telegram: nobody is called %q", name)
	}
	return id
}

func telegramSays(ts *testscript.TestScript, t *telegramSide, args []string) {
	text := args[1]
	if before, times, ok := strings.Cut(text, "*"); ok {
		text = strings.Repeat(before, int(number(ts, times)))
	}
	id := t.personNamed(ts, args[0])
	t.server.Say(id, id, text)
}

func telegramGot(ts *testscript.TestScript, t *telegramSide, args []string) {
	id, n := t.personNamed(ts, args[0]), int(number(ts, args[1]))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	sent, err := t.server.AwaitSent(ctx, id, n)
	ts.Check(err)
	text := sent[n-1].Text
	ts.Logf("%s", text)
	if ok, err := regexp.MatchString("(?m)"+args[2], text); err != nil || !ok {
		ts.Fatalf("telegram: message %d to %s is %q", n, args[0], text)
	}
}

func telegramCount(ts *testscript.TestScript, t *telegramSide, args []string) {
	if got, want := len(t.server.Sent(t.personNamed(ts, args[0]))), int(number(ts, args[1])); got != want {
		ts.Fatalf("telegram: %s has got %d messages, want %d", args[0], got, want)
	}
}

func telegramFault(ts *testscript.TestScript, t *telegramSide, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: telegram fault FAULT METHOD [TIMES]")
	}
	f := telegram.Fault{Method: args[1], Times: 1}
	if len(args) == 3 {
		f.Times = int(number(ts, args[2]))
	}
	kinds := map[string]telegram.FaultKind{"cut-before": telegram.CutBefore, "cut-after": telegram.CutAfter, "hang": telegram.Hang}
	if f.Kind = kinds[args[0]]; f.Kind == 0 {
		f.Kind, f.Status = telegram.Refuse, int(number(ts, args[0]))
		f.Description = http.StatusText(f.Status)
	}
	t.server.Fault(f)
}

func telegramCalled(ts *testscript.TestScript, t *telegramSide, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ts.Check(t.server.AwaitCalls(ctx, args[0], int(number(ts, args[1]))))
}

// telegramRival asks for messages once, which ends the bot's own request.
func telegramRival(ts *testscript.TestScript, t *telegramSide, _ []string) {
	res, err := http.Get(fmt.Sprintf("%s/bot%s/getUpdates?timeout=0", t.server.URL(), t.server.Token()))
	ts.Check(err)
	ts.Check(res.Body.Close())
}

func number(ts *testscript.TestScript, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	ts.Check(err)
	return n
}
