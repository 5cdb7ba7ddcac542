package telegram_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
)

// Albums between other messages, with cuts before and after what is asked for,
// and with restarts: no file and no word is lost, and the words of an album come
// with files of the same album only.
func TestAlbumsLoseNothing(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	random := rand.New(rand.NewPCG(3, 3))
	events, stop := runUntil(t, shortAlbums(t, n))
	files, captions, texts := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	seen := make(map[string]bool)
	take := func(e channels.Event) {
		if seen[e.Key] {
			return
		}
		seen[e.Key] = true
		album := e.Text
		for _, f := range e.Files {
			files[f.Name] = true
			name, _, _ := strings.Cut(f.Name, "-")
			if album != "" && name != album {
				t.Errorf("%s came with the words of %s", f.Name, album)
			}
		}
		if len(e.Files) > 0 && e.Text != "" {
			captions[e.Text] = true
		} else if e.Text != "" {
			texts[e.Text] = true
		}
	}
	const albums = 40
	wantFiles := 0
	for a := range albums {
		chat := int64(ada)
		if random.IntN(2) == 0 {
			chat = ben
		}
		for part := range 2 + random.IntN(9) {
			l := fake.Line{Chat: chat, From: chat, Media: "document", File: []byte("x"), FileName: fmt.Sprintf("A%d-%d", a, part), Group: fmt.Sprint(a)}
			if part == 0 {
				l.Text = fmt.Sprint("A", a)
			}
			n.fake.Post(l)
			wantFiles++
			if random.IntN(6) == 0 {
				n.fake.Fault(fake.Fault{Kind: []fake.FaultKind{fake.CutBefore, fake.CutAfter}[random.IntN(2)], Method: "getUpdates"})
			}
		}
		n.fake.Say(ada, ada, fmt.Sprint("Satz ", a))
		if random.IntN(5) == 0 {
			stop()
			for len(events) > 0 {
				take(<-events)
			}
			events, stop = runUntil(t, shortAlbums(t, n))
		}
	}
	deadline := time.After(10 * time.Second)
	for len(files) < wantFiles || len(captions) < albums || len(texts) < albums {
		select {
		case e := <-events:
			take(e)
		case <-deadline:
			t.Fatalf("%d of %d files, %d of %d captions, %d of %d sentences", len(files), wantFiles, len(captions), albums, len(texts), albums)
		}
	}
	stop()
}

func shortAlbums(t *testing.T, n *network) *telegram.Channel {
	t.Helper()
	c := open(t, n.options(quiet()))
	telegram.WaitForAlbums(c, 5*time.Millisecond)
	return c
}

// A command with several files is a command with several files.
func TestAlbumWithACommand(t *testing.T) {
	n := newNetwork(t)
	events, stop := runUntil(t, shortAlbums(t, n))
	defer stop()
	for i, text := range []string{"", "/tresor Was steht hier?", ""} {
		n.fake.Post(fake.Line{Chat: ada, From: ada, Media: "photo", File: []byte("x"), Group: "g", Text: text, FileName: fmt.Sprint(i)})
	}
	n.fake.Say(ada, ada, "weiter")
	got := map[string]int{}
	for {
		e := next(t, events)
		if e.Text == "weiter" {
			break
		}
		got[string(e.Kind)+" "+e.Command+" "+e.Text] += len(e.Files)
	}
	total := 0
	for _, files := range got {
		total += files
	}
	if total != 3 || got["command tresor Was steht hier?"] == 0 {
		t.Errorf("got %v", got)
	}
}
