package cli

import (
	"maps"
	"unicode/utf8"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/wording"
)

// A report is what a command found out, for --json: one P-JSON document with the
// keys command, exit, errors (sentences why it refused), findings (rule,
// severity, label, path, line and text each) and those of the command itself,
// which its help names.
type report struct {
	errors   []string
	findings []tresor.Finding
	values   pjson.Object
}

// printReport prints the report in place of the lines.
func (c *call) printReport(code int) {
	findings := make([]any, len(c.report.findings))
	for i, f := range c.report.findings {
		f.Text = c.typed(f.Text)
		findings[i] = findingObject(f)
	}
	var name any // null before a command was found
	if c.command.name != "" {
		name = c.command.name
	}
	doc := pjson.Object{"command": name, "exit": code, "errors": c.report.errors, "findings": findings}
	maps.Copy(doc, c.report.values)
	c.out.Reset()
	c.out.Write(pjson.Encode(readable(doc)))
}

// readable returns v with texts that are no UTF-8, as file names may be, in the
// form in which they are printed.
func readable(v any) any {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return wording.Printable(v)
		}
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = readable(v[i])
		}
		return list
	case []any:
		for i := range v {
			v[i] = readable(v[i])
		}
	case pjson.Object:
		for key := range v {
			v[key] = readable(v[key])
		}
	}
	return v
}

func findingObject(f tresor.Finding) pjson.Object {
	severity := map[tresor.Severity]string{tresor.Error: "error", tresor.Warning: "warning", tresor.Hint: "hint"}[f.Severity]
	o := pjson.Object{"rule": f.Rule, "severity": severity, "label": f.Label, "path": nil, "line": nil, "text": f.Text}
	if f.Path != "" {
		o["path"] = f.Path
	}
	if f.Line > 0 {
		o["line"] = f.Line
	}
	return o
}
