//go:build !peers

package tresor_test

// How much the hostile trees hold in a plain run.
const (
	sparseSize = 32 << 20
	many       = 1_000
	huge       = 1 << 20
)
