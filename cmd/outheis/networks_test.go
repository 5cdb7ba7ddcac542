package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"outheis/config"
	"outheis/store"
)

func openHuman(t *testing.T, dir string) *store.Human {
	t.Helper()
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// What an adapter keeps is there after a restart, and what cannot be understood is
// an error that names the file, so that no adapter takes it for a first start.
func TestCursorsAreKept(t *testing.T) {
	dir := t.TempDir()
	h := openHuman(t, dir)
	w := wiring{human: h, log: slog.New(slog.DiscardHandler), now: time.Now}
	at := func(name string) *fileCursor { return w.of("discord", name).cursor().(*fileCursor) }
	if b, err := at("main").Load(); b != nil || err != nil {
		t.Errorf("before the first: %q, %v", b, err)
	}
	for _, want := range []string{`{"floor":"1577"}`, "not JSON \x00\xff", `"text"`, ""} {
		if err := at("main").Save([]byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := at("main").Load(); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if b, err := at("zweites").Load(); b != nil || err != nil {
		t.Errorf("of another account: %q, %v", b, err)
	}
	for _, broken := range []string{"", "{", `{"v":2,"cursor":{}}`, `[]`} {
		if err := os.WriteFile(filepath.Join(dir, "channels", "discord-main.json"), []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err := at("main").Load(); b != nil || err == nil || !strings.Contains(err.Error(), "channels/discord-main.json") {
			t.Errorf("%q: got %q, %v", broken, b, err)
		}
	}
	// It is not lost when the adapter saves what it knows now.
	later := []byte(`{"v":2,"cursor":{}}`)
	if err := os.WriteFile(filepath.Join(dir, "channels", "discord-main.json"), later, 0o600); err != nil {
		t.Fatal(err)
	}
	c := at("main")
	c.Load()
	for range 2 {
		if err := c.Save([]byte(`{"floor":"1578"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "channels", "discord-main.unread.json")); string(got) != string(later) {
		t.Errorf("laid aside: %q, %v", got, err)
	}
	if got, err := at("main").Load(); err != nil || string(got) != `{"floor":"1578"}` {
		t.Errorf("got %q, %v", got, err)
	}
	if c := (wiring{log: slog.New(slog.DiscardHandler)}).of("discord", "main").cursor(); c != nil {
		t.Errorf("without a directory: %v", c)
	}
}

// Each group of the configuration is checked once.
func TestTelegramGroupsOnce(t *testing.T) {
	w := wiring{c: config.Default(), log: slog.New(slog.DiscardHandler)}
	groups := []config.Group{{ID: "-1001"}, {ID: "-1002", Mention: config.MentionAlways}}
	o := w.of("telegram", "main").telegram(config.Telegram{Common: config.Common{Name: "main", Groups: groups}})
	if want := []string{"-1001", "-1002"}; !slices.Equal(o.Groups, want) || !o.AllMessages {
		t.Errorf("got %v, all messages %v, want %v and all", o.Groups, o.AllMessages, want)
	}
}

// A secret that nobody chose is made once, is long, and is another for each account.
func TestSecretsAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	h := openHuman(t, dir)
	w := wiring{human: h, log: slog.New(slog.DiscardHandler)}
	of := func(name string, configured config.Secret) string {
		t.Helper()
		reveal, err := w.of("mattermost", name).secret(configured)
		if err != nil {
			t.Fatal(err)
		}
		return reveal()
	}
	first := of("main", config.Secret{})
	if len(first) < leastKept || of("main", config.Secret{}) != first || of("zweites", config.Secret{}) == first {
		t.Errorf("made %d bytes, or not once", len(first))
	}
	if got := of("main", config.NewSecret("selbst gewählt")); got != "selbst gewählt" {
		t.Errorf("the one of the configuration gives %q", got)
	}
	name := filepath.Join(dir, "channels", "mattermost-main.secret")
	if fi, err := os.Stat(name); err != nil || fi.Mode() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if err := os.WriteFile(name, []byte("kurz"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := of("main", config.Secret{}); len(got) < leastKept || got == first {
		t.Errorf("after it was cut short: %d bytes", len(got))
	}
}

// Every network of the configuration can be connected and shown.
func TestEveryNetworkIsWired(t *testing.T) {
	token := config.NewSecret("123456789:abcdefghijklmnopqrstuvwxyz0123456789")
	common := config.Common{Name: "main", Enabled: true, Token: token}
	c := config.Default()
	c.Channels = config.Channels{
		Telegram: []config.Telegram{
			{Common: common, Mode: config.ModePoll},
			{Common: config.Common{Name: "hook", Enabled: true, Token: token}, Mode: config.ModeWebhook, Rich: true, Ephemeral: true,
				Webhook: config.Webhook{URL: "https://bot.example.org/t", Listen: "127.0.0.1:0"}},
		},
		Discord: []config.Discord{{Common: common, Commands: []string{"223456789012345678"}, KnownLinks: []string{"wiki.example.org"}}},
		Mattermost: []config.Mattermost{{Common: common, URL: "https://chat.example.org", Thread: config.ThreadAlways,
			Listen: "127.0.0.1:0", PublicURL: "https://bot.example.org/m"}},
	}
	accounts, err := wiring{c: c, log: slog.New(slog.DiscardHandler), now: time.Now}.accounts()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range accounts {
		got = append(got, a.Channel.Kind()+"/"+a.Name)
		if profile, ok := new(program).profile(a.Channel.Kind()); !ok || profile.Name != a.Channel.Profile().Name {
			t.Errorf("%s is shown as %q and sent as %q", a.Channel.Kind(), profile.Name, a.Channel.Profile().Name)
		}
		closeChannel(a.Channel)
	}
	if want := []string{"telegram/main", "telegram/hook", "discord/main", "mattermost/main"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var kinds []string
	for _, n := range networks() {
		kinds = append(kinds, n.kind)
	}
	for _, a := range c.Accounts() {
		if !slices.Contains(kinds, a.Channel) {
			t.Errorf("%s is in the configuration and not in the table", a.Channel)
		}
	}
	stands, err := standIns()
	if err != nil {
		t.Fatal(err)
	}
	if len(stands) != len(kinds) {
		t.Errorf("%d stand-ins for %d networks", len(stands), len(kinds))
	}
	for _, s := range stands {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}
