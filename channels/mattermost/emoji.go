package mattermost

// emoji returns the sign that the server calls name; what is not among those
// that mean something to us, as custom ones, is returned as ":name:".
func emoji(name string) string {
	switch name {
	case "+1", "thumbsup":
		return "👍"
	case "-1", "thumbsdown":
		return "👎"
	case "heart":
		return "❤"
	case "tada":
		return "🎉"
	case "eyes":
		return "👀"
	case "white_check_mark":
		return "✅"
	case "heavy_check_mark":
		return "✔"
	case "x":
		return "❌"
	case "question":
		return "❓"
	case "exclamation":
		return "❗"
	case "pray":
		return "🙏"
	case "clap":
		return "👏"
	case "ok_hand":
		return "👌"
	case "fire":
		return "🔥"
	case "100":
		return "💯"
	case "rocket":
		return "🚀"
	case "smile":
		return "😄"
	case "smiley":
		return "😃"
	case "joy":
		return "😂"
	case "thinking", "thinking_face":
		return "🤔"
	case "confused":
		return "😕"
	case "cry":
		return "😢"
	case "rage":
		return "😡"
	case "wave":
		return "👋"
	}
	return ":" + name + ":"
}
