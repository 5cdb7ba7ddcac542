//go:build race && unix

package test

// buildFlags watch the program for data races where the tests are watched.
func buildFlags() []string { return []string{"-race"} }

// raceOptions keep programs from waiting a second before they end.
const raceOptions = "atexit_sleep_ms=10"
