package formatting_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"outheis/formatting"
)

// tick is a clock that goes on by 7 microseconds each time it is asked.
func tick() func() time.Time {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(7 * time.Microsecond)
		return now
	}
}

func TestBatch(t *testing.T) {
	in := `{"id":"a","md":"**fett** & <x>"}

{"id":"b","md":"","cls":"leer"}
{"id":"c","md":"` + strings.Repeat("wort ", 900) + `"}`
	var out strings.Builder
	if err := formatting.Batch(strings.NewReader(in), &out, formatting.TelegramHTML(), tick()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d lines", len(lines))
	}
	for i, want := range []string{
		`{"id":"a","mode":"HTML","us":7,"chunks":["<b>fett</b> &amp; &lt;x&gt;"]}`,
		`{"id":"b","mode":"HTML","us":7,"chunks":[]}`,
	} {
		if lines[i] != want {
			t.Errorf("line %d: got %s, want %s", i+1, lines[i], want)
		}
	}
	if !strings.Contains(lines[2], `(1/2)","wort`) {
		t.Errorf("third line is not in two chunks: %.100s", lines[2])
	}
	out.Reset()
	if err := formatting.Batch(strings.NewReader(`{"id":"a","md":"# t"}`), &out, formatting.Terminal(formatting.TerminalOptions{}), tick()); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), `{"id":"a","mode":"none","us":7,"chunks":["T\n─"]}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBatchErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	tests := []struct {
		name, in, want string
	}{
		{name: "no JSON", in: "{\"id\":\"a\",\"md\":\"x\"}\nnein\n", want: "formatting: line 2: "},
		{name: "one character", in: "{\"id\":\"a\",\"md\":\"x\"}\r\n\r\nx", want: "formatting: line 3: "},
		{name: "no text", in: `{"id":"a"}`, want: `formatting: line 1: no "md"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := formatting.Batch(strings.NewReader(test.in), &out, formatting.TelegramHTML(), tick())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s…", err, test.want)
			}
			if strings.Contains(test.in, `"x"`) && !strings.Contains(out.String(), `"chunks":["x"]`) {
				t.Errorf("what came before is missing: %q", out.String())
			}
		})
	}
	var out strings.Builder
	if err := formatting.Batch(iotest.ErrReader(broken), &out, formatting.TelegramHTML(), tick()); !errors.Is(err, broken) {
		t.Errorf("got %v, want it to wrap the reader's error", err)
	}
}
