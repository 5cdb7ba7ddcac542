package gateway

import "encoding/json"

// PersonOf names the human being behind an account id.
func (g *Gateway) PersonOf(account AccountID, id string) string { return g.person(account, id) }

// ReadCode reads a code as people type it.
func ReadCode(s string) (string, bool) { return readCode(s) }

// ReadRecords reads a roster and returns it as it would be written.
func ReadRecords(b []byte) ([]byte, error) {
	all, err := readRecords(b)
	if err != nil {
		return nil, err
	}
	all.V = rosterVersion
	return json.Marshal(all)
}
