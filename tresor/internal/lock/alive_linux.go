package lock

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// alive reports whether the process that made a lock at a time may still live.
// A process that began later has only got its number.
func alive(pid int, made time.Time) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if os.IsNotExist(err) {
		return false
	}
	// What follows the name: the state first, the time of start, in ticks since
	// the machine began, as the twentieth.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) < 20 {
		return true
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return false
	}
	ticks, err := strconv.ParseInt(fields[19], 10, 64)
	booted, ok := bootTime()
	if err != nil || !ok || made.IsZero() {
		return true
	}
	const hertz = 100 // of these ticks on every Linux
	began := booted.Add(time.Duration(ticks) * time.Second / hertz)
	return !began.After(made.Add(clockSlack))
}

func bootTime() (time.Time, bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, false
	}
	for line := range strings.Lines(string(stat)) {
		if s, ok := strings.CutPrefix(line, "btime "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
			return time.Unix(n, 0), err == nil
		}
	}
	return time.Time{}, false
}
