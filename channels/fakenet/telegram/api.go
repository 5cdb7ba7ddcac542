package telegram

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// apiJSON holds the parameters of the methods that the server knows, and the
// objects in them, with types, lengths and what is required, as Bot API 10.1
// describes them; ephemeral messages are of a later one.
//
//go:embed api.json
var apiJSON []byte

type (
	// A field is a parameter of a method, or a field of an object.
	field struct {
		Types    []string `json:"types"`
		Required bool     `json:"required"`
		// Min and Max bound the length, in bytes where Bytes says so and else in
		// characters; Max 0 is no bound.
		Min   int    `json:"min"`
		Max   int    `json:"max"`
		Bytes bool   `json:"bytes"`
		Value string `json:"value"` // the only value
	}

	fields map[string]field

	// An object has fields, or is one of several others.
	object struct {
		fields fields
		oneOf  []string
	}

	description struct {
		Methods map[string]fields `json:"methods"` // by folded name
		Types   map[string]object `json:"types"`
	}
)

// UnmarshalJSON implements [json.Unmarshaler].
func (o *object) UnmarshalJSON(b []byte) error {
	var several struct {
		OneOf []string `json:"oneOf"`
	}
	if json.Unmarshal(b, &several) == nil && several.OneOf != nil {
		o.oneOf = several.OneOf
		return nil
	}
	return json.Unmarshal(b, &o.fields)
}

var described10 = sync.OnceValue(func() description {
	var d description
	if err := json.Unmarshal(apiJSON, &d); err != nil {
		panic(fmt.Sprintf("fake telegram: api.json: %v", err))
	}
	folded := make(map[string]fields, len(d.Methods))
	for name, params := range d.Methods {
		folded[lower(name)] = params
	}
	d.Methods = folded
	return d
})

// violations returns what of a call the API does not describe.
func (c *call) violations() []string {
	d := described10()
	known, ok := d.Methods[c.method]
	if !ok {
		return nil
	}
	var wrong []string
	for name, value := range c.params {
		f, ok := known[name]
		if !ok {
			wrong = append(wrong, "unknown parameter "+name)
			continue
		}
		if why := d.parameter(f, value); why != "" {
			wrong = append(wrong, name+why)
		}
	}
	for name, f := range known {
		_, ok := c.params[name]
		if ok = ok || c.upload != nil && c.upload.field == name; f.Required && !ok {
			wrong = append(wrong, fmt.Sprintf("required parameter %s is missing", name))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// parameter checks a value as it stands in a form: texts are bare, everything
// else is JSON. It returns what is wrong, or "".
func (d description) parameter(f field, value string) string {
	var first string
	for _, t := range f.Types {
		var why string
		switch {
		case t == "String" || t == "InputFile":
			why = f.text(value)
		case t == "Boolean" && (strings.EqualFold(value, "true") || strings.EqualFold(value, "false") || value == "0" || value == "1"):
		default:
			var v any
			if json.Unmarshal([]byte(value), &v) != nil {
				why = fmt.Sprintf(" is %.60q, want %s", value, t)
			} else {
				why = d.value(f, t, v)
			}
		}
		if why == "" {
			return ""
		}
		if first == "" {
			first = why
		}
	}
	return first
}

// value checks a decoded value against one type.
func (d description) value(f field, t string, v any) string {
	wrong := fmt.Sprintf(" is %.60v, want %s", v, t)
	if inner, ok := strings.CutPrefix(t, "Array of "); ok {
		list, ok := v.([]any)
		if !ok {
			return wrong
		}
		for i, one := range list {
			if why := d.value(field{}, inner, one); why != "" {
				return fmt.Sprintf("[%d]%s", i, why)
			}
		}
		return ""
	}
	switch t {
	case "String", "InputFile":
		if s, ok := v.(string); ok {
			return f.text(s)
		}
		return wrong
	case "Integer", "Float":
		if n, ok := v.(float64); ok && (t == "Float" || n == float64(int64(n))) {
			return ""
		}
		return wrong
	case "Boolean":
		if _, ok := v.(bool); ok {
			return ""
		}
		return wrong
	}
	return d.object(t, v)
}

// object checks a decoded value against a type of the API.
func (d description) object(t string, v any) string {
	o, known := d.Types[t]
	if !known {
		return " is a " + t + ", which this server does not know"
	}
	if o.oneOf != nil {
		var all []string
		for _, one := range o.oneOf {
			why := d.object(one, v)
			if why == "" {
				return ""
			}
			all = append(all, one+why)
		}
		return " is none of: " + strings.Join(all, "; ")
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprintf(" is %.60v, want %s", v, t)
	}
	for name, value := range m {
		f, ok := o.fields[name]
		if !ok {
			return fmt.Sprintf(" has the unknown field %s", name)
		}
		first := ""
		for i, one := range f.Types {
			why := d.value(f, one, value)
			if why == "" {
				first = ""
				break
			}
			if i == 0 {
				first = why
			}
		}
		if first != "" {
			return "." + name + first
		}
	}
	for name, f := range o.fields {
		if _, ok := m[name]; f.Required && !ok {
			return " lacks the field " + name
		}
	}
	return ""
}

// text checks a text's length, or its only value.
func (f field) text(s string) string {
	if f.Value != "" && s != f.Value {
		return fmt.Sprintf(" is %.60q, want %s", s, f.Value)
	}
	n, unit := utf8.RuneCountInString(s), "characters"
	if f.Bytes {
		n, unit = len(s), "bytes"
	}
	if f.Max > 0 && (n < f.Min || n > f.Max) {
		return " has " + strconv.Itoa(n) + " " + unit + fmt.Sprintf(", want %d to %d", f.Min, f.Max)
	}
	return ""
}
