package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"outheis/channels"
)

// Sizes that Discord takes of a bot, by the premium tier of the guild
// (discord/discord-api-docs#8572).
const (
	mostFile  = 10 << 20
	mostTier2 = 50 << 20
	mostTier3 = 100 << 20
)

// fileHosts are where Discord keeps attachments.
var fileHosts = map[string]bool{"cdn.discordapp.com": true, "media.discordapp.net": true}

// Fetch implements [channels.Fetcher]. The addresses of attachments expire, so
// that the message is read again; what was deleted is Refused.
func (c *Channel) Fetch(ctx context.Context, f channels.File, most int64) (io.ReadCloser, error) {
	part := strings.Split(f.Ref, "/")
	if len(part) != 3 {
		return nil, refusedFile(errors.New("discord: the file is not one of Discord"))
	}
	for _, id := range part {
		if _, err := parseID(id); err != nil {
			return nil, refusedFile(fmt.Errorf("discord: the file is not one of Discord: %w", err))
		}
	}
	var m message
	if err := c.get(ctx, "read the message of a file", "/channels/"+part[0]+"/messages/"+part[1], &m); err != nil {
		return nil, c.fetchError(err)
	}
	for _, a := range m.Attachments.value {
		if a.ID != part[2] {
			continue
		}
		if a.Size.value > most {
			return nil, refusedFile(fmt.Errorf("discord: the file has %d bytes, more than %d", a.Size.value, most))
		}
		body, err := c.download(ctx, a.URL.value)
		if err != nil {
			return nil, c.fetchError(err)
		}
		return &bounded{ReadCloser: body, left: most}, nil
	}
	return nil, refusedFile(errors.New("discord: the message does not have this file any more"))
}

func refusedFile(err error) *channels.SendError {
	return &channels.SendError{Class: channels.Refused, Err: err}
}

// fetchError says what a failed fetch means. Reading changes nothing, so that it
// can be tried again whatever became of the request.
func (c *Channel) fetchError(err error) *channels.SendError {
	se := c.sendError(err)
	switch se.Class {
	case channels.Unsure:
		se.Class = channels.NotSent
	case channels.Gone:
		se.Class, se.Remedy = channels.Refused, ""
	}
	return se
}

// download begins to read an attachment. The request carries no token.
func (c *Channel) download(ctx context.Context, address string) (io.ReadCloser, error) {
	f := &failure{what: "read a file", kind: unreached}
	u, err := url.Parse(address)
	api, _ := url.Parse(c.client.base)
	if err != nil || u.User != nil || !(u.Scheme == "https" && fileHosts[u.Host]) && (api == nil || u.Scheme != api.Scheme || u.Host != api.Host) {
		f.kind, f.status, f.text = answered, http.StatusBadRequest, "the file lies at a foreign address"
		return nil, f
	}
	ctx, cancel := context.WithCancel(ctx)
	// The time limit is for the answer to begin; large files may take longer.
	timer := time.AfterFunc(c.opts.Timeout, cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err == nil {
		req.Header.Set("User-Agent", userAgent)
		var resp *http.Response
		if resp, err = c.client.http.Do(req); err == nil {
			timer.Stop()
			if resp.StatusCode == http.StatusOK {
				return &cancelled{ReadCloser: resp.Body, cancel: cancel}, nil
			}
			resp.Body.Close()
			cancel()
			f.kind, f.status, f.text = answered, resp.StatusCode, "the file is not handed out"
			if resp.StatusCode >= 500 {
				f.kind = outage
			}
			return nil, f
		}
	}
	timer.Stop()
	f.transport(ctx, err, false, address, u.RawQuery)
	cancel()
	return nil, f
}

// cancelled ends the request when it is closed.
type cancelled struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements [io.Closer].
func (c *cancelled) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// bounded ends with an error when more than left bytes come.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, refusedFile(errTooLarge)
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, refusedFile(errTooLarge)
	}
	if err != nil && err != io.EOF {
		err = &channels.SendError{Class: channels.NotSent, Err: errors.New("discord: read a file: the connection ended")}
	}
	return n, err
}

// SendFile implements [channels.FileSender]. How large a file may be depends on
// the guild; what is too large is not sent at all.
func (c *Channel) SendFile(ctx context.Context, p channels.Post, f channels.Upload) (channels.Receipt, error) {
	if err := c.mine(p.To); err != nil {
		return channels.Receipt{}, refusedFile(err)
	}
	if most := c.mostFile(p.To); f.Size > most {
		return channels.Receipt{}, refusedFile(fmt.Errorf("discord: the file has %d bytes, more than %d", f.Size, most))
	}
	return c.pacer.Send(ctx, p, func(ctx context.Context, p channels.Post) (channels.Receipt, error) {
		return c.sendFile(ctx, p, f)
	})
}

// mostFile returns how large a file may be at an address.
func (c *Channel) mostFile(to channels.Address) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	guild := c.spaces[to.Chat()]
	if guild == "" {
		guild = c.spaces[to.Thread()]
	}
	switch c.tiers[guild] {
	case 2:
		return mostTier2
	case 3:
		return mostTier3
	}
	return mostFile
}

// fileTime is how long a file may take, beyond the time limit of a request.
const fileTime = 5 * time.Minute

func (c *Channel) sendFile(ctx context.Context, p channels.Post, f channels.Upload) (channels.Receipt, error) {
	data, err := f.Open()
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.NotSent, Err: fmt.Errorf("discord: open the file: %w", err)}
	}
	defer data.Close()
	caption := escape(p.Body.Plain)
	if utf8.RuneCountInString(caption) > maxText {
		caption = ""
	}
	o := bare(caption)
	o.Attached = []attached{{ID: "0", Name: quotes.Replace(f.Name)}}
	if !c.previews(caption) {
		o.Flags = suppress
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout+fileTime)
	defer cancel()
	return c.post(ctx, p, o, &filePart{name: f.Name, mime: f.MIME, size: f.Size, data: data})
}
