package wording

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A Fault is an error that can be told in any language. It is compared by
// identity, so that it can be a sentinel.
type Fault struct{ Sentence }

// NewFault returns an error with the sentence for key.
func NewFault(key string, args ...any) *Fault { return &Fault{Sentence{key, args}} }

// Error returns the sentence in English.
func (f *Fault) Error() string { return f.In("en") }

// causes are the errors of the system that people meet, and what is said for
// them.
func causes() map[error]string {
	return map[error]string{
		syscall.ENOENT:           "os.missing",
		syscall.EACCES:           "os.permission",
		syscall.EPERM:            "os.permission",
		syscall.EEXIST:           "os.exists",
		syscall.ENOTEMPTY:        "os.notempty",
		syscall.ENOSPC:           "os.full",
		syscall.EDQUOT:           "os.full",
		syscall.EROFS:            "os.readonly",
		syscall.ENOTDIR:          "os.nofolder",
		syscall.EISDIR:           "os.folder",
		syscall.ELOOP:            "os.loop",
		syscall.ENAMETOOLONG:     "os.name",
		syscall.EIO:              "os.damaged",
		syscall.EXDEV:            "os.device",
		syscall.EMFILE:           "os.open",
		syscall.ENFILE:           "os.open",
		fs.ErrNotExist:           "os.missing",
		fs.ErrPermission:         "os.permission",
		fs.ErrExist:              "os.exists",
		context.Canceled:         "os.ended",
		context.DeadlineExceeded: "os.time",
		io.ErrUnexpectedEOF:      "os.short",
	}
}

// cause words an error without the operation and the path that it names, since
// the sentence around it does.
func cause(lang string, err error) string {
	var spoken interface{ In(lang string) string }
	if errors.As(err, &spoken) {
		return spoken.In(lang)
	}
	for {
		switch e := err.(type) {
		case *fs.PathError:
			err = e.Err
			continue
		case *os.LinkError:
			err = e.Err
			continue
		case *os.SyscallError:
			err = e.Err
			continue
		}
		break
	}
	if _, plain := err.(syscall.Errno); plain || errors.Unwrap(err) == nil {
		for known, key := range causes() {
			if known == err {
				return Say(lang, key)
			}
		}
	}
	return Printable(err.Error())
}
