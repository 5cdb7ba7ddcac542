//go:build !unix

package main

import "os/exec"

// endsAsGroup does nothing: there are no process groups here.
func endsAsGroup(*exec.Cmd) {}
