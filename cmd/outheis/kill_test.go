package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	fake "outheis/channels/fakenet/telegram"
	"outheis/config/texts"
)

// TestKilledAgainAndAgain kills the running gateway with SIGKILL at random
// moments while eight people write and the months pass, and starts it again.
// In the end every message that Telegram was told we have has exactly one
// request, one response and one end in the log, everybody has an answer to
// every question, and what arrived twice is marked (spec/reliability.md D1).
func TestKilledAgainAndAgain(t *testing.T) {
	cycles := killCycles
	if testing.Short() {
		cycles = 3
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d cycles, seed %d", cycles, seed)
	k := newKilling(t, rand.New(rand.NewPCG(seed, 0)))
	for n := range cycles {
		k.cycle(n)
	}
	k.settle()
	k.judge()
}

const (
	killPeople = 8
	killMonth  = 25 // cycles from one month to the next
)

type killing struct {
	t       *testing.T
	rnd     *rand.Rand
	human   string
	server  *fake.Server
	people  []int64
	asked   map[int64]int
	said    map[string]string // what was asked, by chat and message
	shift   atomic.Int64      // how far the clock of everybody is ahead
	months  int
	carried int // open requests when a month passed
	injured int // torn lines that the test itself made
}

func newKilling(t *testing.T, rnd *rand.Rand) *killing {
	k := &killing{t: t, rnd: rnd, human: filepath.Join(t.TempDir(), "human"), asked: make(map[int64]int), said: make(map[string]string)}
	server, err := fake.New(fake.Options{
		ConflictDelay: time.Millisecond,
		Now:           func() time.Time { return time.Now().Add(time.Duration(k.shift.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	k.server = server
	var allowed []string
	for range killPeople {
		u := server.AddUser(fake.User{})
		k.people = append(k.people, u.ID)
		allowed = append(allowed, fmt.Sprintf(`"%d"`, u.ID))
	}
	if err := os.Mkdir(k.human, 0o700); err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf(`{"human": {"language": "de", "timezone": "Europe/Berlin"},
		"dispatcher": {"backlog_max_age_h": 744},
		"limits": {"per_user": {"burst": 10000, "window_s": 300, "daily": 10000}, "waiting": 1000, "open": 100000},
		"channels": {"telegram": {"enabled": true, "token": "${env:KILL_TEST_TOKEN}", "api_url": %q, "allowed": [%s]}}}`,
		server.URL(), strings.Join(allowed, ", "))
	if err := os.WriteFile(filepath.Join(k.human, "config.json"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KILL_TEST_TOKEN", server.Token())
	return k
}

func (k *killing) start() *child {
	return startChild(k.t, k.human, time.Duration(k.shift.Load()), "run")
}

var killQuestions = []string{
	"Wie verbinde ich Telegram?", "Was ist ein Claim?", "Wo liegen meine Daten?", "Wie hoch ist der Eiffelturm?",
	"Was bedeutet Nicht im Bestand?", "@handbuch Wie beende ich outheis?", "Was ist ein Beleg? 😀", "/help",
}

// cycle starts the gateway, has people write and kills it somewhere.
func (k *killing) cycle(n int) {
	if n > 0 && n%killMonth == 0 {
		k.drain()
		k.shift.Add(int64(30 * 24 * time.Hour))
		k.months++
	}
	c := k.start()
	for range 1 + k.rnd.IntN(3) {
		who := k.people[k.rnd.IntN(len(k.people))]
		text := killQuestions[k.rnd.IntN(len(killQuestions))]
		if k.rnd.IntN(4) == 0 { // a line that is long enough to be cut by the end of the process
			text += " " + strings.Repeat("Bitte genau. ", k.rnd.IntN(250))
		}
		k.say(who, text, fmt.Sprint("cycle ", n))
		k.wait(k.rnd.IntN(15))
	}
	k.wait(k.rnd.IntN(200))
	if err := c.kill(); err == nil {
		k.t.Fatalf("cycle %d: the gateway had ended by itself:\n%s", n, c.output.String())
	} else if !strings.Contains(err.Error(), "killed") {
		k.t.Fatalf("cycle %d: %v\n%s", n, err, c.output.String())
	}
	if k.rnd.IntN(10) == 0 {
		k.tear()
	}
}

// say makes a person ask.
func (k *killing) say(who int64, text, when string) {
	id := k.server.Say(who, who, text)
	k.said[fmt.Sprintf("%d/%d", who, id)] = fmt.Sprintf("%s: %.60s", when, text)
	k.asked[who]++
}

// drain lets everything come to its end before a month passes: Telegram keeps
// what waits there for a day only, and an answer that was tried a day before is
// not sent any more. Only answers that wait for their chat's turn stay open.
func (k *killing) drain() {
	for onTheWay := 1; onTheWay > 0; onTheWay = k.read().onTheWay() {
		c := k.start()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		k.awaitConfirmed(ctx, c)
		k.awaitEnds(ctx, 0)
		who := k.people[k.rnd.IntN(len(k.people))]
		for n := range 6 { // Telegram takes three at once
			k.say(who, killQuestions[n], "before a month")
		}
		k.awaitConfirmed(ctx, c)
		k.awaitEnds(ctx, 3)
		if err := c.kill(); err == nil {
			k.t.Fatalf("the gateway had ended by itself:\n%s", c.output.String())
		}
	}
	k.carried += k.read().open()
}

func (k *killing) awaitConfirmed(ctx context.Context, c *child) {
	if err := k.server.AwaitConfirmed(ctx); err != nil {
		k.t.Fatalf("%d messages were not taken: %v\n%s", k.server.Pending(), err, c.output.String())
	}
}

// awaitEnds waits until no more than some requests are open, or until ctx ends.
func (k *killing) awaitEnds(ctx context.Context, open int) {
	for ctx.Err() == nil && k.read().open() > open {
		k.wait(20)
	}
}

func (k *killing) wait(ms int) {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	<-timer.C
}

// tear leaves the beginning of a line at the end of the log, as a write does
// that the process did not live to finish.
func (k *killing) tear() {
	f, err := os.OpenFile(filepath.Join(k.human, queueName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return // killed before it was made
	}
	defer f.Close()
	line := `{"v":2,"seq":999999999,"id":"9999999999999999999","at":"2026-11-30T00:00:00.000Z","type":"request","payload":{"text":"ä`
	if _, err := f.WriteString(line[:1+k.rnd.IntN(len(line)-1)]); err != nil {
		k.t.Fatal(err)
	}
	k.injured++
}

// settle lets everything come to its end, and stops the gateway.
func (k *killing) settle() {
	c := k.start()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for _, who := range k.people {
		if _, err := k.server.AwaitSent(ctx, who, k.asked[who]); err != nil {
			k.t.Errorf("person %d asked %d times and got %d messages: %v", who, k.asked[who], len(k.server.Sent(who)), err)
		}
	}
	if err := k.server.AwaitConfirmed(ctx); err != nil {
		k.t.Errorf("%d messages were never taken: %v\n%s", k.server.Pending(), err, c.output.String())
	}
	if err := k.server.AwaitPolling(ctx); err != nil {
		k.t.Errorf("the gateway did not ask for more: %v\n%s", err, c.output.String())
	}
	k.awaitEnds(ctx, 0)                                                             // a duplicate of an unsure send comes half a minute later
	for ctx.Err() == nil && !strings.Contains(c.output.String(), "outheis läuft") { // before that a signal just ends it
		k.wait(20)
	}
	if err := c.end(k.t, 10*time.Second); err != nil {
		k.t.Errorf("stop: %v\n%s", err, c.output.String())
	}
}

// A reading is what the log and its archives say, without package store.
type reading struct {
	requests  map[string]string // cause by id
	causes    map[string]int    // how many requests have that cause
	messages  map[string]bool   // asked, by chat and message
	responses map[string]int    // by request
	ends      map[string]int    // by request
	kinds     map[string]int    // of ends
	arrived   map[string]int    // receipts by cause
	tried     map[string]bool   // by request
	repairs   int
	segments  int
	lines     int
	bad       []string
	lastSeq   uint64
}

func (r reading) open() int { return len(r.requests) - len(r.ends) }

// onTheWay counts the open requests whose answer may have arrived.
func (r reading) onTheWay() int {
	n := 0
	for id := range r.requests {
		if r.tried[id] && r.ends[id] == 0 {
			n++
		}
	}
	return n
}

func (k *killing) read() reading { return readLog(k.t, k.human) }

func readLog(t testing.TB, human string) reading {
	t.Helper()
	r := reading{
		requests: make(map[string]string), causes: make(map[string]int), messages: make(map[string]bool), responses: make(map[string]int),
		ends: make(map[string]int), kinds: make(map[string]int), tried: make(map[string]bool), arrived: make(map[string]int),
	}
	names, err := filepath.Glob(filepath.Join(human, "archive", "messages-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range append(names, filepath.Join(human, queueName)) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r.segments++
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			r.line(name, lines.Bytes())
		}
	}
	return r
}

func (r *reading) line(name string, line []byte) {
	var l struct {
		Seq     uint64 `json:"seq"`
		ID      string `json:"id"`
		Cause   string `json:"cause"`
		Type    string `json:"type"`
		Intent  string `json:"intent"`
		ReplyTo string `json:"reply_to"`
		Carried bool   `json:"carried"`
		Payload struct {
			Ref     string `json:"ref"`
			End     string `json:"end"`
			Message string `json:"message"`
			Address struct {
				Chat string `json:"chat"`
			} `json:"address"`
		} `json:"payload"`
		To string `json:"to"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		r.bad = append(r.bad, fmt.Sprintf("%s: %v: %.80q", filepath.Base(name), err, line))
		return
	}
	r.lines++
	if l.Carried {
		return
	}
	if r.lastSeq != 0 && l.Seq != r.lastSeq+1 {
		r.bad = append(r.bad, fmt.Sprintf("%s: seq %d after %d", filepath.Base(name), l.Seq, r.lastSeq))
	}
	r.lastSeq = l.Seq
	switch {
	case l.Type == "request":
		r.requests[l.ID] = l.Cause
		r.causes[l.Cause]++
		r.messages[l.Payload.Address.Chat+"/"+l.Payload.Message] = true
	case l.Type == "response" && l.To == "relay":
		r.responses[l.ReplyTo]++
	case l.Intent == "done":
		r.ends[l.Payload.Ref]++
		r.kinds[l.Payload.End]++
	case l.Intent == "delivery.try":
		r.tried[l.Payload.Ref] = true
	case l.Intent == "delivery.ok":
		r.arrived[l.Cause]++
	case l.Intent == "repair":
		r.repairs++
	}
}

// judge holds the log and what arrived against what was asked.
func (k *killing) judge() {
	t, r := k.t, k.read()
	for _, b := range r.bad {
		t.Error(b)
	}
	asked := 0
	for _, n := range k.asked {
		asked += n
	}
	if len(r.requests) != asked {
		t.Errorf("%d questions were asked, the log has %d requests", asked, len(r.requests))
	}
	for message, text := range k.said {
		if !r.messages[message] {
			t.Errorf("message %s was lost (%s)", message, text)
		}
	}
	for cause, n := range r.causes {
		if n != 1 {
			t.Errorf("%d requests with the cause %s", n, cause)
		}
	}
	for id := range r.requests {
		if r.responses[id] > 1 || r.ends[id] != 1 {
			t.Errorf("request %s: %d responses, %d ends; want at most one and one", id, r.responses[id], r.ends[id])
		}
	}
	for cause, n := range r.arrived {
		if n != 1 {
			t.Errorf("%d receipts %s", n, cause)
		}
	}
	mark := texts.For("de").Say("gateway.maybe_twice")
	arrived, marked := 0, 0
	for _, who := range k.people {
		for _, m := range k.server.Sent(who) {
			arrived++
			if strings.HasPrefix(m.Text, mark) {
				marked++
			}
		}
	}
	if arrived-marked > asked {
		t.Errorf("%d answers arrived for %d questions and only %d are marked as possible duplicates", arrived, asked, marked)
	}
	if killCycles >= 100 && r.repairs == 0 {
		t.Error("no torn line was seen: the test is too weak")
	}
	t.Logf("questions %d, answers that arrived %d (marked as possible duplicates %d), log lines %d in %d segments, months %d with %d requests open",
		asked, arrived, marked, r.lines, r.segments, k.months, k.carried)
	if n := r.kinds["sent"]; n != len(r.requests) {
		t.Errorf("of %d requests %d ended with their answer sent: %v", len(r.requests), n, r.kinds)
	}
	t.Logf("torn ends repaired %d, after the test had torn the log %d times beside what kill -9 did", r.repairs, k.injured)
}
