package channels_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"outheis/channels"
)

// A proxy of the environment would see where a request goes and, without TLS,
// the secret that it carries.
func TestTransportUsesNoProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	tr := channels.NewTransport()
	defer tr.CloseIdleConnections()
	if tr.Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	resp, err := (&http.Client{Transport: tr}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}
