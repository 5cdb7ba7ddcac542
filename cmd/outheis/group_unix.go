//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// endsAsGroup has the program killed together with the programs that it starts,
// where its context ends it.
func endsAsGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
