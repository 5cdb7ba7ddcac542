package curate_test

import (
	"strings"
	"testing"

	"outheis/tresor/curate"
)

func TestNewPointer(t *testing.T) {
	dir := withPage(t)
	good := curate.Pointer{URL: "https://docs.example.org/regeln?seite=3", Title: "Regeln für Gäste", Stand: "2026", Trust: "T2", Rights: "nur Verweis"}
	done, err := curate.NewPointer(ctx, dir, good, may(4))
	if err != nil || done.ID != "S-0002" || done.Path != "sources/raw/S-0002__regeln-fuer-gaeste.md" {
		t.Fatalf("%+v, %v", done, err)
	}
	want := "# Regeln für Gäste\n\nZeiger auf eine Quelle, deren Volltext hier nicht liegen darf.\n\n* Adresse: https://docs.example.org/regeln?seite=3\n" +
		"* Abgerufen am: 2026-05-04\n* Stand der Quelle: 2026\n* Rechte: nur Verweis\n"
	if got := read(t, dir, done.Path); got != want {
		t.Errorf("record %q, want %q", got, want)
	}
	if got, want := read(t, dir, "sources/REGISTER.md"), "| S-0002 | Regeln für Gäste | 2026 | "+digest(want)+" | T2 | nur Verweis | "+done.Path+" |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("register %q does not end in %q", got, want)
	}
	c := goodClaim()
	c.Source = "S-0002"
	if _, err := curate.NewClaim(ctx, dir, c, may(4)); err != nil {
		t.Error(err)
	}
	valid(t, dir)
	before := tree(t, dir)
	for i, tt := range []struct {
		change func(*curate.Pointer)
		field  string
	}{
		{func(p *curate.Pointer) {}, ""}, // the same again
		{func(p *curate.Pointer) { p.URL = "ftp://docs.example.org" }, ""},
		{func(p *curate.Pointer) { p.URL = "https:///regeln" }, ""},
		{func(p *curate.Pointer) { p.URL = "https://ich@docs.example.org/" }, ""},
		{func(p *curate.Pointer) { p.URL = "https://docs.example.org/\nx" }, ""},
		{func(p *curate.Pointer) { p.URL = "docs.example.org" }, ""},
		{func(p *curate.Pointer) { p.Title = "a|b" }, "title"},
		{func(p *curate.Pointer) { p.Title = "" }, "title"},
		{func(p *curate.Pointer) { p.Retrieved = "gestern" }, "retrieved"},
		{func(p *curate.Pointer) { p.Stand = "" }, "stand"},
		{func(p *curate.Pointer) { p.Trust = "T0" }, "trust"},
		{func(p *curate.Pointer) { p.Rights = "?" }, "rights"},
	} {
		p := good
		tt.change(&p)
		_, err := curate.NewPointer(ctx, dir, p, may(4))
		if field, text := refusal(t, err); field != tt.field || text == "" {
			t.Errorf("%d: field %q, text %q; want field %q", i, field, text, tt.field)
		}
	}
	if got := changed(before, tree(t, dir)); len(got) > 0 {
		t.Errorf("changed: %v", got)
	}
}
