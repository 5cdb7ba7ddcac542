//go:build linux || darwin

package store_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outheis/store"
)

func logHuman(b *testing.B) *store.Human {
	b.Helper()
	h, err := store.Open(filepath.Join(b.TempDir(), "human"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := h.Close(); err != nil {
			b.Error(err)
		}
	})
	return h
}

// question is a record of about 320 bytes on disk.
func question(n int) envelope {
	e := request(fmt.Sprintf("telegram:7001234567:u:%d", n), "Wann ist die nächste Sitzung, und wer bereitet sie vor?")
	e.From = []byte(`{"user":{"channel":"telegram","identity":"123456789","name":"Ada"}}`)
	e.Priority = "normal"
	return e
}

// spread runs b.N calls of do on so many goroutines and reports calls a second.
func spread(b *testing.B, writers int, do func(n int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
				if err := do(n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rec/s")
}

// BenchmarkAppend measures the log beside a peer that does for the same lines
// what is commonly done: one write and one fsync a record.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("log/writers=%d", writers), func(b *testing.B) {
			l, _ := openLog(b, logHuman(b), options())
			spread(b, writers, func(n int) error {
				_, _, err := l.Append(b.Context(), question(n))
				return err
			})
			s := l.Stats()
			b.ReportMetric(float64(s.Appended)/float64(s.Commits), "rec/commit")
		})
		b.Run(fmt.Sprintf("peer/writers=%d", writers), func(b *testing.B) {
			f, err := os.OpenFile(filepath.Join(b.TempDir(), "peer.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			line := []byte(strings.Repeat("x", 330) + "\n")
			var mu sync.Mutex
			spread(b, writers, func(int) error {
				mu.Lock()
				defer mu.Unlock()
				if _, err := f.Write(line); err != nil {
					return err
				}
				return f.Sync()
			})
		})
	}
}

// BenchmarkCommitLatency appends 200 records a second and reports how long
// their writers wait.
func BenchmarkCommitLatency(b *testing.B) {
	l, _ := openLog(b, logHuman(b), options())
	took := make([]time.Duration, b.N)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var wg sync.WaitGroup
	for n := range b.N {
		<-tick.C
		wg.Go(func() {
			start := time.Now()
			if _, _, err := l.Append(b.Context(), question(n)); err != nil {
				b.Error(err)
			}
			took[n] = time.Since(start)
		})
	}
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1e3, "p50-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1e3, "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLookup finds causes among 100,000, and does not find others.
func BenchmarkLookup(b *testing.B) {
	l, _ := openLog(b, logHuman(b), options())
	fill(b, l, 100_000)
	b.Run("known", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if _, ok, err := l.Lookup(question(n % 100_000).Cause); !ok || err != nil {
				b.Fatal(ok, err)
			}
		}
	})
	b.Run("new", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if _, ok, err := l.Lookup(question(1e6 + n).Cause); ok || err != nil {
				b.Fatal(ok, err)
			}
		}
	})
}

// fill appends n questions, of which every fourth stays open up to a hundred.
func fill(b *testing.B, l *store.Log[envelope], n int) {
	b.Helper()
	for at := 0; at < n; {
		var recs []envelope
		for range min(1000, n-at) {
			e := question(at)
			if at++; at > 100 {
				e.Type = "response" // nothing to track
			}
			recs = append(recs, e)
		}
		if _, err := l.AppendAll(b.Context(), recs); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRecoverWorker is no test of its own: it opens a log in a process of its
// own, so that its memory can be measured.
func TestRecoverWorker(t *testing.T) {
	dir := os.Getenv("STORE_TEST_RECOVER")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Thorough = os.Getenv("STORE_TEST_COLD") != ""
	if prof := os.Getenv("STORE_TEST_PROFILE"); prof != "" {
		f, _ := os.Create(prof)
		pprof.StartCPUProfile(f)
	}
	start := time.Now()
	l, found, err := store.OpenLog[envelope](h, "messages.jsonl", o)
	took := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
	kib, _, _ := bytes.Cut(bytes.TrimSpace(peak), []byte(" "))
	if prof := os.Getenv("STORE_TEST_PROFILE"); prof != "" {
		pprof.StopCPUProfile()
	}
	if _, ok, err := l.Lookup(question(99).Cause); !ok || err != nil || found.Open != 100 || found.Checkpoint == o.Thorough {
		t.Fatalf("got %v, %v, %+v", ok, err, found)
	}
	fmt.Printf("recovered %d %s\n", took.Microseconds(), kib)
	os.Exit(0) // without a clean stop
}

// BenchmarkRecovery starts a log of 1,000,000 lines (RECOVERY_LINES) in a new
// process, and reports the time until it takes records and the most memory
// that the process had.
func BenchmarkRecovery(b *testing.B) {
	lines := 1_000_000
	if s := os.Getenv("RECOVERY_LINES"); s != "" {
		var err error
		if lines, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	dir := filepath.Join(b.TempDir(), "human")
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	l, _, err := store.OpenLog[envelope](h, "messages.jsonl", options())
	if err != nil {
		b.Fatal(err)
	}
	fill(b, l, lines)
	size := l.Stats().Bytes
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
	for _, mode := range []string{"checkpoint", "cold"} {
		b.Run(mode, func(b *testing.B) {
			var micros, kib int64
			var cpu time.Duration
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "-test.run=^TestRecoverWorker$")
				cmd.Env = append(os.Environ(), "STORE_TEST_RECOVER="+dir)
				if mode == "cold" {
					cmd.Env = append(cmd.Env, "STORE_TEST_COLD=1")
				}
				out, err := cmd.Output()
				if err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				var t, k int64
				if _, err := fmt.Sscanf(string(out), "recovered %d %d", &t, &k); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				micros += t
				cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				kib = max(kib, k)
			}
			b.ReportMetric(float64(micros)/float64(b.N)/1e6, "s/start")
			b.ReportMetric(cpu.Seconds()/float64(b.N), "s-cpu/start")
			b.ReportMetric(float64(kib)/1024, "MiB-peak")
			b.ReportMetric(float64(size)/1e6, "MB-log")
			b.ReportMetric(0, "ns/op")
		})
	}
}
