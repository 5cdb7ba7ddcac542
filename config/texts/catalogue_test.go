package texts_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"outheis/config/texts"
)

func TestLanguagesAgree(t *testing.T) {
	de, en := texts.For("de").Forms(), texts.For("en").Forms()
	for _, key := range slices.Sorted(maps.Keys(de)) {
		if en[key] == nil {
			t.Errorf("%s: in de, not in en", key)
			continue
		}
		if got, want := arguments(t, key, de[key]), arguments(t, key, en[key]); got != want {
			t.Errorf("%s: de reads %q, en reads %q", key, got, want)
		}
		if got, want := len(de[key]) > 1, len(en[key]) > 1; got != want {
			t.Errorf("%s: counts in one language only", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(en)) {
		if de[key] == nil {
			t.Errorf("%s: in en, not in de", key)
		}
	}
}

// arguments returns the verbs of all forms of a sentence together, and reports
// forms that read an argument differently. Only a count may be left out.
func arguments(t *testing.T, key string, forms []texts.Form) string {
	t.Helper()
	var all []byte
	for _, f := range forms {
		for i, v := range f.Verbs {
			if i == len(all) {
				all = append(all, 0)
			}
			if v != 0 && all[i] != 0 && v != all[i] {
				t.Errorf("%s: argument %d is read with %%%c and %%%c", key, i+1, v, all[i])
			}
			all[i] |= v
		}
	}
	for i, v := range all {
		if v == 0 {
			t.Errorf("%s: argument %d is not read", key, i+1)
		}
	}
	for _, f := range forms {
		for i := max(1, len(f.Verbs)); f.Category != "" && i < len(all); i++ {
			t.Errorf("%s.%s: argument %d is not read", key, f.Category, i+1)
		}
	}
	return string(all)
}

func TestSentencesAreClean(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		for key, forms := range texts.For(lang).Forms() {
			for _, f := range forms {
				name := lang + "/" + key + "." + f.Category
				text := f.Text
				if text == "" {
					t.Errorf("%s: empty", name)
				}
				if strings.TrimSpace(text) != text {
					t.Errorf("%s: blanks around %q", name, text)
				}
				if !norm.NFC.IsNormalString(text) {
					t.Errorf("%s: not in NFC: %q", name, text)
				}
				for _, r := range text {
					if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
						t.Errorf("%s: character %U in %q", name, r, text)
					}
				}
				if strings.Count(text, "`")%2 != 0 {
					t.Errorf("%s: lone backtick in %q", name, text)
				}
				if lang == "de" && strings.Count(text, "„") != strings.Count(text, "“") {
					t.Errorf("%s: lone quotation mark in %q", name, text)
				}
			}
		}
	}
}

// A sentence ends like its other forms and like its translation: with a full
// stop, with a colon, or as a label without either. Several sentences together
// are no label.
func TestSentencesEnd(t *testing.T) {
	de, en := texts.For("de").Forms(), texts.For("en").Forms()
	for key, forms := range de {
		want := ending(forms[0].Text)
		for _, f := range append(slices.Clone(forms), en[key]...) {
			if got := ending(f.Text); got != want {
				t.Errorf("%s: %q ends with %s, its fellows with %s", key, f.Text, got, want)
			}
		}
		if want == "nothing" && severalSentences.MatchString(prose(forms[0].Text)) {
			t.Errorf("%s: no full stop after the last sentence of %q", key, forms[0].Text)
		}
	}
}

var severalSentences = regexp.MustCompile(`\pL{3,}[.!?] \p{Lu}`)

func ending(text string) string {
	text = strings.TrimRight(text, "“”\"')`*_")
	switch {
	case strings.HasSuffix(text, ":"):
		return "a colon"
	case strings.HasSuffix(text, "."), strings.HasSuffix(text, "!"), strings.HasSuffix(text, "?"), strings.HasSuffix(text, "…"):
		return "a full stop"
	}
	return "nothing"
}

func TestUmlautsAreReal(t *testing.T) {
	for key, forms := range texts.For("de").Forms() {
		for _, f := range forms {
			for _, w := range transliterated(f.Text) {
				t.Errorf("%s: umlaut spelt out in %q", key, w)
			}
		}
	}
}

func TestTransliterated(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Die Prüfung läuft für die neue Quelle; aktuelle Queue zuerst.", nil},
		{"Das Token fuer den Bot", []string{"fuer"}},
		{"Pruefung, Aenderung und loeschen", []string{"Pruefung", "Aenderung", "loeschen"}},
		{"groesser und schliessen, grosse Strasse", []string{"groesser", "schliessen", "grosse", "Strasse"}},
		{"`outheis /vergiss_ueber` und %[1]s in telegram.allow", nil},
		{"Steuerdatei, Dauer, genaue Frequenz, manuell, individuell, eventuell", nil},
	} {
		if got := transliterated(c.text); !slices.Equal(got, c.want) {
			t.Errorf("transliterated(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

var (
	wordPattern = regexp.MustCompile(`\pL+`)
	spelt       = regexp.MustCompile(`(?i)ae|oe|(^|[^aeq])ue|^(gro|drei|hei|wei|schlie|flie|grü|sto|sü|mä|flei|au|bl?o)ss|strass|massnahm|ausserhalb|gemäss|fuss|spass`)
	germanWords = regexp.MustCompile(`(?i)aktuell|manuell|virtuell|individuell|eventuell|ritual|zuerst|zuerkenn|zuende|koexist|poet|soeben|duell|israel|michael|raphael|value|issue|continue|true|unique|bluetooth|fluent|does|goes|blossen?$|weisst?$|manoe|aussag`)
)

// transliterated returns the words of a German text that spell an umlaut or ß
// out. What stands in backticks or looks like a name in a file is no German.
func transliterated(text string) []string {
	var found []string
	for _, w := range wordPattern.FindAllString(prose(text), -1) {
		if spelt.MatchString(w) && !germanWords.MatchString(w) {
			found = append(found, w)
		}
	}
	return found
}

var noProse = regexp.MustCompile("`[^`]*`|\\$\\{[^}]*\\}|%(\\[\\d+\\])?[a-zA-Z]|https?://\\S+|\\S*[/_]\\S*|\\w+\\.\\w+")

// prose cuts out what is quoted from files, commands and networks.
func prose(text string) string { return noProse.ReplaceAllString(text, " ") }
