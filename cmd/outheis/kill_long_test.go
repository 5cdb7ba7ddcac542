//go:build long

package main

// killCycles is how often the gateway is killed before a release.
const killCycles = 1000
