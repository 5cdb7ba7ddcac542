package cli_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/cli"
)

// Nothing is held while recover waits for an answer: Ctrl-C ends it at once.
func TestRecoverHoldsNothingWhileItAsks(t *testing.T) {
	dir := tresorOf(t)
	layLock(t, dir)
	var did []string
	o := cli.Options{Root: dir, Hold: func(ctx context.Context) (context.Context, func()) {
		did = append(did, "held")
		return ctx, func() { did = append(did, "released") }
	}}
	o.In = reading(func() { did = append(did, "asked") })
	if code, stdout, _ := run(o, "recover", "--gone"); code != 0 {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if want := []string{"held", "released", "asked", "held", "released"}; !slices.Equal(slices.Compact(did), want) {
		t.Errorf("got %q, want %q", did, want)
	}
}

// reading answers yes, and says so first.
type reading func()

func (r reading) Read(b []byte) (int, error) {
	r()
	return copy(b, "j\n"), io.EOF
}

// What a person does about a warning ends it, and until then recover does not
// say that there is nothing.
func TestANoteEndsTheWarningAboutARelease(t *testing.T) {
	dir := tresorOf(t)
	say := func(command ...string) string {
		t.Helper()
		code, stdout, _ := run(cli.Options{Root: dir}, command...)
		if code != 0 {
			t.Errorf("%q: exit %d, %s", command, code, stdout)
		}
		return stdout
	}
	say("log", "release", "v9.0.0 — von Hand")
	first := say("recover")
	if !strings.Contains(first, "🟡 recover: ") || strings.Contains(first, "zurückgelassen") {
		t.Errorf("%s", first)
	}
	_, note, _ := strings.Cut(first, "log note \"")
	note, _, ok := strings.Cut(note, "\"")
	if !ok {
		t.Fatalf("no remedy: %s", first)
	}
	say("log", "note", "etwas über v9.0.01 und v19.0.0")
	if again := say("recover"); again != first {
		t.Errorf("after a note about another version: %s", again)
	}
	say("log", "note", note)
	if last := say("recover"); !strings.HasPrefix(last, "🟢 ") {
		t.Errorf("after %q: %s", note, last)
	}
	say("log", "release", "v9.0.1 — von Hand")
	if again := say("recover"); !strings.Contains(again, "v9.0.1") {
		t.Errorf("after another one: %s", again)
	}
}
