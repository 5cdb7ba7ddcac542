package tresor

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A term is a word of a claim as claims are compared: whole, with its case.
type term struct {
	key     string // lower case, see plain
	upper   bool   // written with a capital letter
	article bool   // an article stood before it
}

func (t term) is(other term) bool { return t.key == other.key }

// A value is what two claims on one subject may differ in, and a question may
// ask for: an amount with its unit, a date, a day, or a rhythm.
type value struct {
	text string
	unit string // the stem of the unit; "date", "day" or "rhythm" without one
}

// A reading is a claim taken apart.
type reading struct {
	rest   []term // the words that are no values; where several values are, their places
	values []value
	leans  bool // it can only be understood with what stands before it
}

// sameWording reports whether two readings have the same words in the same order; one
// word may stand elsewhere, if it is no noun, as a verb does in German.
func sameWording(a, b []term) bool {
	is := term.is
	if len(a) != len(b) {
		return false
	}
	if slices.EqualFunc(a, b, is) {
		return true
	}
	for i, moved := range a {
		at := slices.IndexFunc(b, func(o term) bool { return o.is(moved) && !o.upper })
		if moved.upper || at < 0 {
			continue
		}
		if slices.EqualFunc(slices.Delete(slices.Clone(a), i, i+1), slices.Delete(slices.Clone(b), at, at+1), is) {
			return true
		}
	}
	return false
}

// placeOfValue stands in a reading of several values where one of them was.
const placeOfValue = "\x00"

var (
	wordOrSign = regexp.MustCompile(`[-−]?\d[\d\pL]*(?:[.,:]\d+)*|[\pL\pM][\pL\pM\d]*|[%€°$£+<>=±≤≥§]`)
	pronoun    = regexp.MustCompile(`(?i)^(?:er|sie|es|ihn|ihm|ihr|ihnen|dies|diese[rsmn]?|dort|dafür|davon|dabei|dazu|it|they|them|this|these|there|those)$`).MatchString
	digits     = regexp.MustCompile(`^[-−]?\d`).MatchString
)

const (
	articles = " der die das den dem des ein eine einen einem einer eines the a an "
	// before are words that a value may follow at the beginning of a sentence.
	before  = " bis ab nach seit in vor alle um am an maximal mindestens höchstens etwa rund circa nur jeweils pro sein be at most least until from after every "
	neutral = " um am an at on "
)

// plain returns one form of the verbs that go with a number, and the word for a
// sign; other words stay as they are, so that Peter is not Peters.
func plain(word string) string {
	switch word {
	case "ist", "sind":
		return "sein"
	case "wird", "werden":
		return "werden"
	case "is", "are":
		return "be"
	case "darf", "dürfen":
		return "dürfen"
	case "muss", "müssen":
		return "müssen"
	case "kann", "können":
		return "können"
	case "%":
		return "prozent"
	case "€":
		return "euro"
	case "°":
		return "grad"
	}
	return word
}

// stem returns a noun without the ending of its case and number, as what is
// counted has them.
func stem(word string) string {
	for _, ending := range []string{"en", "es", "e", "n", "s"} {
		if short, ok := strings.CutSuffix(word, ending); ok && len(short) > 2 && !isNumber(word) {
			return short
		}
	}
	return word
}

// read takes a claim apart. Asked are the stems of nouns that the question counts.
func read(text string, asked []string) reading {
	var r reading
	var all []term
	article := false
	for _, m := range wordOrSign.FindAllString(text, -1) {
		word := strings.ToLower(m)
		if has(articles, word) && (len(m) > 1 || m == word || len(all) == 0) {
			article = true
			continue
		}
		r.leans = r.leans || pronoun(word)
		all = append(all, term{plain(strings.TrimSuffix(word, ":00")), unicode.IsUpper([]rune(m)[0]), article})
		article = false
	}
	isUnit := func(i int) bool {
		return i < len(all) && (unitClass(all[i].key) != "" || slices.Contains(asked, stem(all[i].key)))
	}
	named := func(i int) bool { // a word before makes a number a name
		return i > 0 && all[i-1].upper && !has(before, all[i-1].key)
	}
	take := func(v value) {
		if n := len(r.rest); n > 0 && !r.rest[n-1].upper && has(neutral, r.rest[n-1].key) {
			r.rest = r.rest[:n-1]
		}
		r.values = append(r.values, v)
		r.rest = append(r.rest, term{key: placeOfValue})
	}
	for i := 0; i < len(all); i++ {
		t := all[i]
		switch {
		case isNumber(t.key) && !named(i) && i+1 < len(all) && has(months, all[i+1].key):
			text := t.key + " " + all[i+1].key
			if i++; i+1 < len(all) && digits(all[i+1].key) && len(all[i+1].key) == 4 {
				i++
				text += " " + all[i].key
			}
			take(value{text, "date"})
		case isNumber(t.key) && !named(i) && isUnit(i+1):
			take(value{t.key, stem(all[i+1].key)})
			i++
		case has(weekdays, t.key) && !t.article:
			take(value{t.key, "day"})
		case has(rhythms, t.key) && !t.article:
			take(value{t.key, "rhythm"})
		default:
			r.rest = append(r.rest, t)
		}
	}
	if len(r.values) < 2 {
		r.rest = slices.DeleteFunc(r.rest, func(t term) bool { return t.key == placeOfValue })
	}
	return r
}

// has reports whether a list of words, with spaces around each, has a word.
func has(list, word string) bool { return strings.Contains(list, " "+word+" ") }

const (
	weekdays = " montag montags dienstag dienstags mittwoch mittwochs donnerstag donnerstags freitag freitags samstag samstags sonnabend sonnabends sonntag sonntags" +
		" monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays "
	months = " januar februar märz maerz april mai juni juli august september oktober november dezember" +
		" january february march may june july october december "
	rhythms = " täglich taeglich wöchentlich woechentlich monatlich vierteljährlich vierteljaehrlich halbjährlich halbjaehrlich jährlich jaehrlich stündlich stuendlich" +
		" hourly daily weekly monthly quarterly yearly "
	numerals = " null halb halbe halben dutzend million millionen milliarde milliarden" +
		" one two three four five six seven eight nine ten eleven twelve hundred thousand half dozen "
)

// numberWord matches German numerals below a million.
var numberWord = func() *regexp.Regexp {
	const (
		digit = `(?:ein|eine|zwei|zwo|drei|vier|fünf|fuenf|sechs|sieben|acht|neun)`
		teen  = `(?:zehn|elf|zwölf|zwoelf|(?:drei|vier|fünf|fuenf|sech|sieb|acht|neun)zehn)`
		tens  = `(?:zwanzig|drei(?:ß|ss)ig|(?:vier|fünf|fuenf|sech|sieb|acht|neun)zig)`
		below = `(?:(?:` + digit + `und)?` + tens + `|` + teen + `|` + digit + `s?)`
		small = `(?:` + digit + `?hundert(?:und)?` + below + `?|` + below + `)`
	)
	return regexp.MustCompile(`^(?:` + small + `?tausend(?:und)?` + small + `?|` + small + `)$`)
}()

// isNumber reports whether a word is a number, in digits or spelt out. The
// article "ein" is none.
func isNumber(word string) bool {
	switch word {
	case "ein", "eine", "eins", "eines":
		return false
	}
	return digits(word) || has(numerals, word) || numberWord.MatchString(word)
}

// isAmount reports whether a word is a number, or stands for one, for a date or
// for a rhythm.
func isAmount(word string) bool {
	word = strings.ToLower(word)
	return isNumber(word) || has(weekdays+months+rhythms, word)
}

// unitClass returns what a unit measures, or "".
func unitClass(key string) string {
	for class, units := range map[string]string{
		"money":  " euro eur cent franken chf dollar usd pfund pound ",
		"clock":  " uhr o'clock am pm ",
		"time":   " sekunde minute stunde tag woche monat jahr quartal second hour day week month year ",
		"length": " millimeter zentimeter meter kilometer mm cm m km ",
		"weight": " gramm kilogramm kilo tonne g kg t ton ",
		"other":  " prozent percent grad liter quadratmeter m² kubikmeter volt ampere watt kilowatt bar mal zeichen person seite exemplar ",
	} {
		for _, u := range strings.Fields(units) {
			if key == u || stem(key) == stem(u) {
				return class
			}
		}
	}
	return ""
}
