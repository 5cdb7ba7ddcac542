package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"outheis/config"
	"outheis/gateway"
)

// mostTranscript is how much a transcriber may print, in bytes.
const mostTranscript = 64 << 10

// errTranscript means that a transcriber printed more than that.
var errTranscript = errors.New("transcriber: more than 64 KiB of text")

// A transcriber is a program of the operator that turns speech into text. It gets
// the sound on standard input, and of our environment only what a program needs:
// no token.
type transcriber struct {
	config.Transcriber
	env func(string) string
}

// transcribe is what the gateway calls; nil where no program is configured.
func (p *program) transcribe(c config.Config) func(context.Context, io.Reader, gateway.KeptFile, string) (string, error) {
	if len(c.Transcriber.Command) == 0 {
		return nil
	}
	return transcriber{c.Transcriber, p.env}.text
}

// text has the program listen. When the time is over, the program ends with all
// that it has started; when it ends by itself, what it leaves behind is its own
// business and holds up nothing. What it prints beside the text, and what it heard,
// appears in no error.
func (t transcriber) text(ctx context.Context, sound io.Reader, f gateway.KeptFile, lang string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
	cmd.WaitDelay = time.Second
	endsAsGroup(cmd)
	cmd.Env = []string{"OUTHEIS_SPEECH_LANGUAGE=" + lang, "OUTHEIS_SPEECH_TYPE=" + f.MIME}
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"} {
		if v := t.env(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	heard := &bounded{most: mostTranscript}
	cmd.Stdin, cmd.Stdout = sound, heard
	err := cmd.Run()
	switch {
	case heard.over:
		return "", errTranscript
	case ctx.Err() != nil:
		return "", fmt.Errorf("transcriber: %w", ctx.Err())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // then it ended well, and only a child of its own holds the pipe
		return "", fmt.Errorf("transcriber: %w", err)
	}
	return heard.b.String(), nil
}

// bounded takes so many bytes and then fails. The buffer is hidden, since its
// ReadFrom would take any number.
type bounded struct {
	b    bytes.Buffer
	most int
	over bool
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.b.Len()+len(p) > b.most {
		b.over = true
		return 0, errTranscript
	}
	return b.b.Write(p)
}
