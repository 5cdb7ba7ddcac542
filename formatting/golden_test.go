package formatting_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/formatting"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenProfiles are the ready profiles, and small ones that show splitting.
func goldenProfiles() map[string]formatting.Profile {
	small := formatting.TelegramHTML()
	small.Limit, small.Reserve, small.TableWidth = 220, 30, 30
	smallDiscord := formatting.DiscordMarkdown()
	smallDiscord.Limit, smallDiscord.Reserve, smallDiscord.TableWidth = 220, 30, 30
	return map[string]formatting.Profile{
		"telegram":       formatting.TelegramHTML(),
		"telegram-small": small,
		"discord":        formatting.DiscordMarkdown(),
		"discord-small":  smallDiscord,
		"mattermost":     formatting.MattermostMarkdown(0),
		"terminal":       formatting.Terminal(formatting.TerminalOptions{Width: 60}),
		"color":          formatting.Terminal(formatting.TerminalOptions{Color: true, Width: 60}),
		"plain":          formatting.Plain(formatting.PlainOptions{Limit: 400, Measure: formatting.Bytes, Reserve: 40}),
	}
}

func TestGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/golden/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, source := range sources {
		md, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range goldenProfiles() {
			t.Run(filepath.Base(source)+"/"+name, func(t *testing.T) {
				parts := formatting.Render(formatting.Parse(string(md)), p)
				checkParts(t, p, parts)
				var b strings.Builder
				for i, part := range parts {
					fmt.Fprintf(&b, "=== %d/%d %s\n%s\n", i+1, len(parts), part.Mode, strings.ReplaceAll(part.Text, "\x1b", "␛"))
					if part.Mode == "HTML" && strings.Contains(part.Text, "</a> (") {
						fmt.Fprintf(&b, "=== plain\n%s\n", part.Plain)
					}
				}
				golden := strings.TrimSuffix(source, ".md") + "." + name + ".txt"
				if *update {
					if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if b.String() != string(want) {
					t.Errorf("got\n%s\nwant\n%s", b.String(), want)
				}
			})
		}
	}
}
