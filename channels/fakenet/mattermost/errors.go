package mattermost

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// An apiError is a refusal in the API's form.
type apiError struct {
	status  int
	id      string
	message string
	detail  string
}

func (e *apiError) Error() string { return e.id }

func refuse(status int, id, format string, args ...any) *apiError {
	return &apiError{status: status, id: id, message: fmt.Sprintf(format, args...)}
}

func noPermission() *apiError {
	return refuse(http.StatusForbidden, "api.context.permissions.app_error", "You do not have the appropriate permissions.")
}

func expired() *apiError {
	return refuse(http.StatusUnauthorized, "api.context.session_expired.app_error", "Invalid or expired session, please login again.")
}

func badParam(name string) *apiError {
	return refuse(http.StatusBadRequest, "api.context.invalid_url_param.app_error", "Invalid or missing %s parameter in request URL.", name)
}

func badBody(name string) *apiError {
	return refuse(http.StatusBadRequest, "api.context.invalid_body_param.app_error", "Invalid or missing %s in request body.", name)
}

func unknownPost() *apiError {
	return refuse(http.StatusNotFound, "app.post.get.app_error", "Unable to get the post.")
}

func unknownChannel(id string) *apiError {
	return refuse(http.StatusNotFound, "app.channel.get.existing.app_error", "Unable to find the existing channel %s.", id)
}

func unknownUser() *apiError {
	return refuse(http.StatusNotFound, "app.user.missing_account.const", "Unable to find the user.")
}

// statusOK is what calls without a result answer.
var statusOK = map[string]string{"status": "OK"}

// accepted is a result with a status other than 200.
type accepted struct {
	status int
	body   any
}

// write sends result or err.
func write(w http.ResponseWriter, result any, err error) {
	var e *apiError
	switch {
	case errors.Is(err, errTooMany{}):
		http.Error(w, "limit exceeded", http.StatusTooManyRequests)
	case errors.As(err, &e):
		body := map[string]any{"id": e.id, "message": e.message, "detailed_error": e.detail, "status_code": e.status}
		if id := w.Header().Get("X-Request-Id"); id != "" && e.id != "api.context.404.app_error" {
			body["request_id"] = id
		}
		writeJSON(w, e.status, body)
	case err != nil:
		panic(fmt.Sprintf("fake mattermost: unknown error %v", err))
	default:
		switch r := result.(type) {
		case accepted:
			writeJSON(w, r.status, r.body)
		case *file:
			r.serve(w)
		case plain:
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte(r)) // a client that went away gets no answer
		default:
			writeJSON(w, http.StatusOK, result)
		}
	}
}

// plain is an answer that is no JSON.
type plain string

func writeJSON(w http.ResponseWriter, status int, v any) {
	b := mustJSON(v)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // a client that went away gets no answer
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fake mattermost: encode: %v", err))
	}
	return b
}
