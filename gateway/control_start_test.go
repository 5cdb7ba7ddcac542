package gateway_test

import (
	"context"
	"testing"

	"outheis/gateway"
)

// A client that comes while the gateway begins waits for it.
func TestAskDuringTheStart(t *testing.T) {
	w := newWorld(t, newMemory(), echo)
	g, err := gateway.New(w.o)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		close(begun)
		_, err := g.Handlers().Ask(t.Context(), gateway.LocalChat{}, "Wann?")
		asked <- err
	}()
	<-begun
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	select {
	case err := <-asked:
		t.Fatalf("Ask before Run: %v", err)
	default:
	}
	go func() { done <- g.Run(ctx) }()
	if err := <-asked; err != nil {
		t.Errorf("Ask = %v", err)
	}
	stop()
	<-done
}
