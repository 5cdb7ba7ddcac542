package watch

import "outheis/tresor"

// Differences is what a change tells of two reports.
func Differences(before, after tresor.Report) (found, gone []tresor.Finding) {
	return differences(before, after)
}

// WithoutEvents returns o for a system that cannot watch after the first n
// folders; without an error it does not even say so.
func WithoutEvents(o Options, n int, err error) Options {
	o.add = func(w *notifier, dir string) error {
		if n--; n < 0 {
			return err
		}
		return w.addFolder(dir)
	}
	return o
}
