package channels

import (
	"context"
	"errors"
	"io"
)

// A File is something that came with a message, as the network describes it.
// Nothing in it is trusted: the name is shown, never used as a path, and the
// size is a claim.
type File struct {
	// Ref is what the adapter needs to fetch the bytes. It holds no secret and
	// no address that works without our credentials.
	Ref  string `json:"ref"`
	Name string `json:"name,omitempty"`
	MIME string `json:"mime,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes; 0 when the network does not say
}

// A Fetcher is a Channel that can read the files of the events that it
// delivered.
type Fetcher interface {
	// Fetch returns the bytes of f. The reader ends with an error once more than
	// most bytes have come; the caller closes it. Errors are [*SendError]s:
	// Refused for what is too large or not there any more, NotSent for what can
	// be tried again.
	Fetch(ctx context.Context, f File, most int64) (io.ReadCloser, error)
}

// An Upload is a file that we send.
type Upload struct {
	Name string
	MIME string
	Size int64
	// Open returns the bytes from their beginning; it is called once a try.
	Open func() (io.ReadCloser, error)
}

// A FileSender is a Channel that can send files. Texts never travel with a
// file, so that a file that the network refuses takes no word with it.
type FileSender interface {
	// SendFile posts f to p.To under p.Key; p.Body is ignored but for a caption
	// of its Plain form, where it fits one. It fails as Send does; a file that
	// is larger than the network takes is Refused without being sent.
	SendFile(ctx context.Context, p Post, f Upload) (Receipt, error)
}

// An Editor is a Channel that can change what it sent.
type Editor interface {
	// Edit puts the body and the buttons of p in the place of the message with
	// the id remote, which a Receipt of this account gave. Doing it twice
	// changes nothing. It fails as Send does; Refused means that the message
	// stays as it is: too old, deleted, not ours.
	Edit(ctx context.Context, p Post, remote string) error
}

// A Cursor keeps a few bytes of an adapter between two runs of the program:
// how far it has read, on networks that do not keep that themselves. The bytes
// are the adapter's own and hold no secret. Losing them loses no message that
// Deliver took, and repeats some, which Deliver knows by their keys.
type Cursor interface {
	// Load returns what was saved last, or nil when nothing was. What cannot be
	// read or understood is an error, so that nobody takes it for a first start:
	// ErrCursor where trying again does not help, and Save then keeps it aside.
	Load() ([]byte, error)
	// Save replaces it, durably. Adapters call it at most every few seconds and
	// when Run ends, and never before Deliver has returned nil for everything
	// that it covers.
	Save([]byte) error
}

// ErrCursor is the error of [Cursor.Load] for what is damaged or of another
// version. An adapter goes on without; after any other error it tries again and
// does not save.
var ErrCursor = errors.New("the cursor is not understood")

// A Finding is what a [Checker] found out about one point of its setup.
type Finding struct {
	Level  State  `json:"level"`            // Green, Yellow or Red
	Text   string `json:"text"`             // a finished sentence for administrators; no secret in it
	Remedy string `json:"remedy,omitempty"` // the next step, when Level is not Green
}

// A Checker is a Channel that can look over its own setup: credentials,
// permissions, what the network will deliver, addresses that the network has
// to reach. Check asks the network and changes nothing there; it may be called
// while Run runs, and before.
type Checker interface {
	Check(ctx context.Context) []Finding
}
