package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/channels/fakenet/discord"
	"outheis/channels/fakenet/mattermost"
	"outheis/channels/fakenet/telegram"
)

// BenchmarkIdle starts the gateway with an account of each network and lets it be. It
// reports the time from the start of the process until it answers through its
// control socket (ms/start) and until it receives from all
// (ms/receiving), its resident memory then (MiB/rss) and after a question of
// everybody (MiB/rss-used), and the size of the stripped program (MiB/binary).
// Goals: 200 ms, 50 MiB.
func BenchmarkIdle(b *testing.B) {
	path, err := exec.LookPath("outheis")
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	const mib = 1 << 20
	var started, receiving time.Duration
	var idle, used float64
	for b.Loop() {
		g := startIdle(b, path)
		started += g.started
		receiving += g.receiving
		idle += g.resident(b) / mib
		g.ask(b)
		used += g.resident(b) / mib
		g.stop(b)
	}
	n := float64(b.N)
	b.ReportMetric(float64(started.Milliseconds())/n, "ms/start")
	b.ReportMetric(float64(receiving.Milliseconds())/n, "ms/receiving")
	b.ReportMetric(idle/n, "MiB/rss")
	b.ReportMetric(used/n, "MiB/rss-used")
	b.ReportMetric(float64(info.Size())/mib, "MiB/binary")
}

// An idleGateway is a running program with nothing to do.
type idleGateway struct {
	cmd                *exec.Cmd
	server             *telegram.Server
	started, receiving time.Duration
}

// The people that are allowed have the numbers from firstPerson on.
const (
	firstPerson = 778801
	idlePeople  = 20
)

func startIdle(b *testing.B, path string) *idleGateway {
	b.Helper()
	server, err := telegram.New(telegram.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { server.Close() })
	talk, err := discord.New(discord.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { talk.Close() })
	talk.AddGuild("", "Gilde", talk.AddUser(discord.User{}).ID)
	chat, err := mattermost.New(mattermost.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { chat.Close() })
	owner := chat.AddUser(mattermost.User{}).ID
	chat.AddChannel(chat.AddTeam("werkstatt", owner), "town-square", mattermost.Open, owner)
	var allowed []string
	for n := range int64(idlePeople) {
		allowed = append(allowed, strconv.FormatInt(server.AddUser(telegram.User{ID: firstPerson + n}).ID, 10))
	}
	dir := filepath.Join(b.TempDir(), "human")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	conf := fmt.Sprintf(`channels:
  telegram: {enabled: true, token_env: IDLE_TELEGRAM, api_url: %q, allowed: [%s]}
  discord: {enabled: true, token_env: IDLE_DISCORD, api_url: %q, allowed: ["*"]}
  mattermost: {enabled: true, token_env: IDLE_MATTERMOST, url: %q, allowed: ["*"]}
`, server.URL(), strings.Join(allowed, ", "), talk.URL(), chat.URL())
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(conf), 0o600); err != nil {
		b.Fatal(err)
	}
	g := &idleGateway{cmd: exec.Command(path, "run"), server: server}
	g.cmd.Env = append(os.Environ(), "OUTHEIS_HUMAN="+dir,
		"IDLE_TELEGRAM="+server.Token(), "IDLE_DISCORD="+talk.Token(), "IDLE_MATTERMOST="+chat.Token())
	begin := time.Now()
	if err := g.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.cmd.Process.Kill() })
	if err := until("gateway", func() bool { return answers(dir) }); err != nil {
		b.Fatal(err)
	}
	g.started = time.Since(begin)
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	if err := errors.Join(server.AwaitPolling(ctx), talk.AwaitConnected(ctx), chat.AwaitConnected(ctx)); err != nil {
		b.Fatal(err)
	}
	g.receiving = time.Since(begin)
	return g
}

var vmRSS = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// resident returns the bytes of memory that the process occupies.
func (g *idleGateway) resident(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	m := vmRSS.FindSubmatch(status)
	if m == nil {
		b.Fatalf("no VmRSS in %s", status)
	}
	kib, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib * 1024
}

// ask has everybody ask, and waits for the answers.
func (g *idleGateway) ask(b *testing.B) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	for n := range int64(idlePeople) {
		g.server.Say(firstPerson+n, firstPerson+n, "Wie verbinde ich Telegram?")
	}
	if _, err := g.server.AwaitSent(ctx, 0, idlePeople); err != nil {
		b.Fatal(err)
	}
}

func (g *idleGateway) stop(b *testing.B) {
	b.Helper()
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := g.cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}
