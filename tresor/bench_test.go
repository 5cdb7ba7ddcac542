package tresor_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"outheis/tresor"
	"outheis/tresor/tresortest"
)

// generate lays a released Tresor with the given number of pages to dir.
func generate(tb testing.TB, dir string, pages int) { tresortest.Generate(tb, dir, pages) }

// benchmarkSizes runs a benchmark on one core for Tresore of several sizes, so
// that it shows how what it measures grows. At 3000 pages IDs are enough for
// three claims a page instead of five.
func benchmarkSizes(b *testing.B, run func(b *testing.B, dir string)) {
	for _, pages := range []int{100, 300, 1000, 3000} {
		dir := filepath.Join(b.TempDir(), "erzeugt")
		tresortest.Generate(b, dir, pages)
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			run(b, dir)
		})
	}
}

// BenchmarkOpen loads, validates and prepares a release. Goals at 1000 pages:
// 1 s, and 40 MiB for a snapshot that has been asked for an assessment, which
// takes the most.
func BenchmarkOpen(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, dir string) {
		var s *tresor.Snapshot
		start := cpuTime()
		for b.Loop() {
			s = openSnapshot(b, dir)
		}
		b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		opened := heap()
		s.Assess("Was gilt für die Werkordnung?", tresor.AssessOptions{})
		assessed := heap()
		runtime.KeepAlive(s)
		s = nil
		empty := heap()
		b.ReportMetric(float64(opened-empty)/(1<<20), "MiB/snapshot")
		b.ReportMetric(float64(assessed-empty)/(1<<20), "MiB/assessed")
	})
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // pools are emptied in two steps
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkValidate(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, dir string) {
		start := cpuTime()
		for b.Loop() {
			if r := tresor.Validate(dir, tresor.Options{}); !r.OK() {
				b.Fatal(r.Errors)
			}
		}
		b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
}

// BenchmarkQuery asks frequent and rare words in turn. Goals at 1000 pages: a
// median of 0.5 ms and 2 ms for all but one of a hundred. On a machine that does
// other things too, the CPU time tells more than that of the clock.
func BenchmarkQuery(b *testing.B) {
	list := tresortest.Questions()
	benchmarkSizes(b, func(b *testing.B, dir string) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		s := openSnapshot(b, dir)
		var clock, cpu []time.Duration
		for i := 0; b.Loop(); i++ {
			start, busy := time.Now(), threadTime()
			s.Query(list[i%len(list)], tresor.QueryOptions{})
			clock, cpu = append(clock, time.Since(start)), append(cpu, threadTime()-busy)
		}
		report := func(times []time.Duration, percent int, unit string) {
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*percent/100].Nanoseconds())/1000, unit)
		}
		report(clock, 50, "p50-µs")
		report(clock, 99, "p99-µs")
		report(cpu, 50, "p50-cpu-µs")
		report(cpu, 99, "p99-cpu-µs")
	})
}

func openSnapshot(b *testing.B, dir string) *tresor.Snapshot {
	b.Helper()
	s, err := tresor.Open(dir, tresor.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}
