//go:build !linux

package terminal_test

import (
	"os"
	"testing"
)

func openPTY(t *testing.T, _ uint16) (keys, tty *os.File) {
	t.Helper()
	t.Skip("pseudo terminals are opened on Linux only")
	return nil, nil
}

func mode(*testing.T, *os.File) int { return 0 }
