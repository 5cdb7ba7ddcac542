package discord

// Plain returns what a person reads of a message's Markdown.
func Plain(content string) string { return content }
