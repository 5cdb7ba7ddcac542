package wording

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
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
	if parts := joined(err); len(parts) > 0 {
		var all []string
		for _, part := range parts {
			if text := cause(lang, part); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		return strings.Join(all, "; ")
	}
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

// joined returns the errors that were put together to err with [errors.Join], and
// nil for an error that says more than they do.
func joined(err error) (all []error) {
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var lines []string
	for _, part := range list.Unwrap() {
		lines = append(lines, part.Error())
		if parts := joined(part); len(parts) > 0 {
			all = append(all, parts...)
		} else {
			all = append(all, part)
		}
	}
	if err.Error() != strings.Join(lines, "\n") {
		return nil
	}
	return all
}

// Remedy returns what helps against an error of the system at a place that
// something was to be written to.
func Remedy(err error) Sentence {
	is := func(any ...error) bool {
		return slices.ContainsFunc(any, func(known error) bool { return errors.Is(err, known) })
	}
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return Sentence{Key: "os.remedy.full"}
	case is(syscall.ENAMETOOLONG):
		return Sentence{Key: "os.remedy.name"}
	case is(fs.ErrPermission, syscall.EROFS):
		return Sentence{Key: "os.remedy.permission"}
	case is(fs.ErrNotExist, syscall.ENOTDIR):
		return Sentence{Key: "os.remedy.place"}
	case is(syscall.EMFILE, syscall.ENFILE, syscall.EIO):
		return Sentence{Key: "os.remedy.again"}
	}
	return Sentence{Key: "os.remedy.other"}
}
