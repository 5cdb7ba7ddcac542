package openapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"outheis/channels/fakenet/discord/openapi"
)

func request(method, path, body string) openapi.Request {
	return openapi.Request{Method: method, Path: path, Body: []byte(body), Header: http.Header{"Content-Type": {"application/json"}}}
}

func TestGoodRequests(t *testing.T) {
	for _, r := range []openapi.Request{
		request("POST", "/channels/1/messages", `{"content":"Hallo","nonce":"k1","enforce_nonce":true,"allowed_mentions":{"parse":[]},"flags":4,"message_reference":{"message_id":"5","fail_if_not_exists":false}}`),
		request("POST", "/channels/1/messages", `{"components":[{"type":1,"components":[{"type":2,"style":2,"label":"Ja","custom_id":"ja"}]}],"content":"x"}`),
		request("PATCH", "/channels/1/messages/2", `{"content":"neu","components":[]}`),
		request("POST", "/channels/1/typing", ""),
		request("PUT", "/channels/1/messages/2/reactions/%F0%9F%91%8D/@me", ""),
		request("POST", "/interactions/5/tok/callback", `{"type":5,"data":{"flags":64}}`),
		request("POST", "/interactions/5/tok/callback", `{"type":6}`),
		request("PATCH", "/webhooks/1/tok/messages/@original", `{"content":"fertig"}`),
		request("PUT", "/applications/1/commands", `[{"name":"frage","description":"fragt","options":[{"type":3,"name":"text","description":"die Frage","required":true}]}]`),
		request("POST", "/users/@me/channels", `{"recipient_id":"1001"}`),
		{Method: "GET", Path: "/channels/1/messages", Query: url.Values{"after": {"5"}, "limit": {"100"}}},
		{Method: "GET", Path: "/users/@me"},
		{Method: "GET", Path: "/gateway/bot"},
	} {
		if wrong := openapi.Check(r); len(wrong) > 0 {
			t.Errorf("%s %s %s: %v", r.Method, r.Path, r.Body, wrong)
		}
	}
}

func TestBadRequests(t *testing.T) {
	for _, tt := range []struct {
		want string
		r    openapi.Request
	}{
		{"no such path", request("GET", "/nix", "")},
		{"no such method", request("DELETE", "/users/@me", "")},
		{"content is integer, want string", request("POST", "/channels/1/messages", `{"content":5}`)},
		{"content has 4001 characters", request("POST", "/channels/1/messages", `{"content":"`+strings.Repeat("ä", 4001)+`"}`)},
		{"body.inhalt is no field", request("POST", "/channels/1/messages", `{"inhalt":"x"}`)},
		{"nonce has 26 characters", request("POST", "/channels/1/messages", `{"nonce":"`+strings.Repeat("n", 26)+`"}`)},
		{"custom_id has 101 characters", request("POST", "/channels/1/messages", `{"components":[{"type":1,"components":[{"type":2,"style":2,"label":"Ja","custom_id":"`+strings.Repeat("i", 101)+`"}]}]}`)},
		{"style is missing", request("POST", "/channels/1/messages", `{"components":[{"type":1,"components":[{"type":2,"label":"Ja"}]}]}`)},
		{"has 6 entries, want at most 5", request("POST", "/channels/1/messages", `{"components":[{"type":1,"components":[`+strings.TrimSuffix(strings.Repeat(`{"type":2,"style":2,"label":"Ja"},`, 6), ",")+`]}]}`)},
		{"parse.0 is alle, want one of", request("POST", "/channels/1/messages", `{"allowed_mentions":{"parse":["alle"]}}`)},
		{"message_id is missing", request("POST", "/channels/1/messages", `{"message_reference":{}}`)},
		{`"abc" and`, request("POST", "/users/@me/channels", `{"recipient_id":"abc"}`)},
		{"body is missing", request("PUT", "/applications/1/commands", "")},
		{"body is no JSON", request("POST", "/users/@me/channels", `{`)},
		{"body is not wanted", request("POST", "/channels/1/typing", `{}`)},
		{"channel_id is", request("POST", "/channels/abc/typing", "")},
		{"limit is 101, want at most 100", openapi.Request{Method: "GET", Path: "/channels/1/messages", Query: url.Values{"limit": {"101"}}}},
		{"seit is no parameter", openapi.Request{Method: "GET", Path: "/channels/1/messages", Query: url.Values{"seit": {"1"}}}},
		{"has the type", openapi.Request{Method: "POST", Path: "/users/@me/channels", Body: []byte(`{"recipient_id":"1"}`), Header: http.Header{"Content-Type": {"text/plain"}}}},
		{"name has 33 characters", request("PUT", "/applications/1/commands", `[{"name":"`+strings.Repeat("n", 33)+`","description":"x"}]`)},
	} {
		wrong := openapi.Check(tt.r)
		if !strings.Contains(strings.Join(wrong, "\n"), tt.want) {
			t.Errorf("%s %s %.80s: %v, want %q", tt.r.Method, tt.r.Path, tt.r.Body, wrong, tt.want)
		}
	}
}

func FuzzCheckNeverPanics(f *testing.F) {
	f.Add("POST", "/channels/1/messages", `{"content":"x"}`)
	f.Add("PUT", "/applications/1/commands", `[{"name":null,"options":[{}]}]`)
	f.Add("POST", "/interactions/1/t/callback", `{"type":4,"data":{"components":[{"type":17,"components":[{"type":9}]}]}}`)
	f.Fuzz(func(t *testing.T, method, path, body string) {
		for _, w := range openapi.Check(request(method, path, body)) {
			if !strings.HasPrefix(w, method+" ") {
				t.Errorf("%q does not name the request", w)
			}
		}
	})
}
