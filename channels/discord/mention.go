package discord

import (
	"regexp"
	"slices"
	"strings"
)

// The forms in which Discord writes a mention into a text: of an account, with
// "!" where it has a nickname, and of a role.
var mentionForm = regexp.MustCompile(`<@([!&]?)([1-9][0-9]{0,19})>`)

// A reading is what a text says beside its words.
type reading struct {
	text      string // without mentions of us; other accounts by their names
	mentioned bool   // our account is mentioned
}

// A reader of mentions knows who we are in the guild of a message: our account
// and the role that belongs to it alone, which people choose from the list as
// often as the account itself (spec/channels.md D2). Other roles that we have
// are no mention of us.
type mentions struct {
	me    string
	role  string
	users []user   // whom Discord says are mentioned
	roles []string // likewise
}

// read takes a text apart. Only what Discord counts as a mention is one: the
// same signs inside of code are text.
func (m mentions) read(text string) reading {
	us := slices.ContainsFunc(m.users, func(u user) bool { return u.ID == m.me && u.ID != "" })
	ours := m.role != "" && slices.Contains(m.roles, m.role)
	r := reading{text: strings.TrimSpace(text)}
	if len(m.users) == 0 && !ours {
		return r
	}
	var b strings.Builder
	leading, from := true, 0
	code := codeSpans(text)
	for _, at := range mentionForm.FindAllStringSubmatchIndex(text, -1) {
		if inside(code, at[0]) {
			continue
		}
		sign, id := text[at[2]:at[3]], text[at[4]:at[5]]
		before := text[from:at[0]]
		leading = leading && strings.TrimSpace(before) == ""
		if sign == "&" && ours && id == m.role || sign != "&" && us && id == m.me {
			r.mentioned = true
			from = at[1]
			if leading {
				// What follows an address belongs to it.
				rest := strings.TrimLeft(text[from:], " \t\n")
				from = len(text) - len(strings.TrimLeft(rest, ",:"))
				continue
			}
			b.WriteString(strings.TrimSuffix(strings.TrimRight(before, " \t"), ","))
			continue
		}
		leading = false
		b.WriteString(before)
		from = at[0]
		if name := m.name(sign, id); name != "" {
			b.WriteString("@" + name)
			from = at[1]
		}
	}
	b.WriteString(text[from:])
	r.text = strings.TrimSpace(b.String())
	return r
}

// name returns the unique name of a mentioned account, or "".
func (m mentions) name(sign, id string) string {
	if sign == "&" {
		return ""
	}
	for _, u := range m.users {
		if u.ID == id {
			return u.Username.value
		}
	}
	return ""
}

// codeSpans returns where code begins and ends in a text: between runs of
// backquotes of the same length, the longest first as Discord reads them.
func codeSpans(text string) [][2]int {
	var spans [][2]int
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			break
		}
		start := at + i
		run := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		run = min(run, 3)
		mark := text[start : start+run]
		end := strings.Index(text[start+run:], mark)
		if end < 0 {
			at = start + run
			continue
		}
		stop := start + run + end + run
		spans = append(spans, [2]int{start, stop})
		at = stop
	}
	return spans
}

func inside(spans [][2]int, at int) bool {
	for _, s := range spans {
		if at >= s[0] && at < s[1] {
			return true
		}
	}
	return false
}
