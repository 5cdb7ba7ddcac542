package txn

// ParseList reads a list of targets and returns its paths if it is complete.
func ParseList(list string) (paths []Path, complete bool) {
	var r Remains
	complete = r.parse(list)
	return r.Paths, complete
}
