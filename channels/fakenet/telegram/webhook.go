package telegram

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// A webhook is where the server brings updates instead of waiting for
// getUpdates. It brings them one after the other, each again until it is
// answered with 2xx.
type webhook struct {
	url       string
	secret    string
	lastError string
	failed    time.Time
	cancel    context.CancelFunc // ends the goroutine that brings updates
	brought   int                // how many tries there were
}

var secretShape = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

const maxRetryPause = 50 * time.Millisecond

// Proxy makes the server reach every webhook at base, as "http://127.0.0.1:9",
// whatever its address says: it stands for the reverse proxy, with its
// certificate, that the real server needs in front of a bot.
func (s *Server) Proxy(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proxy = base
	s.beginWebhook()
}

// Webhook returns the address that the bot has set, or "", and how often the
// server tried to bring an update there.
func (s *Server) Webhook() (address string, tries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.webhook.url, s.webhook.brought
}

func (s *Server) setWebhook(c *call) (any, error) {
	target := c.params["url"]
	if target == "" {
		return s.deleteWebhook(c)
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return nil, badRequest("bad webhook: invalid webhook URL specified")
	}
	if u.Scheme != "https" {
		return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	}
	secret := c.params["secret_token"]
	if secret != "" && !secretShape.MatchString(secret) {
		return nil, badRequest("secret token contains unallowed characters")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allow(c.params["allowed_updates"])
	if c.flag("drop_pending_updates") {
		s.queue.updates = nil
	}
	if s.webhook.url == target && s.webhook.secret == secret {
		return described{true, "Webhook is already set"}, nil
	}
	s.endWebhook()
	s.webhook = webhook{url: target, secret: secret, brought: s.webhook.brought}
	s.abortPoll("Conflict: terminated by setWebhook request")
	s.beginWebhook()
	return described{true, "Webhook was set"}, nil
}

func (s *Server) deleteWebhook(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.flag("drop_pending_updates") {
		s.queue.updates = nil
	}
	if s.webhook.url == "" {
		return described{true, "Webhook is already deleted"}, nil
	}
	s.endWebhook()
	s.webhook = webhook{brought: s.webhook.brought}
	s.wake()
	return described{true, "Webhook was deleted"}, nil
}

func (s *Server) getWebhookInfo(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := map[string]any{"url": s.webhook.url, "has_custom_certificate": false, "pending_update_count": len(s.queue.updates)}
	if s.webhook.lastError != "" {
		info["last_error_date"], info["last_error_message"] = s.webhook.failed.Unix(), s.webhook.lastError
	}
	return info, nil
}

// beginWebhook starts to bring updates, unless the server is down. The caller
// holds mu.
func (s *Server) beginWebhook() {
	if s.webhook.url == "" || s.http == nil || s.webhook.cancel != nil || s.proxy == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.webhook.cancel = cancel
	s.running++
	go func() {
		defer s.done()
		s.bring(ctx)
	}()
}

// endWebhook stops bringing updates; done tells when it has stopped. The
// caller holds mu.
func (s *Server) endWebhook() {
	if s.webhook.cancel != nil {
		s.webhook.cancel()
		s.webhook.cancel = nil
	}
}

// bring brings updates until ctx ends.
func (s *Server) bring(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	pause := time.Millisecond
	for ctx.Err() == nil {
		s.mu.Lock()
		changed, target, secret, proxy := s.changed, s.webhook.url, s.webhook.secret, s.proxy
		var next *update
		if len(s.queue.updates) > 0 {
			next = &s.queue.updates[0]
			copied := *next
			next = &copied
		}
		s.mu.Unlock()
		if next == nil {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		why := s.bringOne(func() string { return post(ctx, client, proxy, target, secret, next.raw) })
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		s.webhook.brought++
		if why == "" {
			pause = time.Millisecond
			s.confirm(next.id + 1)
		} else {
			s.webhook.lastError, s.webhook.failed = why, s.opts.Now()
		}
		s.wake()
		s.mu.Unlock()
		if why != "" {
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, maxRetryPause)
		}
	}
}

// bringOne brings one update, unless a [Fault] of the method "webhook" wants
// something else: CutAfter loses the answer, and every other the request.
func (s *Server) bringOne(post func() string) string {
	f := s.takeFault(&call{method: "webhook"})
	if f == nil {
		return post()
	}
	if f.Kind == CutAfter || f.Kind == Late || f.Kind == Garbage {
		post()
	}
	return "Connection reset by peer"
}

// post brings one update and returns why it was not taken, or "".
func post(ctx context.Context, client *http.Client, proxy, target, secret, raw string) string {
	u, err := url.Parse(target)
	if err != nil {
		return "bad address"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, proxy+u.EscapedPath(), bytes.NewReader([]byte(raw)))
	if err != nil {
		return "bad address"
	}
	req.Host = u.Host
	req.Header.Set("Content-Type", "application/json")
	if secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "Connection refused"
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode/100 != 2 {
		return "Wrong response from the webhook: " + resp.Status
	}
	return ""
}
