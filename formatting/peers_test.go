//go:build peers

package formatting_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// Parsers that nobody of this project wrote, the one of Mattermost's mobile
// client and one of Discord's dialect, show of each part what its plain text
// says, and find nothing in it that acts: no mention, tag, emoji, formula,
// preview.
func TestMarkdownOfOthers(t *testing.T) {
	peers := os.Getenv("OUTHEIS_PEERS")
	if peers == "" {
		t.Skip("OUTHEIS_PEERS names no folder")
	}
	type request struct {
		Network string `json:"network"`
		Text    string `json:"text"`
		part    formatting.Part
		profile formatting.Profile
	}
	var requests []request
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	var docs []formatting.Document
	for _, d := range formattest.Corpus(11, 400) {
		docs = append(docs, formatting.Parse(d.Markdown))
	}
	for _, a := range actingTexts() {
		text := formatting.Para(formatting.Text(a.text))
		docs = append(docs, formatting.Doc(text), formatting.Doc(formatting.Quoted(text), formatting.Bullets(text.Inlines)),
			formatting.Doc(formatting.Para(formatting.Bold(a.text), formatting.Text(" "+a.text))))
	}
	for _, doc := range docs {
		for _, p := range []formatting.Profile{formatting.DiscordMarkdown(), formatting.MattermostMarkdown(0), formatting.MattermostMarkdown(600)} {
			for _, part := range formatting.Render(doc, p) {
				r := request{Network: p.Name, Text: part.Text, part: part, profile: p}
				if err := enc.Encode(r); err != nil {
					t.Fatal(err)
				}
				requests = append(requests, r)
			}
		}
	}
	cmd := exec.Command("node", "testdata/peers/read.js")
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(peers, "markdown", "node_modules"))
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v: %s", err, stderr.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	n, wrong := 0, 0
	for ; lines.Scan(); n++ {
		var got struct {
			Text  string
			Links []formattest.Entity
			Acts  []string
		}
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		r := requests[n]
		read := seenBy(r.Network, formattest.Plain(got.Text, got.Links, shownURL(r.profile)))
		if want := seenBy(r.Network, r.part.Plain); read != want || len(got.Acts) > 0 {
			if wrong++; wrong <= 5 {
				i := 0
				for i < min(len(read), len(want)) && read[i] == want[i] {
					i++
				}
				t.Errorf("%s acts %q\n got %.120q\nwant %.120q\n for %q", r.Network, got.Acts, read[max(0, i-30):], want[max(0, i-30):], r.Text)
			}
		}
	}
	if n != len(requests) || wrong > 0 {
		t.Errorf("%d of %d parts were read, %d of them otherwise than meant", n, len(requests), wrong)
	}
	t.Logf("%d parts", n)
}

// seenBy reduces a text to what both parsers keep. The one for Discord knows
// no lists, so their marks are text to it.
func seenBy(network, s string) string {
	if network == "discord" {
		s = emptyPrefix.ReplaceAllString(s, "")
	}
	return shown(strings.ReplaceAll(s, "\u00a0", " "))
}

var emptyPrefix = regexp.MustCompile(`(?m)^[> ]+$`)
