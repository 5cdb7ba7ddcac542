package test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"outheis/tresor/tresortest"
)

// BenchmarkTresorQuery asks a Tresor of several sizes from the command line: the
// program starts, loads, validates, answers and ends. It reports the time of the
// clock, the CPU time of the process (cpu-ms) and its largest resident memory
// (MiB/rss). Goal at 1000 pages: 0.5 s.
func BenchmarkTresorQuery(b *testing.B) {
	program, err := exec.LookPath("outheis")
	if err != nil {
		b.Fatal(err)
	}
	questions := tresortest.Questions()
	for _, pages := range []int{100, 300, 1000, 3000} {
		dir := filepath.Join(b.TempDir(), "erzeugt")
		tresortest.Generate(b, dir, pages)
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			var cpu float64
			var rss int64
			for i := 0; b.Loop(); i++ {
				cmd := exec.Command(program, "tresor", "--root", dir, "query", questions[i%len(questions)])
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Run(); err != nil || !bytes.Contains(out.Bytes(), []byte(`"state": "candidates_found"`)) {
					b.Fatalf("%v\n%s", err, out.Bytes())
				}
				usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				cpu += float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / 1000
				rss = max(rss, usage.Maxrss)
			}
			b.ReportMetric(cpu/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(rss)/1024, "MiB/rss")
		})
	}
}
