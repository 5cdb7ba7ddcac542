//go:build peers

package render

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// TestTelegramTakesWhatWeRender sends the parts of more than 20,000 documents
// through Telegram's parser. It has to accept each of them, to see the text and
// the entities that our own strict parser sees, and Part.Plain has to be that
// text with the URLs of its links.
func TestTelegramTakesWhatWeRender(t *testing.T) {
	td := startTDLib(t)
	p := formatting.TelegramHTML()
	docs := formattest.Corpus(20270102, 6500)
	docs = append(docs, noise(1000)...)
	parts := 0
	for chunk := range slices.Chunk(docs, 50) {
		var batch []formatting.Part
		var ids, texts []string
		for _, d := range chunk {
			for _, part := range formatting.Render(formatting.Parse(d.Markdown), p) {
				batch = append(batch, part)
				ids = append(ids, d.ID)
				texts = append(texts, part.Text)
			}
		}
		parts += len(batch)
		for i, a := range td.parse(texts) {
			if problem := judge(p, batch[i], a); problem != "" {
				t.Errorf("%s: %s\nin %.500q", ids[i], problem, texts[i])
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d documents in %d parts", len(docs), parts)
}

// noise returns documents of random characters, most of them marks.
func noise(n int) []formattest.Doc {
	r := rand.New(rand.NewPCG(7, 7))
	alphabet := []rune("**__``~~[]()<>&#|-\\!=:;/\"' \n\n\tabc019äß語🙂\u200d\u202e\x1b\u0301@.,>")
	docs := make([]formattest.Doc, n)
	for i := range docs {
		s := make([]rune, 1+r.IntN(400))
		for j := range s {
			s[j] = alphabet[r.IntN(len(alphabet))]
		}
		docs[i] = formattest.Doc{ID: "noise", Markdown: string(s)}
	}
	return docs
}

// judge returns what is wrong with a part that Telegram reads as a.
func judge(p formatting.Profile, part formatting.Part, a answer) string {
	if a.Error != "" {
		return "refused: " + a.Error
	}
	text, entities, err := formattest.ParseHTML(part.Text)
	if err != nil {
		return "our parser: " + err.Error()
	}
	if a.Text != text {
		return "Telegram sees another text: " + a.Text
	}
	if n := formatting.RunesOrUTF16.Of(a.Text); n > 4096 {
		return "over the limit"
	}
	if strings.TrimSpace(a.Text) == "" {
		return "empty"
	}
	shown := func(url string) bool { return p.Measure.Of(url) <= p.Limit/4 }
	if want := formattest.Plain(text, entities, shown); part.Plain != want {
		return "plain text: " + part.Plain
	}
	if got, want := covered(a.Entities), covered(theirs(entities)); !slices.Equal(got, want) {
		return "Telegram sees other entities"
	}
	return ""
}

// theirs names our entities as TDLib does.
func theirs(entities []formattest.Entity) []entity {
	names := map[string]string{"b": "Bold", "i": "Italic", "s": "Strikethrough", "code": "Code", "pre": "Pre", "a": "TextUrl", "blockquote": "BlockQuote", "expandable": "ExpandableBlockQuote"}
	list := make([]entity, len(entities))
	for i, e := range entities {
		list[i] = entity{names[e.Type], e.Offset, e.Length, e.Arg}
		switch {
		case e.Type == "pre" && e.Arg != "":
			list[i].Type = "PreCode"
		case e.Type == "a":
			list[i].Arg = "" // TDLib writes URLs in its own way
		}
	}
	return list
}

// covered returns entities in order, with neighbours of one kind as one:
// TDLib joins some.
func covered(entities []entity) []entity {
	list := slices.Clone(entities)
	for i := range list {
		if list[i].Type == "TextUrl" {
			list[i].Arg = ""
		}
	}
	slices.SortFunc(list, func(a, b entity) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Arg, b.Arg), cmp.Compare(a.Offset, b.Offset))
	})
	var joined []entity
	for _, e := range list {
		if n := len(joined); n > 0 && joined[n-1].Type == e.Type && joined[n-1].Arg == e.Arg && joined[n-1].Offset+joined[n-1].Length == e.Offset {
			joined[n-1].Length += e.Length
			continue
		}
		joined = append(joined, e)
	}
	return joined
}
