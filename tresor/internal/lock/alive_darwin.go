package lock

import (
	"time"

	"golang.org/x/sys/unix"
)

// alive reports whether the process that made a lock at a time may still live.
// A process that began later has only got its number.
func alive(pid int, made time.Time) bool {
	if exists := exists(pid); !exists || made.IsZero() {
		return exists
	}
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return true
	}
	began := time.Unix(p.Proc.P_starttime.Unix())
	return !began.After(made.Add(clockSlack))
}
