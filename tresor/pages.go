package tresor

// ReadPages returns the pages of the Tresor in dir, in path order. It needs to
// be valid but not released; one that is not gives an [*InvalidError].
func ReadPages(dir string, o Options) ([]Page, error) {
	t, err := o.open(dir)
	if err != nil {
		return nil, unreadable(dir, err, o)
	}
	defer t.Close()
	b, err := loadValid(t, o)
	if err != nil {
		return nil, err
	}
	pages := make([]Page, len(b.Pages))
	for i, p := range b.Pages {
		pages[i] = publicPage(p)
	}
	return pages, nil
}
