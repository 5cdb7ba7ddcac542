package channeltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"outheis/channels"
)

// loadCases are about many cuts, many messages and much nonsense.
func loadCases() []testCase {
	return []testCase{
		{"SameKeyArrivesOnce", []Ability{Idempotent, Faults}, sameKeyArrivesOnce},
		{"RandomCutsLoseNothingUnnoticed", []Ability{Faults}, randomCuts},
		{"RandomCutsWhileReceivingLoseNothing", []Ability{Faults}, randomCutsWhileReceiving},
		{"StormOfWaitsLosesNothing", []Ability{RateLimit}, stormOfWaits},
		{"ReconnectStormHasJitter", []Ability{Faults, Attempts}, reconnectStorm},
		{"MalformedEventsDoNoHarm", []Ability{Malformed}, malformedEvents},
		{"FloodIsTakenWithoutGrowth", nil, flood},
		{"StopsUnderLoad", nil, stopsUnderLoad},
	}
}

// many returns n, or fewer on a slow network and where the race detector slows
// everything: it looks for races, which show with fewer as well.
func (b *bench) many(n int) int {
	if b.slow || raceDetector {
		return n / 5
	}
	return n
}

func sameKeyArrivesOnce(b *bench) {
	c, to := b.asked()
	p := text(to, "einmal")
	b.net.BreakSend(CutAfter, 1)
	b.refused(c, p, channels.Unsure)
	p.Again = true
	receipt := b.must(c, p)
	equal(b, "arrived", strings.Join(b.texts(AdaDirect), "|"), "einmal")
	equal(b, "receipt", receipt.Remote, b.last(AdaDirect).Remote)
}

// randomCuts is the delivery test G13 of the reliability goals: a caller that
// repeats what was not sent, and repeats what is unsure once, loses nothing.
// Where the network knows keys nothing comes twice; elsewhere only what was
// unsure does, and the second copy carries the caller's mark.
func randomCuts(b *bench) {
	cuts := b.many(500)
	const mark = "(vielleicht doppelt) "
	c, to := b.asked()
	random := rand.New(rand.NewPCG(1, 1))
	unsure := make(map[string]int)
	kinds := make(map[Fault]int)
	for i := range cuts {
		p := text(to, fmt.Sprint("Teil ", i))
		f := []Fault{CutBefore, CutAfter}[random.IntN(2)]
		kinds[f]++
		b.net.BreakSend(f, 1)
		for {
			_, se := b.send(c, p)
			if se == nil {
				break
			}
			switch se.Class {
			case channels.NotSent:
			case channels.Unsure:
				unsure[fmt.Sprint("Teil ", i)]++
				p.Again = true
				if !b.has(Idempotent) {
					p.Body.Text, p.Body.Plain = mark+fmt.Sprint("Teil ", i), mark+fmt.Sprint("Teil ", i)
				}
			default:
				b.Fatalf("Teil %d: %v", i, se)
			}
		}
	}
	got, marked := make(map[string]int), make(map[string]int)
	for _, s := range b.texts(AdaDirect) {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			marked[rest]++
		} else {
			got[s]++
		}
	}
	doubled := 0
	for i := range cuts {
		s := fmt.Sprint("Teil ", i)
		switch n := got[s] + marked[s]; {
		case n == 0:
			b.Errorf("%s is lost", s)
		case got[s] > 1:
			b.Errorf("%s arrived %d times without a mark", s, got[s])
		case n > 1+unsure[s]:
			b.Errorf("%s arrived %d times and was unsure %d times", s, n, unsure[s])
		case n > 1:
			doubled++
		}
	}
	b.Logf("%d cuts before, %d after the effect: none lost, %d unsure, %d doubled and marked", kinds[CutBefore], kinds[CutAfter], len(unsure), doubled)
}

// randomCutsWhileReceiving breaks the way in before or after each of many
// messages was handed to the adapter.
func randomCutsWhileReceiving(b *bench) {
	cuts := b.many(500)
	random := rand.New(rand.NewPCG(2, 2))
	r := b.start()
	keys := map[string]bool{r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"}).Key: true}
	for i := range cuts {
		f := []Fault{CutBefore, CutAfter}[random.IntN(2)]
		if random.IntN(2) == 0 {
			b.net.BreakReceive(f, 1)
			b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("Frage ", i)})
		} else {
			b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("Frage ", i)})
			b.net.BreakReceive(f, 1)
		}
		equal(b, "text", r.unseen(keys).Text, fmt.Sprint("Frage ", i))
	}
	equal(b, "events", len(keys), cuts+1)
}

// stormOfWaits answers many callers at once with requests to wait.
func stormOfWaits(b *bench) {
	r := b.start()
	ada := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"}).Address
	ben := r.hear(Line{At: BenDirect, From: Ben, Text: "zwei"}).Address
	const each, storm = 20, 3
	b.net.BreakSend(WaitChat, storm)
	var mu sync.Mutex
	refusals := 0
	start := time.Now()
	var wg sync.WaitGroup
	for i := range each {
		for _, to := range []channels.Address{ada, ben} {
			wg.Go(func() {
				for {
					_, err := r.c.Send(b.soon(), text(to, fmt.Sprint(i)))
					if err == nil {
						return
					}
					se := channels.AsSendError(err)
					if se.Class != channels.RetryAfter {
						b.Errorf("Send: %v", err)
						return
					}
					mu.Lock()
					refusals++
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	for _, at := range []Place{AdaDirect, BenDirect} {
		got := b.texts(at)
		slices.Sort(got)
		if len(got) != each || len(slices.Compact(got)) != each {
			b.Errorf("%s shows %d of %d posts", at, len(got), each)
		}
	}
	if d := time.Since(start); d < WaitAsked*8/10 {
		b.Errorf("all was sent within %s although the network asked for %s", d, WaitAsked)
	}
	b.Logf("%d posts, %d requests to wait, %d refusals", 2*each, storm, refusals)
}

// reconnectStorm lets many tries to receive fail: they get rarer, do not come
// in step, and nothing is lost.
func reconnectStorm(b *bench) {
	const tries = 30
	r := b.start()
	keys := map[string]bool{r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"}).Key: true}
	before := len(b.net.Attempts())
	b.net.BreakReceive(ServerError, tries)
	// What waits already when the way breaks may still bring this one.
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "währenddessen"})
	b.eventually("trying again and again", func() bool { return len(b.net.Attempts())-before >= tries })
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "nachher"})
	equal(b, "text", r.unseen(keys).Text, "währenddessen")
	equal(b, "text", r.unseen(keys).Text, "nachher")
	times := b.net.Attempts()[before:]
	var gaps []time.Duration
	for i := 1; i < tries; i++ {
		gaps = append(gaps, times[i].Sub(times[i-1]))
	}
	early, late := median(gaps[:4]), median(gaps[len(gaps)-10:])
	if late <= early {
		b.Errorf("the waits do not grow: %s at first, %s at last", early, late)
	}
	last := gaps[len(gaps)-10:]
	if shortest, longest := slices.Min(last), slices.Max(last); longest-shortest < longest/20 {
		b.Errorf("the waits have no jitter: %v", last)
	}
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func malformedEvents(b *bench) {
	n := b.many(1000)
	r := b.start()
	r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"})
	before := heap()
	b.net.Malform(n)
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "nachher"})
	for e := r.next(); e.Text != "nachher"; e = r.next() {
		if e.Actor.Kind == channels.Person && e.Addressed && e.Text != "" && e.Text != "vorher" {
			b.Errorf("nonsense became a question: %+v", e)
		}
	}
	b.acknowledged()
	if grown := heap() - before; grown > 64<<20 {
		b.Errorf("%d malformed events left %d MiB", n, grown>>20)
	}
}

func flood(b *bench) {
	const waves = 10
	each := b.many(1000)
	r := b.start()
	var after int64
	routines := 0
	for wave := range waves {
		for i := range each {
			b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint(wave*each + i)})
		}
		for i := range each {
			if e := r.next(); e.Text != fmt.Sprint(wave*each+i) {
				b.Fatalf("%q came, want %d", e.Text, wave*each+i)
			}
		}
		if wave == 1 {
			after, routines = heap(), runtime.NumGoroutine()
		}
	}
	if grown := heap() - after; grown > 8<<20 {
		b.Errorf("%d messages left %d MiB", (waves-2)*each, grown>>20)
	}
	if grown := runtime.NumGoroutine() - routines; grown > 20 {
		b.Errorf("%d messages left %d goroutines", (waves-2)*each, grown)
	}
}

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// stopsUnderLoad ends Run while many messages wait, storing is slow, and
// answers go out.
func stopsUnderLoad(b *bench) {
	busy := make(chan struct{}, 100_000)
	r := b.runWith(b.open(), func(ctx context.Context, e channels.Event) error {
		if e.Text == "vorher" {
			return nil
		}
		busy <- struct{}{}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond): // a slow disk
			return nil
		}
	})
	to := r.hear(Line{At: AdaDirect, From: Ada, Text: "vorher"}).Address
	for i := range 1000 {
		b.net.Say(Line{At: AdaDirect, From: Ada, Text: fmt.Sprint("a", i)})
		b.net.Say(Line{At: BenDirect, From: Ben, Text: fmt.Sprint("b", i)})
	}
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := r.c.Send(ctx, text(to, fmt.Sprint("Antwort ", w, ".", i))); err != nil && ctx.Err() == nil {
					b.note(err)
					b.Errorf("Send: %v", err)
					return
				}
			}
		})
	}
	for range 5 {
		select {
		case <-busy:
		case <-b.soon().Done():
			b.Fatal("nothing was delivered")
		}
	}
	start := time.Now()
	r.stop() // fails the case after 5 s
	cancel()
	wg.Wait()
	b.close(r.c)
	if d := time.Since(start); d > 5*time.Second {
		b.Errorf("everything ended after %s, want 5 s at most", d)
	}
}
