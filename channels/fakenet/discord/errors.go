package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// An apiError is a refusal in the API's form.
type apiError struct {
	status  int
	code    int
	message string
	fields  []fieldError
	// limit is set for 429.
	limit *limitError
}

// A fieldError is what is wrong with one field; path is dotted, such as
// "components.0.components.1.custom_id".
type fieldError struct {
	path, code, message string
}

type limitError struct {
	after  float64 // seconds
	global bool
	scope  string // "user", "global" or "shared"
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.code, e.message) }

func badRequest(code int, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, code: code, message: message}
}

func forbidden(code int, message string) *apiError {
	return &apiError{status: http.StatusForbidden, code: code, message: message}
}

func notFound(code int, what string) *apiError {
	return &apiError{status: http.StatusNotFound, code: code, message: "Unknown " + what}
}

// invalidForm is the refusal of a body.
func invalidForm(fields ...fieldError) *apiError {
	return &apiError{status: http.StatusBadRequest, code: 50035, message: "Invalid Form Body", fields: fields}
}

func tooLong(path string, most int) fieldError {
	return fieldError{path, "BASE_TYPE_MAX_LENGTH", fmt.Sprintf("Must be %d or fewer in length.", most)}
}

func badLength(path string, least, most int) fieldError {
	return fieldError{path, "BASE_TYPE_BAD_LENGTH", fmt.Sprintf("Must be between %d and %d in length.", least, most)}
}

func required(path string) fieldError {
	return fieldError{path, "BASE_TYPE_REQUIRED", "This field is required"}
}

func notSnowflake(path, value string) fieldError {
	return fieldError{path, "NUMBER_TYPE_COERCE", fmt.Sprintf("Value %q is not snowflake.", value)}
}

// statusError is the refusal that Discord words after the HTTP status.
func statusError(status int) *apiError {
	return &apiError{status: status, message: fmt.Sprintf("%d: %s", status, http.StatusText(status))}
}

// body returns the error's JSON.
func (e *apiError) body() map[string]any {
	b := map[string]any{"message": e.message, "code": e.code}
	if e.limit != nil {
		b["retry_after"], b["global"] = e.limit.after, e.limit.global
		if e.code == 0 {
			delete(b, "code")
		}
	}
	if len(e.fields) == 0 {
		return b
	}
	tree := map[string]any{}
	for _, f := range e.fields {
		node := tree
		for _, step := range strings.Split(f.path, ".") {
			next, ok := node[step].(map[string]any)
			if !ok {
				next = map[string]any{}
				node[step] = next
			}
			node = next
		}
		list, _ := node["_errors"].([]any)
		node["_errors"] = append(list, map[string]any{"code": f.code, "message": f.message})
	}
	b["errors"] = tree
	return b
}

// writeError answers with err.
func writeError(w http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		panic(fmt.Sprintf("fake discord: unknown error %v", err))
	}
	if l := e.limit; l != nil {
		w.Header().Set("Retry-After", fmt.Sprint(int(l.after+0.999)))
		w.Header().Set("X-RateLimit-Scope", l.scope)
		if l.global {
			w.Header().Set("X-RateLimit-Global", "true")
		}
	}
	writeJSON(w, e.status, e.body())
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fake discord: answer: %v", err))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away gets no answer.
	_, _ = w.Write(b)
}
