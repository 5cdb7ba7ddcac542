package telegram

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"outheis/channels"
)

const (
	// maxAnswer bounds an answer; a batch of 100 updates has at most 6.4 MB on
	// Telegram's own server.
	maxAnswer = 16 << 20
	// maxSmallAnswer bounds the answer to anything but a request for updates.
	maxSmallAnswer = 1 << 20
)

// A client calls methods of the Bot API. It never repeats a request, follows
// no redirect, uses no proxy from the environment, and lets no error out that
// holds the token.
type client struct {
	endpoint string // with a place for the token and one for the method
	files    string // with a place for the token and one for the path
	token    func() string
	http     *http.Client
	dated    func(time.Time) // gets the server's time with each result; nil for nobody
}

func newClient(base string, token func() string) *client {
	return &client{
		endpoint: strings.ReplaceAll(base, "%", "%%") + "/bot%s/%s",
		files:    strings.ReplaceAll(base, "%", "%%") + "/file/bot%s/%s",
		token:    token,
		http: &http.Client{
			// A redirect would carry the address, and with it the token, in Referer.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     channels.NewTransport(),
		},
	}
}

// tokenShape is what BotFather gives out. Anything else could change the
// address that it becomes part of.
var tokenShape = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,200}$`)

// params are the parameters of a call; objects are JSON.
type params map[string]string

// call carries out method and decodes its result into result, unless that is
// nil. Every error is a *failure.
func (c *client) call(ctx context.Context, method string, p params, result any) error {
	token, f := c.begin(ctx, method)
	if f.code != 0 || f.cause != nil {
		return f
	}
	x := &exchange{ctx: ctx, http: c.http, limit: maxSmallAnswer}
	if method == "getUpdates" {
		x.limit = maxAnswer
	}
	bot := tgbotapi.BotAPI{Token: token, Client: x}
	bot.SetAPIEndpoint(c.endpoint)
	response, err := bot.MakeRequest(method, tgbotapi.Params(p))
	if err := f.settle(x, token, response, err, result); err != nil {
		return err
	}
	if c.dated != nil && !x.date.IsZero() {
		c.dated(x.date)
	}
	return nil
}

// begin returns the token and the failure of a call of method, which already
// says why the call cannot begin: by its code when the token has no valid form,
// by its cause when ctx has ended.
func (c *client) begin(ctx context.Context, method string) (string, *failure) {
	token := c.token()
	f := &failure{method: method, token: fingerprint(token)}
	if !tokenShape.MatchString(token) {
		f.kind, f.code, f.text = answered, http.StatusUnauthorized, "the token has not the form that BotFather gives out"
	} else if err := ctx.Err(); err != nil {
		f.kind, f.text, f.cause = unreached, "not begun", err
	}
	return token, f
}

// settle says what became of a call: it decodes the result into result, unless
// that is nil, and returns nil, or f.
func (f *failure) settle(x *exchange, token string, response *tgbotapi.APIResponse, err error, result any) error {
	if x.err != nil {
		f.transport(x, token)
		return f
	}
	var refused *tgbotapi.Error
	switch {
	case err == nil && response != nil && response.Ok:
		if result == nil {
			return nil
		}
		if json.Unmarshal(response.Result, result) == nil {
			return nil
		}
		f.kind, f.text, f.body = garbled, "the result has an unknown form", x.body
	case errors.As(err, &refused) && refused.Code != 0:
		f.kind, f.code, f.text = answered, refused.Code, channels.Scrub(refused.Message, token)
		f.retryAfter = time.Duration(refused.RetryAfter) * time.Second
		f.moved = refused.MigrateToChatID
		if f.code >= 500 {
			f.kind = outage
		}
	default:
		f.unknown(x)
	}
	return f
}

// An exchange is one request and its answer. It stands between the library
// and the network to learn what the library does not tell.
type exchange struct {
	ctx   context.Context
	http  *http.Client
	limit int64

	wrote  atomic.Bool // something of the request may have left
	status int
	date   time.Time // of the server; zero when it names none
	body   []byte
	err    error
}

// errTooLarge ends the reading of an answer.
var errTooLarge = errors.New("the answer is too large")

// open carries req out and returns the answer unread.
func (x *exchange) open(req *http.Request) (*http.Response, error) {
	// With a connection at hand the request is written at once, by another
	// goroutine; how much of it left cannot be told for sure afterwards.
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.wrote.Store(true) }}
	req = req.WithContext(httptrace.WithClientTrace(x.ctx, trace))
	req.Header.Set("User-Agent", "outheis")
	return x.http.Do(req)
}

// Do implements [tgbotapi.HTTPClient].
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.open(req)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer resp.Body.Close()
	x.status = resp.StatusCode
	x.date, _ = http.ParseTime(resp.Header.Get("Date"))
	x.body, err = io.ReadAll(io.LimitReader(resp.Body, x.limit+1))
	if err == nil && int64(len(x.body)) > x.limit {
		err = errTooLarge
	}
	if err != nil {
		x.err = err
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.body))
	return resp, nil
}

// fingerprint tells tokens apart without keeping them.
func fingerprint(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
