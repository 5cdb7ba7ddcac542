package channels

import (
	"net"
	"net/http"
	"time"
)

// NewTransport returns a transport for the API of a network, with which a
// request carries a secret: no proxy of the environment learns of it, nothing
// hangs for ever before a connection stands, and a connection that swallows
// packets is found out. The caller bounds each request with a context, follows no
// redirect, and closes the idle connections in the end.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        45 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 20 * time.Second, PingTimeout: 10 * time.Second},
	}
}
