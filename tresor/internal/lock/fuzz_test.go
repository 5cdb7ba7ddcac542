package lock_test

import (
	"strings"
	"testing"

	"outheis/tresor/internal/lock"
)

// What stands in a lock is what is said of it, and each line is one.
func FuzzParse(f *testing.F) {
	f.Add("pid=4711\n")
	f.Add("pid=4711\nhost=werkstatt\ncommand=release\nstarted=2026-05-06T07:08:09Z\nrecovery_required=Rollback unvollständig\n")
	f.Add("pid=99999999999999999999\r\nhost\n=\n\x00")
	f.Fuzz(func(t *testing.T, content string) {
		found := lock.Parse(content)
		for _, line := range found.Lines {
			if strings.Contains(line, "\n") || !strings.Contains(content, line) {
				t.Errorf("line %q", line)
			}
		}
		for _, value := range []string{found.Host, found.Command, found.Required} {
			if !strings.Contains(content, value) {
				t.Errorf("value %q", value)
			}
		}
	})
}
