//go:build peers

package render

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// tdlib is Telegram's own parser in a child process.
type tdlib struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// An answer is what Telegram makes of a text: an error, or what people see.
type answer struct {
	Error    string   `json:"error"`
	Text     string   `json:"text"`
	Entities []entity `json:"entities"`
}

type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	Arg    string `json:"arg"`
}

// library returns the path of TDLib, or skips the test.
func library(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TDJSON")
	if path == "" {
		peers := os.Getenv("OUTHEIS_PEERS")
		if peers == "" {
			cache, err := os.UserCacheDir()
			if err != nil {
				t.Skipf("no cache folder for peers: %v", err)
			}
			peers = filepath.Join(cache, "outheis-peers")
		}
		path = filepath.Join(peers, "tdlib", "node_modules", "@prebuilt-tdlib", "linux-x64-glibc", "libtdjson.so")
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("TDLib is not installed (%v); .ci/peers installs it", err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skipf("no python3 to load TDLib with: %v", err)
	}
	return path
}

func startTDLib(t *testing.T) *tdlib {
	t.Helper()
	cmd := exec.Command("python3", "testdata/entities.py", library(t))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("TDLib: %v", err)
		}
	})
	return &tdlib{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// parse asks for all texts at once.
func (td *tdlib) parse(texts []string) []answer {
	td.t.Helper()
	request, err := json.Marshal(texts)
	if err != nil {
		td.t.Fatal(err)
	}
	if _, err := td.in.Write(append(request, '\n')); err != nil {
		td.t.Fatal(err)
	}
	line, err := td.out.ReadBytes('\n')
	if err != nil {
		td.t.Fatalf("TDLib's answer: %v", err)
	}
	var answers []answer
	if err := json.Unmarshal(line, &answers); err != nil || len(answers) != len(texts) {
		td.t.Fatalf("TDLib's answer to %d texts: %d, %v", len(texts), len(answers), err)
	}
	return answers
}
