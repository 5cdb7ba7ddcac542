//go:build !unix

package conformancetest

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
