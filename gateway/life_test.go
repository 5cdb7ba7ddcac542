package gateway_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

// TestLife lets four people ask, edit, delete, stop and press buttons in two
// chats, some events come twice at once, agents and networks fail, the disk fill,
// channels be replaced and the gateway stop and start, all at random and out of
// step. Whatever happens, each request ends once, and what was stopped, edited or
// deleted is not answered.
func TestLife(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lives(t, &dice{r: rand.New(rand.NewPCG(seed, 1))}) })
		})
	}
}

// dice are random numbers for many goroutines.
type dice struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.IntN(n)
}

// within waits for a random part of a time.
func (d *dice) within(most time.Duration) {
	time.Sleep(time.Duration(d.below(int(most/time.Millisecond))) * time.Millisecond)
}

// unhurried is a queue that takes its time before and behind each commit.
type unhurried struct {
	*memory
	dice *dice
}

func (q unhurried) AppendAll(ctx context.Context, es []gateway.Envelope) ([]gateway.Envelope, error) {
	q.dice.within(30 * time.Millisecond)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	written, err := q.memory.AppendAll(ctx, es)
	if err == nil {
		q.dice.within(30 * time.Millisecond)
	}
	return written, err
}

// moody is a network that fails in every way until it is well.
type moody struct {
	dice *dice
	mu   sync.Mutex
	well bool
}

func (m *moody) send(int, channels.Post) error {
	m.dice.within(500 * time.Millisecond)
	m.mu.Lock()
	well := m.well
	m.mu.Unlock()
	if well {
		return nil
	}
	switch m.dice.below(12) {
	case 0:
		return fails(channels.NotSent)
	case 1:
		return fails(channels.Unsure)
	case 2:
		return fails(channels.RetryAfter, func(se *channels.SendError) {
			se.After = time.Duration(m.dice.below(5)) * time.Second
			se.Scope = []channels.Scope{channels.ScopeChat, channels.ScopeAccount}[m.dice.below(2)]
		})
	case 3:
		return fails(channels.Refused, func(se *channels.SendError) { se.Markup = m.dice.below(2) == 0 })
	case 4:
		panic("scripted")
	}
	return nil
}

func lives(t *testing.T, d *dice) {
	agent := func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		switch d.below(20) {
		case 0:
			panic("scripted")
		case 1:
			d.within(4 * time.Second) // and does not listen
			return echo(ctx, r)
		}
		return taking(time.Duration(d.below(4000))*time.Millisecond)(ctx, r)
	}
	q, mood := newMemory(), &moody{dice: d}
	var nets []*network
	join := func() *editing {
		n := &editing{network: newNetwork(), stand: make(map[string]channels.Post)}
		n.onSend, n.onEdit = mood.send, mood.send
		nets = append(nets, n.network)
		return n
	}
	begin := func(seq int) *world {
		w := newWorld(t, q, agent)
		n := join()
		w.net, w.seq = n.network, seq
		w.o.Queue, w.o.Accounts[0].Channel, w.o.MaxParallel = unhurried{q, d}, n, 3
		return w.start()
	}
	w := begin(0)
	var busy sync.WaitGroup
	deliver := func(e channels.Event) {
		g := w.g
		busy.Go(func() {
			for g.Deliver(context.Background(), e) != nil && g.Status().State != gateway.Stopping {
				time.Sleep(time.Second)
			}
		})
	}
	asked := make(map[string]channels.Event) // the last question of each person
	for range 120 {
		d.within(700 * time.Millisecond)
		who := fmt.Sprint(d.below(4))
		where := inChat(t, who)
		if d.below(3) == 0 {
			group := address(t, "-1", "")
			where = func(e *channels.Event) { e.Address, e.Audience = group, channels.Group }
		}
		switch n := d.below(30); {
		case n < 14:
			e := w.event(who, fmt.Sprint("Frage ", w.seq), where)
			asked[who] = e
			for range 1 + d.below(2) {
				deliver(e)
			}
		case n < 19:
			if e, ok := asked[who]; ok {
				deliver(w.event(who, fmt.Sprint("Anders ", w.seq), func(x *channels.Event) {
					x.Kind, x.Message, x.Posted, x.Address, x.Audience = channels.KindEdit, e.Message, e.At, e.Address, e.Audience
				}))
			}
		case n < 23:
			deliver(w.event(who, "stop", where))
		case n == 23:
			q.setFail(store.ErrDegraded)
			d.within(10 * time.Second)
			q.setFail(nil)
		case n == 24:
			if err := w.g.Reload(w.o.Settings); err != nil {
				t.Error(err)
			}
		case n == 25:
			g, fresh := w.g, join()
			busy.Go(func() {
				if err := g.Replace(context.Background(), gateway.Account{Name: "main", Channel: fresh}); err != nil && err != gateway.ErrStopping {
					t.Error(err)
				}
			})
		case n == 27:
			if e, ok := asked[who]; ok {
				deliver(w.event(who, "", func(x *channels.Event) {
					x.Kind, x.Message, x.Address, x.Actor = channels.KindDeletion, e.Message, e.Address, channels.Actor{Kind: channels.System}
				}))
			}
		case n > 27:
			if e, ok := asked[who]; ok {
				req, _, err := q.Lookup("net/main/" + e.Key)
				if err != nil {
					t.Error(err)
				}
				press := w.event(who, "", where, func(x *channels.Event) {
					x.Kind, x.Message, x.Address, x.Audience = channels.KindButton, "1", e.Address, e.Audience
					x.Button = []string{"up:", "down:", "ev:"}[d.below(3)] + req.ID
				})
				for range 1 + d.below(2) {
					deliver(press)
				}
			}
		case n == 26:
			w.end()
			busy.Wait()
			w = begin(w.seq)
		}
	}
	mood.mu.Lock()
	mood.well = true
	mood.mu.Unlock()
	busy.Wait()
	time.Sleep(3 * time.Hour)
	synctest.Wait()
	w.end()
	checkLives(t, q, nets)
}

// checkLives checks what the log and the networks tell of all requests.
func checkLives(t *testing.T, q *memory, nets []*network) {
	t.Helper()
	if n := q.openCount(); n != 0 {
		t.Errorf("%d requests stay open", n)
	}
	asides := make(map[string]bool)
	replies, receipts, ends := make(map[string]int), make(map[string]int), make(map[string][]gateway.End)
	var requests []string
	for _, e := range q.envelopes() {
		switch {
		case e.Type == gateway.TypeRequest:
			requests = append(requests, e.ID)
			asides[e.ID] = e.Intent == "feedback"
		case len(e.Payload.Reply.Parts) > 0:
			replies[e.ReplyTo] += len(e.Payload.Reply.Parts)
		case e.Intent == "delivery.ok":
			receipts[e.Payload.Ref]++
		case e.Intent == "done":
			ends[e.Payload.Ref] = append(ends[e.Payload.Ref], e.Payload.End)
		}
	}
	for _, id := range requests {
		switch {
		case len(ends[id]) != 1:
			t.Errorf("request %s ends with %v", id, ends[id])
		case ends[id][0] == gateway.EndSent && (replies[id] == 0 && !asides[id] || receipts[id] != replies[id]):
			t.Errorf("request %s: %d receipts for %d parts", id, receipts[id], replies[id])
		case slices.Contains([]gateway.End{gateway.EndStopped, gateway.EndReplaced, gateway.EndDeleted}, ends[id][0]) && replies[id] > 0:
			t.Errorf("request %s is %s and answered", id, ends[id][0])
		}
	}
	seen := make(map[string]bool)
	for _, n := range nets {
		for _, s := range n.all() {
			if s.err == nil && !s.again && seen[s.key] {
				t.Errorf("part %s arrives twice without a mark", s.key)
			}
			seen[s.key] = seen[s.key] || s.err == nil
		}
	}
}
