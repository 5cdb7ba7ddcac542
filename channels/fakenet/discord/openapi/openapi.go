// Package openapi judges requests to Discord's REST API, and answers, by
// Discord's own OpenAPI document: unknown ways, missing and unknown fields, wrong
// types, values out of range, texts that are too long. It is for tests, of
// whatever calls the API and of the stand-in in the folder above, which does not
// use it and so cannot share a mistake with it.
//
// The document beside this file is cut down to the ways that the stand-in knows
// and to what requests and good answers need of it. Discord publishes it under the MIT licence
// as a preview of version 10; it says nothing about what Discord enforces
// without saying so, such as the limit of 2,000 characters for bots.
package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed discord.json
var document []byte

type spec struct {
	Paths   map[string]map[string]operation
	Schemas map[string]*schema
}

type operation struct {
	Parameters []parameter
	Required   bool     // the body is
	Types      []string // of the body
	Body       *schema
	Answers    map[string]*schema // by status; an empty one has no body
}

type parameter struct {
	Name, In string
	Required bool
	Schema   *schema
}

var load = sync.OnceValue(func() *spec {
	var s spec
	if err := json.Unmarshal(document, &s); err != nil {
		panic(fmt.Sprintf("openapi: discord.json: %v", err))
	}
	return &s
})

// A Request is what is judged.
type Request struct {
	Method string
	Path   string // below /api/v10, escaped or not
	Query  url.Values
	Header http.Header
	// Body is the JSON; of a multipart request it is the part payload_json.
	Body []byte
}

// Check returns what is wrong with r, or nothing.
func Check(r Request) []string {
	s := load()
	name, vars, ops := s.find(r.Path)
	if ops == nil {
		return []string{fmt.Sprintf("%s %s: no such path", r.Method, r.Path)}
	}
	op, ok := ops[r.Method]
	if !ok {
		return []string{fmt.Sprintf("%s %s: no such method", r.Method, name)}
	}
	ck := &checker{spec: s}
	ck.parameters(op, vars, r.Query)
	ck.body(op, r)
	for i, w := range ck.wrong {
		ck.wrong[i] = r.Method + " " + name + ": " + w
	}
	return ck.wrong
}

// CheckAnswer returns what is wrong with the body of a good answer, or nothing.
func CheckAnswer(method, path string, status int, body []byte) []string {
	s := load()
	name, _, ops := s.find(path)
	answer, ok := ops[method].Answers[strconv.Itoa(status)]
	if !ok {
		return []string{fmt.Sprintf("%s %s: the status %d is not described", method, path, status)}
	}
	ck := &checker{spec: s}
	empty := answer.Ref == "" && answer.Type == nil && len(answer.OneOf)+len(answer.AnyOf)+len(answer.AllOf) == 0
	switch v, err := decode(body); {
	case empty && len(body) > 0:
		ck.add("answer", "has a body")
	case empty:
	case err != nil:
		ck.add("answer", "is no JSON: %v", err)
	default:
		ck.value("answer", answer, v)
	}
	for i, w := range ck.wrong {
		ck.wrong[i] = method + " " + name + ": " + w
	}
	return ck.wrong
}

// decode reads JSON and keeps numbers as they are.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// find returns the path of the document that fits, with its variables. Literal
// steps win over variables.
func (s *spec) find(path string) (string, map[string]string, map[string]operation) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
	best, literal := "", -1
	var vars map[string]string
next:
	for name := range s.Paths {
		want := strings.Split(strings.Trim(name, "/"), "/")
		if len(want) != len(steps) {
			continue
		}
		found, same := make(map[string]string), 0
		for i, step := range want {
			value, err := url.PathUnescape(steps[i])
			switch {
			case err != nil:
				continue next
			case strings.HasPrefix(step, "{"):
				found[strings.Trim(step, "{}")] = value
			case step != value:
				continue next
			default:
				same++
			}
		}
		if same > literal {
			best, literal, vars = name, same, found
		}
	}
	return best, vars, s.Paths[best]
}

type checker struct {
	spec  *spec
	wrong []string
}

func (ck *checker) add(path, format string, args ...any) {
	ck.wrong = append(ck.wrong, path+" "+fmt.Sprintf(format, args...))
}

// parameters checks the variables of the path and the query.
func (ck *checker) parameters(op operation, vars map[string]string, query url.Values) {
	known := make(map[string]bool)
	for _, p := range op.Parameters {
		value, ok := vars[p.Name], true
		if p.In == "query" {
			known[p.Name] = true
			ok = query.Has(p.Name)
			value = query.Get(p.Name)
		}
		if !ok {
			if p.Required {
				ck.add(p.Name, "is missing in the query")
			}
			continue
		}
		ck.value(p.Name, p.Schema, ck.typed(p.Schema, value))
	}
	for name := range query {
		if !known[name] {
			ck.add(name, "is no parameter of the query")
		}
	}
}

// typed reads a text of an address as what the schema wants, if it can be.
func (ck *checker) typed(s *schema, value string) any {
	s = ck.resolve(s)
	for _, t := range s.types() {
		switch t {
		case "integer", "number":
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				return json.Number(value)
			}
		case "boolean":
			if value == "true" || value == "false" {
				return value == "true"
			}
		}
	}
	return value
}

// body checks the type and the content of the body.
func (ck *checker) body(op operation, r Request) {
	if len(r.Body) == 0 {
		if op.Required && op.Body != nil {
			ck.add("body", "is missing")
		}
		return
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case op.Body == nil:
		ck.add("body", "is not wanted")
		return
	case err != nil, !slices.Contains(op.Types, kind):
		ck.add("body", "has the type %q, want one of %v", r.Header.Get("Content-Type"), op.Types)
	}
	v, err := decode(r.Body)
	if err != nil {
		ck.add("body", "is no JSON: %v", err)
		return
	}
	ck.value("body", op.Body, v)
}
