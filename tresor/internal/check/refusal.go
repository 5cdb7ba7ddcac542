package check

import "outheis/tresor/internal/wording"

// A Refusal is the error of a writer: a finding about what was to be written, or
// about the file that was to be edited. Its sentence names the remedy; In words
// it for a person.
type Refusal struct{ Finding }

// Refuse returns a [*Refusal] about w with the sentence for key.
func Refuse(w Where, key string, args ...any) error {
	return &Refusal{Finding{w, wording.Sentence{Key: key, Args: args}}}
}

// Error returns the label and the sentence in English.
func (r *Refusal) Error() string { return r.Text("en") }

// Text returns the label, where there is one, and the sentence in lang.
func (r *Refusal) Text(lang string) string {
	if r.Label == "" {
		return r.In(lang)
	}
	return r.Label + ": " + r.In(lang)
}

// Refused returns the first error of f as a [*Refusal], or nil without one.
func (f *Findings) Refused() error {
	if len(f.Errors) == 0 {
		return nil
	}
	return &Refusal{f.Errors[0]}
}
