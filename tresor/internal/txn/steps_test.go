//go:build !peers

package txn_test

// Of the calls in the sweeps a plain run tries some; all are tried with the tag
// peers.
const faultStep = 7
