package formatting

// Gap is what the Markdown dialects put between a sign and the word behind it.
const Gap = gap
