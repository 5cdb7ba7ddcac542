package openapi

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A schema is the part of JSON Schema that the document uses.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any    // a string or a list of them
	Format     string
	Enum       []any
	Properties map[string]*schema
	Required   []string
	Additional json.RawMessage `json:"additionalProperties"` // false or a schema
	Items      *schema
	OneOf      []*schema
	AnyOf      []*schema
	AllOf      []*schema
	MinLength  *int
	MaxLength  *int
	MinItems   *int
	MaxItems   *int
	MaxProps   *int `json:"maxProperties"`
	Unique     bool `json:"uniqueItems"`
	Minimum    *json.Number
	Maximum    *json.Number
	Pattern    string
}

func (ck *checker) resolve(s *schema) *schema {
	for s.Ref != "" {
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		next, ok := ck.spec.Schemas[name]
		if !ok {
			panic(fmt.Sprintf("openapi: schema %s is missing in discord.json", name))
		}
		s = next
	}
	return s
}

func (s *schema) types() []string {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		var list []string
		for _, v := range t {
			if name, ok := v.(string); ok {
				list = append(list, name)
			}
		}
		return list
	}
	return nil
}

// value checks v, which stands at path, against s.
func (ck *checker) value(path string, s *schema, v any) {
	s = ck.resolve(s)
	for _, part := range s.AllOf {
		ck.part(path, part, v)
	}
	for _, choice := range [][]*schema{s.OneOf, s.AnyOf} {
		if len(choice) > 0 {
			ck.choice(path, choice, v)
		}
	}
	if types := s.types(); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return is(t, v) }) {
		ck.add(path, "is %s, want %s", kindOf(v), strings.Join(types, " or "))
		return
	}
	if len(s.Enum) > 0 && v != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(v) }) {
		ck.add(path, "is %v, want one of %v", v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		ck.text(path, s, v)
	case json.Number:
		ck.number(path, s, v)
	case []any:
		ck.list(path, s, v)
	case map[string]any:
		ck.object(path, s, v)
	}
}

// part checks v against one of several schemas that all hold; unknown fields
// are the business of the whole.
func (ck *checker) part(path string, s *schema, v any) {
	for _, w := range ck.try(path, s, v) {
		if !strings.HasSuffix(w, unknownField) {
			ck.wrong = append(ck.wrong, w)
		}
	}
}

// try checks v against s and returns what is wrong.
func (ck *checker) try(path string, s *schema, v any) []string {
	inner := &checker{spec: ck.spec}
	inner.value(path, s, v)
	return inner.wrong
}

// choice checks that v fits one of several schemas, and otherwise tells what is
// wrong with the one that was meant most likely.
func (ck *checker) choice(path string, choices []*schema, v any) {
	var best []string
	likely := -1
	for _, s := range choices {
		wrong := ck.try(path, s, v)
		if len(wrong) == 0 {
			return
		}
		if m := ck.meant(s, v); m > likely || m == likely && len(wrong) < len(best) {
			best, likely = wrong, m
		}
	}
	ck.wrong = append(ck.wrong, best...)
}

// meant says how likely v wants to be s: 2 by its field "type", 1 by its kind.
func (ck *checker) meant(s *schema, v any) int {
	s = ck.resolve(s)
	likely := 0
	if slices.ContainsFunc(s.types(), func(t string) bool { return is(t, v) }) {
		likely = 1
	}
	object, ok := v.(map[string]any)
	if kind := s.Properties["type"]; ok && kind != nil {
		same := func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(object["type"]) }
		if slices.ContainsFunc(ck.resolve(kind).Enum, same) {
			likely = 2
		}
	}
	return likely
}

func is(kind string, v any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

func kindOf(v any) string {
	for _, kind := range []string{"null", "string", "boolean", "integer", "number", "array", "object"} {
		if is(kind, v) {
			return kind
		}
	}
	return "nothing known"
}

var snowflake = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

func (ck *checker) text(path string, s *schema, v string) {
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		ck.add(path, "has %d characters, want at least %d", n, *s.MinLength)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		ck.add(path, "has %d characters, want at most %d", n, *s.MaxLength)
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			ck.add(path, "is %q and does not match %s", v, s.Pattern)
		}
	}
	ok := true
	switch s.Format {
	case "snowflake":
		ok = snowflake.MatchString(v)
	case "uri":
		u, err := url.Parse(v)
		ok = err == nil && u.Scheme != ""
	case "date-time":
		_, err := time.Parse(time.RFC3339, v)
		ok = err == nil
	}
	if !ok {
		ck.add(path, "is %q and no %s", v, s.Format)
	}
}

func (ck *checker) number(path string, s *schema, v json.Number) {
	n, ok := new(big.Float).SetString(v.String())
	if !ok {
		ck.add(path, "is the number %s, which cannot be read", v)
		return
	}
	for _, bound := range []struct {
		at   *json.Number
		sign int
		word string
	}{{s.Minimum, -1, "at least"}, {s.Maximum, 1, "at most"}} {
		if bound.at == nil {
			continue
		}
		if limit, ok := new(big.Float).SetString(bound.at.String()); ok && n.Cmp(limit) == bound.sign {
			ck.add(path, "is %s, want %s %s", v, bound.word, *bound.at)
		}
	}
}

func (ck *checker) list(path string, s *schema, v []any) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		ck.add(path, "has %d entries, want at least %d", len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		ck.add(path, "has %d entries, want at most %d", len(v), *s.MaxItems)
	}
	seen := make(map[string]bool)
	for i, item := range v {
		key := fmt.Sprintf("%T%v", item, item)
		if s.Unique && seen[key] {
			ck.add(path, "has %v twice", item)
		}
		seen[key] = true
		if s.Items != nil {
			ck.value(fmt.Sprintf("%s.%d", path, i), s.Items, item)
		}
	}
}

// unknownField ends what is said about a field that no schema names.
const unknownField = "is no field that Discord describes"

func (ck *checker) object(path string, s *schema, v map[string]any) {
	if s.MaxProps != nil && len(v) > *s.MaxProps {
		ck.add(path, "has %d fields, want at most %d", len(v), *s.MaxProps)
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			ck.add(path+"."+name, "is missing")
		}
	}
	var others *schema
	if len(s.Additional) > 0 && s.Additional[0] == '{' {
		others = &schema{}
		if err := json.Unmarshal(s.Additional, others); err != nil {
			panic(fmt.Sprintf("openapi: discord.json: %v", err))
		}
	}
	known := ck.fields(s)
	for name, value := range v {
		at := path + "." + name
		switch {
		case s.Properties[name] != nil:
			ck.value(at, s.Properties[name], value)
		case known[name]:
		case others != nil:
			ck.value(at, others, value)
		case len(known) > 0:
			ck.add(at, unknownField)
		}
	}
}

// fields are the names that s or the schemas inside it describe.
func (ck *checker) fields(s *schema) map[string]bool {
	known := make(map[string]bool)
	for name := range s.Properties {
		known[name] = true
	}
	for _, group := range [][]*schema{s.AllOf, s.OneOf, s.AnyOf} {
		for _, inner := range group {
			for name := range ck.fields(ck.resolve(inner)) {
				known[name] = true
			}
		}
	}
	return known
}
