//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/gateway"
)

// A document of people that cannot be used is found by doctor, with its path and
// what to do, and keeps nothing from starting.
func TestDamagedRecordsAreFound(t *testing.T) {
	write := func(content string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
	}
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	folder := func(path string) error { return os.Mkdir(path, 0o700) }
	for _, tt := range []struct {
		name, file string
		put        func(path string) error
		want       string
		runs       bool // look at run as well
	}{
		{"damaged access", gateway.RosterFile, write("{\"v\":1,\n\"paired\":["), "Zeile 2", true},
		{"pipe for access", gateway.RosterFile, pipe, "keine gewöhnliche Datei", false},
		{"folder for access", gateway.RosterFile, folder, "keine gewöhnliche Datei", false},
		{"later access", gateway.RosterFile, write(`{"v":2}`), "Form 2", true},
		{"damaged languages", gateway.LanguagesFile, write(`{"v":1,`), "Zeile 1", true},
		{"pipe for languages", gateway.LanguagesFile, pipe, "keine gewöhnliche Datei", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, 1)
			path := filepath.Join(s.human, tt.file)
			if err := tt.put(path); err != nil {
				t.Fatal(err)
			}
			says := func(c *child) {
				t.Helper()
				if got := c.output.String(); !strings.Contains(got, path) || !strings.Contains(got, tt.want) || !strings.Contains(got, "outheis reload") {
					t.Errorf("got %q, want %s, %q and what to do", got, path, tt.want)
				}
			}
			doctor := startChild(t, s.human, 0, "doctor")
			select {
			case err := <-doctor.done:
				if err == nil {
					t.Error("doctor finds nothing")
				}
			case <-time.After(20 * time.Second):
				t.Fatal("doctor does not end")
			}
			says(doctor)
			if tt.runs {
				s.start()
				s.ask(person(0), 0)
				s.got(person(0), 1)
				says(s.child)
				s.stop()
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Whom the configuration takes away is not answered any more, also while
// access.json is damaged; and a reload without another change takes the file when
// it is right again.
func TestReloadWithDamagedRecords(t *testing.T) {
	s := newScene(t, 2)
	s.start()
	s.ask(person(0), 0)
	s.got(person(0), 1)
	path := filepath.Join(s.human, gateway.RosterFile)
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.telegram["allowed"] = []any{map[string]any{"id": sceneAdmin, "role": "admin"}, map[string]any{"id": person(1)}}
	s.configure(writeAlmanach(t))
	reload := func() (bool, string) {
		t.Helper()
		c := startChild(t, s.human, 0, "reload")
		return <-c.done == nil, c.output.String()
	}
	if ok, said := reload(); ok || !strings.Contains(said, path) {
		t.Errorf("reload: %v, %q", ok, said)
	}
	s.ask(person(0), 1)
	s.ask(person(1), 0)
	s.got(person(1), 1)
	if n := len(s.server.Sent(person(0))); n != 1 {
		t.Errorf("who was taken away has %d messages, want 1", n)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if ok, said := reload(); !ok {
		t.Errorf("reload with the file mended: %q", said)
	}
	s.stop()
}
