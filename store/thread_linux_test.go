package store

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// A thread makes calls on one thread of the system: strace counts them for each
// thread by itself, and a sweep needs one count.
type thread struct{ calls chan func() }

// headStart is how many calls of one kind a thread makes for nothing before it
// is used. The threads of the runtime make fewer, so that the count of this one
// is always the highest.
const headStart = 32

// newThread starts a thread for a sweep of the system call with this number.
func newThread(call uintptr) *thread {
	x := &thread{calls: make(chan func())}
	go func() { // until the process ends
		runtime.LockOSThread()
		for f := range x.calls {
			f()
		}
	}()
	x.do(func() {
		for range headStart {
			_, _, _ = unix.RawSyscall6(call, ^uintptr(0), 0, ^uintptr(0), 0, 0, 0) // of no file
		}
	})
	return x
}

func (x *thread) do(f func()) {
	done := make(chan struct{})
	x.calls <- func() { defer close(done); f() }
	<-done
}

func on[T any](x *thread, f func() (T, error)) (v T, err error) {
	x.do(func() { v, err = f() })
	return v, err
}

// threadFS makes every call of a logFS on one thread.
type threadFS struct {
	disk
	x *thread
}

func (s threadFS) open(name string, flag int) (logFile, error) {
	f, err := on(s.x, func() (logFile, error) { return s.disk.open(name, flag) })
	if err != nil {
		return nil, err
	}
	return threadFile{f, s.x}, nil
}

func (s threadFS) stat(name string) (fileInfo, error) {
	return on(s.x, func() (fileInfo, error) { return s.disk.stat(name) })
}

func (s threadFS) rename(oldName, newName string) error {
	return s.run(func() error { return s.disk.rename(oldName, newName) })
}

func (s threadFS) renameNew(oldName, newName string) error {
	return s.run(func() error { return s.disk.renameNew(oldName, newName) })
}

func (s threadFS) remove(name string) error {
	return s.run(func() error { return s.disk.remove(name) })
}

func (s threadFS) syncDir(name string) error {
	return s.run(func() error { return s.disk.syncDir(name) })
}

func (s threadFS) list(dir string) ([]string, error) {
	return on(s.x, func() ([]string, error) { return s.disk.list(dir) })
}

func (s threadFS) writeAtomic(name string, b []byte) error {
	return s.run(func() error { return s.disk.writeAtomic(name, b) })
}

func (s threadFS) freeze(name string) error {
	return s.run(func() error { return s.disk.freeze(name) })
}

func (s threadFS) space() (free, all uint64, err error) {
	s.x.do(func() { free, all, err = s.disk.space() })
	return free, all, err
}

func (s threadFS) run(f func() error) (err error) {
	s.x.do(func() { err = f() })
	return err
}

type threadFile struct {
	logFile
	x *thread
}

func (f threadFile) ReadAt(b []byte, off int64) (int, error) {
	return on(f.x, func() (int, error) { return f.logFile.ReadAt(b, off) })
}

func (f threadFile) Write(b []byte) (int, error) {
	return on(f.x, func() (int, error) { return f.logFile.Write(b) })
}

func (f threadFile) Sync() error {
	_, err := on(f.x, func() (any, error) { return nil, f.logFile.Sync() })
	return err
}

func (f threadFile) Truncate(size int64) error {
	_, err := on(f.x, func() (any, error) { return nil, f.logFile.Truncate(size) })
	return err
}

func (f threadFile) stat() (fileInfo, error) {
	return on(f.x, func() (fileInfo, error) { return f.logFile.stat() })
}
