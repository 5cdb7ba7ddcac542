//go:build peers && !long

package main

// killCycles is how often the gateway is killed in .ci/run.
const killCycles = 200
