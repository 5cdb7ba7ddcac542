package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The environment of a child: the test binary itself, as outheis with a clock
// that is ahead by some seconds, which repeats what may have arrived after some
// time.
const (
	childVar  = "OUTHEIS_TEST_PROGRAM"
	shiftVar  = "OUTHEIS_TEST_SHIFT"
	unsureVar = "OUTHEIS_TEST_UNSURE"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		flag.Parse()
		if err := flag.Set("test.parallel", "8"); err != nil { // scenes wait more than they work
			panic(err)
		}
		os.Exit(m.Run())
	}
	shift, err := strconv.Atoi(os.Getenv(shiftVar))
	if err != nil {
		panic(err)
	}
	unsure, err := time.ParseDuration(cmp.Or(os.Getenv(unsureVar), "0s"))
	if err != nil {
		panic(err)
	}
	p := &program{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv,
		now:    func() time.Time { return time.Now().Add(time.Duration(shift) * time.Second) },
		unsure: unsure,
	}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// A child is a running outheis in a process of its own.
type child struct {
	cmd    *exec.Cmd
	output buffer
	done   chan error
}

func startChild(t testing.TB, human string, shift time.Duration, args ...string) *child {
	t.Helper()
	return startChildIn(t, nil, human, shift, args...)
}

// startChildIn is startChild with variables beside those of the test.
func startChildIn(t testing.TB, env []string, human string, shift time.Duration, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self, append([]string{"--human", human, "--lang", "de"}, args...)...), done: make(chan error, 1)}
	c.cmd.Env = append(os.Environ(), childVar+"=1", shiftVar+"="+strconv.Itoa(int(shift/time.Second)), "GOTRACEBACK=all")
	c.cmd.Env = append(c.cmd.Env, env...)
	c.cmd.Stdout, c.cmd.Stderr = &c.output, &c.output
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.done <- c.cmd.Wait() }()
	return c
}

// kill ends the child as a power cut of the process would, and waits for it.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil {
		return err
	}
	return <-c.done
}

// end asks the child to stop and returns how it did.
func (c *child) end(t testing.TB, within time.Duration) error {
	t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.done:
		return err
	case <-time.After(within):
		c.cmd.Process.Signal(syscall.SIGQUIT)
		<-c.done
		t.Fatalf("child did not stop within %s:\n%s", within, c.output.String())
		return nil
	}
}

// A buffer may be written and read at the same time.
type buffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
