package texts_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/text/language"

	"outheis/config/texts"
)

func TestForChoosesTheLanguage(t *testing.T) {
	for _, c := range []struct{ lang, want string }{
		{"", "de"},
		{"de", "de"},
		{"DE", "de"},
		{"de-AT", "de"},
		{"de_CH", "de"},
		{"de_DE.UTF-8", "de"},
		{"de_DE@euro", "de"},
		{"gsw", "de"},
		{"en", "en"},
		{"en-GB", "en"},
		{"fr", "en"},
		{"ja-JP", "en"},
		{"C.UTF-8", "en"},
		{"not a language", "en"},
		{"\xff", "en"},
	} {
		if got := texts.For(c.lang).Lang(); got != c.want {
			t.Errorf("For(%q).Lang() = %q, want %q", c.lang, got, c.want)
		}
	}
}

func TestTheAbstentionIsGermanEverywhere(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		if got, want := texts.For(lang).Say("common.not_in_stock"), "Nicht im Bestand"; got != want {
			t.Errorf("%s: abstention = %q, want %q", lang, got, want)
		}
	}
}

// catalogue makes a catalogue of one file.
func catalogue(t *testing.T, lang, yaml string) (*texts.Texts, error) {
	t.Helper()
	fsys := fstest.MapFS{lang + "/store.yaml": {Data: []byte(yaml)}}
	return texts.Load(fsys, lang, language.MustParse(lang))
}

func TestSay(t *testing.T) {
	said, err := catalogue(t, "de", `
plain: "Der Ordner ist leer."
percent: "Die Platte ist zu 100 %% voll."
port: "Port %d ist belegt."
turned: "%[2]s hält die Sperre seit %[1]s."
dollar: "Der Schlüssel steht in ${env:OUTHEIS_TOKEN}."
claims.0: "Es fehlt kein Claim."
claims.one: "Es fehlt ein Claim."
claims.other: "Es fehlen %d Claims."
lines.one: "In %[2]s ist eine Zeile beschädigt."
lines.other: "In %[2]s sind %[1]d Zeilen beschädigt."
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  string
		args []any
		want string
	}{
		{"store.plain", nil, "Der Ordner ist leer."},
		{"store.percent", nil, "Die Platte ist zu 100 % voll."},
		{"store.port", []any{8080}, "Port 8080 ist belegt."},
		{"store.turned", []any{"gestern", "outheis"}, "outheis hält die Sperre seit gestern."},
		{"store.dollar", nil, "Der Schlüssel steht in ${env:OUTHEIS_TOKEN}."},
		{"store.claims", []any{0}, "Es fehlt kein Claim."},
		{"store.claims", []any{int64(1)}, "Es fehlt ein Claim."},
		{"store.claims", []any{uint8(2)}, "Es fehlen 2 Claims."},
		{"store.claims", []any{1234567}, "Es fehlen 1234567 Claims."},
		{"store.lines", []any{1, "messages.jsonl"}, "In messages.jsonl ist eine Zeile beschädigt."},
		{"store.lines", []any{0, "messages.jsonl"}, "In messages.jsonl sind 0 Zeilen beschädigt."},
	} {
		if got := said.Say(c.key, c.args...); got != c.want {
			t.Errorf("Say(%q, %v) = %q, want %q", c.key, c.args, got, c.want)
		}
	}
}

func TestSayPanicsOnAProgrammersMistake(t *testing.T) {
	said, err := catalogue(t, "de", "n.one: \"Ein Claim.\"\nn.other: \"%d Claims.\"\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, say := range map[string]func(){
		"unknown key":   func() { said.Say("store.nothing") },
		"form as key":   func() { said.Say("store.n.one", 1) },
		"missing count": func() { said.Say("store.n") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			say()
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, yaml := range map[string]string{
		"no YAML":             "a: [",
		"nested map":          "a:\n  b: c\n",
		"key twice":           "a: x\na: y\n",
		"lone per cent":       "a: \"zu 100 % voll\"\n",
		"unknown verb":        "a: \"%k\"\n",
		"index without end":   "a: \"%[1\"\n",
		"index zero":          "a: \"%[0]s\"\n",
		"two verbs, one arg":  "a: \"%[1]s %[1]d\"\n",
		"no form other":       "a.one: x\n",
		"form German has not": "a.few: x\na.other: y\n",
		"with and without":    "a: x\na.other: y\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := catalogue(t, "de", yaml); err == nil {
				t.Errorf("load of %q: no error", yaml)
			} else if !strings.Contains(err.Error(), "de") {
				t.Errorf("error %q does not say where", err)
			}
		})
	}
}

func TestSayFromManyGoroutines(t *testing.T) {
	said, err := catalogue(t, "en", "n.one: \"One claim.\"\nn.other: \"%d claims.\"\n")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				want := fmt.Sprintf("%d claims.", n+i)
				if n+i == 1 {
					want = "One claim."
				}
				if got := said.Say("store.n", n+i); got != want {
					t.Errorf("Say(%d) = %q, want %q", n+i, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// What the reader of format strings lets through, fmt prints without a mark of
// a mistake.
func FuzzVerbs(f *testing.F) {
	for _, s := range []string{"", "%%", "%s %d", "%[2]s %[1]d", "%5.1f", "100 %", "%[3]v", "%[2]s%s", "%%%s", "%-10q", "%+d", "%#x", "%.3s", "%[1]s %%d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		verbs, err := texts.Verbs(text)
		if err != nil || strings.Contains(text, "!") {
			return
		}
		args := make([]any, len(verbs))
		for i, v := range verbs {
			switch v {
			case 'd', 'x', 'c':
				args[i] = 7
			case 'f':
				args[i] = 7.5
			case 't':
				args[i] = true
			default:
				args[i] = "seven"
			}
		}
		if len(args) > 0 && verbs[0] == 0 {
			return // the count of a plural form that leaves it out
		}
		if got := fmt.Sprintf(text, args...); strings.Contains(got, "%!") {
			t.Errorf("%q with %v prints %q", text, args, got)
		}
	})
}
