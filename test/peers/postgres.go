//go:build peers

package peers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// postgres is a cluster of its own, on loopback, in a folder of its own.
type postgres struct {
	bin  string
	dir  string
	port int
	as   *syscall.SysProcAttr
	cmd  *exec.Cmd
}

// startPostgres makes a cluster and starts it. It refuses to run as root, so
// that it then runs as the account postgres.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	p := &postgres{bin: postgresBin(t), port: freePort(t), as: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}}
	dir, err := os.MkdirTemp("", "outheis-pg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p.dir = dir
	if os.Geteuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Skipf("PostgreSQL does not run as root, and there is no account postgres: %v", err)
		}
		uid, gid := number(t, u.Uid), number(t, u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		p.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	p.run(t, "initdb", "-D", dir+"/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C")
	p.cmd = p.command("postgres", "-D", dir+"/data", "-p", fmt.Sprint(p.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories="+dir, "-c", "fsync=off", "-c", "full_page_writes=off")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Signal(syscall.SIGINT) // ends it without waiting for clients
		p.cmd.Wait()
	})
	eventually(t, 30*time.Second, "PostgreSQL", func() bool {
		return p.command("pg_isready", "-h", "127.0.0.1", "-p", fmt.Sprint(p.port), "-q").Run() == nil
	})
	p.run(t, "psql", "-h", "127.0.0.1", "-p", fmt.Sprint(p.port), "-U", "postgres", "-qc", "CREATE ROLE mm LOGIN", "-c", "CREATE DATABASE mm OWNER mm")
	return p
}

func (p *postgres) source() string {
	return fmt.Sprintf("postgres://mm@127.0.0.1:%d/mm?sslmode=disable&connect_timeout=10", p.port)
}

func (p *postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, name), args...)
	cmd.Dir, cmd.SysProcAttr = p.dir, p.as
	return cmd
}

func (p *postgres) run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := p.command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// postgresBin finds the folder of the programs; Debian keeps initdb out of the
// search path.
func postgresBin(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			found = append(found, path)
		}
	}
	for _, path := range found {
		dir := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(dir, "psql")); err == nil {
			return dir
		}
	}
	t.Skip("PostgreSQL is not installed (initdb and psql): apt-get install postgresql, or run .ci/peers")
	return ""
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// eventually asks until ok is true: another process has nothing to wait on.
func eventually(t *testing.T, most time.Duration, what string, ok func() bool) {
	t.Helper()
	timeout, tick := time.NewTimer(most), time.NewTicker(50*time.Millisecond)
	defer timeout.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-timeout.C:
			t.Fatalf("%s was not ready after %s", what, most)
		case <-tick.C:
		}
	}
}
