package agents

import "fmt"

// An Error is a failure that a person can be told about: Status says which
// kind, Text is a finished sentence in the language of the request, Err the
// cause for the log.
type Error struct {
	Status Status // StatusDenied, StatusUnavailable or StatusFailed
	Text   string
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("agents: %s: %v", e.Status, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
