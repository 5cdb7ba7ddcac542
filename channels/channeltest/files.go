package channeltest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"outheis/channels"
	"outheis/formatting"
)

// fileCases are about files that people send us and that we send.
func fileCases() []testCase {
	return []testCase{
		{"FileArrivesWithItsCaption", []Ability{FilesIn}, fileArrives},
		{"SeveralFilesAreOneMessage", []Ability{FilesIn}, severalFiles},
		{"FileIsFetchedAfterRestart", []Ability{FilesIn}, fetchedAfterRestart},
		{"FetchKeepsTheLimit", []Ability{FilesIn}, fetchKeepsTheLimit},
		{"FetchOfNothingIsRefused", []Ability{FilesIn}, fetchOfNothing},
		{"FetchDuringOutageIsNotSent", []Ability{FilesIn, Outage}, fetchDuringOutage},
		{"FileIsSent", []Ability{FilesOut}, fileIsSent},
		{"FileStaysInTheTopic", []Ability{FilesOut, Topics}, fileStaysInTheTopic},
		{"TooLargeFileIsRefusedUnsent", []Ability{FilesOut}, tooLargeFile},
		{"RefusedFileTakesNoText", []Ability{FilesOut}, refusedFileTakesNoText},
		{"UnreadableFileIsNotSent", []Ability{FilesOut}, unreadableFile},
		{"CutWhileSendingAFileIsUnsure", []Ability{FilesOut, Faults}, cutWhileSendingAFile},
	}
}

// report is the content of a file that no network takes for something else.
func report(n int) []byte {
	b := []byte("%PDF-1.7\n\x00\xff\n")
	for i := range n {
		b = append(b, byte(i*7))
	}
	return b
}

// fetch reads a file whole.
func (b *bench) fetch(c channels.Channel, f channels.File, most int64) ([]byte, error) {
	b.Helper()
	r, err := c.(channels.Fetcher).Fetch(b.soon(), f, most)
	if err != nil {
		b.typed(err, "")
		return nil, err
	}
	data, err := io.ReadAll(r)
	if e := r.Close(); e != nil {
		b.note(e)
	}
	if err != nil {
		b.note(err)
	}
	return data, err
}

func fileArrives(b *bench) {
	r := b.start()
	want := report(5000)
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "Was steht hier?", Files: []Attachment{{"Prüfbericht 2026.pdf", want}}})
	equal(b, "kind", e.Kind, channels.KindMessage)
	equal(b, "text", e.Text, "Was steht hier?")
	equal(b, "addressed", e.Addressed, true)
	if len(e.Files) != 1 {
		b.Fatalf("%d files, want 1: %+v", len(e.Files), e.Files)
	}
	f := e.Files[0]
	equal(b, "name", blanks(f.Name), "Prüfbericht 2026.pdf")
	if f.Size != int64(len(want)) && f.Size != 0 {
		b.Errorf("size %d, want %d or unknown", f.Size, len(want))
	}
	b.note(e)
	got, err := b.fetch(r.c, f, 1<<20)
	if err != nil || !bytes.Equal(got, want) {
		b.Errorf("fetched %d bytes with %v, want %d", len(got), err, len(want))
	}
	without := r.hear(Line{At: AdaDirect, From: Ada, Files: []Attachment{{"a.txt", []byte("nur Text")}}})
	equal(b, "text without a caption", without.Text, "")
	equal(b, "files without a caption", len(without.Files), 1)
}

// blanks undoes what some networks do to the blanks of a file's name.
func blanks(name string) string { return strings.ReplaceAll(name, "_", " ") }

func severalFiles(b *bench) {
	r := b.start()
	names := []string{"eins.pdf", "zwei.pdf", "drei.pdf"}
	var files []Attachment
	for i, name := range names {
		files = append(files, Attachment{name, report(100 + i)})
	}
	b.net.Say(Line{At: AdaDirect, From: Ada, Text: "Vergleiche das", Files: files})
	marker := b.net.Say(Line{At: AdaDirect, From: Ada, Text: "weiter"})
	e := r.next()
	equal(b, "text", e.Text, "Vergleiche das")
	var got []string
	for i, f := range e.Files {
		got = append(got, f.Name)
		data, err := b.fetch(r.c, f, 1<<20)
		if err != nil || i < len(files) && !bytes.Equal(data, files[i].Data) {
			b.Errorf("%s: %d bytes with %v", f.Name, len(data), err)
		}
	}
	if !slices.Equal(got, names) {
		b.Errorf("files %q, want %q", got, names)
	}
	equal(b, "the next message", r.next().Message, marker)
}

func fetchedAfterRestart(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Files: []Attachment{{"a.pdf", report(10)}}})
	r.stop()
	b.close(r.c)
	if got, err := b.fetch(b.open(), e.Files[0], 1<<20); err != nil || !bytes.Equal(got, report(10)) {
		b.Errorf("fetched %d bytes with %v", len(got), err)
	}
}

func fetchKeepsTheLimit(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Files: []Attachment{{"a.pdf", report(100_000)}}})
	f := e.Files[0]
	for _, claimed := range []int64{f.Size, 0, 10} { // the network's word counts for nothing
		f.Size = claimed
		got, err := b.fetch(r.c, f, 1000)
		if err == nil || len(got) > 1000 {
			b.Errorf("claimed to have %d bytes: read %d with %v, want an error after 1000 at most", claimed, len(got), err)
		}
	}
	whole := e.Files[0]
	if got, err := b.fetch(r.c, whole, int64(len(report(100_000)))); err != nil || len(got) != len(report(100_000)) {
		b.Errorf("a file of just the limit: %d bytes with %v", len(got), err)
	}
}

func fetchOfNothing(b *bench) {
	c := b.open()
	for _, ref := range []string{"", "no-such-file", "../../etc/passwd", "http://127.0.0.1:9/x", strings.Repeat("x", 10000)} {
		_, err := b.fetch(c, channels.File{Ref: ref, Name: "x"}, 1000)
		if se := channels.AsSendError(err); se == nil || se.Class != channels.Refused {
			b.Errorf("Fetch of %.30q: %v, want refused", ref, err)
		}
	}
}

func fetchDuringOutage(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Files: []Attachment{{"a.pdf", report(10)}}})
	r.stop()
	b.net.GoDown()
	// The first try may find a connection that is just being cut.
	_, _ = b.fetch(r.c, e.Files[0], 1000)
	_, err := b.fetch(r.c, e.Files[0], 1000)
	if se := channels.AsSendError(err); se == nil || se.Class != channels.NotSent {
		b.Errorf("Fetch without a network: %v, want not sent", err)
	}
	b.net.ComeUp()
	if _, err := b.fetch(r.c, e.Files[0], 1000); err != nil {
		b.Errorf("Fetch after the outage: %v", err)
	}
}

// upload is a file in memory; opened counts.
func upload(name string, data []byte, opened *int) channels.Upload {
	return channels.Upload{Name: name, MIME: "application/pdf", Size: int64(len(data)), Open: func() (io.ReadCloser, error) {
		if opened != nil {
			*opened++
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// sendFile sends f and checks that every error is a typed one.
func (b *bench) sendFile(c channels.Channel, to channels.Address, caption string, f channels.Upload) *channels.SendError {
	b.Helper()
	p := post(to, formatting.Part{Text: caption, Plain: caption})
	p.Key = p.Key + f.Name
	receipt, err := c.(channels.FileSender).SendFile(b.soon(), p, f)
	if err != nil {
		return b.typed(err, caption)
	}
	if receipt.Remote == "" {
		b.Error("a receipt without the network's id")
	}
	return nil
}

func fileIsSent(b *bench) {
	c, to := b.asked()
	for i, f := range []Attachment{{"Beleg zu § 5.pdf", report(70_000)}, {"leer ä.txt", []byte("x")}, {"a\"b;c.pdf", report(3)}} {
		caption := fmt.Sprint("Beleg ", i)
		if se := b.sendFile(c, to, caption, upload(f.Name, f.Data, nil)); se != nil {
			b.Fatalf("%s: %v", f.Name, se)
		}
		got := b.last(AdaDirect)
		if len(got.Files) != 1 || !bytes.Equal(got.Files[0].Data, f.Data) {
			b.Fatalf("%s: arrived with %d files", f.Name, len(got.Files))
		}
		if i < 2 { // what networks make of signs that have a meaning in headers is theirs
			equal(b, "name", blanks(got.Files[0].Name), f.Name)
		}
	}
}

func fileStaysInTheTopic(b *bench) {
	r := b.start()
	e := r.hear(Line{At: TopicTwo, From: Ada, Text: "schick es"})
	if se := b.sendFile(r.c, b.stored(e.Address), "", upload("a.pdf", report(10), nil)); se != nil {
		b.Fatal(se)
	}
	equal(b, "files in topic two", len(b.last(TopicTwo).Files), 1)
}

func tooLargeFile(b *bench) {
	c, to := b.asked()
	opened := 0
	f := upload("groß.bin", nil, &opened)
	f.Size = 1 << 40
	se := b.sendFile(c, to, "ein Film", f)
	if se == nil || se.Class != channels.Refused {
		b.Errorf("a file of 1 TiB: %v, want refused", se)
	}
	equal(b, "times that the file was read", opened, 0)
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
}

func refusedFileTakesNoText(b *bench) {
	c, to := b.asked()
	b.must(c, text(to, "Hier ist der Beleg."))
	f := upload("groß.bin", nil, nil)
	f.Size = 1 << 40
	b.sendFile(c, to, "", f)
	b.must(c, text(to, "Er war zu groß."))
	equal(b, "arrived", strings.Join(b.texts(AdaDirect), "|"), "Hier ist der Beleg.|Er war zu groß.")
}

func unreadableFile(b *bench) {
	c, to := b.asked()
	for _, open := range []func() (io.ReadCloser, error){
		func() (io.ReadCloser, error) { return nil, errors.New("gone") },
		func() (io.ReadCloser, error) { return io.NopCloser(broken{}), nil },
	} {
		f := upload("a.pdf", report(100), nil)
		f.Open = open
		if se := b.sendFile(c, to, "", f); se == nil {
			b.Error("an unreadable file counts as sent")
		}
	}
	equal(b, "arrived", len(b.net.Arrived(AdaDirect)), 0)
	if se := b.sendFile(c, to, "", upload("a.pdf", report(100), nil)); se != nil {
		b.Errorf("the next file: %v", se)
	}
}

// broken is a file that cannot be read.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk error") }

func cutWhileSendingAFile(b *bench) {
	c, to := b.asked()
	for _, f := range []Fault{CutBefore, CutAfter} {
		b.net.BreakSend(f, 1)
		if se := b.sendFile(c, to, "", upload("a.pdf", report(100), nil)); se == nil || se.Class != channels.Unsure {
			b.Errorf("%s: %v, want unsure", f, se)
		}
	}
	if se := b.sendFile(c, to, "", upload("a.pdf", report(100), nil)); se != nil {
		b.Errorf("the next file: %v", se)
	}
}
