package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/config/texts"
	"outheis/store"
)

func TestExplain(t *testing.T) {
	since := time.Date(2027, 5, 1, 6, 41, 0, 0, time.UTC)
	for _, tt := range []struct {
		err error
		say []string // parts of the sentence in each language
	}{
		{&store.LockedError{Dir: "/d", PID: 71, Command: "outheis run", Since: since}, []string{"/d", "outheis run", "71", "2027-05-01T06:41:00Z"}},
		{&store.LockedError{Dir: "/d", PID: 71, Command: "outheis run", Since: since, Host: "kiste"}, []string{"/d", "71", "kiste"}},
		{&store.LockedError{Dir: "/d"}, []string{"/d"}},
		{&store.PermissionError{Path: "/d/x", Mode: 0o722, Want: 0o700}, []string{"/d/x", "0722", "chmod 700 '/d/x'"}},
		{&store.PermissionError{Path: "/o'b", Mode: 0o722, Want: 0o700}, []string{`chmod 700 '/o'\''b'`}},
		{&store.UnsafeError{Path: "/x", Reason: store.Symlink}, []string{"/x"}},
		{&store.UnsafeError{Path: "/x", Reason: store.HardLink}, []string{"/x"}},
		{&store.UnsafeError{Path: "/x", Reason: store.NotRegular}, []string{"/x"}},
		{&store.UnsafeError{Path: "/x", Reason: store.NotDirectory}, []string{"/x"}},
		{&store.UnsafeError{Path: "/x", Reason: store.ForeignOwner}, []string{"/x"}},
		{&store.NetworkFSError{Path: "/d", Kind: "nfs"}, []string{"/d", "nfs", "allow_network_fs"}},
		{&store.NewerError{Family: "messages", Found: 3, Supported: 2}, []string{"messages", "3", "2"}},
		{&store.TooLargeError{What: "blob", Limit: 77}, []string{"blob", "77"}},
		{&store.DamagedError{Path: "/x"}, []string{"/x"}},
		{&store.NameError{Name: "con", Reason: "device"}, []string{"con"}},
		{fmt.Errorf("%w: %w", store.ErrFailed, &fs.PathError{Op: "sync", Path: "x", Err: syscall.EIO}), []string{": input/output error.", "`outheis doctor`"}},
		{fmt.Errorf("%w: %w", store.ErrDegraded, syscall.ENOSPC), nil},
		{fmt.Errorf("%w: %w", store.ErrDegraded, syscall.EROFS), []string{": read-only file system."}},
		{fmt.Errorf("%w: %w", store.ErrDegraded, errors.New("torn cable")), []string{"torn cable."}},
		{fmt.Errorf("%w: %w", store.ErrDegraded, &store.UnsafeError{Path: "/x", Reason: store.Symlink}), []string{"/x"}},
		{fmt.Errorf("%w: %w", store.ErrReadOnly, &store.TooDamagedError{Places: 1, Bytes: 70000}), []string{"70000", "`outheis doctor --repair`"}},
		{&store.TooDamagedError{Places: 12, Bytes: 77}, []string{"12", "77", "`outheis doctor --repair`"}},
		{&store.LineError{Segment: "messages.jsonl", Offset: 77, Kind: "malformed"}, []string{"messages.jsonl", "77", "`outheis doctor`"}},
		{store.ErrTooLong, []string{"256"}},
		{store.ErrClosed, nil},
		{store.ErrReadOnly, nil},
		{store.ErrLockLost, nil},
		{store.ErrConflict, nil},
	} {
		key, args, ok := store.Explain(fmt.Errorf("somewhere: %w", tt.err))
		if !ok {
			t.Errorf("%v: no sentence", tt.err)
			continue
		}
		for _, lang := range []string{"de", "en"} {
			s := texts.For(lang).Say(key, args...)
			if strings.Contains(s, "%!") {
				t.Errorf("%s: %s", key, s)
			}
			for _, part := range tt.say {
				if !strings.Contains(s, part) {
					t.Errorf("%s in %s: %q does not say %s", key, lang, s, part)
				}
			}
		}
	}
	for _, err := range []error{nil, errors.New("other"), &store.UnsafeError{Reason: "new"}} {
		if key, _, ok := store.Explain(err); ok {
			t.Errorf("%v: %s", err, key)
		}
	}
}

func TestWarningsHaveSentences(t *testing.T) {
	for key, args := range map[string][]any{
		"store.warn_readable_by_others": {"/d", "0755"},
		"store.warn_read_only":          {"/d"},
		"store.warn_network_fs":         {"/d", "nfs"},
		"store.warn_overlay_fs":         {"/d"},
		"store.warn_cut_edit":           {"/d"},
	} {
		for _, lang := range []string{"de", "en"} {
			s := texts.For(lang).Say(key, args...)
			if !strings.Contains(s, "/d") || strings.Contains(s, "%!") {
				t.Errorf("%s in %s: %q", key, lang, s)
			}
		}
	}
}
