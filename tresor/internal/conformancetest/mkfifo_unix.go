//go:build unix

package conformancetest

import "syscall"

func mkfifo(p string) error { return syscall.Mkfifo(p, 0o644) }
