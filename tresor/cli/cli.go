// Package cli is the command surface of a Tresor, for "outheis tresor".
package cli

import "io"

// Options are the settings of a run.
type Options struct {
	Lang string // "de", which is the default, or "en"
}

// Main runs one command line and returns the exit code: 0 for success, 1 for a
// refusal or failure, 2 for a usage error or a question that cannot be ranked.
func Main(args []string, stdout, stderr io.Writer, o Options) int { return 2 }
