package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/gateway"
	"outheis/store"
)

// A patient is a network whose adapter says how it stands, as a script has it.
type patient struct {
	*network
	mu     sync.Mutex // guards what follows
	health channels.Health
	end    error // what Run returns, when it is not nil
	ended  chan struct{}
}

func newPatient() *patient {
	p := &patient{network: newNetwork(), health: channels.Health{State: channels.Green}, ended: make(chan struct{})}
	p.onRun = func(ctx context.Context, in channels.Deliver) error {
		p.mu.Lock()
		end, ended := p.end, p.ended
		p.mu.Unlock()
		for end == nil {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-ended:
				p.mu.Lock()
				end, ended = p.end, p.ended
				p.mu.Unlock()
			case e := <-p.in:
				for in(ctx, e) != nil {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(time.Second):
					}
				}
			}
		}
		if end.Error() == "panic" {
			panic("scripted")
		}
		if end.Error() == "nil" {
			return nil
		}
		return end
	}
	return p
}

func (p *patient) Health() channels.Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.health
	h.Received = time.Now()
	return h
}

func (p *patient) stand(s channels.State, reason, remedy string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.health = channels.Health{State: s, Reason: reason, Remedy: remedy}
}

// finish has Run return err from now on, or work again with nil.
func (p *patient) finish(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = err
	close(p.ended)
	p.ended = make(chan struct{})
}

// A clinic is a world with an account in order, "main", and one that falls ill,
// "second". An administrator is at each.
type clinic struct {
	*world
	sick *patient
	log  *bytes.Buffer
}

func inClinic(t *testing.T, f func(t *testing.T, w *clinic)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &clinic{newWorld(t, newMemory(), echo), newPatient(), new(bytes.Buffer)}
		w.o.Log = slog.New(slog.NewTextHandler(w.log, nil))
		w.o.Accounts = append(w.o.Accounts, gateway.Account{Name: "second", Channel: w.sick})
		a := w.o.Settings.Policy.Access
		a[secondAccount] = a[mainAccount]
		w.o.Settings.Admins = append(w.o.Settings.Admins, gateway.Admin{Address: w.at("chief"), Lang: "en"})
		w.start()
		f(t, w)
		synctest.Wait()
		if err := w.end(); err != context.Canceled {
			t.Errorf("Run = %v", err)
		}
	})
}

// at is an address at the account that falls ill.
func (w *clinic) at(chat string) channels.Address {
	to, err := channels.NewAddress("net", "second", chat, "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	return to
}

// hears delivers an event at the account that falls ill.
func (w *clinic) hears(edits ...func(*channels.Event)) {
	w.sick.in <- w.event("7", "Wann?", append([]func(*channels.Event){func(e *channels.Event) { e.Address = w.at("7") }}, edits...)...)
	synctest.Wait()
}

func (w *clinic) status() gateway.AccountStatus {
	for _, a := range w.g.Status().Accounts {
		if a.Account == "second" {
			return a
		}
	}
	return gateway.AccountStatus{}
}

// Each way in which an account stops receiving turns it red within two minutes,
// with cause and remedy: in the status, in the log and before the administrators,
// through an account that works and through the same one where it can still
// send. That it is over they are told as well; each once. What the adapters find
// out by themselves is scripted here as they say it.
func TestDeadReceivePathsTurnRed(t *testing.T) {
	refused := func(remedy string) error {
		return &channels.SendError{Class: channels.Misconfigured, Remedy: remedy, Err: errors.New("401")}
	}
	says := func(reason, remedy string) (func(*clinic), func(*clinic)) {
		return func(w *clinic) { w.sick.stand(channels.Red, reason, remedy) }, func(w *clinic) { w.sick.stand(channels.Green, "", "") }
	}
	ends := func(err error) (func(*clinic), func(*clinic)) {
		return func(w *clinic) { w.sick.finish(err) }, func(w *clinic) { w.sick.finish(nil) }
	}
	type ailing struct {
		name           string
		cause, cure    func(*clinic)
		reason, remedy string
		mute           bool // it cannot send either
		queue          bool // it is the queue that is ill
	}
	var all []ailing
	add := func(a ailing, cause, cure func(*clinic)) {
		a.cause, a.cure = cause, cure
		all = append(all, a)
	}
	cause, cure := says("Die Verbindung antwortet nicht.", "Netz prüfen.")
	add(ailing{name: "half-open socket", reason: "Die Verbindung antwortet nicht.", remedy: "Netz prüfen."}, cause, cure)
	cause, cure = ends(refused("Neu anmelden."))
	add(ailing{name: "revoked session", reason: "401", remedy: "Neu anmelden.", mute: true}, cause, cure)
	cause, cure = says("Ein zweites Programm holt die Nachrichten.", "Das andere beenden.")
	add(ailing{name: "second poller", reason: "Ein zweites Programm", remedy: "Das andere beenden."}, cause, cure)
	cause, cure = says("Der Bot sieht in Gruppen nichts.", "Privacy Mode ausschalten.")
	add(ailing{name: "privacy mode", reason: "in Gruppen nichts", remedy: "Privacy Mode"}, cause, cure)
	cause, cure = ends(refused("Message Content Intent einschalten."))
	add(ailing{name: "missing intent", reason: "401", remedy: "Message Content Intent"}, cause, cure)
	cause, cure = ends(refused("Den Bot wieder einschalten."))
	add(ailing{name: "disabled bot", reason: "401", remedy: "Den Bot wieder einschalten.", mute: true}, cause, cure)
	cause, cure = says("Ein Webhook ist gesetzt.", "Webhook löschen.")
	add(ailing{name: "webhook set elsewhere", reason: "Webhook", remedy: "Webhook löschen."}, cause, cure)
	add(ailing{name: "nothing can be stored", reason: "cannot be written", remedy: "schaffen Sie Platz", queue: true},
		func(w *clinic) {
			w.queue.setFail(fmt.Errorf("store: append: the log cannot be written: %w", store.ErrDegraded))
			go w.hears()
		},
		func(w *clinic) { w.queue.setFail(nil) })
	add(ailing{name: "server down", reason: "Keine Verbindung.", remedy: "Abwarten."},
		func(w *clinic) {
			w.sick.stand(channels.Yellow, "Keine Verbindung.", "Abwarten.")
			time.AfterFunc(30*time.Second, func() { w.sick.stand(channels.Red, "Keine Verbindung.", "Abwarten.") })
		}, func(w *clinic) { w.sick.stand(channels.Green, "", "") })
	add(ailing{name: "our clock is ahead, as messages show", reason: "geht gegenüber dem Netz um 2 Tage vor", remedy: "stellen Sie die Uhr"},
		func(w *clinic) {
			go func() {
				for range 3 {
					w.hears(func(e *channels.Event) { e.At = e.At.Add(-48 * time.Hour) })
					time.Sleep(6 * time.Second)
				}
			}()
		}, func(w *clinic) { w.hears() })
	add(ailing{name: "our clock is ahead, as the network says", reason: "um 30 Stunden vor", remedy: "stellen Sie die Uhr"},
		func(w *clinic) {
			w.sick.mu.Lock()
			defer w.sick.mu.Unlock()
			w.sick.health.Ahead = 30 * time.Hour
		}, func(w *clinic) { w.sick.stand(channels.Green, "", "") })
	member := func(c channels.Change) func(*clinic) {
		return func(w *clinic) {
			to, err := channels.NewAddress("net", "second", "-1", "", "")
			if err != nil {
				t.Fatal(err)
			}
			w.hears(func(e *channels.Event) {
				e.Kind, e.Change, e.Address, e.Audience = channels.KindMembership, c, to, channels.Group
			})
		}
	}
	add(ailing{name: "removed from the group", reason: "In der Gruppe -1 bin ich nicht mehr", remedy: "nehmen Sie mich dort wieder auf"},
		member(channels.ChangeRemoved), member(channels.ChangeJoined))
	restart := func(w *clinic) {
		w.sick = newPatient()
		if err := w.g.Replace(context.Background(), gateway.Account{Name: "second", Channel: w.sick}); err != nil {
			t.Error(err)
		}
	}
	add(ailing{name: "receiving returned", reason: "receiving ended without a reason", remedy: "starten Sie outheis neu"}, func(w *clinic) { w.sick.finish(errors.New("nil")) }, restart)
	add(ailing{name: "receiving panicked", reason: "adapter panicked: scripted", remedy: "starten Sie outheis neu"}, func(w *clinic) { w.sick.finish(errors.New("panic")) }, restart)
	add(ailing{name: "never connected", reason: "noch nicht mit seinem Netz verbunden", remedy: "prüfen Sie", mute: true},
		func(w *clinic) {
			restart(w)
			w.sick.stand(channels.Starting, "", "")
		}, func(w *clinic) { w.sick.stand(channels.Green, "", "") })

	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			var logged string
			inClinic(t, func(t *testing.T, w *clinic) {
				time.Sleep(10 * time.Minute)
				before := len(w.net.seen("admin"))
				sees := func(chat string, n *network) []string {
					var all []string
					for _, s := range n.seen(chat) {
						if strings.Contains(s, "🔴") || strings.Contains(s, "🟢") {
							all = append(all, s)
						}
					}
					return all
				}
				c.cause(w)
				if c.mute {
					w.sick.onSend = func(int, channels.Post) error { return fails(channels.Misconfigured) }
				}
				began := time.Now()
				for w.status().Health.State != channels.Red && time.Since(began) < 2*time.Minute {
					time.Sleep(time.Second)
				}
				a := w.status()
				if h := a.Health; h.State != channels.Red || !strings.Contains(h.Reason, c.reason) || !strings.Contains(h.Remedy, c.remedy) {
					t.Errorf("behind %v: %+v; want red with %q and %q", time.Since(began), h, c.reason, c.remedy)
				}
				if a.Since.Before(began.Add(-time.Second)) {
					t.Errorf("red since %v, want at %v or later", a.Since, began)
				}
				time.Sleep(2*time.Minute - time.Since(began) + time.Second)
				synctest.Wait()
				told := sees("admin", w.net)
				if len(told) != 1 || !strings.Contains(told[0], c.reason) || !strings.Contains(told[0], c.remedy) || !c.queue && !strings.Contains(told[0], "net/second") {
					t.Errorf("behind two minutes the administrator sees %q", told)
				}
				if got := sees("chief", w.sick.network); len(got) != 1 && !c.mute || len(got) != 0 && c.mute {
					t.Errorf("the one at that account sees %q", got)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if told := sees("admin", w.net); len(told) != 1 {
					t.Errorf("an hour later the administrator sees %q", told)
				}
				w.sick.onSend = nil
				c.cure(w)
				time.Sleep(15 * time.Minute) // the next try of what was refused comes so late
				synctest.Wait()
				if a := w.status(); a.Health.State != channels.Green || a.Health.Reason != "" {
					t.Errorf("cured: %+v", a.Health)
				}
				told = sees("admin", w.net)
				if len(told) != 2 || !strings.Contains(told[1], "🟢") {
					t.Errorf("cured: the administrator sees %q", told)
				}
				if before > 0 {
					t.Errorf("while all was well the administrator saw %d messages", before)
				}
				if a := w.g.Status().Accounts[0]; a.Health.State != channels.Green && !c.queue {
					t.Errorf("the other account: %+v", a.Health)
				}
				logged = w.log.String()
			})
			if !strings.Contains(logged, c.reason) || !strings.Contains(logged, "level=ERROR") || !c.queue && !strings.Contains(logged, c.remedy) {
				t.Errorf("the log lacks %q and %q", c.reason, c.remedy)
			}
		})
	}
}

// What passes by itself within a short time is nobody's business, and what comes
// and goes is told once.
func TestPassingAilments(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		for range 20 { // single refusals, far apart
			w.sick.stand(channels.Red, "Konflikt.", "Abwarten.")
			time.Sleep(20 * time.Second)
			w.sick.stand(channels.Green, "", "")
			time.Sleep(10 * time.Minute)
		}
		equal(t, "seen", w.net.seen("admin"), nil)
		for range 20 { // one that never gets well
			w.sick.stand(channels.Red, "Konflikt.", "Abwarten.")
			time.Sleep(30 * time.Second)
			w.sick.stand(channels.Green, "", "")
			time.Sleep(20 * time.Second)
		}
		if got := w.net.seen("admin"); len(got) != 1 {
			t.Errorf("seen %q, want one", got)
		}
		time.Sleep(5 * time.Minute)
		if got := w.net.seen("admin"); len(got) != 2 {
			t.Errorf("seen %q, want that it is over as well", got)
		}
	})
}

// An account that is in order and has not heard anything says so.
func TestSilentAccount(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		if a := w.status(); a.Remark != "" || !a.Heard.IsZero() {
			t.Errorf("at the start: %+v", a)
		}
		time.Sleep(5 * time.Minute)
		if a := w.status(); a.Health.State != channels.Green || !strings.Contains(a.Remark, "noch nichts empfangen") || a.Since.IsZero() {
			t.Errorf("behind five minutes: %+v", a)
		}
		w.hears()
		if a := w.status(); a.Remark != "" || !a.Heard.Equal(time.Now()) {
			t.Errorf("behind a message: %+v", a)
		}
	})
}

// What is told is told in the language of each administrator.
func TestAilmentsInTheLanguageOfTheReader(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		w.sick.stand(channels.Red, "Konflikt.", "Abwarten.")
		time.Sleep(time.Minute)
		if got := w.sick.seen("chief"); len(got) != 1 || !strings.Contains(got[0], "has been out of order since") {
			t.Errorf("seen %q", got)
		}
		w.sick.stand(channels.Green, "", "")
		time.Sleep(2 * time.Minute)
		if got := w.sick.seen("chief"); len(got) != 2 || !strings.Contains(got[1], "is in order again") {
			t.Errorf("seen %q", got)
		}
	})
}

// That a chat is gone of a guild that is listed as a whole is daily life; that
// several are at once is not.
func TestLostChatsOfASpace(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		s := w.o.Settings
		s.Policy.Access[secondAccount] = gateway.Access{
			Groups: map[string]gateway.Group{"-1": {}}, Spaces: map[string]gateway.Group{"S": {}},
		}
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		becomes := func(chat, space string, change channels.Change) channels.State {
			to := w.at(chat)
			w.hears(func(e *channels.Event) {
				e.Kind, e.Change, e.Address, e.Audience, e.Space = channels.KindMembership, change, to, channels.Group, space
			})
			return w.status().Health.State
		}
		for _, c := range []struct {
			chat, space string
			change      channels.Change
			want        channels.State
		}{
			{"-7", "T", channels.ChangeRemoved, channels.Green}, // not listed
			{"-2", "S", channels.ChangeRemoved, channels.Green},
			{"-3", "S", channels.ChangeRemoved, channels.Red},
			{"-2", "S", channels.ChangeJoined, channels.Green},
			{"-1", "", channels.ChangeMuted, channels.Yellow},
			{"-1", "", channels.ChangeRemoved, channels.Red},
			{"-1", "", channels.ChangeJoined, channels.Green},
		} {
			if got := becomes(c.chat, c.space, c.change); got != c.want {
				t.Errorf("%s of %q %s: %s, want %s", c.chat, c.space, c.change, got, c.want)
			}
		}
		time.Sleep(time.Hour)
		if got := becomes("-4", "S", channels.ChangeRemoved); got != channels.Green {
			t.Errorf("another an hour later: %s", got)
		}
		becomes("-1", "", channels.ChangeRemoved)
		s.Policy.Access[secondAccount] = gateway.Access{Spaces: map[string]gateway.Group{"S": {}}}
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		if h := w.status().Health; h.State != channels.Green {
			t.Errorf("a group that is not listed any more: %+v", h)
		}
	})
}

// A backlog of old messages is no wrong clock.
func TestClockIsNotJudgedByABacklog(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		for i := range 50 { // all at once
			w.hears(func(e *channels.Event) { e.At = e.At.Add(-time.Duration(50-i) * time.Minute) })
		}
		for i := range 50 { // and one after the other, of times of their own
			time.Sleep(10 * time.Second)
			w.hears(func(e *channels.Event) { e.At = e.At.Add(-time.Duration(i%7+1) * 10 * time.Minute) })
		}
		if a := w.status(); a.Health.State != channels.Green {
			t.Errorf("%+v", a.Health)
		}
		equal(t, "seen", w.net.seen("admin"), nil)
		w.hears(func(e *channels.Event) { e.At = e.At.Add(10 * time.Minute) })
		if h := w.status().Health; h.State != channels.Yellow || !strings.Contains(h.Reason, "um 10 Minuten nach") || h.Remedy == "" {
			t.Errorf("a message of the future: %+v", h)
		}
		time.Sleep(time.Hour)
		if got := w.net.seen("admin"); len(got) != 1 || !strings.HasPrefix(got[0], "🟡 Die Uhr") || !strings.Contains(got[0], "stellen Sie die Uhr") {
			t.Errorf("the administrator sees %q, want once that the clock is wrong", got)
		}
		w.hears()
		time.Sleep(2 * time.Minute)
		if got := w.net.seen("admin"); len(got) != 2 || !strings.HasPrefix(got[1], "🟢 Die Uhr") {
			t.Errorf("the administrator sees %q, want that it is right again", got)
		}
	})
}

// A question that is too old is not dropped without a word to the administrators:
// either we were away for long, or the clock is wrong.
func TestExpiredQuestionsAreTold(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		for range 5 {
			w.hears(func(e *channels.Event) { e.At = e.At.Add(-25 * time.Hour) })
		}
		w.hears(func(e *channels.Event) { e.At = e.At.Add(-25 * time.Hour); e.Actor.Kind = channels.Bot }) // a stranger's
		synctest.Wait()
		if got := w.net.seen("admin"); len(got) != 1 || !strings.Contains(got[0], "30.12.1999 um 23:00") || !strings.Contains(got[0], "zu alt") {
			t.Errorf("seen %q, want one", got)
		}
		if w.sick.seen("7") != nil {
			t.Errorf("the person sees %q", w.sick.seen("7"))
		}
	})
}

// Every reason has words.
func TestReasonsHaveWords(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		for _, r := range []gateway.Reason{
			gateway.ReasonKind, gateway.ReasonNobody, gateway.ReasonProgram, gateway.ReasonAnonymous, gateway.ReasonSender, gateway.ReasonPairing,
			gateway.ReasonBlocked, gateway.ReasonGroup, gateway.ReasonAudience, gateway.ReasonUnaddressed, gateway.ReasonMuted, gateway.ReasonLoop,
			gateway.ReasonExpired, gateway.ReasonStale, gateway.ReasonCommandEdit, gateway.ReasonEditLate, gateway.ReasonEditSame, gateway.ReasonCommand,
			gateway.ReasonQuota, gateway.ReasonDaily, gateway.ReasonBusy, gateway.ReasonTooLong, gateway.ReasonUnsupported, gateway.ReasonEmpty, gateway.ReasonBroken,
		} {
			if got := r.Because(texts.For(lang)); got == string(r) || got == "" {
				t.Errorf("%s: %s: %q", lang, r, got)
			}
		}
	}
	s := gateway.Status{Refused: map[gateway.Reason]uint64{gateway.ReasonGroup: 2, gateway.ReasonSender: 3, gateway.ReasonBlocked: 4, gateway.ReasonBroken: 2}}
	equal(t, "why", s.WhyRefused(texts.For("de")), []string{
		"7 × von jemandem, der hier nicht fragen darf", "2 × aus einer Gruppe, die nicht eingetragen ist", "2 × nach einem Fehler",
	})
	if got := gateway.Reason("new").Because(texts.For("de")); got != "new" {
		t.Errorf("a reason without words: %q", got)
	}
}

// What comes and goes is told as that once, and then after growing pauses; that it
// lasts is told at once, and that it has stayed away, too.
func TestAccountThatComesAndGoes(t *testing.T) {
	inClinic(t, func(t *testing.T, w *clinic) {
		told := func() []string { return w.net.seen("admin") }
		flap := func(n int) {
			for range n {
				w.sick.stand(channels.Red, "zombie", "warten")
				time.Sleep(55 * time.Second)
				w.sick.stand(channels.Green, "", "")
				time.Sleep(65 * time.Second)
			}
		}
		flap(30) // an hour
		got := told()
		if len(got) != 3 || !strings.Contains(got[0], "gestört") || !strings.Contains(got[1], "wieder in Ordnung") ||
			!strings.Contains(got[2], "Das kommt und geht seit") || !strings.Contains(got[2], "in 60 Minuten wieder") {
			t.Errorf("in an hour they read %q", got)
		}
		flap(23 * 30)
		if got = told(); len(got) != 5 || !strings.Contains(got[3], "in 6 Stunden wieder") || !strings.Contains(got[4], "in 24 Stunden wieder") {
			t.Errorf("in a day they read %q", got[3:])
		}
		w.sick.stand(channels.Red, "Ausfall", "warten")
		time.Sleep(21 * time.Minute)
		if got = told(); len(got) != 6 || !strings.Contains(got[5], "Ausfall") {
			t.Errorf("of an outage in the pause they read %q", got[5:])
		}
		w.sick.stand(channels.Green, "", "")
		time.Sleep(59 * time.Minute)
		if got = told(); len(got) != 6 {
			t.Errorf("before an hour of calm they read %q", got[6:])
		}
		time.Sleep(3 * time.Minute)
		if got = told(); len(got) != 7 || !strings.Contains(got[6], "wieder in Ordnung") {
			t.Errorf("behind it they read %q", got[6:])
		}
		time.Sleep(7 * time.Hour)
		w.sick.stand(channels.Red, "neu", "warten")
		time.Sleep(time.Minute)
		if got = told(); len(got) != 8 || strings.Contains(got[7], "kommt und geht") {
			t.Errorf("of the next they read %q", got[7:])
		}
	})
}
