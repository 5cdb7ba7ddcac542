package channels

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Persist hands e to in until that returns nil, so that e is durable, with the
// waits of b in between; it returns nil then, or ctx's error once ctx has ended
// and in has not taken e. Refused, unless nil, is told each error of in while
// ctx lives: adapters show it in their health. B is taken by value, so that
// every event begins with a short wait.
func Persist(ctx context.Context, in Deliver, e Event, b Backoff, refused func(error)) error {
	for {
		err := in(ctx, e)
		if err == nil {
			return nil
		}
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if refused != nil {
			refused(err)
		}
		if err := b.Wait(ctx); err != nil {
			return err
		}
	}
}

// MaxStrikes is how often the handling of one event may panic before it is
// skipped, so that it does not hold up what is behind it.
const MaxStrikes = 3

// A PanicError is a mistake in the program that [Contain] caught.
type PanicError struct {
	Value any    // what panic was called with; it may hold foreign text
	Stack []byte // of the goroutine, for the log
}

func (e *PanicError) Error() string { return "panic: " + Scrub(fmt.Sprint(e.Value)) }

// Contain runs do and returns its error, or a [*PanicError] when do panicked.
// Adapters use it for everything that takes foreign events apart in goroutines
// of their own: a message of an unforeseen shape must end neither the process
// nor what comes after it.
func Contain(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return do()
}
