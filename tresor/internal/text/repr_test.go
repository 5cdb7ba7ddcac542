package text_test

import (
	"testing"

	"outheis/tresor/internal/text"
)

func TestRepr(t *testing.T) {
	for in, want := range map[string]string{
		"":                 `''`,
		"Größe – 🟢":        `'Größe – 🟢'`,
		"it's":             `"it's"`,
		`say "a"`:          `'say "a"'`,
		`it's "a"`:         `'it\'s "a"'`,
		`a\b`:              `'a\\b'`,
		"\n\r\t\x00\x7f":   `'\n\r\t\x00\x7f'`,
		"\u0085\u00a0":     `'\x85\xa0'`,
		"\u00ad\u200b":     `'\xad\u200b'`,
		"\u2028\ufeff":     `'\u2028\ufeff'`,
		"\U000e0001":       `'\U000e0001'`,
		"\ufffd":           `'` + "\ufffd" + `'`,
		"\xff":             `'\xff'`,
		"\u00a0a":          `'\xa0a'`,
		"\ue000\U0010ffff": `'\ue000\U0010ffff'`,
	} {
		if got := text.Repr(in); got != want {
			t.Errorf("Repr(%q) = %s, want %s", in, got, want)
		}
	}
	if got, want := text.ReprList([]string{"a", "b's"}), `['a', "b's"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := text.ReprList(nil); got != "[]" {
		t.Errorf("got %s", got)
	}
}
