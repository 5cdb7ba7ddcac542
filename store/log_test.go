package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/store"
)

// An envelope is a record as the gateway has them, with less in it.
type envelope struct {
	store.Head
	Conversation string          `json:"conversation_id"`
	Cause        string          `json:"cause,omitempty"`
	From         json.RawMessage `json:"from,omitempty"`
	To           string          `json:"to"`
	Type         string          `json:"type"`
	Intent       string          `json:"intent,omitempty"`
	Payload      payload         `json:"payload"`
	ReplyTo      string          `json:"reply_to,omitempty"`
	Priority     string          `json:"priority,omitempty"`
}

type payload struct {
	Text string `json:"text,omitempty"`
	Ref  string `json:"ref,omitempty"`
}

func request(cause, text string) envelope {
	return envelope{Conversation: "conv_5b1e90a7c2d4", Cause: cause, To: "dispatcher", Type: "request", Payload: payload{Text: text}}
}

func done(ref string) envelope {
	return envelope{Conversation: "conv_5b1e90a7c2d4", To: "dispatcher", Type: "event", Intent: "done", Payload: payload{Ref: ref}}
}

// track opens requests and closes them with done.
func track(f store.Facts) (opens, closes string) {
	switch {
	case f.Type == "request":
		return f.ID, ""
	case f.Intent == "done":
		return "", f.Ref
	}
	return "", ""
}

func options() store.LogOptions {
	return store.LogOptions{Family: store.FamilyMessages, Track: track}
}

func openLog(t *testing.T, h *store.Human, o store.LogOptions) (*store.Log[envelope], store.Recovery) {
	t.Helper()
	l, found, err := store.OpenLog[envelope](h, "messages.jsonl", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, found
}

func mustAppend(t *testing.T, l *store.Log[envelope], e envelope) envelope {
	t.Helper()
	got, known, err := l.Append(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if known {
		t.Fatalf("cause %q was known", e.Cause)
	}
	return got
}

func collect(t *testing.T, l *store.Log[envelope], seq uint64) []envelope {
	t.Helper()
	var all []envelope
	for e, err := range l.From(t.Context(), seq) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func TestSmoke(t *testing.T) {
	h := openHuman(t, store.Options{})
	dir := h.Dir()
	l, found := openLog(t, h, options())
	if !found.New || !found.Clean {
		t.Errorf("got %+v, want a new log", found)
	}
	a := mustAppend(t, l, request("tg:1", "Wann?"))
	b, known, err := l.Append(t.Context(), request("tg:1", "anders"))
	if err != nil || !known || !reflect.DeepEqual(a, b) {
		t.Errorf("got %+v %v %v", b, known, err)
	}
	mustAppend(t, l, request("tg:2", "Wo?"))
	mustAppend(t, l, done(a.ID))
	text, _ := os.ReadFile(filepath.Join(dir, "messages.jsonl"))
	fmt.Println(string(text))
	fmt.Println(l.Open(), l.Stats())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, found = openLog(t, h, options())
	fmt.Printf("%+v\n", found)
	fmt.Println(l.Open(), l.Stats())
	for _, e := range collect(t, l, 0) {
		fmt.Printf("%+v\n", e)
	}
	_ = errors.Is
	_ = strings.Cut
	_ = sync.Mutex{}
	_ = time.Now
	_ = context.Background
}
