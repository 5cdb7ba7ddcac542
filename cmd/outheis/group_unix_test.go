//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/config"
	"outheis/gateway"
)

// Whatever a transcriber has started ends with it when its time is over.
func TestTranscriberEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	ended := make(chan error, 1)
	go func() { // at its end when the last that holds the pipe has ended
		f, err := os.Open(pipe)
		if err == nil {
			defer f.Close()
			_, err = io.ReadAll(f)
		}
		ended <- err
	}()
	c := config.Default()
	c.Transcriber.Command = []string{"sh", "-c", `exec 3>"$0"; (sleep 60 & sleep 60) & wait`, pipe}
	c.Transcriber.Timeout = time.Second
	p := &program{env: os.Getenv}
	if _, err := p.transcribe(c)(context.Background(), strings.NewReader("Wann?"), gateway.KeptFile{}, "de"); err == nil {
		t.Fatal("no error at the end of the time")
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("children of the transcriber go on")
	}
}
