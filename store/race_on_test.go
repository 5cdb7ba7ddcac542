//go:build race

package store_test

// underRace says that the test binary is an instrumented one.
const underRace = true
