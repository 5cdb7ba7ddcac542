//go:build !unix

package txn

// Replace is not possible here: it needs folders that stay open while files in
// them are renamed.
func Replace(root string, targets []Target, checks Checks) error {
	return fail("", "TX-11", nil)
}
