package channels_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"outheis/channels"
)

func post(t interface{ Fatal(...any) }, chat string) channels.Post {
	a, err := channels.NewAddress("net", "haupt", chat, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return channels.Post{To: a}
}

// a recorder is a network that notes when it was asked.
type recorder struct {
	mu    sync.Mutex
	start time.Time
	times map[string][]time.Duration
	err   func(chat string, n int) error
}

func newRecorder() *recorder {
	return &recorder{start: time.Now(), times: make(map[string][]time.Duration)}
}

func (r *recorder) send(_ context.Context, p channels.Post) (channels.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	chat := p.To.Chat()
	r.times[chat] = append(r.times[chat], time.Since(r.start))
	if r.err != nil {
		if err := r.err(chat, len(r.times[chat])); err != nil {
			return channels.Receipt{}, err
		}
	}
	return channels.Receipt{Remote: fmt.Sprint(len(r.times[chat]))}, nil
}

func TestPacerSpacesAChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{Chat: channels.Rate{Every: time.Second, Burst: 2}})
		r := newRecorder()
		for range 5 {
			if _, err := p.Send(t.Context(), post(t, "1"), r.send); err != nil {
				t.Fatal(err)
			}
		}
		want := []time.Duration{0, 0, time.Second, 2 * time.Second, 3 * time.Second}
		if got := r.times["1"]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("sent at %v, want %v", got, want)
		}
	})
}

func TestPacerLimitsGroupsAndAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{
			Account: channels.Rate{Every: 100 * time.Millisecond, Burst: 1},
			Group:   channels.Rate{Every: 3 * time.Second, Burst: 1},
			InGroup: func(a channels.Address) bool { return strings.HasPrefix(a.Chat(), "-") },
		})
		r := newRecorder()
		for _, chat := range []string{"1", "2", "-3", "-3", "4"} {
			if _, err := p.Send(t.Context(), post(t, chat), r.send); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string][]time.Duration{
			"1": {0}, "2": {100 * time.Millisecond},
			"-3": {200 * time.Millisecond, 3100 * time.Millisecond},
			"4":  {3200 * time.Millisecond},
		}
		if fmt.Sprint(r.times) != fmt.Sprint(want) {
			t.Errorf("sent at %v, want %v", r.times, want)
		}
	})
}

func TestPacerRetryAfterHoldsTheChatOnly(t *testing.T) {
	for _, tt := range []struct {
		scope       channels.Scope
		wait, other time.Duration
	}{
		{channels.ScopeChat, 3 * time.Second, 0},
		{channels.ScopeAccount, 3 * time.Second, 3 * time.Second},
	} {
		t.Run(string(tt.scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := channels.NewPacer(channels.Limits{})
				r := newRecorder()
				r.err = func(chat string, n int) error {
					if chat == "1" && n == 1 {
						return &channels.SendError{Class: channels.RetryAfter, After: 3 * time.Second, Scope: tt.scope, Err: errors.New("slow down")}
					}
					return nil
				}
				_, err := p.Send(t.Context(), post(t, "1"), r.send)
				if se := channels.AsSendError(err); se == nil || se.Class != channels.RetryAfter {
					t.Fatalf("the first post returned %v, want the network's refusal", err)
				}
				for _, chat := range []string{"2", "1"} {
					if _, err := p.Send(t.Context(), post(t, chat), r.send); err != nil {
						t.Fatal(err)
					}
				}
				if got := r.times["2"][0]; got != tt.other {
					t.Errorf("another chat was sent to after %s, want %s", got, tt.other)
				}
				if got := r.times["1"][1]; got != tt.wait {
					t.Errorf("the chat was sent to after %s, want %s", got, tt.wait)
				}
			})
		})
	}
}

func TestPacerWaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{Chat: channels.Rate{Every: time.Minute, Burst: 1}})
		r := newRecorder()
		if _, err := p.Send(t.Context(), post(t, "1"), r.send); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := p.Send(ctx, post(t, "1"), r.send)
		if se := channels.AsSendError(err); se == nil || se.Class != channels.NotSent || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Send returned %v, want not sent because of the deadline", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("Send knew after %s only that the deadline is too early", d)
		}
		canceled, stop := context.WithCancel(t.Context())
		go func() {
			time.Sleep(5 * time.Second) // the bubble's clock
			stop()
		}()
		_, err = p.Send(canceled, post(t, "1"), r.send)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Send returned %v, want the context's error", err)
		}
		// Who gave up has left its turn to the next.
		if _, err := p.Send(t.Context(), post(t, "1"), r.send); err != nil {
			t.Fatal(err)
		}
		if got := r.times["1"]; len(got) != 2 || got[1] != time.Minute {
			t.Errorf("sent at %v, want 0 and 1m", got)
		}
	})
}

func TestPacerWaitingChatDoesNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{
			Account: channels.Rate{Every: time.Second / 30, Burst: 30},
			Chat:    channels.Rate{Every: time.Second, Burst: 1},
		})
		r := newRecorder()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := p.Send(t.Context(), post(t, "busy"), r.send); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := p.Send(t.Context(), post(t, "other"), r.send); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if got := r.times["other"][0]; got != 0 {
			t.Errorf("the other chat waited %s", got)
		}
	})
}

// Whatever is sent, no window of the limit's length holds more than allowed,
// and nothing is lost.
func TestPacerKeepsTheRate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		burst := rapid.IntRange(1, 4).Draw(rt, "burst")
		chats := rapid.IntRange(1, 3).Draw(rt, "chats")
		n := rapid.IntRange(1, 20).Draw(rt, "posts")
		synctest.Test(t, func(t *testing.T) {
			p := channels.NewPacer(channels.Limits{Chat: channels.Rate{Every: time.Second, Burst: burst}})
			r := newRecorder()
			var wg sync.WaitGroup
			for i := range n * chats {
				wg.Go(func() {
					to := post(t, fmt.Sprint(i%chats))
					if i%2 == 0 {
						if err := p.TakeTurn(t.Context(), to.To, nil); err != nil {
							t.Error(err)
						}
					}
					if _, err := p.Send(t.Context(), to, r.send); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			for chat, times := range r.times {
				if len(times) != n {
					rt.Fatalf("chat %s got %d posts, want %d", chat, len(times), n)
				}
				for i := burst; i < n; i++ {
					if d := times[i] - times[i-burst]; d < time.Second-time.Millisecond {
						rt.Fatalf("chat %s: %d posts within %s", chat, burst+1, d)
					}
				}
			}
		})
	})
}

// Who takes a turn waits there, and sends later without waiting; who does not
// waits behind.
func TestPacerKeepsATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{Chat: channels.Rate{Every: time.Second, Burst: 1}})
		r := newRecorder()
		to := post(t, "1")
		waited := 0
		waits := func() error { waited++; return nil }
		for range 3 {
			if err := p.TakeTurn(t.Context(), to.To, waits); err != nil {
				t.Fatal(err)
			}
		}
		if d := time.Since(r.start); d != 2*time.Second || waited != 2 {
			t.Errorf("three turns were taken after %s with %d waits, want 2s and 2", d, waited)
		}
		for range 4 {
			if _, err := p.Send(t.Context(), to, r.send); err != nil {
				t.Fatal(err)
			}
		}
		want := []time.Duration{2 * time.Second, 2 * time.Second, 2 * time.Second, 3 * time.Second}
		if got := r.times["1"]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("sent at %v, want %v", got, want)
		}
	})
}

// Turns that came one by one and are used at once, as after a disk that was
// slow, are no burst on the wire.
func TestPacerKeepsApartWhatIsSentLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{Account: channels.Rate{Every: 100 * time.Millisecond, Burst: 2}})
		r := newRecorder()
		for i := range 6 {
			if err := p.TakeTurn(t.Context(), post(t, fmt.Sprint(i)).To, nil); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second) // the bubble's clock
		late := time.Since(r.start)
		for i := range 6 {
			if _, err := p.Send(t.Context(), post(t, fmt.Sprint(i)), r.send); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range []time.Duration{0, 0, 100, 200, 300, 400} {
			if got := r.times[fmt.Sprint(i)][0] - late; got != want*time.Millisecond {
				t.Errorf("post %d was sent after %s, want %s", i, got, want*time.Millisecond)
			}
		}
	})
}

// A turn counts for its chat alone, and does not outweigh what the network asks
// for after it was taken.
func TestPacerTurnIsNoPassport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{})
		r := newRecorder()
		r.err = func(chat string, n int) error {
			if n == 1 && chat == "1" {
				return &channels.SendError{Class: channels.RetryAfter, After: 3 * time.Second, Scope: channels.ScopeChat, Err: errors.New("slow down")}
			}
			return nil
		}
		one := post(t, "1")
		for range 2 {
			if err := p.TakeTurn(t.Context(), one.To, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Send(t.Context(), one, r.send); channels.AsSendError(err).Class != channels.RetryAfter {
			t.Fatalf("the first post returned %v, want the network's refusal", err)
		}
		_, err := p.Send(t.Context(), one, r.send)
		if se := channels.AsSendError(err); se == nil || se.Class != channels.RetryAfter || se.After != 3*time.Second || se.Scope != channels.ScopeChat {
			t.Errorf("the second post returned %v, want the same refusal", err)
		}
		for _, chat := range []string{"2", "1"} {
			if _, err := p.Send(t.Context(), post(t, chat), r.send); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string][]time.Duration{"1": {0, 3 * time.Second}, "2": {0}}
		if fmt.Sprint(r.times) != fmt.Sprint(want) {
			t.Errorf("sent at %v, want %v", r.times, want)
		}
	})
}

func TestPacerTurnEndsWithContextOrCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{Chat: channels.Rate{Every: time.Minute, Burst: 1}})
		to := post(t, "1").To
		if err := p.TakeTurn(t.Context(), to, nil); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		full := errors.New("disk full")
		if err := p.TakeTurn(t.Context(), to, func() error { return full }); err != full {
			t.Errorf("TakeTurn = %v, want the caller's %v", err, full)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.TakeTurn(ctx, to, func() error { t.Error("waits for what cannot come"); return nil }); err != context.DeadlineExceeded {
			t.Errorf("TakeTurn = %v, want %v", err, context.DeadlineExceeded)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("they were known after %s only", d)
		}
		// Neither has taken the turn that comes next.
		if err := p.TakeTurn(t.Context(), to, nil); err != nil || time.Since(start) != time.Minute {
			t.Errorf("TakeTurn = %v after %s, want nil after 1m", err, time.Since(start))
		}
	})
}

// A chat whose limit is used up waits before the network has to refuse; others
// do not.
func TestPacerHoldsAChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{})
		r := newRecorder()
		p.Hold(post(t, "1").To, 2*time.Second)
		p.Hold(post(t, "2").To, 0)
		for _, chat := range []string{"2", "1"} {
			if _, err := p.Send(t.Context(), post(t, chat), r.send); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string][]time.Duration{"1": {2 * time.Second}, "2": {0}}
		if fmt.Sprint(r.times) != fmt.Sprint(want) {
			t.Errorf("sent at %v, want %v", r.times, want)
		}
	})
}

func TestPacerForgetsIdleChats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := channels.NewPacer(channels.Limits{Chat: channels.Rate{Every: time.Second, Burst: 1}})
		r := newRecorder()
		for i := range 5000 {
			if _, err := p.Send(t.Context(), post(t, fmt.Sprint(i)), r.send); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond) // the bubble's clock
		}
		if got := p.Chats(); got > 1100 {
			t.Errorf("%d chats are remembered", got)
		}
	})
}

func BenchmarkPacer(b *testing.B) {
	p := channels.NewPacer(channels.Limits{
		Account: channels.Rate{Every: 1, Burst: 1 << 30}, Chat: channels.Rate{Every: 1, Burst: 1 << 30},
	})
	send := func(context.Context, channels.Post) (channels.Receipt, error) { return channels.Receipt{}, nil }
	posts := make([]channels.Post, 100)
	for i := range posts {
		posts[i] = post(b, fmt.Sprint(i))
	}
	for i := 0; b.Loop(); i++ {
		if _, err := p.Send(b.Context(), posts[i%len(posts)], send); err != nil {
			b.Fatal(err)
		}
	}
}
