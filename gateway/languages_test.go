package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
	"outheis/gateway"
	"outheis/store"
)

func inLanguage(locale string) func(*channels.Event) {
	return func(e *channels.Event) { e.Actor.Locale = locale }
}

// The language is each person's own: what their network says, until they choose
// (channels.md §2.5 language, §4 row 9).
func TestLanguagePerPerson(t *testing.T) {
	spoken := func(_ context.Context, r agents.Request) (agents.Answer, error) {
		return echo(context.Background(), agents.Request{Text: r.Text + " (" + r.Lang + ")"})
	}
	inWorld(t, spoken, func(t *testing.T, w *world) {
		say := func(person, text string, edits ...func(*channels.Event)) string {
			t.Helper()
			w.ask(person, text, edits...)
			synctest.Wait()
			got := w.net.seen(person)
			return got[len(got)-1]
		}
		for _, c := range []struct {
			person, locale, text, want string
		}{
			{"7", "de", "Wann?", echoed("Wann? (de)")},
			{"8", "en-GB", "Wann?", echoed("Wann? (en)")},
			{"9", "fr", "Wann?", echoed("Wann? (en)")},
			{"7", "de", "sprache englisch", "Fine, I will answer you in English from now on. The wording of the evidence stays as it is."},
			{"7", "de", "Wann?", echoed("Wann? (en)")},
			{"7", "de", "stop", "There is no question under way."},
			{"8", "en-GB", "/sprache de", "Gut, ab jetzt antworte ich Ihnen auf Deutsch. Der Wortlaut der Belege bleibt, wie er ist."},
			{"8", "en-GB", "Wann?", echoed("Wann? (de)")},
			{"7", "de", "/language klingonisch", "I speak German and English: /language de or /language en."},
			{"7", "de", "Sprache Deutsch.", "Gut, ab jetzt antworte ich Ihnen auf Deutsch. Der Wortlaut der Belege bleibt, wie er ist."},
			{"7", "de", "Sprache der Satzung?", echoed("Sprache der Satzung? (de)")},
			{"9", "fr", "Wann?", echoed("Wann? (en)")},
		} {
			if got := strings.NewReplacer("<code>", "", "</code>", "").Replace(say(c.person, c.text, inLanguage(c.locale))); got != c.want {
				t.Errorf("%s says %q and reads %q, want %q", c.person, c.text, got, c.want)
			}
		}
		if got := say("9", "de", func(e *channels.Event) { e.Kind, e.Command = channels.KindCommand, "sprache" }); !strings.HasPrefix(got, "Gut, ab jetzt") {
			t.Errorf("/sprache de: %q", got)
		}
	})
}

// A choice is kept in a plain file, under a name that says nothing of who it is.
func TestLanguageAfterARestart(t *testing.T) {
	dir := t.TempDir()
	h, err := store.Open(dir, store.Options{Holder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	begin := func() *world {
		w := newWorld(t, newMemory(), echo)
		w.o.Languages = h.Doc(gateway.LanguagesFile, store.DocOptions{})
		w.o.Settings.Admins = nil
		return w
	}
	speak := func(w *world, person, text, want string) {
		t.Helper()
		arrived := make(chan string, 1)
		w.net.onSend = func(_ int, p channels.Post) error { arrived <- p.Body.Plain; return nil }
		w.start()
		if err := w.g.Deliver(t.Context(), w.event(person, text)); err != nil {
			t.Fatal(err)
		}
		if got := <-arrived; !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q and reads %q, want %q", person, text, got, want)
		}
		w.end()
	}
	speak(begin(), "778812", "sprache englisch", "Fine")
	speak(begin(), "778812", "stop", "There is no question")
	speak(begin(), "4711", "stop", "Es läuft gerade keine Frage.")
	text, err := os.ReadFile(filepath.Join(dir, gateway.LanguagesFile))
	if err != nil || !strings.Contains(string(text), `": "en"`) || strings.Contains(string(text), "778812") {
		t.Errorf("%s: %v\n%s", gateway.LanguagesFile, err, text)
	}

	for _, content := range []string{`{"v":9,"languages":{}}`, `{"v":1,`} { // left as it is, and nothing else waits for it
		if err := os.WriteFile(filepath.Join(dir, gateway.LanguagesFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		w := begin()
		speak(w, "778812", "stop", "Es läuft gerade keine Frage.")
		if bad := w.g.Damaged(); len(bad) != 1 || bad[0].Name != gateway.LanguagesFile {
			t.Errorf("%s: found %v", content, bad)
		}
		speak(begin(), "778812", "sprache englisch", texts.For("en").Say("gateway.language_unsaved"))
		if b, err := os.ReadFile(filepath.Join(dir, gateway.LanguagesFile)); err != nil || string(b) != content {
			t.Errorf("the file is now %q, %v", b, err)
		}
	}
}

// Looking up a language waits for no choice that is being written, and what could
// not be written is not claimed to be kept the next time.
func TestLanguageThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	h := human(t, dir)
	defer h.Close()
	w := newWorld(t, newMemory(), echo)
	w.o.Languages = h.Doc(gateway.LanguagesFile, store.DocOptions{})
	if err := os.Mkdir(filepath.Join(dir, gateway.LanguagesFile), 0o700); err != nil {
		t.Fatal(err)
	}
	w.start()
	defer w.end()
	for range 2 {
		if err := w.g.Deliver(t.Context(), w.event("7", "sprache englisch")); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, e := range w.queue.envelopes() {
		if e.Payload.Notice == "language_unsaved" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("said %d times that the language is not kept, want 2", n)
	}
}

// Receiving does not wait while somebody's choice is being written.
func TestLanguageHoldsUpNobody(t *testing.T) {
	dir := t.TempDir()
	h := human(t, dir)
	defer h.Close()
	w := newWorld(t, newMemory(), echo)
	w.o.Languages = h.Doc(gateway.LanguagesFile, store.DocOptions{})
	w.start()
	defer w.end()
	chosen := make(chan error, 1)
	err := h.Doc("held.json", store.DocOptions{}).Edit(func(old []byte) ([]byte, error) { // as a slow disk does
		started, choice := make(chan struct{}), w.event("7", "sprache englisch")
		go func() {
			close(started)
			chosen <- w.g.Deliver(t.Context(), choice)
		}()
		<-started
		for range 50 { // the choice begins at some time among these
			done, other := make(chan error, 1), w.event("8", "Wann?")
			go func() { done <- w.g.Deliver(t.Context(), other) }()
			select {
			case err := <-done:
				if err != nil {
					return nil, err
				}
			case <-time.After(10 * time.Second):
				return nil, errors.New("a message of somebody else waits")
			}
		}
		return old, nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-chosen; err != nil {
		t.Error(err)
	}
}

// menus remembers the command menus that it is given.
type menus struct {
	*network
	mu sync.Mutex
	of map[string][]channels.Command
}

func (m *menus) SetCommands(_ context.Context, locale string, commands []channels.Command) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[locale] = commands
	return nil
}

// The menu has a command for each agent and for what the gateway does itself,
// with what may follow, in each language; and each of them is understood.
func TestMenus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		m := &menus{network: w.net, of: make(map[string][]channels.Command)}
		w.o.Accounts[0].Channel = m
		w.o.Agents["agenda"] = answering(func(context.Context, agents.Request) (agents.Answer, error) {
			return echo(context.Background(), agents.Request{Text: "Agenda"})
		})
		w.o.Agents["help"] = answering(echo)  // hidden by a command
		w.o.Agents["Größe"] = answering(echo) // no network takes such a name
		w.o.Settings.Policy.Limits.Burst = 1000
		w.start()
		synctest.Wait()
		names := func(locale string) (all []string) {
			for _, c := range m.of[locale] {
				all = append(all, strings.TrimSpace("/"+c.Name+" "+c.Argument))
			}
			return all
		}
		equal(t, "menu de", names("de"), []string{"/agenda frage", "/tresor frage", "/belege nummer", "/stopp", "/sprache sprache", "/verbinden code", "/trennen", "/hilfe", "/start"})
		equal(t, "menu en", names("en"), []string{"/agenda question", "/tresor question", "/belege number", "/stopp", "/sprache language", "/verbinden code", "/trennen", "/hilfe", "/start"})
		equal(t, "menu of others", names(""), names("de"))
		for _, c := range m.of["de"] {
			if c.About == "" || c.Argument != "" && (c.ArgumentAbout == "" || !c.Everywhere && c.Name != "verbinden") {
				t.Errorf("menu entry %+v", c)
			}
			w.ask("7", "Wann?", func(e *channels.Event) { e.Kind, e.Command = channels.KindCommand, c.Name })
			synctest.Wait()
			got := w.net.seen("7")
			if strings.HasPrefix(got[len(got)-1], "Den Befehl") {
				t.Errorf("/%s is not understood", c.Name)
			}
		}
		if got := w.net.seen("7"); got[0] != echoed("Agenda") || got[1] != echoed("Wann?") {
			t.Errorf("seen %q", got)
		}
		w.end()

		en := newWorld(t, newMemory(), echo)
		m = &menus{network: en.net, of: make(map[string][]channels.Command)}
		en.o.Accounts[0].Channel, en.o.Settings.Lang = m, "en"
		en.start()
		synctest.Wait()
		if got := names("de"); !slices.Contains(got, "/language sprache") || !slices.Contains(got, "/help") {
			t.Errorf("menu de of an English instance: %q", got)
		}
		en.end()
	})
}

// No separator can make one conversation of two: the parts of the key are apart
// however they are written, and a missing part is one (channels.md §2.5, people
// mixed).
func TestConversationKeyHasNoSeparator(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		s := w.o.Settings
		s.Policy.Limits.Burst, s.Policy.Limits.Daily = 1<<20, 1<<20
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]string)
		parts := []string{"a", "ab", "b", "a/b", "/", "a b", " ", "a\x00", "\x00b", "a:b", "ü"}
		n := 0
		for _, chat := range parts {
			for _, thread := range append([]string{""}, parts...) {
				for _, person := range parts {
					to, err := channels.NewAddress("net", "main", chat, thread, "")
					if err != nil {
						continue // an adapter cannot make it
					}
					n++
					key := fmt.Sprintf("%q %q %q", chat, thread, person)
					e := w.event(person, "stop", func(e *channels.Event) { e.Address = to })
					if err := w.g.Deliver(t.Context(), e); err != nil {
						t.Fatal(err)
					}
					req, ok, err := w.queue.Lookup("net/main/" + e.Key)
					if err != nil || !ok {
						t.Fatalf("%s was not taken", key)
					}
					got := req.Conversation
					if other, taken := seen[got]; taken && other != key {
						t.Fatalf("%s and %s are one conversation", key, other)
					}
					seen[got] = key
				}
				synctest.Wait()
			}
		}
		if n < 500 || len(seen) != n {
			t.Errorf("%d keys were tried and gave %d conversations", n, len(seen))
		}
	})
}

// Whoever joins an account at which nothing was chosen keeps the language that
// they chose; what was chosen at that account goes before.
func TestLanguageOfJoinedAccounts(t *testing.T) {
	for _, first := range []string{"", "sprache deutsch"} {
		inWorld(t, echo, func(t *testing.T, w *world) {
			w.ask("8", "sprache englisch")
			synctest.Wait()
			if first != "" {
				w.ask("7", first)
				synctest.Wait()
			}
			w.ask("7", "verbinden")
			w.ask("8", "verbinden "+w.codeFor("7"))
			synctest.Wait()
			w.ask("8", "stop")
			synctest.Wait()
			got := w.net.seen("8")
			if german := got[len(got)-1] == "Es läuft gerade keine Frage."; german != (first != "") {
				t.Errorf("chosen at the other account %q: %q", first, got)
			}
		})
	}
}
