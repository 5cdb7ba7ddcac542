package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"outheis/channels"
	"outheis/formatting"
)

// Limits of files (core.telegram.org/bots/api#getfile, #senddocument,
// #sendphoto). A Bot API server of one's own takes more; nobody who asks for
// an answer needs it.
const (
	maxDownload = 20 << 20
	maxUpload   = 50 << 20
	maxPhoto    = 10 << 20
	maxCaption  = 1024
	// slowest is the slowest line, in bytes a second, on which a file is still
	// waited for.
	slowest = 100 << 10
)

var (
	fileID   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,512}$`)
	filePath = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_./-]{0,512}$`)
)

// Fetch implements [channels.Fetcher]. Telegram gives bots files of up to 20 MB.
func (c *Channel) Fetch(ctx context.Context, f channels.File, most int64) (io.ReadCloser, error) {
	if !fileID.MatchString(f.Ref) {
		return nil, refused(errors.New("telegram: getFile: no reference to a file"))
	}
	most = min(most, maxDownload)
	if f.Size > most {
		return nil, refused(tooLarge(f.Size, most))
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout+time.Duration(most/slowest)*time.Second)
	var got struct {
		Path string `json:"file_path"`
		Size int64  `json:"file_size"`
	}
	body, err := func() (io.ReadCloser, error) {
		if err := c.client.call(ctx, "getFile", params{"file_id": f.Ref}, &got); err != nil {
			return nil, c.fetchError(err)
		}
		switch {
		case got.Size > most:
			return nil, refused(tooLarge(got.Size, most))
		case !filePath.MatchString(got.Path) || strings.Contains(got.Path, ".."):
			// A server that keeps files on a disk of its own names them by their path
			// there.
			return nil, refused(errors.New("telegram: getFile: the server does not hand the file out"))
		}
		body, err := c.client.download(ctx, got.Path)
		if err != nil {
			return nil, c.fetchError(err)
		}
		return body, nil
	}()
	if err != nil {
		cancel()
		return nil, err
	}
	return &download{body: body, left: most, most: most, token: c.opts.Token(), cancel: cancel}, nil
}

// fetchError says of a failed fetch whether it can be tried again; nothing has
// been changed by it.
func (c *Channel) fetchError(err error) *channels.SendError {
	se := c.sendError(err, channels.Post{}, false)
	if se.Class == channels.Unsure {
		se.Class = channels.NotSent
	}
	return se
}

func refused(err error) *channels.SendError {
	return &channels.SendError{Class: channels.Refused, Err: err}
}

func tooLarge(size, most int64) error {
	return fmt.Errorf("telegram: the file has %d bytes, %d are allowed", size, most)
}

// download opens a file. Every error is a *failure.
func (c *client) download(ctx context.Context, path string) (io.ReadCloser, error) {
	token, f := c.begin(ctx, "download")
	if f.code != 0 || f.cause != nil {
		return nil, f
	}
	x := &exchange{ctx: ctx, http: c.http}
	req, err := http.NewRequest(http.MethodGet, fmt.Sprintf(c.files, token, path), nil)
	if err != nil {
		f.kind, f.text = unreached, "no valid address"
		return nil, f
	}
	resp, err := x.open(req)
	if err != nil {
		x.err = err
		f.transport(x, token)
		return nil, f
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	resp.Body.Close()
	x.status = resp.StatusCode
	f.unknown(x)
	if f.kind == foreign && x.status >= 400 {
		f.kind, f.text = answered, "the file is not there"
	}
	return nil, f
}

// A download is a file on its way. It ends with an error beyond its limit.
type download struct {
	body       io.ReadCloser
	left, most int64
	token      string
	cancel     context.CancelFunc
}

func (d *download) Read(b []byte) (int, error) {
	if d.left == 0 {
		// One byte more tells a file of just the limit from a larger one.
		n, err := d.body.Read(make([]byte, 1))
		if n > 0 {
			return 0, refused(fmt.Errorf("telegram: the file has more than the %d bytes that are allowed", d.most))
		}
		return 0, d.typed(err)
	}
	n, err := d.body.Read(b[:min(int64(len(b)), d.left)])
	d.left -= int64(n)
	return n, d.typed(err)
}

func (d *download) typed(err error) error {
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return &channels.SendError{Class: channels.NotSent, Err: errors.New("telegram: download: " + channels.Scrub(err.Error(), d.token))}
}

func (d *download) Close() error {
	defer d.cancel()
	return d.body.Close()
}

// SendFile implements [channels.FileSender]. Pictures that Telegram shows as
// such go out as photos, everything else as a document. The caption is the
// plain form of the body where it fits one.
func (c *Channel) SendFile(ctx context.Context, p channels.Post, f channels.Upload) (channels.Receipt, error) {
	if err := c.mine(p.To); err != nil {
		return channels.Receipt{}, refused(err)
	}
	switch {
	case f.Size > maxUpload:
		return channels.Receipt{}, refused(tooLarge(f.Size, maxUpload))
	case f.Size <= 0 || f.Open == nil:
		return channels.Receipt{}, refused(errors.New("telegram: Telegram takes no empty files"))
	}
	return c.pacer.Send(ctx, p, func(ctx context.Context, p channels.Post) (channels.Receipt, error) { return c.sendFile(ctx, p, f) })
}

func (c *Channel) sendFile(ctx context.Context, p channels.Post, f channels.Upload) (channels.Receipt, error) {
	method, field := "sendDocument", "document"
	if (f.MIME == "image/jpeg" || f.MIME == "image/png") && f.Size <= maxPhoto {
		method, field = "sendPhoto", "photo"
	}
	args := c.place(p.To)
	if n := formatting.UTF16.Of(p.Body.Plain); n > 0 && n <= maxCaption {
		args["caption"] = p.Body.Plain
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout+time.Duration(f.Size/slowest)*time.Second)
	defer cancel()
	var sent sentMessage
	if err := c.client.upload(ctx, method, args, field, f, &sent); err != nil {
		var unreadable *unreadableError
		if errors.As(err, &unreadable) {
			return channels.Receipt{}, refused(err)
		}
		return channels.Receipt{}, c.sendError(err, p, false)
	}
	return sent.receipt()
}

// sentMessage is the answer to what posts a message.
type sentMessage struct {
	ID json.Number `json:"message_id"`
}

// receipt returns the id of the message.
func (m sentMessage) receipt() (channels.Receipt, error) {
	if m.ID == "" {
		return channels.Receipt{}, &channels.SendError{Class: channels.Unsure, Err: errors.New("telegram: the answer names no message")}
	}
	return channels.Receipt{Remote: m.ID.String()}, nil
}

// An unreadableError says that a file of ours could not be read to its end; the
// server got too little of the request to act on it.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return "telegram: read the file to send: " + e.err.Error() }

func (e *unreadableError) Unwrap() error { return e.err }

// upload carries out method with a file in field. Every error is a *failure or
// an *unreadableError.
func (c *client) upload(ctx context.Context, method string, p params, field string, file channels.Upload, result any) error {
	token, f := c.begin(ctx, method)
	if f.code != 0 || f.cause != nil {
		return f
	}
	content, err := file.Open()
	if err != nil {
		return &unreadableError{err}
	}
	defer content.Close()
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	for name, value := range p {
		if err := form.WriteField(name, value); err != nil {
			return &unreadableError{err}
		}
	}
	kind := file.MIME
	if kind == "" || strings.ContainsAny(kind, "\r\n") {
		kind = "application/octet-stream"
	}
	if _, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="` + field + `"; filename="` + fileName(file.Name) + `"`},
		"Content-Type":        {kind},
	}); err != nil {
		return &unreadableError{err}
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	source := &exactReader{r: content, left: file.Size}
	body := io.MultiReader(&head, source, strings.NewReader(tail))
	req, err := http.NewRequest(http.MethodPost, fmt.Sprintf(c.endpoint, token, method), body)
	if err != nil {
		f.kind, f.text = unreached, "no valid address"
		return f
	}
	req.ContentLength = int64(head.Len()) + file.Size + int64(len(tail))
	req.Header.Set("Content-Type", form.FormDataContentType())
	x := &exchange{ctx: ctx, http: c.http, limit: maxSmallAnswer}
	if _, err := x.Do(req); err != nil {
		if bad := source.failed(); bad != nil {
			return &unreadableError{bad}
		}
		return f.settle(x, token, nil, err, nil)
	}
	var response tgbotapi.APIResponse
	if err := json.Unmarshal(x.body, &response); err != nil {
		return f.settle(x, token, nil, err, nil)
	}
	if response.Ok {
		return f.settle(x, token, &response, nil, result)
	}
	no := &tgbotapi.Error{Code: response.ErrorCode, Message: response.Description}
	if response.Parameters != nil {
		no.ResponseParameters = *response.Parameters
	}
	return f.settle(x, token, &response, no, nil)
}

// An exactReader reads as many bytes as a file was said to have, and remembers
// why it could not.
type exactReader struct {
	r    io.Reader
	left int64

	mu  sync.Mutex // guards err: the request is written by another goroutine
	err error
}

func (e *exactReader) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.r.Read(b[:min(int64(len(b)), e.left)])
	e.left -= int64(n)
	if err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		e.mu.Lock()
		e.err = err
		e.mu.Unlock()
	}
	return n, err
}

func (e *exactReader) failed() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// fileName makes a name fit for a header.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' || r == '/' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	runes := []rune(name)
	if len(runes) > 200 {
		runes = runes[len(runes)-200:]
	}
	if len(runes) == 0 {
		return "file"
	}
	return string(runes)
}

// files returns the files of a message.
func (m *media) files() []channels.File {
	var all []channels.File
	for _, one := range []attached{m.Document, m.Voice, m.Audio, m.Video, m.VideoNote} {
		if bool(one.present) && fileID.MatchString(one.file.ID) {
			all = append(all, channels.File{Ref: one.file.ID, Name: one.file.Name, MIME: one.file.MIME, Size: max(0, one.file.Size)})
		}
	}
	if largest := m.Photo.largest(); fileID.MatchString(largest.ID) {
		all = append(all, channels.File{Ref: largest.ID, MIME: "image/jpeg", Size: max(0, largest.Size)})
	}
	return all
}

// messageID reads the id of a message of ours.
func messageID(remote string) (string, bool) {
	id, err := strconv.ParseInt(remote, 10, 64)
	return strconv.FormatInt(id, 10), err == nil && id > 0
}
