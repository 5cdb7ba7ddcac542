package gateway

// PersonOf names the human being behind an account id.
func (g *Gateway) PersonOf(account AccountID, id string) string { return g.person(account, id) }

// ReadCode reads a code as people type it.
func ReadCode(s string) (string, bool) { return readCode(s) }
