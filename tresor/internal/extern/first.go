package extern

// FirstSentence returns the first sentence of a text in one block, with its end
// mark, by the rule of satzsegmentierung/v1; it is false if no sentence ends
// before the text does.
func FirstSentence(s string) (string, bool) {
	sentence, rest := cutSentence(s)
	return sentence, rest != ""
}
