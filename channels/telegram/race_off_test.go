//go:build !race

package telegram_test

// slowness is how much longer things take under the race detector.
const slowness = 1
