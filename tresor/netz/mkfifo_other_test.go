//go:build !unix

package netz_test

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
