package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	"outheis/config"
	"outheis/gateway"
)

func TestTranscriber(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"PATH": "/usr/bin:/bin", "OUTHEIS_TELEGRAM_TOKEN": "geheim"}[name]
	}
	for _, tt := range []struct {
		name    string
		command []string
		within  time.Duration
		want    string // or, with a ! in front, part of the error
	}{
		{"what it hears", []string{"cat"}, 0, "Wann öffnet das Freibad?"},
		{"arguments, no shell", []string{"echo", "$(id)", "; ls", "*"}, 0, "$(id) ; ls *\n"},
		{"its environment", []string{"sh", "-c", "echo $OUTHEIS_SPEECH_LANGUAGE $OUTHEIS_SPEECH_TYPE $OUTHEIS_TELEGRAM_TOKEN"}, 0, "de audio/ogg\n"},
		{"nothing there", []string{"/nirgends/transkript"}, 0, "!no such file"},
		{"failure", []string{"sh", "-c", "echo Wann; echo geheim >&2; exit 3"}, 0, "!exit status 3"},
		{"endless text", []string{"yes"}, 0, "!more than 64 KiB"},
		{"no end", []string{"sleep", "60"}, 50 * time.Millisecond, "!deadline exceeded"},
		{"child that keeps the output", []string{"sh", "-c", "sleep 5 & echo Wann?"}, 0, "Wann?\n"},
		{"child that stays", []string{"sh", "-c", "sleep 60 & wait"}, 50 * time.Millisecond, "!deadline exceeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := config.Default()
			c.Transcriber.Command = tt.command
			if tt.within > 0 {
				c.Transcriber.Timeout = tt.within
			}
			p := &program{env: env}
			f := gateway.KeptFile{File: channels.File{MIME: "audio/ogg"}}
			got, err := p.transcribe(c)(context.Background(), strings.NewReader("Wann öffnet das Freibad?"), f, "de")
			want, fails := strings.CutPrefix(tt.want, "!")
			switch {
			case !fails && (err != nil || got != want):
				t.Errorf("got %q, %v, want %q", got, err, want)
			case fails && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim")):
				t.Errorf("got %q, %v, want an error with %q", got, err, want)
			}
		})
	}
	if (&program{}).transcribe(config.Default()) != nil {
		t.Error("a transcriber without a command")
	}
}
