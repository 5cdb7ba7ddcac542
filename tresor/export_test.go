package tresor

import (
	"context"

	"outheis/tresor/internal/disk"
)

// Mutate runs an operation as the writers do.
func Mutate(ctx context.Context, dir, command string, o Options, operation func() error) error {
	return mutate(ctx, dir, command, o, func(*writing) error { return operation() })
}

// WithHook returns options whose writers tell hook every call to the disk.
func (o Options) WithHook(hook disk.Hook) Options {
	o.hook = hook
	return o
}

// LogLine words an entry of the journal as [Log] does.
func LogLine(action, text string, o Options) (string, error) { return logEntry(action, text, o) }
