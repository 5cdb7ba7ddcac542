package mattermost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mattermost/mattermost/server/public/model"
)

const (
	// maxAnswer bounds an answer: 200 posts of 16,383 runes each with what
	// belongs to them.
	maxAnswer = 32 << 20
	// maxRefusal bounds the answer that says why not.
	maxRefusal = 64 << 10
)

// A client calls the REST interface through the server's own client. It never
// repeats a request, follows no redirect, uses no proxy from the environment,
// and lets no error out that holds the token.
type client struct {
	base    string // without a slash at its end
	token   func() string
	timeout time.Duration
	http    *http.Client
	// ahead is by how much the server's clock is ahead of ours, in ms, as its last
	// answer said. Copies of a client share it.
	ahead *atomic.Int64
}

func newClient(base string, token func() string, timeout time.Duration) *client {
	return &client{
		base:    base,
		token:   token,
		timeout: timeout,
		ahead:   new(atomic.Int64),
		http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: bounded{&http.Transport{
				Proxy:                  nil,
				DialContext:            dialer().DialContext,
				TLSHandshakeTimeout:    10 * time.Second,
				ForceAttemptHTTP2:      true,
				MaxIdleConnsPerHost:    8,
				IdleConnTimeout:        45 * time.Second,
				MaxResponseHeaderBytes: 64 << 10,
				HTTP2:                  &http.HTTP2Config{SendPingTimeout: 20 * time.Second, PingTimeout: 10 * time.Second},
			}},
		},
	}
}

// bounded cuts refusals short, which the server's client reads whole.
type bounded struct{ *http.Transport }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.Transport.RoundTrip(req)
	if err == nil && resp.StatusCode/100 != 2 && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxRefusal), resp.Body}
	}
	return resp, err
}

func dialer() *net.Dialer { return &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second} }

// call carries out a method of the interface with in as its JSON body, unless
// that is nil, and decodes the answer into out, unless that is nil. Path begins
// after /api/v4. Every error is a *failure.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return &failure{op: op(method, path), kind: unreached, text: "the request cannot be written as JSON"}
		}
	}
	return c.exchange(ctx, method, "/api/v4"+path, "application/json", bytes.NewReader(body), out)
}

// exchange sends one request with a body and decodes the answer.
func (c *client) exchange(ctx context.Context, method, path, kind string, body io.Reader, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, f := c.open(ctx, method, path, kind, body)
	if f != nil {
		return f
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(raw) > maxAnswer {
		err = errTooLarge
	}
	if err != nil {
		f := &failure{op: op(method, path), token: fingerprint(c.token())}
		f.transport(ctx, err, true, c.token())
		return f
	}
	if out == nil {
		return nil
	}
	if json.Unmarshal(raw, out) != nil {
		return &failure{op: op(method, path), kind: garbled, code: resp.StatusCode, text: "not an answer of Mattermost"}
	}
	return nil
}

// open sends one request and returns the answer to it when it succeeded; the
// caller closes its body.
func (c *client) open(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, *failure) {
	token := c.token()
	f := &failure{op: op(method, path), token: fingerprint(token)}
	if !isToken(token) {
		f.kind, f.code, f.text = answered, http.StatusUnauthorized, "the token has not the form of an access token"
		return nil, f
	}
	if err := ctx.Err(); err != nil {
		f.kind, f.text, f.cause = unreached, "not begun", err
		return nil, f
	}
	var wrote atomic.Bool // something of the request may have left
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { wrote.Store(true) }}
	api := model.NewAPIv4Client(c.base)
	api.HTTPClient = c.http
	api.SetToken(token)
	headers := map[string]string{"User-Agent": "outheis"}
	if method != http.MethodGet && method != http.MethodDelete {
		headers["Content-Type"] = kind
	}
	resp, err := api.DoAPIRequestReader(httptrace.WithClientTrace(ctx, trace), method, c.base+path, body, headers)
	if resp != nil {
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			c.ahead.Store(date.UnixMilli() - time.Now().UnixMilli())
		}
	}
	switch {
	case resp == nil:
		f.transport(ctx, err, wrote.Load(), token)
		return nil, f
	case resp.StatusCode/100 == 2 && err == nil:
		return resp, nil
	}
	resp.Body.Close() // once more does no harm
	f.refused(resp, err, token)
	return nil, f
}

// refused fills f from an answer that is no success. Of what the server's
// client makes of it only the form of Mattermost's own refusals is used: other
// errors of it hold the whole answer.
func (f *failure) refused(resp *http.Response, err error, token string) {
	f.code = resp.StatusCode
	var said *model.AppError
	known := errors.As(err, &said) && said.Id != ""
	if known {
		f.id, f.text = safeText(said.Id, token), safeText(said.Message, token)
	}
	switch {
	case f.code == http.StatusTooManyRequests:
		f.kind, f.text = answered, "too many requests"
		f.retryAfter = waitAsked(resp.Header)
	case f.code >= 500 && f.code != http.StatusNotImplemented:
		f.kind = outage
		if !known {
			f.text = "the server is out of order"
		}
	case known:
		f.kind = answered
	case f.code >= 300 && f.code < 400:
		f.kind, f.text = foreign, "redirected to another address"
	case f.code == http.StatusRequestEntityTooLarge:
		f.kind, f.text = answered, "too large"
	default:
		f.kind, f.text = foreign, "not an answer of Mattermost"
	}
}

// waitAsked reads for how long the server wants nothing: at least a second, at
// most five minutes.
func waitAsked(h http.Header) time.Duration {
	for _, name := range []string{"Retry-After", "X-Ratelimit-Reset"} {
		if n, err := strconv.Atoi(h.Get(name)); err == nil && n > 0 {
			return min(time.Duration(n)*time.Second, 5*time.Minute)
		}
	}
	return time.Second
}

// errTooLarge ends the reading of an answer.
var errTooLarge = errors.New("the answer is too large")

// fingerprint tells tokens apart without keeping them.
func fingerprint(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
