//go:build linux || darwin

package store_test

import (
	"context"
	"fmt"
	"os"

	"outheis/store"
)

// An inquiry waits until a line that names it closes it.
type inquiry struct {
	store.Head
	Cause   string `json:"cause,omitempty"`
	Type    string `json:"type"`
	Payload struct {
		Text string `json:"text,omitempty"`
		Ref  string `json:"ref,omitempty"`
	} `json:"payload"`
}

func ExampleOpenLog() {
	dir, err := os.MkdirTemp("", "human")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	log, found, err := store.OpenLog[inquiry](h, "messages.jsonl", store.LogOptions{
		Family: store.FamilyMessages,
		Track: func(f store.Facts) (opens, closes string) {
			if f.Type == "request" {
				return f.ID, ""
			}
			return "", f.Ref
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	fmt.Println("a new log:", found.New)

	ctx := context.Background()
	ask := inquiry{Cause: "telegram:7:u:918273645", Type: "request"}
	ask.Payload.Text = "Wann ist die Sitzung?"
	for range 2 { // the network delivers it twice
		q, known, err := log.Append(ctx, ask)
		fmt.Println("seq", q.Seq, "known", known, err)
	}
	fmt.Println("open:", len(log.Open()))

	q, _, err := log.Lookup(ask.Cause)
	if err != nil {
		fmt.Println(err)
		return
	}
	done := inquiry{Cause: q.ID + ">done", Type: "event"}
	done.Payload.Ref = q.ID
	if _, _, err := log.Append(ctx, done); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("open:", len(log.Open()))
	// Output:
	// a new log: true
	// seq 1 known false <nil>
	// seq 1 known true <nil>
	// open: 1
	// open: 0
}
