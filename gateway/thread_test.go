package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

// called is a network of another kind.
type called struct {
	*network
	kind string
}

func (c called) Kind() string { return c.kind }

// A mention starts, the own thread continues, others stay quiet: on every network,
// and after a restart (channels.md D3).
func TestOwnThreadContinues(t *testing.T) {
	for _, kind := range []string{"telegram", "discord", "mattermost"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newMemory()
				world := func() *world {
					w := newWorld(t, q, echo)
					w.o.Accounts[0].Channel = called{w.net, kind}
					access := w.o.Settings.Policy.Access[mainAccount]
					access.Groups["-1"].People["66"] = "blocked"
					w.o.Settings.Policy.Access = map[gateway.AccountID]gateway.Access{{Channel: kind, Account: "main"}: access}
					w.o.Settings.Admins = nil
					return w
				}
				in := func(thread string, addressed bool) func(*channels.Event) {
					to, err := channels.NewAddress(kind, "main", "-1", thread, "")
					if err != nil {
						t.Fatal(err)
					}
					return func(e *channels.Event) {
						e.Address, e.Audience, e.Addressed = to, channels.Group, addressed
					}
				}
				w := world()
				w.start()
				heard := func(want bool, who, text string, edits ...func(*channels.Event)) {
					t.Helper()
					before := len(w.net.seen(""))
					w.ask(who, text, edits...)
					synctest.Wait()
					if got := len(w.net.seen("")) > before; got != want {
						t.Errorf("%s says %q: answered %v, want %v", who, text, got, want)
					}
				}
				heard(false, "7", "Wann?", in("t1", false))
				heard(true, "7", "Wann?", in("t1", true))
				heard(true, "7", "Und wo?", in("t1", false))
				heard(true, "7", "@handbuch Und wie?", in("t1", false))
				heard(true, "7", "Noch einmal?", in("t1", false), replyTo("1"))
				heard(false, "7", "Und wo?", in("t2", false))                          // another thread
				heard(false, "7", "Und wo?", in("", false))                            // the channel itself
				heard(false, "8", "Ich glaube, dort.", in("t1", false))                // somebody else
				heard(false, "66", "Und wo?", in("t1", true))                          // not admitted
				heard(false, "7", "@jana Was meinst du?", in("t1", false))             // to somebody else
				heard(false, "7", "Gut.", in("t1", false), replyTo("99"))              // below what somebody else wrote
				heard(false, "99", "Und?", in("t1", false), actor(channels.Bot, "99")) // a program
				w.ask("7", "Kanal?", in("", true))
				synctest.Wait()
				heard(false, "7", "Und wo?", in("", false)) // a channel is no thread
				w.end()

				seq := w.seq
				w = world()
				w.seq = seq
				w.start()
				heard(true, "7", "Und danach?", in("t1", false))
				time.Sleep(25 * time.Hour)
				heard(false, "7", "Und heute?", in("t1", false))
				w.end()
			})
		})
	}
}

// Where nothing but a failure was said there is nothing to go on with.
func TestThreadWithoutAnAnswerDoesNotContinue(t *testing.T) {
	inWorld(t, func(context.Context, agents.Request) (agents.Answer, error) {
		return agents.Answer{}, &agents.Error{Status: agents.StatusFailed, Text: "Gerade nicht."}
	}, func(t *testing.T, w *world) {
		thread := func(addressed bool) func(*channels.Event) {
			return func(e *channels.Event) {
				e.Address, e.Audience, e.Addressed = address(t, "-1", "t1"), channels.Group, addressed
			}
		}
		w.ask("7", "Wann?", thread(true))
		synctest.Wait()
		w.ask("7", "Und wo?", thread(false))
		synctest.Wait()
		equal(t, "seen", w.net.seen("-1"), []string{"Gerade nicht."})
	})
}

// A reply to somebody else in a group is about no answer of ours, and words that
// point at nothing are not about one of long ago.
func TestWordsAboutNoAnswer(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		group := inGroup(t, "-1")
		w.ask("7", "Wann?", group)
		synctest.Wait()
		w.ask("7", "falsch", group, replyTo("99"))
		synctest.Wait()
		w.ask("8", "Wann?")
		synctest.Wait()
		time.Sleep(25 * time.Hour)
		w.ask("8", "gut")
		synctest.Wait()
		equal(t, "feedback", w.queue.feedback(), nil)
	})
}
