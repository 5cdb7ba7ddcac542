package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// docs/channels.md explains each message of `outheis channels test`, and everything
// that can be wrong with a channel, in the words in which people read it.
func TestChannelMessagesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "channels.md"))
	if err != nil {
		t.Fatal(err)
	}
	holes := regexp.MustCompile(`%(\[\d+\])?[sdvq]`)
	for _, network := range []string{"telegram", "discord", "mattermost"} {
		b, err := os.ReadFile(filepath.Join("..", "config", "texts", "de", network+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		said := make(map[string]string)
		if err := yaml.Unmarshal(b, &said); err != nil {
			t.Fatal(err)
		}
		explained := 0
		for key, sentence := range said {
			remedied, ok := strings.CutSuffix(key, "_remedy")
			of := ok && said[remedied] != ""
			if strings.HasSuffix(key, ".one") || !of && said[key+"_remedy"] == "" && !strings.HasPrefix(key, "check_") {
				continue
			}
			explained++
			if want := holes.ReplaceAllString(sentence, "…"); !strings.Contains(string(doc), want) {
				t.Errorf("%s.%s is not in docs/channels.md: %s", network, key, want)
			}
		}
		if explained < 10 {
			t.Errorf("%s: %d messages", network, explained)
		}
	}
}
