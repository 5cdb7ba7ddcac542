package store

import "os"

// OpenFile, WriteAtomic and MkdirAll show what the other files of the package
// write with.
func (h *Human) OpenFile(name string, flag int) (*os.File, error) { return h.openFile(name, flag) }

func (h *Human) WriteAtomic(name string, b []byte) error { return h.writeAtomic(name, b) }

func (h *Human) MkdirAll(name string) error { return h.mkdirAll(name) }

// DecodeText returns the text of a file and what writes it again.
func DecodeText(raw []byte) (text []byte, encode func([]byte) []byte) {
	text, style := decodeText(raw)
	return text, style.encode
}
