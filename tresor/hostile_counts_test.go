//go:build !peers

package tresor_test

// How much the hostile trees hold in a plain run.
const (
	sparseSize = 17 << 20
	many       = 200
	huge       = 1 << 17
)
