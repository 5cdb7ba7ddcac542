package gateway

import (
	"crypto/rand"
	"crypto/subtle"
	"strings"
	"time"
)

// Codes let a person show at a second place that it is they who write at the
// first (spec/reliability.md T5): a stranger who wants to be let in tells the
// owner, who enters the code on the command line; somebody with two accounts
// enters at one what was said at the other. A code is random, short-lived, good
// for one use, and bound to the account and the person that it was said to.
// Whoever can read the human directory is the owner: there codes stand as they
// are, as they do in the log of messages.
const (
	codeLength  = 8
	codeLife    = 10 * time.Minute
	codeTries   = 5         // wrong tries before a pause
	codePause   = time.Hour // in which no code is taken
	mostPending = 3         // codes of one account for strangers at the same time
)

// codeAlphabet has 32 signs, none of which looks like another: no I, O, 0, 1.
const codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// newCode draws a code of 40 random bits.
func newCode() string {
	b := make([]byte, codeLength)
	rand.Read(b) // never fails
	for i := range b {
		b[i] = codeAlphabet[b[i]%byte(len(codeAlphabet))]
	}
	return string(b)
}

// readCode returns a code as it is stored from what a person typed, in any case
// and with blanks or hyphens; false if it is no code.
func readCode(s string) (string, bool) {
	if len(s) > 4*codeLength {
		return "", false
	}
	s = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '\t', '\n', '\u00a0', '\u2010', '\u2011', '\u2013':
			return -1
		}
		return r
	}, strings.ToUpper(s))
	if len(s) != codeLength || strings.Trim(s, codeAlphabet) != "" {
		return "", false
	}
	return s, true
}

// showCode writes a code in two groups, as people read it out.
func showCode(code string) string { return code[:codeLength/2] + "-" + code[codeLength/2:] }

// sameCode compares in a time that does not tell how much of them is the same.
func sameCode(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// A misses counts wrong tries. The zero value has seen none.
type misses struct {
	Wrong int       `json:"wrong,omitempty"`
	Until time.Time `json:"until,omitzero"` // of the pause
}

// paused reports whether no try is taken now.
func (m *misses) paused(now time.Time) bool {
	return now.Before(m.Until) && m.Until.Sub(now) <= codePause // else the clock was set back
}

// miss counts a wrong try, with which the pause may begin.
func (m *misses) miss(now time.Time) {
	if m.Wrong++; m.Wrong >= codeTries {
		m.Wrong, m.Until = 0, now.Add(codePause)
	}
}
