//go:build peers

package txn_test

const faultStep = 1
