package register_test

import (
	"errors"
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/register"
)

var ordnung = register.Source{ID: "S-0002", Title: "Ordnung", Stand: "2026-03-01", SHA256: digest, Trust: "T1", Rights: "frei, Zitat erlaubt",
	Ablage: "sources/raw/S-0002__a.md"}

const ordnungRow = "| S-0002 | Ordnung | 2026-03-01 | " + digest + " | T1 | frei, Zitat erlaubt | sources/raw/S-0002__a.md |"

var regeln = register.External{ID: "X-0001", Title: "Regeln", Art: register.MarkdownTree, Ziel: register.Local, Stand: "2026", Key: "regeln", Trust: "T2", Rights: "intern"}

const regelnRow = "| X-0001 | Regeln | markdown-tree | - | 2026 | regeln | T2 | intern |"

func key(err error) string {
	var refusal *check.Refusal
	if errors.As(err, &refusal) {
		return refusal.Key
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestRows(t *testing.T) {
	if got, err := ordnung.Row(); got != ordnungRow || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := regeln.Row(); got != regelnRow || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for name, tt := range map[string]struct {
		change func(*register.Source)
		want   string
	}{
		"pipe":           {func(s *register.Source) { s.Title = "a|b" }, "ED-7"},
		"line break":     {func(s *register.Source) { s.Title = "a\nb" }, "ED-7"},
		"outer blank":    {func(s *register.Source) { s.Rights = "frei " }, "ED-7"},
		"no UTF-8":       {func(s *register.Source) { s.Rights = "\xff" }, "ED-7"},
		"no Ablage":      {func(s *register.Source) { s.Ablage = "" }, "ED-7"},
		"no title":       {func(s *register.Source) { s.Title = "" }, "RG-5"},
		"bad ID":         {func(s *register.Source) { s.ID = "S-1" }, "RG-3"},
		"other ID":       {func(s *register.Source) { s.ID = "X-0001" }, "ED-2"},
		"bad trust":      {func(s *register.Source) { s.Trust = "T4" }, "RM-1"},
		"unclear rights": {func(s *register.Source) { s.Rights = "tbd" }, "RM-2"},
		"bad digest":     {func(s *register.Source) { s.SHA256 = "abc" }, "RM-3"},
	} {
		s := ordnung
		tt.change(&s)
		if got, err := s.Row(); key(err) != tt.want {
			t.Errorf("%s: got %q, %v; want %s", name, got, err, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		change func(*register.External)
		want   string
	}{
		"pipe":      {func(e *register.External) { e.Title = "a|b" }, "ED-7"},
		"bad kind":  {func(e *register.External) { e.Art = "ordner" }, "XR-5"},
		"bad key":   {func(e *register.External) { e.Key = "A" }, "XR-7"},
		"bad URL":   {func(e *register.External) { e.Ziel = "http://a.example/" }, "XR-9"},
		"no scope":  {func(e *register.External) { e.Art = register.ForeignTresor }, "XR-10"},
		"bad ID":    {func(e *register.External) { e.ID = "X-1" }, "XR-2"},
		"no rights": {func(e *register.External) { e.Rights = "" }, "ED-7"},
	} {
		e := regeln
		tt.change(&e)
		if got, err := e.Row(); key(err) != tt.want {
			t.Errorf("%s: got %q, %v; want %s", name, got, err, tt.want)
		}
	}
}

func TestAppend(t *testing.T) {
	first := strings.ReplaceAll(strings.ReplaceAll(ordnungRow, "S-0002", "S-0001"), "__a", "__b")
	tests := []struct{ name, in, want string }{
		{"behind the last row", "# Register\n\n" + register.Head + first + "\n\nNachsatz\n", "# Register\n\n" + register.Head + first + "\n" + ordnungRow + "\n\nNachsatz\n"},
		{"a new register", register.Head, register.Head + ordnungRow + "\n"},
		{"no line end", register.Head + first, register.Head + first + "\n" + ordnungRow + "\n"},
		{"an empty file", "", ordnungRow + "\n"},
	}
	for _, tt := range tests {
		for _, end := range []string{"\n", "\r\n"} {
			in, want := strings.ReplaceAll(tt.in, "\n", end), strings.ReplaceAll(tt.want, "\n", end)
			if in == "" {
				want = tt.want
			}
			if got, err := register.AppendSource([]byte(in), ordnung); string(got) != want || err != nil {
				t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, want)
			}
		}
	}
	for name, tt := range map[string]struct{ in, want string }{
		"taken ID":     {register.Head + ordnungRow + "\n", "RG-4"},
		"taken Ablage": {register.Head + strings.Replace(ordnungRow, "S-0002", "S-0003", 1) + "\n", "RM-7"},
		"broken":       {register.Head + "| S-0001 | a |\n", "RG-2"},
		"no UTF-8":     {"\xff", "RD-2"},
	} {
		if _, err := register.AppendSource([]byte(tt.in), ordnung); key(err) != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	control := ordnung
	control.Title = "a\x1bb"
	if _, err := register.AppendSource([]byte(register.Head), control); key(err) != "ED-7" {
		t.Errorf("a control character: got %v", err)
	}
	got, err := register.AppendExternal([]byte(register.ExternalHead), regeln)
	if want := register.ExternalHead + regelnRow + "\n"; string(got) != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	other := regeln
	other.ID = "X-0002"
	if _, err := register.AppendExternal(got, other); key(err) != "XR-8" {
		t.Errorf("a key twice: got %v", err)
	}
}

func TestRender(t *testing.T) {
	other := ordnung
	other.ID, other.Ablage = "S-0001", "sources/raw/S-0001__a.md"
	got, err := register.Render(map[string]register.Source{"S-0002": ordnung, "S-0001": other})
	if want := register.Head + strings.ReplaceAll(ordnungRow, "S-0002", "S-0001") + "\n" + ordnungRow + "\n"; got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := register.RenderExternal(nil); got != register.ExternalHead || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
