//go:build !peers && !long

package main

// killCycles is how often the gateway is killed in the plain tests.
const killCycles = 5
