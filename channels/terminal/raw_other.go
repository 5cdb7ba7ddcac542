//go:build !linux && !darwin

package terminal

import "golang.org/x/term"

// makeRaw lets every key through as it is pressed.
func makeRaw(fd int) (*term.State, error) { return term.MakeRaw(fd) }
