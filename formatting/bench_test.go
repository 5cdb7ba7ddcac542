package formatting_test

import (
	"fmt"
	"testing"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

func profiles() []formatting.Profile {
	return []formatting.Profile{
		formatting.TelegramHTML(),
		formatting.DiscordMarkdown(),
		formatting.MattermostMarkdown(0),
		formatting.Terminal(formatting.TerminalOptions{Width: 80}),
		formatting.Terminal(formatting.TerminalOptions{Color: true, Width: 80}),
		formatting.Plain(formatting.PlainOptions{Limit: 2000, Measure: formatting.Bytes, Reserve: 40}),
	}
}

func profileName(i int, p formatting.Profile) string {
	return fmt.Sprintf("%d-%s", i, p.Name)
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{10_000, 20_000} {
		md := formattest.Long(1, size)
		b.Run(fmt.Sprintf("%dkB", size/1000), func(b *testing.B) {
			b.SetBytes(int64(len(md)))
			b.ReportAllocs()
			for b.Loop() {
				formatting.Parse(md)
			}
		})
	}
}

func BenchmarkRender(b *testing.B) {
	for _, size := range []int{10_000, 20_000} {
		md := formattest.Long(1, size)
		doc := formatting.Parse(md)
		for i, p := range profiles() {
			b.Run(fmt.Sprintf("%dkB/%s", size/1000, profileName(i, p)), func(b *testing.B) {
				b.SetBytes(int64(len(md)))
				b.ReportAllocs()
				for b.Loop() {
					formatting.Render(doc, p)
				}
			})
		}
	}
}

// BenchmarkRender10k renders and splits an answer of 10 kB for each network.
func BenchmarkRender10k(b *testing.B) {
	doc := formatting.Parse(formattest.Long(1, 10_000))
	for _, p := range []formatting.Profile{
		formatting.TelegramHTML(),
		formatting.DiscordMarkdown(),
		formatting.MattermostMarkdown(0),
		formatting.Terminal(formatting.TerminalOptions{Width: 80}),
		formatting.Plain(formatting.PlainOptions{Limit: 2000, Measure: formatting.Bytes, Reserve: 40}),
	} {
		b.Run(p.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				formatting.Render(doc, p)
			}
		})
	}
}
