package curate

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Suspicion is a place in a source that reads like an instruction to a
// language model.
type Suspicion struct {
	Line    int
	Excerpt string // of one line, printable
}

// maxSuspicions bounds what is told of one source.
const maxSuspicions = 20

// Suspicions finds what reads like an instruction to a language model, in
// English and German, besides the format's own short list. It is for reports to
// people only: it has false hits and misses, never changes a verdict, and what it
// finds is never followed (deviation D-22). After the first twenty it stops.
func Suspicions(s string) []Suspicion {
	look := newScan()
	look.decode = (*scan).narrow
	_, _ = look.Write([]byte(s))
	look.close()
	return look.suspicions()
}

// begins reports whether a phrase begins at the front of s, which is in lower
// case and begins with r.
func begins(s string, r rune) bool {
	const longest = 300 // bytes of a phrase
	for _, p := range phrases()[r] {
		if strings.HasPrefix(s, p.first) && p.whole.MatchString(s[:min(len(s), longest)]) {
			return true
		}
	}
	return false
}

// A phrase is an expression that begins with a literal, by which it is found.
type phrase struct {
	first string
	whole *regexp.Regexp
}

// phrases are what is looked for, by their first character.
var phrases = sync.OnceValue(func() map[rune][]phrase {
	all := make(map[rune][]phrase)
	for _, p := range []struct{ first, rest string }{
		// English
		{"ignore|disregard|forget|override|bypass", `\s+(\S+\s+){0,4}?(instructions?|rules|prompts?|guidelines|directives)\b`},
		{"system", `[\s_-]*prompts?\b`},
		{"developer", `\s+(message|mode)\b`},
		{"<", `\s*/?\s*(system|assistant|instructions?)\s*>`},
		{"<", `\|[a-z_]+\|>`},
		{"[", `\s*/?\s*(inst|system)\s*\]`},
		{"you", `\s+are\s+now\s+(an?|the|in|free|dan|no\s+longer)\b`},
		{"from", `\s+now\s+on,?\s+you\b`},
		{"pretend", `\s+(to\s+be|that\s+you|you\s+are)\b`},
		{"act|behave|respond", `\s+as\s+(if\s+you|an?\s+(ai|assistant|model|chatbot|expert))\b`},
		{"do not|don't|don’t|never", `\s+(tell|inform|mention|reveal)\b[^.\n]{0,40}\b(user|human|anyone)\b`},
		{"reveal|print|repeat|output|show", `\s+(your|the)\s+((system|hidden|secret|initial)\s+)?(prompt|instructions)\b`},
		{"new|important|additional", `\s+instructions?\s*(:|for\s+(the\s+)?(ai|assistant|model|llm)\b)`},
		{"ai|language", `\s+models?\s*(:|,?\s+you\s+(must|should|will)\b)`},
		{"jailbreak", ``},
		// German
		{"ignoriere|ignorieren|ignoriert|missachte|missachten|vergiss|vergessen sie|umgehe|umgehen|umgeht|übergehe|übergehen|übergeht|" +
			"überschreibe|überschreiben|überschreibt", `\s+(\S+\s+){0,5}?(anweisung(en)?|instruktion(en)?|regeln?|vorgaben?|befehle?|prompts?)\b`},
		{"system", `-?(anweisung|nachricht)`},
		{"entwickler", `-?(nachricht|modus)`},
		{"du", `\s+bist\s+(jetzt|nun|ab\s+(jetzt|sofort))\b`},
		{"ab", `\s+(jetzt|sofort)\s+(bist|antwortest|handelst|befolgst)\s+du\b`},
		{"verhalte", `\s+dich\s+(wie|als)\b`},
		{"tu", `\s+so,?\s+als\b`},
		{"antworte", `\s+(immer|nur|ausschließlich|stets)(\s|$)`},
		{"verrate|erwähne|sag|sage", `\s+[^.\n]{0,40}\b(niemandem|nutzer|benutzer|menschen)\b`},
		{"zeig|zeige|gib|nenne|wiederhole|verrate", `\s+(mir\s+)?(deine[nr]?|die)\s+((geheimen|internen|ursprünglichen)\s+)?` +
			`(anweisungen|instruktionen|vorgaben|systemprompt)\b`},
		{"anweisung|hinweis|nachricht|befehl", `(en)?\s+an\s+(die\s+ki|das\s+(sprach)?modell|den\s+(assistenten|chatbot)|alle\s+(kis?|sprachmodelle))\b`},
		{"liebe|lieber|liebes", `\s+(ki|sprachmodell|assistent)\b`},
		{"als", `\s+(ki|sprachmodell|assistent)\s+(musst|sollst|wirst|darfst|hast|bist)\b`},
		{"führe", `\s+[^.\n]{0,40}\b(befehl|skript|programm|code)e?\s+aus\b`},
	} {
		for first := range strings.SplitSeq(p.first, "|") {
			r, _ := utf8.DecodeRuneInString(first)
			all[r] = append(all[r], phrase{first, regexp.MustCompile(`^` + regexp.QuoteMeta(first) + p.rest)})
		}
	}
	return all
})
