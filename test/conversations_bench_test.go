package test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outheis/agents"
	"outheis/agents/tresor"
	"outheis/channels"
	"outheis/channels/discord"
	fakediscord "outheis/channels/fakenet/discord"
	fakemattermost "outheis/channels/fakenet/mattermost"
	faketelegram "outheis/channels/fakenet/telegram"
	"outheis/channels/mattermost"
	"outheis/channels/telegram"
	"outheis/gateway"
	"outheis/store"
	engine "outheis/tresor"
	"outheis/tresor/handbuch"
)

// BenchmarkConversations has a thousand people ask the handbook, a third of them
// on each network: through the stand-in of the network, its adapter, the durable
// log, the Tresor and back. Adapters and stand-ins run in this one process,
// without the pace that the real networks ask for.
//
// In "again" everybody asks again when the answer is there, so that all thousand
// wait at any time: it shows how many answers a second there are. In "500 a second"
// everybody asks every two seconds: it shows how long people wait then. Both
// report answers a second, percentiles of the time from a question to its answer,
// and the largest memory of the process with the stand-ins, which remember each
// request.
func BenchmarkConversations(b *testing.B) {
	b.Run("again", func(b *testing.B) { converse(b, 0) })
	b.Run("500 a second", func(b *testing.B) { converse(b, 2*time.Second) })
}

// converse has a thousand people ask b.N questions; each waits for his answer and
// at least for every between two questions.
func converse(b *testing.B, every time.Duration) {
	const conversations = 1000
	net := newNetworks(b)
	var people []*asker
	for i := range conversations {
		people = append(people, net.person(i))
	}
	net.start()
	for _, p := range people { // everybody is known, every connection there
		p.ask("Wie verbinde ich Telegram?")
	}
	for i, p := range people {
		select {
		case <-p.answered:
		case <-time.After(time.Minute):
			b.Fatalf("person %d has no answer", i)
		}
	}

	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, conversations)
	largest, watched := watchMemory(b)
	var asking sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for i, p := range people {
		asking.Go(func() {
			next := began.Add(every * time.Duration(i) / conversations)
			for left.Add(-1) >= 0 {
				time.Sleep(time.Until(next))
				next = next.Add(every)
				asked := time.Now()
				p.ask(handbookQuestions[i%len(handbookQuestions)])
				<-p.answered
				took[i] = append(took[i], time.Since(asked))
			}
		})
	}
	asking.Wait()
	elapsed := time.Since(began)
	b.StopTimer()
	watched()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	b.ReportMetric(float64(len(all))/elapsed.Seconds(), "answers/s")
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(largest.Load())/(1<<20), "MiB/rss")
}

var handbookQuestions = []string{
	"Wie verbinde ich Telegram?", "Wo liegt der Datenordner?", "Wie beende ich outheis?",
	"Was bedeutet Nicht im Bestand?", "Wie hoch ist der Eiffelturm?",
}

// networks are the three stand-ins behind one gateway.
type networks struct {
	b          *testing.B
	telegram   *faketelegram.Server
	discord    *fakediscord.Server
	mattermost *fakemattermost.Server
	guild      string // where the bot meets people of Discord
	accounts   []gateway.Account
	heard      sync.Map // by channel and chat: the asker
}

// An asker is a person in a direct chat.
type asker struct {
	ask      func(text string)
	answered chan struct{}
}

// A told is a channel that tells when an answer has arrived.
type told struct {
	channels.Channel
	of *sync.Map
}

func (c told) Send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	receipt, err := c.Channel.Send(ctx, p)
	if err == nil {
		if who, ok := c.of.Load(c.Kind() + "/" + p.To.Chat()); ok {
			who.(*asker).answered <- struct{}{}
		}
	}
	return receipt, err
}

func newNetworks(b *testing.B) *networks {
	b.Helper()
	n := &networks{b: b}
	var err error
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	n.telegram, err = faketelegram.New(faketelegram.Options{Keep: 4})
	must(err)
	n.discord, err = fakediscord.New(fakediscord.Options{Keep: 4})
	must(err)
	n.mattermost, err = fakemattermost.New(fakemattermost.Options{Keep: 4})
	must(err)
	b.Cleanup(func() { n.telegram.Close(); n.discord.Close(); n.mattermost.Close() })
	free := &channels.Limits{}
	t, err := telegram.New(telegram.Options{
		Account: "main", Token: func() string { return n.telegram.Token() }, APIURL: n.telegram.URL(), Limits: free,
	})
	must(err)
	n.guild = n.discord.AddGuild("", "Haus")
	d, err := discord.New(discord.Options{Account: "main", Token: n.discord.Token, URL: n.discord.URL(), Limits: free})
	must(err)
	n.mattermost.AddTeam("haus")
	m, err := mattermost.New(mattermost.Options{Account: "main", Token: n.mattermost.Token, URL: n.mattermost.URL(), Limits: free})
	must(err)
	for _, c := range []channels.Channel{t, d, m} {
		n.accounts = append(n.accounts, gateway.Account{Name: "main", Channel: told{c, &n.heard}})
	}
	return n
}

// person adds somebody to one of the networks.
func (n *networks) person(i int) *asker {
	p := &asker{answered: make(chan struct{}, 1)}
	name := fmt.Sprintf("person%d", i)
	var key string
	switch i % 3 {
	case 0:
		id := n.telegram.AddUser(faketelegram.User{FirstName: name}).ID
		key, p.ask = "telegram/"+strconv.FormatInt(id, 10), func(s string) { n.telegram.Say(id, id, s) }
	case 1:
		id := n.discord.AddUser(fakediscord.User{Username: name}).ID
		n.discord.Join(n.guild, id)
		chat := n.discord.Direct(id)
		key, p.ask = "discord/"+chat, func(s string) { n.discord.Say(chat, id, s) }
	default:
		id := n.mattermost.AddUser(fakemattermost.User{Username: name}).ID
		chat := n.mattermost.Direct(id)
		key, p.ask = "mattermost/"+chat, func(s string) { n.mattermost.Say(chat, id, s) }
	}
	n.heard.Store(key, p)
	return p
}

// start runs a gateway over the networks until the benchmark ends, and returns
// when it hears them.
func (n *networks) start() {
	b := n.b
	b.Helper()
	h, err := store.Open(b.TempDir(), store.Options{Holder: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	log, _, err := store.OpenLog[gateway.Envelope](h, "messages.jsonl", store.LogOptions{Family: store.FamilyMessages, Track: gateway.Track})
	if err != nil {
		b.Fatal(err)
	}
	snapshot, err := engine.OpenFS(handbuch.FS(), handbuch.Name, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	agent, err := tresor.New(tresor.Options{Tresore: []tresor.Tresor{{ID: handbuch.Name, Snapshot: snapshot}}})
	if err != nil {
		b.Fatal(err)
	}
	access := make(map[gateway.AccountID]gateway.Access)
	for _, kind := range []string{telegram.Kind, discord.Kind, mattermost.Kind} {
		access[gateway.AccountID{Channel: kind, Account: "main"}] = gateway.Access{
			People: map[string]agents.Role{gateway.Everybody: agents.RoleUser}, Unlimited: true,
		}
	}
	g, err := gateway.New(gateway.Options{
		Queue: log, Accounts: n.accounts, Agents: map[string]agents.Agent{"tresor": agent},
		Log:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Settings: gateway.Settings{Policy: gateway.Policy{Access: access}, Routing: gateway.Routing{Default: "tresor"}, Lang: "de"},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		<-ended
		log.Close()
		h.Close()
	})
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := n.discord.AwaitConnected(ready); err != nil {
		b.Fatal(err)
	}
	if err := n.mattermost.AwaitConnected(ready); err != nil {
		b.Fatal(err)
	}
}

// watchMemory looks at the resident memory of this process until the returned
// function is called.
func watchMemory(b *testing.B) (*atomic.Int64, func()) {
	var largest atomic.Int64
	end := make(chan struct{})
	var watching sync.WaitGroup
	look := func() {
		raw, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			return // not Linux: nothing is reported
		}
		if fields := strings.Fields(string(raw)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			largest.Store(max(largest.Load(), pages*int64(os.Getpagesize())))
		}
	}
	runtime.GC()
	watching.Go(func() {
		for {
			look()
			select {
			case <-end:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	return &largest, func() { close(end); watching.Wait() }
}
