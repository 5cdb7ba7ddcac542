package mattermost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"

	"outheis/channels"
)

// Fetch implements [channels.Fetcher].
func (c *Channel) Fetch(ctx context.Context, f channels.File, most int64) (io.ReadCloser, error) {
	if !isID(f.Ref) {
		return nil, &channels.SendError{Class: channels.Refused, Err: errors.New("mattermost: not the id of a file")}
	}
	if f.Size > most {
		return nil, &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("mattermost: the file has %d bytes, at most %d are wanted", f.Size, most)}
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout*c.opts.Timeout)
	resp, failed := c.client.open(ctx, http.MethodGet, "/api/v4/files/"+f.Ref, "", nil)
	if failed != nil {
		cancel()
		se := c.askError(failed)
		if se.Class == channels.Gone {
			se.Class = channels.Refused
		}
		return nil, se
	}
	if resp.ContentLength > most {
		cancel()
		resp.Body.Close()
		return nil, &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("mattermost: the file has %d bytes, at most %d are wanted", resp.ContentLength, most)}
	}
	return &limited{body: resp.Body, left: most, cancel: cancel}, nil
}

// fileTimeout is how many times longer than a request a file may take.
const fileTimeout = 10

// limited ends with an error once too much has come.
type limited struct {
	body   io.ReadCloser
	left   int64
	cancel context.CancelFunc
}

func (b *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n + int(b.left), &channels.SendError{Class: channels.Refused, Err: errors.New("mattermost: the file is larger than wanted")}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &channels.SendError{Class: channels.NotSent, Err: fmt.Errorf("mattermost: read the file: %w", err)}
	}
	return n, err
}

func (b *limited) Close() error {
	b.cancel()
	return b.body.Close()
}

// SendFile implements [channels.FileSender]. Each file is a post of its own,
// with the Plain form of the body, if any, as its text.
func (c *Channel) SendFile(ctx context.Context, p channels.Post, u channels.Upload) (channels.Receipt, error) {
	if err := c.mine(p.To); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: err}
	}
	most, allowed := c.server.files()
	if most == 0 && allowed {
		if err := c.server.refresh(ctx, c.client); err != nil {
			return channels.Receipt{}, c.askError(err)
		}
		most, allowed = c.server.files()
	}
	if !allowed {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: errors.New("mattermost: the server takes no files"), Remedy: c.texts.Say("mattermost.files_remedy")}
	}
	if most > 0 && u.Size > most {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: fmt.Errorf("mattermost: the file has %d bytes, the server takes %d", u.Size, most)}
	}
	return c.pacer.Send(ctx, p, func(ctx context.Context, p channels.Post) (channels.Receipt, error) { return c.sendFile(ctx, p, u) })
}

func (c *Channel) sendFile(ctx context.Context, p channels.Post, u channels.Upload) (channels.Receipt, error) {
	p.Plain, p.Body.Buttons = true, nil
	n, err := c.compose(ctx, p)
	if err != nil {
		return channels.Receipt{}, c.askError(err)
	}
	if c.server.tooLong(n.Message) != nil {
		n.Message = "" // the caption does not fit; the text comes on its own
	}
	if p.Again {
		if found, err := c.find(ctx, n.ChannelId, c.hash(p)); err != nil {
			return channels.Receipt{}, c.askError(err)
		} else if found != "" {
			return channels.Receipt{Remote: found}, nil
		}
	}
	id, err := c.upload(ctx, n.ChannelId, u)
	if err != nil {
		return channels.Receipt{}, c.askError(err) // nobody sees what only lies there
	}
	n.FileIds = []string{id}
	p.Again = false
	return c.create(ctx, p, n)
}

// upload brings a file to the server and returns its id.
func (c *Channel) upload(ctx context.Context, chat string, u channels.Upload) (string, error) {
	in, err := u.Open()
	if err != nil {
		return "", &failure{op: "POST /files", kind: unreached, text: "the file cannot be read"}
	}
	defer in.Close()
	pr, pw := io.Pipe()
	form := multipart.NewWriter(pw)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := form.WriteField("channel_id", chat)
		var part io.Writer
		if err == nil {
			part, err = form.CreateFormFile("files", fileName(u.Name))
		}
		if err == nil {
			_, err = io.Copy(part, in)
		}
		if err == nil {
			err = form.Close()
		}
		pw.CloseWithError(err)
	}()
	var said struct {
		Infos []fileInfo `json:"file_infos"`
	}
	long := *c.client
	long.timeout *= fileTimeout
	err = long.exchange(ctx, http.MethodPost, "/api/v4/files?channel_id="+url.QueryEscape(chat), form.FormDataContentType(), pr, &said)
	pr.CloseWithError(io.ErrClosedPipe)
	<-done
	if err != nil {
		return "", err
	}
	if len(said.Infos) != 1 || !isID(said.Infos[0].ID) {
		return "", &failure{op: "POST /files", kind: garbled, text: "the answer names no file"}
	}
	return said.Infos[0].ID, nil
}

// fileName returns a name without a folder and without signs that hide what it
// is.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, path.Base(s))
	if s == "" || s == "." || s == "/" {
		return "file"
	}
	return s
}
