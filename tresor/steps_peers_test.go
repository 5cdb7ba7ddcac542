//go:build peers

package tresor_test

const faultStep = 1
