package wording

// Keys returns the keys of the catalogue for a language with their sentences.
var Keys = catalogue
