package cli

import (
	"outheis/tresor"
	"outheis/tresor/internal/pjson"
)

// template prints a template or the refusal in its place.
func (c *call) template(t tresor.Template) int {
	c.out.Write(t.JSON)
	if t.Note != "" {
		c.err.WriteString(t.Note + "\n")
	}
	if !t.OK {
		return refused
	}
	return success
}

// templateFailure prints the refusal of a template that failed for a mistake of
// the program (deviation D-02).
func templateFailure(schema string) func(*call, string) {
	return func(c *call, text string) {
		errors := []string{c.say("cli.internal", c.command.name, text)}
		c.out.Write(pjson.Encode(pjson.Object{"errors": errors, "schema": schema, "state": "invalid_source"}))
	}
}
