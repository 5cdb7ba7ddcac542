//go:build linux || darwin

package store_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/store"
)

// TestKillWorker is no test of its own: it is the process that is killed. It
// checks that what its input names is known, and then writes with eight
// writers until the end, and prints what was acknowledged. Each process lives
// eight days later than the one before.
func TestKillWorker(t *testing.T) {
	dir, cycle := os.Getenv("STORE_TEST_KILL"), os.Getenv("STORE_TEST_CYCLE")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	n, err := strconv.Atoi(cycle)
	if err != nil {
		t.Fatal(err)
	}
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Now = func() time.Time { return time.Now().Add(time.Duration(n) * 8 * 24 * time.Hour) }
	l, found, err := store.OpenLog[envelope](h, "messages.jsonl", o)
	if err != nil {
		t.Fatal(err)
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(os.Stdout, format+"\n", args...) // one write each
	}
	say("found %d %d %v", len(found.Torn), len(found.Damage), found.Checkpoint)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		cause, id, _ := strings.Cut(in.Text(), " ")
		if e, known, err := l.Append(t.Context(), request(cause, "noch einmal")); err != nil || !known || e.ID != id {
			say("lost %s: got %s, %v, %v", cause, e.ID, known, err)
		}
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), uint64(w)))
			for i := 0; ; i++ {
				e, _, err := l.Append(t.Context(), request(fmt.Sprintf("%d:%d:%d", n, w, i), strings.Repeat("Frage ", r.IntN(4000))))
				if err != nil {
					say("failed %v", err)
					return
				}
				say("ack %s %s", e.Cause, e.ID)
				if r.IntN(4) > 0 {
					d := done(e.ID)
					d.Cause = e.ID + ">done"
					if d, _, err = l.Append(t.Context(), d); err != nil {
						say("failed %v", err)
						return
					}
					say("ack %s %s", d.Cause, d.ID)
				}
			}
		})
	}
	wg.Wait()
}

// TestKilledAtAnyMoment is D1 of spec/reliability.md §1.8 at the level of this
// package: nothing that was acknowledged is lost, and nothing is there twice.
// KILL_CYCLES sets how often the process is killed.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	cycles := store.KillCycles
	if s := os.Getenv("KILL_CYCLES"); s != "" {
		var err error
		if cycles, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "human")
	var (
		r              = rand.New(rand.NewPCG(1, 1))
		acked          = map[string]string{}
		recent         []string // acknowledged by the process before
		torn, restored int
	)
	for n := range cycles {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKillWorker$")
		cmd.Env = append(os.Environ(), "STORE_TEST_KILL="+dir, fmt.Sprint("STORE_TEST_CYCLE=", n))
		cmd.Stdin = strings.NewReader(strings.Join(recent, ""))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		recent = nil
		read := bufio.NewReader(out)
		killAt := 1 + r.IntN(60) // acknowledgements
		for acks := 0; ; {
			line, err := read.ReadString('\n')
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch word {
			case "ack":
				cause, id, _ := strings.Cut(rest, " ")
				acked[cause] = id
				recent = append(recent, rest+"\n")
				if acks++; acks == killAt {
					go cmd.Process.Kill() // it goes on writing until it dies
				}
			case "found":
				var a, b int
				var fromCheckpoint bool
				if _, err := fmt.Sscan(rest, &a, &b, &fromCheckpoint); err != nil {
					t.Fatal(err)
				}
				torn += a
				if fromCheckpoint {
					restored++
				}
				if b > 0 {
					t.Errorf("cycle %d: %d places of damage", n, b)
				}
			default:
				t.Errorf("cycle %d: %s", n, line)
			}
		}
		_ = cmd.Wait() // it was killed
	}
	for cause, id := range readLines(t, dir) {
		if want, ok := acked[cause]; ok && want != id {
			t.Errorf("%s was acknowledged as %s and is %s", cause, want, id)
		}
		delete(acked, cause)
	}
	if len(acked) > 0 {
		t.Errorf("%d acknowledged records are lost, as %v", len(acked), slices.Sorted(maps.Keys(acked))[0])
	}
	if restored < cycles/2 {
		t.Errorf("only %d of %d starts used a checkpoint", restored, cycles)
	}
	if archives, _ := filepath.Glob(filepath.Join(dir, "archive", "*.jsonl")); len(archives) < cycles/8 {
		t.Errorf("got %d archives, want rotations", len(archives))
	}
	t.Logf("%d kills, %d torn ends", cycles, torn)
}

// readLines reads the files as a stranger would and returns the ids by cause.
func readLines(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "archive", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ids, seqs := map[string]string{}, map[uint64]bool{}
	for _, name := range append(names, filepath.Join(dir, "messages.jsonl")) {
		text := read(t, name)
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[:i+1] // the last process died too
		}
		for line := range strings.Lines(text) {
			var e struct {
				envelope
				Carried bool `json:"carried"`
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e.Carried {
				continue
			}
			if seqs[e.Seq] {
				t.Errorf("seq %d is there twice", e.Seq)
			}
			seqs[e.Seq] = true
			if e.Cause == "" {
				continue
			}
			if old, ok := ids[e.Cause]; ok {
				t.Errorf("cause %s is there twice: %s and %s", e.Cause, old, e.ID)
			}
			ids[e.Cause] = e.ID
		}
	}
	return ids
}
