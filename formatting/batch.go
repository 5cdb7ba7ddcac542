package formatting

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Batch renders a file of JSON lines: for each {"id":…,"md":…} of in it writes
// {"id":…,"mode":…,"us":…,"chunks":[…]} to out. Mode is "none" for parts
// without markup; us is the time in microseconds that parsing, rendering and
// splitting took by the clock now. The first line that is no such object ends
// the batch with an error that names it; what came before is written.
func Batch(in io.Reader, out io.Writer, p Profile, now func() time.Time) error {
	type input struct {
		ID       string  `json:"id"`
		Markdown *string `json:"md"`
	}
	type output struct {
		ID     string   `json:"id"`
		Mode   string   `json:"mode"`
		Micros int64    `json:"us"`
		Chunks []string `json:"chunks"`
	}
	r := bufio.NewReader(in)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	mode := p.withDefaults().Dialect.mode()
	if mode == "" {
		mode = "none"
	}
	for n := 1; ; n++ {
		line, readErr := r.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return errors.Join(fmt.Errorf("formatting: read line %d: %w", n, readErr), w.Flush())
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var doc input
			if err := json.Unmarshal(line, &doc); err != nil {
				return errors.Join(fmt.Errorf("formatting: line %d: %w", n, err), w.Flush())
			}
			if doc.Markdown == nil {
				return errors.Join(fmt.Errorf(`formatting: line %d: no "md"`, n), w.Flush())
			}
			start := now()
			parts := Render(Parse(*doc.Markdown), p)
			o := output{ID: doc.ID, Mode: mode, Micros: now().Sub(start).Microseconds(), Chunks: make([]string, len(parts))}
			for i, part := range parts {
				o.Chunks[i] = part.Text
			}
			if err := enc.Encode(o); err != nil {
				return fmt.Errorf("formatting: write line %d: %w", n, err)
			}
		}
		if readErr != nil {
			break
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("formatting: write: %w", err)
	}
	return nil
}
