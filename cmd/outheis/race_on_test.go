//go:build race

package main

// raced says that the race detector watches, which needs memory of its own.
const raced = true
