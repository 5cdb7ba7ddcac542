//go:build race

package store

// UnderRace says that the test binary is an instrumented one.
const UnderRace = true
