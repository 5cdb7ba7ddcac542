package cli

import (
	"strconv"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/text"
)

func (c *call) query() int {
	question := strings.Join(c.args.words, " ")
	world, named := c.args.values["--world"]
	q := tresor.QueryOptions{World: world, InWorld: named}
	if s, ok := c.args.values["--limit"]; ok {
		limit, ok := parseLimit(s)
		if !ok {
			return c.usage("cli.limit", s)
		}
		if q.Limit = limit; limit == 0 {
			q.Limit = -1 // 0 is no limit here, but the default there
		}
	}
	r := c.ask(question, q)
	for i, why := range r.Errors {
		r.Errors[i] = c.typed(why)
	}
	c.out.Write(r.JSON())
	return r.ExitCode()
}

// parseLimit accepts a sign and ASCII digits. What does not fit is out of range
// anyway.
func parseLimit(s string) (int, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	if len(s)-len(digits) > 1 || !text.AllDigits(digits) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1, true
	}
	return n, true
}

func (c *call) queryFailure(text string) {
	r := tresor.Result{State: tresor.InvalidVault, Query: strings.Join(c.args.words, " "), Errors: []string{c.say("cli.internal", "query", text)}}
	c.out.Write(r.JSON())
}
