//go:build peers

package tresor_test

// How much the hostile trees hold with the tag peers.
const (
	sparseSize = 1 << 30
	many       = 100_000
	huge       = 16<<20 - 2000
)
