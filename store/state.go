package store

import (
	"fmt"
	"path"
)

// WriteState replaces the file name by b, or makes it with the folders that are
// missing. It is for what only outheis writes, as a place in a stream; what people
// edit too is a [Doc]. A reader sees the old content or the new, and when
// WriteState returns nil the new one survives a power cut. The file can be read by
// its owner alone.
func (h *Human) WriteState(name string, b []byte) error {
	err := h.mkdirAll(path.Dir(name))
	if err == nil {
		err = h.writeAtomic(name, b)
	}
	if err != nil {
		return fmt.Errorf("store: write state: %w", err)
	}
	return nil
}

// ReadState returns what [Human.WriteState] wrote last. A file that does not exist
// is [fs.ErrNotExist].
func (h *Human) ReadState(name string) ([]byte, error) {
	b, _, err := h.readWhole(name)
	if err != nil {
		return nil, fmt.Errorf("store: read state %s: %w", name, err)
	}
	return b, nil
}
