package search

// Fold is the spelling in which words are compared.
func Fold(word string) string { return fold(word) }

// Root returns the root of a folded German word.
func Root(form string) string { return lexicons().de.root(form) }

// Distance is the number of letters between two words, limit+1 for more.
func Distance(a, b string, limit int) int { return distance([]rune(a), []rune(b), limit) }

// Measures reports whether the question asks for an amount or a date.
func Measures(question string) bool {
	k, _ := kindOf(tokens(question))
	return k.measures()
}
