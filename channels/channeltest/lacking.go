package channeltest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"outheis/channels"
	"outheis/formatting"
)

// Lacking is a [Network] without abilities, to be embedded in one that writes
// only the methods for what it can. A call of one of these methods says that
// [Harness.Lacks] promises too much.
type Lacking struct{}

func lacks(what string) string {
	return fmt.Sprintf("channeltest: the network has no %s; name the ability in Harness.Lacks", what)
}

func (Lacking) Secrets() []string                       { return nil }
func (Lacking) Leaks() []string                         { return nil }
func (Lacking) Cursor() *Cursor                         { panic(lacks("Cursor")) }
func (Lacking) Edit(Place, string, string)              { panic(lacks("Edit")) }
func (Lacking) Touch(Place, string)                     { panic(lacks("Touch")) }
func (Lacking) React(Place, string, string)             { panic(lacks("React")) }
func (Lacking) Press(Place, string, string)             { panic(lacks("Press")) }
func (Lacking) Delete(Place, string)                    { panic(lacks("Delete")) }
func (Lacking) Released() int                           { panic(lacks("Released")) }
func (Lacking) Malform(int)                             { panic(lacks("Malform")) }
func (Lacking) Unacknowledged() int                     { panic(lacks("Unacknowledged")) }
func (Lacking) AwaitAcknowledged(context.Context) error { panic(lacks("AwaitAcknowledged")) }
func (Lacking) AwaitTyping(context.Context, Place, int) error {
	panic(lacks("AwaitTyping"))
}
func (Lacking) Menu(string) []channels.Command { panic(lacks("Menu")) }
func (Lacking) MenuWrites() int                { panic(lacks("MenuWrites")) }
func (Lacking) Attempts() []time.Time          { panic(lacks("Attempts")) }
func (Lacking) BreakSend(Fault, int)           { panic(lacks("BreakSend")) }
func (Lacking) BreakReceive(Fault, int)        { panic(lacks("BreakReceive")) }
func (Lacking) GoDown()                        { panic(lacks("GoDown")) }
func (Lacking) ComeUp()                        { panic(lacks("ComeUp")) }
func (Lacking) Close(Place, Closure)           { panic(lacks("Close")) }
func (Lacking) Move()                          { panic(lacks("Move")) }
func (Lacking) Revoke()                        { panic(lacks("Revoke")) }
func (Lacking) Marked(string) formatting.Part  { panic(lacks("Marked")) }
func (Lacking) Broken(string) formatting.Part  { panic(lacks("Broken")) }

// A Cursor is a [channels.Cursor] in memory, as a program's folder keeps one
// between two starts. The zero value is empty. It may be used by many
// goroutines.
type Cursor struct {
	mu    sync.Mutex // guards the fields below
	saved []byte
	saves int
}

var _ channels.Cursor = (*Cursor)(nil)

// Load implements [channels.Cursor].
func (c *Cursor) Load() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]byte(nil), c.saved...), nil
}

// Save implements [channels.Cursor].
func (c *Cursor) Save(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved, c.saves = append([]byte(nil), b...), c.saves+1
	return nil
}

// Saves is how often something was saved.
func (c *Cursor) Saves() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.saves
}
