package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	fake "outheis/channels/fakenet/telegram"
)

// TestManyPeople has 50 people ask 20 questions each, or a few in the plain
// tests, everybody at once. All are answered, in the order in which each asked,
// at the pace that Telegram allows, in steady memory.
func TestManyPeople(t *testing.T) {
	t.Parallel()
	const people = 50
	questions := 4
	if thorough {
		questions = 20
	}
	s := newScene(t, people)
	s.patience = 5 * time.Minute
	s.start()
	s.greet()
	s.settled()
	var asking sync.WaitGroup
	for p := range people {
		asking.Go(func() {
			for n := range questions {
				s.ask(person(p), (p+n)%len(almanachQuestions))
			}
		})
	}
	before := s.measure()
	began := time.Now()
	asking.Wait()
	if _, err := s.server.AwaitSent(s.wait(), 0, 1+people); err != nil {
		t.Fatal(err)
	}
	middle := s.measure()
	for p := range people {
		s.got(person(p), questions)
	}
	took := time.Since(began)
	s.settled()
	after := s.measure()
	for p := range people {
		var want []int
		for n := range questions {
			want = append(want, (p+n)%len(almanachQuestions))
		}
		s.answered(person(p), claims(want...))
	}
	t.Logf("%d people, %d questions each, all answered in %s; resident memory %d MiB before, %d in the middle, %d after; goroutines %d, %d, %d",
		people, questions, took.Round(100*time.Millisecond), before.memory>>20, middle.memory>>20, after.memory>>20,
		before.goroutines, middle.goroutines, after.goroutines)
	if !raced && (after.memory > before.memory+32<<20 || middle.memory > before.memory+32<<20) {
		t.Errorf("resident memory %d, %d, %d MiB is not steady", before.memory>>20, middle.memory>>20, after.memory>>20)
	}
	// Idle connections and lanes have gone, or go: what stays is no more than that.
	if after.goroutines > before.goroutines+20 {
		t.Errorf("%d goroutines remain, there were %d", after.goroutines, before.goroutines)
	}
	s.paced()
}

type measurement struct {
	memory     int64
	goroutines int
}

func (s *scene) measure() measurement {
	s.t.Helper()
	return measurement{s.memory(), s.status().Process.Goroutines}
}

// paced checks that the sends kept, on the whole, what Telegram asks of bots:
// 25 messages a second in all and one a second in a chat, after a short burst.
// On a busy machine single ones take longer than others; how they are kept apart
// is tested in package channels, in false time.
func (s *scene) paced() {
	s.t.Helper()
	all := make(map[string][]time.Time)
	for _, r := range s.server.Requests("sendMessage") {
		all[""] = append(all[""], r.At)
		all[r.Params["chat_id"]] = append(all[r.Params["chat_id"]], r.At)
	}
	for chat, times := range all {
		every, burst := time.Second, 3
		if chat == "" {
			every, burst = time.Second/25, 5
		}
		took := slices.MaxFunc(times, time.Time.Compare).Sub(slices.MinFunc(times, time.Time.Compare))
		if least := every*time.Duration(len(times)-burst) - time.Second; took < least {
			s.t.Errorf("%d messages to %q within %s, want at least %s", len(times), chat, took, least)
		}
	}
}

// TestRandomCuts cuts the connection at random, before or after a message has
// had its effect, and repeats what may have arrived: nothing is lost, and what
// arrives twice is marked (spec/reliability.md D13, G13).
func TestRandomCuts(t *testing.T) {
	t.Parallel()
	people, rounds := 20, 2
	if thorough {
		people, rounds = 50, 10
	}
	seed := uint64(time.Now().UnixNano())
	s := newScene(t, people)
	s.start()
	var before, after, whole int
	var mu sync.Mutex // guards the counts
	var asking sync.WaitGroup
	for p := range people {
		random := rand.New(rand.NewPCG(seed, uint64(p)))
		asking.Go(func() {
			var want []string
			for n := range rounds {
				claim := claims(n)
				mu.Lock()
				switch random.IntN(3) {
				case 0:
					before++
					s.server.Fault(fake.Fault{Kind: fake.CutBefore, Method: "sendMessage", Chat: person(p)})
					want = append(want, claim+"!")
				case 1:
					after++
					s.server.Fault(fake.Fault{Kind: fake.CutAfter, Method: "sendMessage", Chat: person(p)})
					want = append(want, claim, claim+"!")
				default:
					whole++
					want = append(want, claim)
				}
				mu.Unlock()
				s.ask(person(p), n)
				if _, err := s.server.AwaitSent(s.wait(), person(p), len(want)); err != nil {
					t.Errorf("person %d: %v", p, err)
					return
				}
			}
			s.answered(person(p), strings.Join(want, " "))
		})
	}
	asking.Wait()
	s.settled()
	arrived, marked := 0, 0
	for _, m := range s.server.Sent(0) {
		arrived++
		if isMarked(m) {
			marked++
		}
	}
	t.Logf("seed %d: %d answers, %d cut before and %d after the effect, %d arrived, %d of them marked, %d doubled, none lost",
		seed, people*rounds, before, after, arrived, marked, arrived-people*rounds)
	if marked != before+after || arrived != people*rounds+after {
		t.Errorf("%d arrived and %d are marked, want %d and %d", arrived, marked, people*rounds+after, before+after)
	}
}

// TestUnsureAsEverybodyGetsIt shows the wait behind a lost receipt as it is
// outside of tests.
func TestUnsureAsEverybodyGetsIt(t *testing.T) {
	t.Parallel()
	if !thorough {
		t.Skip("takes half a minute")
	}
	s := newScene(t, 1)
	s.unsure = 0
	s.start()
	s.server.Fault(fake.Fault{Kind: fake.CutAfter, Method: "sendMessage", Chat: person(0)})
	s.ask(person(0), 0)
	s.got(person(0), 1)
	sent, err := s.server.AwaitSent(t.Context(), person(0), 2)
	if err != nil {
		t.Fatal(err)
	}
	s.settled()
	s.answered(person(0), claims(0)+" "+claims(0)+"!")
	if d := sent[1].At.Sub(sent[0].At); d < 30*time.Second || d > 35*time.Second {
		t.Errorf("the second message came after %s, want 30 s", d)
	}
}

// BenchmarkQuestionToReply is the time from a question in Telegram to its answer
// there, through the whole program: long poll, durable log, Tresor, rendering
// and sending. Every question is of another person, since a chat has its pace.
func BenchmarkQuestionToReply(b *testing.B) {
	s := newScene(b, 0)
	s.telegram["allowed"] = []any{map[string]any{"id": "*"}}
	s.configure(writeAlmanach(b))
	s.start()
	next := 0
	ask := func() time.Duration {
		who := s.server.AddUser(fake.User{FirstName: fmt.Sprint("Person ", next)}).ID
		began := time.Now()
		s.ask(who, next%len(almanachQuestions))
		next++
		if _, err := s.server.AwaitSent(s.wait(), who, 1); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	pace := time.NewTicker(45 * time.Millisecond) // 25 a second are allowed
	defer pace.Stop()
	ask()
	var all []time.Duration
	for b.Loop() {
		b.StopTimer()
		<-pace.C
		b.StartTimer()
		all = append(all, ask())
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, "p95-ms")
}
