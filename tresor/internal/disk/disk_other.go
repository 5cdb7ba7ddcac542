//go:build !unix

package disk

import "io/fs"

// A Folder cannot be held open here: [Open] fails, so there is none.
type Folder struct{}

// A File is an open file; there is none here.
type File struct{}

// Open fails with [ErrPlatform].
func Open(string, Hook) (*Folder, error) { return nil, ErrPlatform }

func (*Folder) Path() string                              { return "" }
func (*Folder) Close() error                              { return nil }
func (*Folder) Folder(string) (*Folder, error)            { return nil, ErrPlatform }
func (*Folder) Self() (Info, error)                       { return Info{}, ErrPlatform }
func (*Folder) Info(string) (Info, error)                 { return Info{}, ErrPlatform }
func (*Folder) Names() ([]string, error)                  { return nil, ErrPlatform }
func (*Folder) Sync() error                               { return ErrPlatform }
func (*Folder) Mkdir(string, fs.FileMode) error           { return ErrPlatform }
func (*Folder) Rename(string, *Folder, string) error      { return ErrPlatform }
func (*Folder) Move(string, *Folder, string) error        { return ErrPlatform }
func (*Folder) Remove(string) error                       { return ErrPlatform }
func (*Folder) Rmdir(string) error                        { return ErrPlatform }
func (*Folder) Open(string) (*File, error)                { return nil, ErrPlatform }
func (*Folder) OpenWrite(string) (*File, error)           { return nil, ErrPlatform }
func (*Folder) Create(string, fs.FileMode) (*File, error) { return nil, ErrPlatform }

func (*File) Read([]byte) (int, error)  { return 0, ErrPlatform }
func (*File) Write([]byte) (int, error) { return 0, ErrPlatform }
func (*File) Chmod(fs.FileMode) error   { return ErrPlatform }
func (*File) Chown(Info) error          { return ErrPlatform }
func (*File) Sync() error               { return ErrPlatform }
func (*File) Info() (Info, error)       { return Info{}, ErrPlatform }
func (*File) Lock() (bool, error)       { return false, ErrPlatform }
func (*File) Close() error              { return nil }
