//go:build unix

package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"outheis/gateway"
)

// TestMain builds the program as README.md says and puts it on the PATH, with
// the helpers of the scripts beside it.
func TestMain(m *testing.M) {
	testscript.Main(binary{m}, map[string]func(){
		"await":        helper(await),
		"unprivileged": helper(unprivileged),
	})
}

// binary runs the tests with the built program on the PATH.
type binary struct{ m *testing.M }

// Run implements [testscript.TestingM].
func (b binary) Run() int {
	code, err := b.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
		return 1
	}
	return code
}

func (b binary) run() (code int, err error) {
	dir, err := os.MkdirTemp("", "outheis-test")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { // for those without rights
		return 0, err
	}
	args := slices.Concat([]string{"build"}, buildFlags(), []string{"-o", filepath.Join(dir, "outheis"), module + "/cmd/outheis"})
	build := exec.Command("go", args...)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(build.Args, " "), err, out)
	}
	err = errors.Join(
		os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")),
		os.Setenv("GORACE", raceOptions),
	)
	if err != nil {
		return 0, err
	}
	return b.m.Run(), nil
}

// patience bounds every wait for something that another process does.
const patience = time.Minute

// until calls done, again and again, until it reports true; the error says
// that it never did.
func until(what string, done func() bool) error {
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-end.C:
			return fmt.Errorf("%s: not within %s", what, patience)
		}
	}
	return nil
}

// answers reports whether a gateway serves the human directory dir.
func answers(dir string) bool {
	c, err := gateway.DialControl(dir)
	if err != nil {
		return false
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = c.Ping(ctx)
	return err == nil
}

// helper makes a program of the scripts of f.
func helper(f func(args []string) error) func() {
	return func() {
		if err := f(os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
			os.Exit(1)
		}
	}
}

// await is a program that waits until a gateway serves $OUTHEIS_HUMAN ("await
// gateway"), until it has no work left ("await idle"), or until a file is there
// ("await FILE").
func await(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: await gateway|idle|FILE")
	}
	done := func() bool {
		_, err := os.Lstat(args[0])
		return err == nil
	}
	switch dir := os.Getenv("OUTHEIS_HUMAN"); args[0] {
	case "gateway":
		done = func() bool { return answers(dir) }
	case "idle":
		var status json.RawMessage
		err := until("idle", func() (idle bool) {
			idle, status = isIdle(dir)
			return idle
		})
		if err != nil {
			return fmt.Errorf("%w: %s", err, status)
		}
		return nil
	}
	return until(args[0], done)
}

// isIdle reports whether the gateway of dir has answered everything, and how it
// stands.
func isIdle(dir string) (idle bool, raw json.RawMessage) {
	c, err := gateway.DialControl(dir)
	if err != nil {
		return false, nil
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if raw, err = c.Status(ctx); err != nil {
		return false, nil
	}
	var status struct {
		Gateway gateway.Status `json:"gateway"`
		Queue   struct {
			Open int `json:"open"`
		} `json:"queue"`
	}
	return json.Unmarshal(raw, &status) == nil && status.Gateway.Running == 0 && status.Queue.Open == 0, raw
}

// nobody is a user without rights.
const nobody = 65534

// unprivileged is a program that runs another one with the rights of a plain
// user, whom root gives $WORK to.
func unprivileged(args []string) error {
	if len(args) == 0 {
		return errors.New("usage: unprivileged PROGRAM [ARGUMENT…]")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		work := os.Getenv("WORK")
		if err := os.Chmod(filepath.Dir(work), 0o711); err != nil {
			return err
		}
		err := filepath.WalkDir(work, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, nobody, nobody))
		})
		if err != nil {
			return fmt.Errorf("give away %s: %w", work, err)
		}
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return fmt.Errorf("become user %s: %w", strconv.Itoa(nobody), err)
		}
	}
	return syscall.Exec(path, args, os.Environ())
}
