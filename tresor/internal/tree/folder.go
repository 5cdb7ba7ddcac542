package tree

import (
	"io/fs"
	"os"
)

// OpenFolder opens the folder at a path, whose links are followed. It fails for
// what is no folder, and does not wait for the other end of a pipe, as
// [os.OpenRoot] would. The caller closes it.
func OpenFolder(path string) (*os.Root, error) {
	// What follows a slash is looked up in a folder and nowhere else, so the
	// system opens path as one or not at all.
	return os.OpenRoot(path + string(os.PathSeparator) + ".")
}

// EnterFolder is [OpenFolder] for the folder with the name in another one. A
// link that stays below the root is followed: who forbids it has to compare what
// was opened.
func EnterFolder(in *os.Root, name string) (*os.Root, error) {
	return in.OpenRoot(name + string(os.PathSeparator) + ".")
}

// OpenFileIn is [OpenFile] for the file with the name in a folder.
func OpenFileIn(in *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := in.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrUnsafe}
	}
	return opened(before, func() (*os.File, error) { return in.OpenFile(name, os.O_RDONLY|openFlags, 0) })
}

// opened opens a file and checks that it is the one that was seen before.
func opened(before fs.FileInfo, open func() (*os.File, error)) (*os.File, fs.FileInfo, error) {
	f, err := open()
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !(os.SameFile(before, info) && info.Mode().IsRegular()) {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
