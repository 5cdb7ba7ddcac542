//go:build !race && unix

package test

// buildFlags make the program as README.md says.
func buildFlags() []string { return []string{"-trimpath", "-ldflags", "-s -w"} }

const raceOptions = ""
