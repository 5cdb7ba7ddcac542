package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"outheis/channels"
)

// A Webhook is where Telegram brings updates, instead of being asked for them.
// Telegram reaches URL, which needs a certificate that it trusts; a reverse
// proxy there passes the requests on to Listen.
// Several files that are sent at once are then messages of their own, since
// Telegram brings each only after the one before was acknowledged.
type Webhook struct {
	// URL is the address as Telegram reaches it: https, on port 443, 80, 88 or
	// 8443.
	URL string
	// Listen is the host and port on this machine.
	Listen string
	// Secret returns what Telegram has to show with each request: 1 to 256
	// letters, digits, - and _. It is asked before each request.
	Secret func() string
}

const (
	// webhookBody bounds the body of a request; an update has at most 64 KB.
	webhookBody = 1 << 20
	// webhookPatience is how long the handing over of an update is tried before
	// Telegram is asked to bring it again.
	webhookPatience = 20 * time.Second
	// webhookProbe is how often Telegram is asked how the webhook stands.
	webhookProbe = 30 * time.Second
	// webhookConnections is how many updates Telegram brings at the same time:
	// those of a chat one after the other.
	webhookConnections = 16
	secretHeader       = "X-Telegram-Bot-Api-Secret-Token"
	// ourMark, in the query of a webhook's address, says that outheis has set it
	// and may remove it when it polls again.
	ourMark = "by=outheis"
)

var secretShape = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// check refuses what Telegram would not take.
func (w *Webhook) check() error {
	u, err := url.Parse(w.URL)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "":
		return errors.New("webhook: the address must begin with https://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("webhook: the address must not hold a user, a query or a fragment")
	case w.Secret == nil:
		return errors.New("webhook: a secret is required")
	}
	if _, _, err := net.SplitHostPort(w.Listen); err != nil {
		return errors.New("webhook: listen: not host:port")
	}
	return nil
}

// marked returns the address that is set.
func (w *Webhook) marked() string { return w.URL + "?" + ourMark }

// ours reports whether outheis has set a webhook's address, whatever account
// or configuration it had then.
func ours(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.RawQuery == ourMark
}

// webhookInfo is how the webhook stands.
type webhookInfo struct {
	URL       string `json:"url"`
	Pending   int    `json:"pending_update_count"`
	LastError string `json:"last_error_message"`
	ErrorDate int64  `json:"last_error_date"`
}

// A hook is the state of one Run with a webhook.
type hook struct {
	c      *Channel
	in     channels.Deliver
	who    *poller // knows who we are
	secret [sha256.Size]byte
	slots  chan struct{}
	// brought is when Telegram last brought something, in Unix seconds of our clock.
	brought atomic.Int64
}

// runWebhook listens, tells Telegram where, and watches over it until ctx ends.
func (c *Channel) runWebhook(ctx context.Context, in channels.Deliver) error {
	c.health.start(c.opts.Now())
	h := &hook{c: c, in: in, who: newPoller(c, in), slots: make(chan struct{}, 2*webhookConnections)}
	wait := c.opts.Retry
	for {
		err := h.who.identify(ctx)
		if err == nil {
			break
		}
		if end := h.failed(ctx, err, &wait); end != nil {
			return end
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.opts.Webhook.Listen)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.health.fail(c.opts.Now(), troubleListen, &failure{text: err.Error()})
		return &channels.SendError{Class: channels.Misconfigured, Remedy: c.texts.Say("telegram.listen_remedy"), Err: fmt.Errorf("telegram: webhook: %w", err)}
	}
	server := &http.Server{
		Handler: http.HandlerFunc(h.serve), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: webhookPatience + 10*time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	c.bound(l.Addr().String())
	err = h.watch(ctx)
	// Requests at work end with ctx; those that wait are cut, and come again.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(stop) != nil {
		server.Close()
	}
	<-served
	return err
}

// bound notes where the webhook listens, for an address with port 0.
func (c *Channel) bound(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listens = address
}

// watch sets the webhook, and again when somebody else has changed it or the
// secret is another. It returns ctx's error, or a SendError that no waiting can
// cure.
func (h *hook) watch(ctx context.Context) error {
	wait := h.c.opts.Retry
	for {
		err := h.probe(ctx)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err != nil {
			if end := h.failed(ctx, err, &wait); end != nil {
				return end
			}
			continue
		}
		wait.Reset()
		if err := channels.Pause(ctx, h.c.probe); err != nil {
			return err
		}
	}
}

// probe asks Telegram how the webhook stands, and sets it where it has to be.
func (h *hook) probe(ctx context.Context) error {
	c := h.c
	if err := h.who.identify(ctx); err != nil {
		return err
	}
	var info webhookInfo
	if err := c.ask(ctx, "getWebhookInfo", nil, &info); err != nil {
		return err
	}
	secret := c.opts.Webhook.Secret()
	if !secretShape.MatchString(secret) {
		return &channels.SendError{Class: channels.Misconfigured, Remedy: c.texts.Say("telegram.secret_remedy"), Err: errors.New("telegram: webhook: the secret has no valid form")}
	}
	first := h.secret == [sha256.Size]byte{}
	if now := fingerprint(secret); info.URL != c.opts.Webhook.marked() || h.secret != now {
		if !first && info.URL != c.opts.Webhook.marked() {
			c.health.conflict(c.opts.Now())
			c.log.Warn("webhook was changed by another program", "remedy", c.texts.Say("telegram.conflict_remedy"))
		}
		if err := c.ask(ctx, "setWebhook", params{
			"url": c.opts.Webhook.marked(), "secret_token": secret, "allowed_updates": wantedUpdates,
			"max_connections": strconv.Itoa(webhookConnections),
		}, nil); err != nil {
			return err
		}
		h.secret = now
		c.log.Info("webhook is set")
	}
	// The time of the error is Telegram's; ours may be another.
	failing := info.Pending > 0 && info.LastError != "" && c.health.clock(c.opts.Now()).Sub(time.Unix(info.ErrorDate, 0)) < 2*time.Minute
	if failing && !first && c.health.clock(time.Unix(h.brought.Load(), 0)).Unix() <= info.ErrorDate {
		c.health.fail(c.opts.Now(), troubleHook, &failure{text: channels.Scrub(info.LastError, c.opts.Token())})
		return nil
	}
	c.health.receive(c.opts.Now())
	return nil
}

// failed notes why something went wrong and waits. It returns an error when no
// waiting can help, or when ctx has ended.
func (h *hook) failed(ctx context.Context, err error, wait *channels.Backoff) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	c := h.c
	switch {
	case f.wrongToken():
		return h.who.failed(ctx, err)
	case f.kind == answered && f.code == http.StatusBadRequest && f.method == "setWebhook":
		c.health.fail(c.opts.Now(), troubleHook, f)
		return &channels.SendError{Class: channels.Misconfigured, Remedy: c.texts.Say("telegram.hook_remedy"), Err: f}
	}
	if c.health.fail(c.opts.Now(), trouble(f), f) {
		c.log.Warn("webhook cannot be watched", "err", f, "remedy", c.Health().Remedy)
	}
	if f.retryAfter > 0 {
		return channels.Pause(ctx, f.retryAfter)
	}
	return wait.Wait(ctx)
}

// serve takes one update. Who cannot show the secret is refused before anything
// of the body is read; 200 says that the update is stored.
func (h *hook) serve(w http.ResponseWriter, r *http.Request) {
	shown := r.Header.Values(secretHeader)
	want := fingerprint(h.c.opts.Webhook.Secret())
	got := sha256.Sum256([]byte(strings.Join(shown, "\x00")))
	if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || len(shown) != 1 || shown[0] == "" {
		w.Header().Set("Connection", "close")
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		if n := h.c.strangers.Add(1); n&(n-1) == 0 { // the 1st, 2nd, 4th, 8th …
			h.c.log.Warn("request without the webhook's secret refused", "count", n)
		}
		return
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	case err != nil || kind != "application/json":
		http.Error(w, "only application/json", http.StatusUnsupportedMediaType)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, webhookBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		} else {
			http.Error(w, "the body did not come", http.StatusBadRequest)
		}
		return
	}
	if err := h.take(r.Context(), body); err != nil {
		http.Error(w, "not stored", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// take hands an update over and returns nil when it is durable. What cannot be
// understood is skipped: it would come again for ever.
func (h *hook) take(ctx context.Context, raw []byte) error {
	h.c.health.receive(h.c.opts.Now())
	h.brought.Store(h.c.opts.Now().Unix())
	id, err := updateID(json.RawMessage(raw))
	if err != nil {
		h.c.log.Error("unreadable update skipped", "err", err)
		return nil
	}
	d, ok := h.c.read(h.who.me(), id, raw)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, webhookPatience)
	defer cancel()
	return h.who.hand(ctx, d)
}
