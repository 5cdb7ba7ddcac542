//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"outheis/gateway"
)

// A selftest that is killed takes the outheis that it has started with it, and the
// next one puts away what it has left. The folder of one that runs, and one that
// was kept for somebody to look into, stay.
func TestSelftestThatIsKilled(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	c := startChildIn(t, []string{"TMPDIR=" + temp, childVar + "=1"}, t.TempDir(), 0, "selftest")
	wait := func(what string, f func() bool) {
		t.Helper()
		tick, end := time.NewTicker(20*time.Millisecond), time.After(30*time.Second)
		defer tick.Stop()
		for !f() {
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("%s did not come in time\n%s", what, c.output.String())
			}
		}
	}
	var dir string
	answers := func() bool {
		found, _ := filepath.Glob(filepath.Join(temp, selftestPrefix+"*"))
		if len(found) == 0 {
			return false
		}
		dir = found[0]
		client, err := gateway.DialControl(filepath.Join(dir, "human"))
		if err != nil {
			return false
		}
		client.Close()
		return true
	}
	wait("outheis", answers)
	removeRemains(temp)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the folder of a selftest that runs: %v", err)
	}
	c.kill()
	wait("the end of what it started", func() bool { return !answers() })

	kept := filepath.Join(temp, selftestPrefix+"kept")
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	wait("an empty folder", func() bool { // outheis may still write its last lines
		removeRemains(temp)
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	})
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what was kept: %v", err)
	}
}
