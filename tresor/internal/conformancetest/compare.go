package conformancetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type judge struct {
	c       *Case
	neutral *strings.Replacer // real paths to placeholders
	found   []string
}

func (j *judge) differ(format string, args ...any) {
	j.found = append(j.found, fmt.Sprintf(format, args...))
}

func (j *judge) stream(name, mode, got string) {
	if mode == "ignore" {
		return
	}
	b, err := os.ReadFile(filepath.Join(j.c.Dir, name+".txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.differ("%v", err)
		return
	}
	want := string(b)
	got = j.neutral.Replace(got)
	var diff string
	switch mode {
	case "json":
		diff = compareDocuments(want, got)
	case "findings":
		diff = compareLines(want, got, func(line string) bool {
			return strings.HasPrefix(line, "🔴 FEHLER") || strings.HasPrefix(line, "🟡 WARNUNG")
		})
	case "lines-set":
		diff = compareLines(want, got, func(line string) bool { return line != "" })
	case "exact":
		if !textMatches(want, got) {
			diff = firstDifference(want, got)
		}
	default:
		diff = "unknown mode " + mode
	}
	if diff != "" {
		j.differ("%s: %s", name, diff)
	}
}

// textMatches compares got with an expectation in which {any} stands for any
// text within a line.
func textMatches(want, got string) bool {
	if !strings.Contains(want, "{any}") {
		return want == got
	}
	parts := strings.Split(want, "{any}")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^(?:" + strings.Join(parts, "[^\n]*") + ")$").MatchString(got)
}

// compareLines checks that each expected line occurs, in any order, and that no
// line beyond them counts.
func compareLines(want, got string, counts func(string) bool) string {
	have := strings.Split(got, "\n")
	var missing []string
	for line := range strings.SplitSeq(want, "\n") {
		if line == "" {
			continue
		}
		i := slices.IndexFunc(have, func(h string) bool { return textMatches(line, h) })
		if i < 0 {
			missing = append(missing, line)
			continue
		}
		have = slices.Delete(have, i, i+1)
	}
	more := slices.DeleteFunc(have, func(line string) bool { return !counts(line) })
	if missing == nil && len(more) == 0 {
		return ""
	}
	return fmt.Sprintf("missing %q, too many %q", missing, more)
}

func compareDocuments(want, got string) string {
	w, err := decode(want)
	if err != nil {
		return "expectation: " + err.Error()
	}
	g, err := decode(got)
	if err != nil {
		return fmt.Sprintf("no JSON document (%v): %.200q", err, got)
	}
	if diff := compareJSON(w, g, "$"); diff != "" {
		return diff
	}
	if !textMatches(want, got) {
		return "same content, other bytes: " + firstDifference(want, got)
	}
	return ""
}

func decode(s string) (any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// compareJSON compares content; numbers keep their spelling, texts may hold
// {any}.
func compareJSON(want, got any, where string) string {
	switch w := want.(type) {
	case string:
		if g, ok := got.(string); ok && textMatches(w, g) {
			return ""
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(w))
		if others := slices.Sorted(maps.Keys(g)); !slices.Equal(keys, others) {
			return fmt.Sprintf("%s: keys %q, want %q", where, others, keys)
		}
		for _, k := range keys {
			if diff := compareJSON(w[k], g[k], where+"."+k); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		for i := range min(len(w), len(g)) {
			if diff := compareJSON(w[i], g[i], fmt.Sprintf("%s[%d]", where, i)); diff != "" {
				return diff
			}
		}
		if len(w) != len(g) {
			return fmt.Sprintf("%s: %d items, want %d", where, len(g), len(w))
		}
		return ""
	default:
		if want == got {
			return ""
		}
	}
	return fmt.Sprintf("%s: got %v, want %v", where, got, want)
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "<end>", "<end>"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if !textMatches(a, b) {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, b, a)
		}
	}
	return "differs"
}
