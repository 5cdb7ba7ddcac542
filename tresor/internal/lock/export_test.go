package lock

// Parse reads the content of a lock.
func Parse(content string) *Found {
	f := &Found{}
	f.parse(content)
	return f
}
