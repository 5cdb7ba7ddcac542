package gateway_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"outheis/gateway"
	"outheis/store"
)

// What people take out of the file by hand is gone with the next reload, and what
// they write in is in force.
func TestRosterEditedByHand(t *testing.T) {
	dir := t.TempDir()
	h := human(t, dir)
	defer h.Close()
	w := pairingWorld(t, gateway.NoPairing)
	w.o.Roster = h.Doc(gateway.RosterFile, store.DocOptions{})
	w.start()
	defer w.end()
	deliver := func(person string, want int) {
		t.Helper()
		if err := w.g.Deliver(t.Context(), w.event(person, "Wann?")); err != nil {
			t.Fatal(err)
		}
		if got := len(w.queue.envelopes()); (got > 0) != (want > 0) {
			t.Errorf("%s: %d lines, want some: %v", person, got, want > 0)
		}
	}
	put := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, gateway.RosterFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := w.g.Reload(w.o.Settings); err != nil {
			t.Fatal(err)
		}
	}
	put(`{"v": 1, "paired": [{"channel": "net", "account": "main", "person": "*"}, {"channel": "net", "account": "main", "person": ""},
		{"channel": "net", "account": "second", "person": "7"}, {"channel": "net", "account": "main", "person": "7 "}]}`)
	deliver("7", 0)
	put("")
	deliver("7", 0)
	put(`{"v": 1, "paired": [{"channel": "net", "account": "main", "person": "7"}]}`)
	deliver("7", 1)
	if err := w.g.Unpair(t.Context(), mainAccount, "7"); err != nil {
		t.Error(err)
	}
}

// Records that can be read can be written, and read again, as they were.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"v":1}`, `{"v":1,"paired":[{"channel":"net","account":"main","person":"7","name":"Ole","since":"2026-11-30T12:00:00Z","by":"owner"}]}`,
		`{"v":1,"linked":[{"as":"p_00","accounts":[{"channel":"a","account":"b","person":"c"}],"since":"2026-11-30T12:00:00Z","cause":"x"}]}`,
		`{"v":1,"codes":[{"channel":"a","account":"b","person":"c","code":"ABCDEF23","cause":"x","to":{"channel":"a","account":"b","chat":"c"},"at":"2026-11-30T12:00:00Z"}],"misses":{"wrong":3}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		once, err := gateway.ReadRecords(b)
		if err != nil {
			return
		}
		twice, err := gateway.ReadRecords(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%q is written as %q and read as %q, %v", b, once, twice, err)
		}
	})
}
