package discord

import (
	"context"
	"errors"
	"testing"
	"time"

	"outheis/channels"
)

// Who waits to set a menu while another is being set can be ended.
func TestWaitingForTheMenuEnds(t *testing.T) {
	c, err := New(Options{Account: "main", Token: func() string { return "invented" }, Cursor: nil})
	if err != nil {
		t.Fatal(err)
	}
	c.menus.turn <- struct{}{} // as a call that waits for Discord
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan error, 1)
	go func() {
		done <- c.SetCommands(ctx, "de", []channels.Command{{Name: "hilfe", About: "Was ich kann"}})
	}()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that it was cancelled", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it waits for the other")
	}
}
