//go:build !linux && !darwin

package main

import "os"

func dropTyped(*os.File) func() bool { return nil }
