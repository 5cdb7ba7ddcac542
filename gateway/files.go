package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
	"outheis/store"
)

// Files keeps bytes by their hash, as [store.Human] does.
type Files interface {
	PutBlob(r io.Reader, limit int64) (store.Blob, error)
	OpenBlob(b store.Blob) (io.ReadCloser, error)
}

// A KeptFile is a file that came with a message. Its name is shown and never
// used as a path.
type KeptFile struct {
	channels.File
	Blob store.Blob `json:"blob,omitzero"`  // empty while it is not kept
	Lost FileEnd    `json:"lost,omitempty"` // why it is not kept
}

// A FileEnd is why a file is not kept.
type FileEnd string

// The reasons why a file is not kept.
const (
	FileTooLarge FileEnd = "too_large"
	FileType     FileEnd = "type"    // of a type that we do not take
	FileMany     FileEnd = "many"    // beyond the number that we take with one message
	FileFailed   FileEnd = "failed"  // the network or the disk did not give or take it
	FileNoWay    FileEnd = "unknown" // the channel cannot fetch files
)

// filesTime bounds how long the files of one message are fetched.
const filesTime = 2 * time.Minute

// The types that are kept: what a curator can take into a Tresor, and voice.
// Programs and archives are not: nothing here would ever open them.
var (
	fileTypes = []string{
		"application/pdf", "application/json", "application/xml", "application/rtf", "application/epub+zip", "application/ogg",
		"application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
	}
	fileFamilies = []string{
		"text/", "image/", "audio/", "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument.",
	}
)

// isKept reports that files of the type are kept. Networks that name none, or
// only that it is bytes, are asked by the name of the file.
func isKept(f channels.File) bool {
	kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(f.MIME)), ";")
	kind = strings.TrimSpace(kind)
	if kind == "" || kind == "application/octet-stream" {
		dot := strings.LastIndexByte(f.Name, '.')
		return dot >= 0 && slices.Contains([]string{
			".pdf", ".md", ".txt", ".csv", ".json", ".xml", ".rtf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub",
			".png", ".jpg", ".jpeg", ".gif", ".webp", ".ogg", ".oga", ".opus", ".mp3", ".m4a", ".wav",
		}, strings.ToLower(f.Name[dot:]))
	}
	if kind == "text/html" || kind == "image/svg+xml" || kind == "text/javascript" { // can act when somebody opens them
		return false
	}
	return slices.Contains(fileTypes, kind) || slices.ContainsFunc(fileFamilies, func(p string) bool { return strings.HasPrefix(kind, p) })
}

// listed bounds and cleans what a network says about files.
func listed(files []channels.File) []KeptFile {
	var all []KeptFile
	for i, f := range files {
		if i >= mostListed {
			break
		}
		if len(f.Ref) > maxFileRef { // an adapter's own; cut it would be another file's
			continue
		}
		f.Name = cut(strings.Join(strings.Fields(Clean(cut(f.Name, 4*maxFileName))), " "), maxFileName)
		f.MIME = cut(f.MIME, maxName)
		all = append(all, KeptFile{File: f})
	}
	return all
}

// Bounds of what a request says about files.
const (
	mostListed  = 32
	maxFileRef  = 1024 // bytes
	maxFileName = 128  // code points
)

// keepFiles fetches the files of a request and keeps them, once: what became of
// them stands in the log. A file that cannot be had costs the question nothing.
func (g *Gateway) keepFiles(ctx context.Context, it *item, out *outlet) ([]KeptFile, error) {
	req := &it.req
	if len(req.Payload.Files) == 0 || g.files == nil {
		return nil, nil
	}
	there, ok, err := g.lookUp(it, filesCause(req.ID))
	if ok || err != nil {
		return there.Payload.Files, err
	}
	limits := g.settings.Load().Policy.Limits.withDefaults()
	fetcher, _ := out.current().(channels.Fetcher)
	fetch, cancel := context.WithTimeout(ctx, filesTime)
	defer cancel()
	files := slices.Clone(req.Payload.Files)
	for i := range files {
		f := &files[i]
		switch {
		case i >= limits.Files:
			f.Lost = FileMany
		case !isKept(f.File):
			f.Lost = FileType
		case f.File.Size > limits.FileSize:
			f.Lost = FileTooLarge
		case fetcher == nil:
			f.Lost = FileNoWay
		default:
			f.Blob, f.Lost = g.keepFile(fetch, fetcher, f.File, limits.FileSize, out.id)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := req.event(eventFiles, filesCause(req.ID))
	e.From.Agent, e.Payload.Files = partDispatcher, files
	return files, g.write(ctx, e)
}

// keepFile fetches and keeps one file.
func (g *Gateway) keepFile(ctx context.Context, from channels.Fetcher, f channels.File, most int64, id AccountID) (b store.Blob, lost FileEnd) {
	defer func() {
		if v := recover(); v != nil {
			g.log.Error("adapter panicked", "in", "fetch", "channel", id.String(), "err", v)
			b, lost = store.Blob{}, FileFailed
		}
	}()
	fail := func(err error) (store.Blob, FileEnd) {
		var large *store.TooLargeError
		if errors.As(err, &large) {
			return store.Blob{}, FileTooLarge
		}
		g.log.Warn("file was not kept", "channel", id.String(), "err", err)
		return store.Blob{}, FileFailed
	}
	wait := channels.Backoff{Min: time.Second, Max: 20 * time.Second}
	for try := 1; ; try++ {
		b, err := g.fetch(ctx, from, f, most)
		if err == nil {
			return b, ""
		}
		var se *channels.SendError
		passing := errors.As(err, &se) && (se.Class == channels.NotSent || se.Class == channels.RetryAfter)
		if !passing || try == fileTries || pause(ctx, se.After) != nil || wait.Wait(ctx) != nil {
			return fail(err)
		}
	}
}

// fileTries is how often a file is fetched that the network does not give for a
// moment: the others of the message wait as well.
const fileTries = 4

func (g *Gateway) fetch(ctx context.Context, from channels.Fetcher, f channels.File, most int64) (store.Blob, error) {
	r, err := from.Fetch(ctx, f, most)
	if err != nil {
		return store.Blob{}, err
	}
	defer r.Close()
	return g.files.PutBlob(r, most)
}

// pause waits for d; the error is that of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// filesRemark says what became of the files of a request.
func (g *Gateway) filesRemark(req *Envelope) string {
	t := texts.For(req.Payload.Lang)
	there, ok, err := g.queue.Lookup(filesCause(req.ID))
	if err != nil || !ok {
		return t.Say("gateway.unread")
	}
	var kept int
	var lost []string
	for _, f := range there.Payload.Files {
		if f.Lost == "" {
			kept++
			continue
		}
		name := f.Name
		if name == "" {
			name = t.Say("gateway.file_unnamed")
		}
		lost = append(lost, f.Lost.say(t, name))
	}
	var sentences []string
	switch {
	case kept > 0 && req.Intent == intentFiles:
		sentences = append(sentences, t.Say("gateway.files_only", kept))
	case kept > 0:
		sentences = append(sentences, t.Say("gateway.files_kept", kept))
	case req.Intent == intentFiles:
		sentences = append(sentences, t.Say("gateway.refused_unsupported"))
	default:
		sentences = append(sentences, t.Say("gateway.unread"))
	}
	return strings.Join(append(sentences, lost...), " ")
}

// say tells a person why their file is not kept.
func (e FileEnd) say(t *texts.Texts, name string) string {
	switch e {
	case FileTooLarge:
		return t.Say("gateway.file_lost_too_large", name)
	case FileType:
		return t.Say("gateway.file_lost_type", name)
	case FileMany:
		return t.Say("gateway.file_lost_many", name)
	case FileNoWay:
		return t.Say("gateway.file_lost_unknown", name)
	}
	return t.Say("gateway.file_lost_failed", name)
}

// voiceOf returns the voice message of a request without words, among its files
// as they are kept.
func voiceOf(req *Envelope, files []KeptFile) (KeptFile, bool) {
	if req.Payload.Unread != unreadVoice {
		return KeptFile{}, false
	}
	i := slices.IndexFunc(files, func(f KeptFile) bool { return f.Lost == "" })
	if i < 0 {
		return KeptFile{}, false
	}
	return files[i], true
}

// unreadVoice is what adapters call a voice message.
const unreadVoice = "voice"

// errUnheard means that nothing can be made of a voice message.
var errUnheard = errors.New("voice message was not understood")

// A heard is the question that a voice message asks; nil for every other.
type heard struct {
	Route
	text string
}

// put lets req ask what was heard.
func (h *heard) put(req *Envelope) {
	if h == nil {
		return
	}
	req.Payload.Text = h.text
	if h.Agent != "" {
		req.To, req.Payload.Scope = h.Agent, h.Scope
	}
}

// listenTo keeps the files of a question and hears a voice message. An error that
// concerns neither leaves the question open.
func (g *Gateway) listenTo(ctx context.Context, it *item, out *outlet) (*heard, error) {
	files, err := g.keepFiles(ctx, it, out)
	if err != nil {
		return nil, openError{err}
	}
	return g.hear(ctx, it, files)
}

// hear turns a voice message into the question that it asks, once: what was heard
// stands in the log.
func (g *Gateway) hear(ctx context.Context, it *item, files []KeptFile) (*heard, error) {
	req := &it.req
	if !isVoice(req) {
		return nil, nil
	}
	line, ok, err := g.lookUp(it, heardCause(req.ID))
	if err != nil {
		return nil, openError{err}
	}
	if !ok {
		text, err := g.transcribeVoice(ctx, req, files)
		if err != nil {
			return nil, err
		}
		line = req.event(eventHeard, heardCause(req.ID))
		line.From.Agent, line.Payload.Text = partDispatcher, text
		if err := g.write(ctx, line); err != nil {
			return nil, openError{err}
		}
	}
	to := g.route(channels.Event{Text: line.Payload.Text, Audience: req.Payload.Audience})
	if to.Agent != "" && to.text != "" {
		return &heard{to.Route, to.text}, nil
	}
	return &heard{text: line.Payload.Text}, nil
}

// isVoice reports that a request is a voice message that asks something.
func isVoice(req *Envelope) bool {
	return req.Intent == "" && req.Payload.Text == "" && req.Payload.Unread == unreadVoice && len(req.Payload.Files) > 0
}

func (g *Gateway) transcribeVoice(ctx context.Context, req *Envelope, files []KeptFile) (string, error) {
	unheard := func(err error) error {
		var known *agents.Error
		if errors.As(err, &known) {
			return err
		}
		return &agents.Error{Status: agents.StatusFailed, Text: texts.For(req.Payload.Lang).Say("gateway.unheard"), Err: err}
	}
	f, ok := voiceOf(req, files)
	if !ok || g.transcribe == nil {
		return "", unheard(errUnheard)
	}
	r, err := g.files.OpenBlob(f.Blob)
	if err != nil {
		return "", unheard(err)
	}
	defer r.Close()
	text, err := g.transcribe(ctx, r, f, req.Payload.Lang)
	limits := g.settings.Load().Policy.Limits.withDefaults()
	text = strings.TrimSpace(Clean(cut(text, limits.MaxText)))
	switch {
	case err != nil:
		return "", unheard(fmt.Errorf("transcribe: %w", err))
	case text == "":
		return "", unheard(errUnheard)
	}
	return text, nil
}
