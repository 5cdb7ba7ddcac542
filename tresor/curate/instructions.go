package curate

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
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
	clean := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // invisible characters that break words
			return -1
		}
		return r
	}, s)
	lines := strings.Split(clean, "\n")
	hit := make(map[int]bool)
	for i, line := range lines {
		if text.Signature(line) {
			hit[i] = true
		}
	}
	for _, at := range phrases().FindAllStringIndex(clean, maxSuspicions) {
		found := clean[at[0]:at[1]] // what may begin with the blank or line end before it
		begin := at[1] - len(strings.TrimLeftFunc(found, text.IsSpace))
		hit[strings.Count(clean[:begin], "\n")] = true
	}
	var found []Suspicion
	for i, line := range lines {
		if hit[i] && len(found) < maxSuspicions {
			found = append(found, Suspicion{i + 1, excerpt(line)})
		}
	}
	return found
}

func excerpt(line string) string {
	const limit = 120
	line = text.Trim(line)
	if text.Len(line) > limit {
		line = string([]rune(line)[:limit]) + "…"
	}
	return wording.Printable(line)
}

// phrases are what is looked for, whatever its case and line breaks.
var phrases = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(` + strings.Join([]string{
		// English
		`\b(ignore|disregard|forget|override|bypass)\s+(\S+\s+){0,4}?(instructions?|rules|prompts?|guidelines|directives)\b`,
		`\bsystem[\s_-]*prompts?\b`,
		`\bdeveloper\s+(message|mode)\b`,
		`<\s*/?\s*(system|assistant|instructions?)\s*>`,
		`\[\s*/?\s*(inst|system)\s*\]`,
		`<\|[a-z_]+\|>`,
		`\byou\s+are\s+now\s+(an?|the|in|free|dan|no\s+longer)\b`,
		`\bfrom\s+now\s+on,?\s+you\b`,
		`\bpretend\s+(to\s+be|that\s+you|you\s+are)\b`,
		`\b(act|behave|respond)\s+as\s+(if\s+you|an?\s+(ai|assistant|model|chatbot|expert))\b`,
		`\b(do\s+not|don't|never)\s+(tell|inform|mention|reveal)\b[^.\n]{0,40}\b(user|human|anyone)\b`,
		`\b(reveal|print|repeat|output|show)\s+(your|the)\s+((system|hidden|secret|initial)\s+)?(prompt|instructions)\b`,
		`\b(new|important|additional)\s+instructions?\s*(:|for\s+(the\s+)?(ai|assistant|model|llm)\b)`,
		`\b(ai|language)\s+models?\s*(:|,?\s+you\s+(must|should|will)\b)`,
		`\bjailbreak`,
		// German; \b knows no umlauts
		`(^|\PL)(ignorier(e|en|t)?|missacht(e|en|et)?|vergiss|vergessen\s+sie|umgeh(e|en|t)|übergeh(e|en|t)|überschreib(e|en|t))\s+` +
			`(\S+\s+){0,5}?(anweisung(en)?|instruktion(en)?|regeln?|vorgaben?|befehle?|prompts?)\b`,
		`\bsystem-?(anweisung|nachricht)`,
		`\bentwickler-?(nachricht|modus)`,
		`\bdu\s+bist\s+(jetzt|nun|ab\s+(jetzt|sofort))\b`,
		`\bab\s+(jetzt|sofort)\s+(bist|antwortest|handelst|befolgst)\s+du\b`,
		`\bverhalte\s+dich\s+(wie|als)\b`,
		`\btu\s+so,?\s+als\b`,
		`\bantworte\s+(immer|nur|ausschließlich|stets)\b`,
		`\b(verrate|erwähne|sage?)\s+[^.\n]{0,40}\b(niemandem|nutzer|benutzer|menschen)\b`,
		`\b(zeige?|gib|nenne|wiederhole|verrate)\s+(mir\s+)?(deine[nr]?|die)\s+((geheimen|internen|ursprünglichen)\s+)?` +
			`(anweisungen|instruktionen|vorgaben|systemprompt)\b`,
		`\b(anweisung|hinweis|nachricht|befehl)(en)?\s+an\s+(die\s+ki|das\s+(sprach)?modell|den\s+(assistenten|chatbot)|alle\s+(kis?|sprachmodelle))\b`,
		`\bliebe[sr]?\s+(ki|sprachmodell|assistent)\b`,
		`\bals\s+(ki|sprachmodell|assistent)\s+(musst|sollst|wirst|darfst|hast|bist)\b`,
		`\bführe\s+[^.\n]{0,40}\b(befehl|skript|programm|code)e?\s+aus\b`,
	}, "|") + `)`)
})
