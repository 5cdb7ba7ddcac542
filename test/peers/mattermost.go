//go:build peers

package peers

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Mattermost is a real server with a database of its own, both on loopback.
type Mattermost struct {
	URL   string
	Admin *Account
	Team  string // id of the team that everybody is put into

	env  []string
	dir  string
	root string // working directory with the server's own files

	mu  sync.Mutex // guards cmd
	cmd *exec.Cmd
	log *os.File
}

// Start makes a cluster and a server, waits until it answers, and has both end
// with t. Settings of the server that differ from ours are given as
// "MM_…=value".
func Start(t *testing.T, settings ...string) *Mattermost {
	t.Helper()
	peers := os.Getenv("OUTHEIS_PEERS")
	if peers == "" {
		home, err := os.UserCacheDir()
		if err != nil {
			t.Skip("neither OUTHEIS_PEERS nor a cache folder is there")
		}
		peers = filepath.Join(home, "outheis-peers")
	}
	root := filepath.Join(peers, "mm", "run")
	for _, need := range []string{filepath.Join(peers, "bin", "mattermost"), filepath.Join(root, "i18n")} {
		if _, err := os.Stat(need); err != nil {
			t.Skipf("the Mattermost server is not installed (%s is missing): run .ci/peers with OUTHEIS_PEERS=%s", need, peers)
		}
	}
	db := startPostgres(t)
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	m := &Mattermost{URL: "http://" + listen, dir: dir, root: root, log: log}
	all := map[string]string{
		"MM_SERVICESETTINGS_LISTENADDRESS":                       listen,
		"MM_SERVICESETTINGS_SITEURL":                             m.URL,
		"MM_SQLSETTINGS_DRIVERNAME":                              "postgres",
		"MM_SQLSETTINGS_DATASOURCE":                              db.source(),
		"MM_SERVICESETTINGS_ENABLEBOTACCOUNTCREATION":            "true",
		"MM_SERVICESETTINGS_ENABLEUSERACCESSTOKENS":              "true",
		"MM_SERVICESETTINGS_ENABLECOMMANDS":                      "true",
		"MM_SERVICESETTINGS_ENABLEINCOMINGWEBHOOKS":              "true",
		"MM_SERVICESETTINGS_ENABLESECURITYFIXALERT":              "false",
		"MM_SERVICESETTINGS_ENABLELINKPREVIEWS":                  "false",
		"MM_SERVICESETTINGS_ALLOWEDUNTRUSTEDINTERNALCONNECTIONS": "127.0.0.1 localhost",
		"MM_LOGSETTINGS_ENABLEDIAGNOSTICS":                       "false",
		"MM_LOGSETTINGS_ENABLESENTRY":                            "false",
		"MM_LOGSETTINGS_FILELOCATION":                            dir,
		"MM_LOGSETTINGS_CONSOLELEVEL":                            "WARN",
		"MM_ANNOUNCEMENTSETTINGS_ADMINNOTICESENABLED":            "false",
		"MM_ANNOUNCEMENTSETTINGS_USERNOTICESENABLED":             "false",
		"MM_PLUGINSETTINGS_ENABLE":                               "false",
		"MM_PLUGINSETTINGS_ENABLEMARKETPLACE":                    "false",
		"MM_PLUGINSETTINGS_ENABLEREMOTEMARKETPLACE":              "false",
		"MM_PLUGINSETTINGS_AUTOMATICPREPACKAGEDPLUGINS":          "false",
		"MM_PLUGINSETTINGS_DIRECTORY":                            filepath.Join(dir, "plugins"),
		"MM_PLUGINSETTINGS_CLIENTDIRECTORY":                      filepath.Join(dir, "client-plugins"),
		"MM_EMAILSETTINGS_SENDPUSHNOTIFICATIONS":                 "false",
		"MM_EMAILSETTINGS_SENDEMAILNOTIFICATIONS":                "false",
		"MM_EMAILSETTINGS_REQUIREEMAILVERIFICATION":              "false",
		"MM_TEAMSETTINGS_ENABLEOPENSERVER":                       "true",
		"MM_TEAMSETTINGS_MAXUSERSPERTEAM":                        "10000",
		"MM_TEAMSETTINGS_MAXCHANNELSPERTEAM":                     "10000",
		"MM_FILESETTINGS_DIRECTORY":                              filepath.Join(dir, "data"),
		"MM_CLOUDSETTINGS_CWSURL":                                "http://127.0.0.1:9",
		"MM_CLOUDSETTINGS_CWSAPIURL":                             "http://127.0.0.1:9",
		"PATH":                                                   os.Getenv("PATH"),
		"HOME":                                                   dir,
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m.env = append(m.env, name+"="+all[name])
	}
	m.env = append(m.env, settings...)
	t.Cleanup(func() {
		m.Kill()
		log.Close()
		if t.Failed() {
			if raw, err := os.ReadFile(log.Name()); err == nil {
				t.Logf("the end of the server's log:\n%s", raw[max(0, len(raw)-4000):])
			}
		}
	})
	m.Up(t)
	m.prepare(t)
	return m
}

// Up starts the server and waits until it answers.
func (m *Mattermost) Up(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	cmd := exec.Command(filepath.Join(m.root, "..", "..", "bin", "mattermost"), "server", "-c", filepath.Join(m.dir, "config.json"))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.root, m.env, m.log, m.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.cmd = cmd
	eventually(t, time.Minute, "the Mattermost server", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL+"/api/v4/system/ping", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// Kill ends the server at once, as a power cut does, and waits for that. The
// database goes on.
func (m *Mattermost) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd != nil {
		m.cmd.Process.Kill()
		m.cmd.Wait()
		m.cmd = nil
	}
}

// Signal sends a signal to the server; SIGSTOP leaves its connections open and
// silent until SIGCONT.
func (m *Mattermost) Signal(s syscall.Signal) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cmd.Process.Signal(s)
}

// Log returns what the server has written.
func (m *Mattermost) Log() string {
	raw, err := os.ReadFile(m.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(bytes.ToValidUTF8(raw, nil))
}
