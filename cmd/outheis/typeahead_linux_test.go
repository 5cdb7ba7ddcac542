package main

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// The other lines of a paste do not answer the next question.
func TestWhatWasTypedAheadIsDropped(t *testing.T) {
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer keys.Close()
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	drop, lines := dropTyped(tty), bufio.NewReader(tty)
	typed := func(s string) {
		t.Helper()
		if _, err := keys.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want string) {
		t.Helper()
		if got, err := lines.ReadString('\n'); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if drop() {
		t.Error("something was dropped before anything was typed")
	}
	typed("eins\nzwei\ndrei\nhalb")
	read("eins\n")
	if !drop() {
		t.Error("nothing was dropped")
	}
	if drop() {
		t.Error("it was dropped twice")
	}
	typed("vier\n")
	read("vier\n")
}
