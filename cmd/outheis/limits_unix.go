//go:build unix

package main

import "golang.org/x/sys/unix"

// limitCores keeps tokens and questions out of core dumps. That it may fail
// changes nothing else.
func limitCores() { _ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }
