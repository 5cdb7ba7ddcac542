package discord

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"outheis/channels"
)

const (
	// maxAnswer bounds an answer; a page of 100 messages with embeds stays well
	// below it.
	maxAnswer = 16 << 20
	userAgent = "DiscordBot (https://outheis.invalid, 1)"
)

// A client makes requests to the REST API. It never repeats one, follows no
// redirect, uses no proxy from the environment, and lets no error out that
// holds the token of the bot or of an interaction.
type client struct {
	base  string
	token func() string
	dated func(time.Time) // is told the server's time with every good answer
	http  *http.Client
}

func newClient(base string, token func() string, dated func(time.Time)) *client {
	return &client{
		base:  base,
		token: token,
		dated: dated,
		http: &http.Client{
			// A redirect could carry the token to somebody else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     channels.NewTransport(),
		},
	}
}

// tokenShape is what the developer portal gives out. Anything else could change
// the header that it becomes part of.
var tokenShape = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{8,256}$`)

// A call is one request.
type call struct {
	what   string // for errors, as "create message"
	method string
	path   string // below the base address; may hold secret
	secret string // the token of an interaction in path
	body   any    // JSON, or nil
	file   *filePart
}

// A filePart is the file that goes along with a body.
type filePart struct {
	name, mime string
	size       int64
	data       io.Reader
}

// A quota is what an answer says about the rate limit of its route.
type quota struct {
	known     bool
	remaining int
	reset     time.Duration
}

// do carries out k and decodes the answer into result, unless that is nil.
// Every error is a *failure.
func (c *client) do(ctx context.Context, k call, result any) (quota, error) {
	token := c.token()
	f := &failure{what: k.what, token: fingerprint(token)}
	if !tokenShape.MatchString(token) {
		f.kind, f.status, f.text = answered, http.StatusUnauthorized, "the token has not the form that the developer portal gives out"
		return quota{}, f
	}
	if err := ctx.Err(); err != nil {
		f.kind, f.text, f.cause = unreached, "not begun", err
		return quota{}, f
	}
	secrets := []string{token, k.secret}
	req, err := c.request(ctx, k)
	if err != nil {
		f.kind, f.text = unreached, channels.Scrub(err.Error(), secrets...)
		return quota{}, f
	}
	req.Header.Set("Authorization", "Bot "+token)
	// With a connection at hand the request is written at once, by another
	// goroutine; how much of it left cannot be told for sure afterwards.
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { wrote.Store(true) }}
	resp, err := c.http.Do(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		f.transport(ctx, err, wrote.Load(), secrets...)
		return quota{}, f
	}
	defer resp.Body.Close()
	body, err := readAll(resp.Body, maxAnswer)
	if err != nil {
		f.transport(ctx, err, true, secrets...)
		return quota{}, f
	}
	q := readQuota(resp.Header)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		f.refused(resp, body, secrets...)
		return q, f
	}
	if result != nil && json.Unmarshal(body, result) != nil {
		f.kind, f.text = garbled, "the answer has an unknown form"
		return q, f
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		c.dated(date)
	}
	return q, nil
}

// request builds the HTTP request of k.
func (c *client) request(ctx context.Context, k call) (*http.Request, error) {
	var body io.Reader
	kind := "application/json"
	var length int64
	if k.body != nil {
		b, err := json.Marshal(k.body)
		if err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		body, length = bytes.NewReader(b), int64(len(b))
		if k.file != nil {
			if body, length, kind, err = withFile(b, k.file); err != nil {
				return nil, err
			}
		}
	}
	req, err := http.NewRequestWithContext(ctx, k.method, c.base+k.path, body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = length
	req.Header.Set("User-Agent", userAgent)
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	return req, nil
}

var quotes = strings.NewReplacer(`\`, "_", `"`, "_", "\r", "_", "\n", "_", "/", "_", "\x00", "_")

// withFile returns the multipart form of a JSON body and a file. The file is
// read while it is sent and never held whole.
func withFile(payload []byte, f *filePart) (io.Reader, int64, string, error) {
	var head, tail bytes.Buffer
	w := multipart.NewWriter(&head)
	field := func(name, file, kind string) error {
		h := make(textproto.MIMEHeader)
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"`, name))
		if file != "" {
			h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`, name, quotes.Replace(file)))
		}
		h.Set("Content-Type", kind)
		_, err := w.CreatePart(h)
		return err
	}
	if err := field("payload_json", "", "application/json"); err != nil {
		return nil, 0, "", err
	}
	head.Write(payload)
	if err := field("files[0]", f.name, mimeOr(f.mime)); err != nil {
		return nil, 0, "", err
	}
	fmt.Fprintf(&tail, "\r\n--%s--\r\n", w.Boundary())
	length := int64(head.Len()) + f.size + int64(tail.Len())
	return io.MultiReader(&head, io.LimitReader(f.data, f.size), &tail), length, w.FormDataContentType(), nil
}

var mimeShape = regexp.MustCompile(`^[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,80}$`)

func mimeOr(s string) string {
	if mimeShape.MatchString(s) {
		return s
	}
	return "application/octet-stream"
}

// errTooLarge ends the reading of an answer.
var errTooLarge = errors.New("the answer is too large")

func readAll(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = errTooLarge
	}
	return b, err
}

// readQuota reads the X-RateLimit headers.
func readQuota(h http.Header) quota {
	remaining, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if err != nil {
		return quota{}
	}
	reset, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64)
	if err != nil {
		return quota{}
	}
	return quota{known: true, remaining: remaining, reset: seconds(reset)}
}

// fingerprint tells tokens apart without keeping them.
func fingerprint(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
